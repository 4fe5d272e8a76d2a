//! Plans of the corpus and of random requests, held to what they were: `src/tests/goldens/` of the library does so for what is planned by
//! default. `goldens.txt` has a hash of what a device would see of each file of the corpus, and of each [`REQUESTS`] requests of a planner.
//! `WGPU_REDUCE_GOLDENS` names a folder for all that was hashed, and for the hashes as they are now.

use proptest::prelude::Rng as _;
use proptest::test_runner::{RngAlgorithm, TestRng};
use std::collections::BTreeMap;
use std::path::Path;
use wgpu_reduce::followed::hash;
use wgpu_reduce_hostile::recorded;

/// Random requests behind one hash.
const REQUESTS: usize = 25;

/// Hashes of each planner.
const HASHES: usize = 25;

const PLANNERS: u8 = 13;

/// Few of them stand for limits that no device has.
const MOST_BYTE: u8 = 249;

/// Bytes of a request.
fn request(planner: u8, random: &mut TestRng) -> Vec<u8> {
    let rest = std::iter::repeat_with(|| random.random_range(0..MOST_BYTE));
    std::iter::once(planner).chain(rest.take(200)).collect()
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
        let mut random = TestRng::from_seed(RngAlgorithm::ChaCha, &[planner; 32]);
        for number in 0..HASHES {
            let requests = (0..REQUESTS).map(|_| request(planner, &mut random));
            let text = requests.map(|bytes| recorded(&bytes).unwrap_or_else(refused)).collect();
            texts.insert(format!("planner {planner:02} hash {number:02}"), text);
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
