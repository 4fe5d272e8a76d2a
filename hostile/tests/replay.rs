//! What fuzzers began with and what they found, again, and mutations of it.

use proptest::prelude::*;
use std::path::Path;
use wgpu_reduce_hostile::{TARGETS, plan};

/// The files of a target.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let files = std::fs::read_dir(folder).expect("the corpus is there");
    let files = files.map(|file| std::fs::read(file.expect("a file").path()).expect("it is read"));
    files.collect()
}

#[test]
fn corpus_of_every_target() {
    for (name, target) in TARGETS {
        let files = corpus(name);
        assert!(files.len() >= 5, "{name} has {} files", files.len());
        let accepted = files.iter().filter(|bytes| target(bytes)).count();
        assert!(accepted > 0 && accepted < files.len(), "{name}: {accepted} of {}", files.len());
    }
}

/// Each planner makes a plan of a file, and refuses another.
#[test]
fn corpus_of_every_planner() {
    let files = corpus("plan");
    for planner in 0..PLANNERS {
        let of_planner = files.iter().filter(|bytes| bytes.first() == Some(&planner));
        let (made, refused): (Vec<_>, Vec<_>) = of_planner.partition(|bytes| plan(bytes));
        assert!(!made.is_empty() && !refused.is_empty(), "of planner {planner}");
    }
}

/// As many as the first byte of a request chooses from.
const PLANNERS: u8 = 14;

/// libFuzzer has them all.
#[test]
fn every_target_is_one_of_the_fuzzers() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let manifest = std::fs::read_to_string(fuzz.join("Cargo.toml")).expect("it is there");
    let targets = fuzz.join("fuzz_targets");
    for (name, _) in TARGETS {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
        let text = std::fs::read_to_string(targets.join(format!("{name}.rs"))).expect("a target");
        assert!(text.contains(&format!("wgpu_reduce_hostile::{name}(bytes)")), "{text}");
    }
    assert_eq!(targets.read_dir().expect("a folder").count(), TARGETS.len());
}

/// What happens to bytes: some are replaced, some go, some come twice.
#[derive(Debug, Clone)]
enum Change {
    Set(prop::sample::Index, u8),
    Cut(prop::sample::Index),
    Repeat(prop::sample::Index, prop::sample::Index),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    use prop::sample::Index;
    let change = prop_oneof![
        4 => any::<(Index, u8)>().prop_map(|(at, byte)| Change::Set(at, byte)),
        1 => any::<Index>().prop_map(Change::Cut),
        1 => any::<(Index, Index)>().prop_map(|(from, to)| Change::Repeat(from, to)),
    ];
    prop::collection::vec(change, 0..8)
}

fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        let len = bytes.len();
        if len == 0 {
            break;
        }
        match change {
            Change::Set(at, byte) => bytes[at.index(len)] = *byte,
            Change::Cut(at) => bytes.truncate(at.index(len)),
            Change::Repeat(from, to) => {
                let (from, to) = (from.index(len), to.index(len));
                bytes.extend_from_within(from.min(to)..from.max(to));
            }
        }
    }
    bytes
}

/// As a request's bytes say an extent.
fn extent(extent: u8) -> [u8; 10] {
    [0, extent, 0, 0, 0, 0, 0, 0, 0, 0]
}

/// Bytes of which few stand for limits that no device has.
fn usual_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(0..249_u8, 200)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutations_of_the_corpus(file in any::<prop::sample::Index>(), changes in changes()) {
        for (name, target) in TARGETS {
            let files = corpus(name);
            let _ = target(&changed(files[file.index(files.len())].clone(), &changes));
        }
    }

    /// So few elements that all of them are followed from where they lie to their results.
    #[test]
    fn matrices_of_few_elements(extents in any::<[u8; 2]>(), rest in usual_bytes()) {
        let request = [vec![9], extents.map(extent).concat(), rest].concat();
        let _ = plan(&request);
    }

    /// The same, with strides or without.
    #[test]
    fn views_of_few_elements(
        shape in prop::collection::vec((0..9_u8, 0..40_u8, any::<u8>()), 1..5),
        (kind, offset) in any::<(u8, u8)>(),
        rest in usual_bytes(),
    ) {
        let mut request = vec![10, u8::try_from(shape.len()).unwrap()];
        request.extend(shape.iter().flat_map(|&(len, ..)| extent(len)));
        request.push(kind);
        if !kind.is_multiple_of(4) {
            let stride = |&(_, stride, sign): &(u8, u8, u8)| [&extent(stride)[..], &[sign]].concat();
            request.extend(shape.iter().flat_map(stride));
            // What is far enough from the beginning for strides back.
            request.extend([0, offset, 4, 0, 0, 0, 0, 0, 0]);
        }
        request.extend(rest);
        let _ = plan(&request);
    }

    #[test]
    fn requests_of_usual_bytes(planner in 0..PLANNERS, rest in usual_bytes()) {
        let _ = plan(&[vec![planner], rest].concat());
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for (_, target) in TARGETS {
            let _ = target(&bytes);
        }
    }
}
