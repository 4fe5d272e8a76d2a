//! Plans of the corpus and of random requests, held to what they were: `src/goldens/` of the library does so for what is planned by
//! default. `goldens.txt` has a hash of what a device would see of each file of the corpus, and of each [`REQUESTS`] requests of a planner.
//! `WGPU_REDUCE_GOLDENS` names a folder for all that was hashed, and for the hashes as they are now.

use std::collections::BTreeMap;
use std::path::Path;
use wgpu_reduce::followed::hash;
use wgpu_reduce_hostile::recorded;

/// Random requests behind one hash.
const REQUESTS: u64 = 25;

/// Hashes of each planner.
const HASHES: u64 = 25;

const PLANNERS: u8 = 11;

/// Few of them stand for limits that no device has.
const MOST_BYTE: u64 = 249;

/// Bytes of a request, drawn by `SplitMix64` (Steele, Lea and Flood, 2014).
fn request(planner: u8, number: u64) -> Vec<u8> {
    let mut state = u64::from(planner) << 32 | number;
    let drawn = std::iter::repeat_with(|| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        u8::try_from((mixed ^ mixed >> 31) % MOST_BYTE).expect("it is a byte")
    });
    std::iter::once(planner).chain(drawn.take(200)).collect()
}

/// What devices see, by names.
fn texts() -> BTreeMap<String, String> {
    let refused = || "no plan\n".to_owned();
    let mut texts = BTreeMap::new();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/plan");
    for file in corpus.read_dir().expect("the corpus is there") {
        let file = file.expect("a file");
        let bytes = std::fs::read(file.path()).expect("it is read");
        let name = file.file_name().to_string_lossy().into_owned();
        texts.insert(name, recorded(&bytes).unwrap_or_else(refused));
    }
    for planner in 0..PLANNERS {
        for first in (0..HASHES).map(|hash| hash * REQUESTS) {
            let of = (first..first + REQUESTS).map(|number| request(planner, number));
            let text = of.map(|bytes| recorded(&bytes).unwrap_or_else(refused)).collect();
            texts.insert(format!("planner {planner:02} from {first:03}"), text);
        }
    }
    texts
}

#[test]
fn plans_are_what_they_were() {
    let texts = texts();
    let lines = texts.iter().map(|(name, text)| format!("{name}: {:016x}\n", hash(text)));
    let now = lines.collect::<String>();
    if let Some(folder) = std::env::var_os("WGPU_REDUCE_GOLDENS") {
        let folder = Path::new(&folder);
        std::fs::create_dir_all(folder).expect("a folder");
        std::fs::write(folder.join("hostile.txt"), &now).expect("it is written");
        for (name, text) in &texts {
            std::fs::write(folder.join(name.replace(' ', "_")), text).expect("it is written");
        }
    }
    let kept = include_str!("goldens.txt");
    let wrong: Vec<_> = now.lines().filter(|line| !kept.contains(line)).collect();
    assert!(wrong.is_empty(), "devices are given something else for: {wrong:#?}");
    assert_eq!(now.lines().count(), kept.lines().count());
}
