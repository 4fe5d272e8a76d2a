//! Which texts compilers are given where all would take too long: so many that every two files of `shaders/` that are joined
//! anywhere are joined in one of them.

use crate::shader::{Language, Shader};
use crate::translate::Guards;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A text as a pipeline has it: the shader's number, that of its form, and what guards it.
pub(crate) type Choice = (usize, usize, Guards);

/// What a choice shows. Files go by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Feature {
    /// The two are in one text.
    Pair(usize, usize),
    /// The file is in a text with these guards.
    Guarded(usize, Guards),
    /// There is a form of that number behind this kernel.
    Form(usize, usize),
}

/// What keeps names of custom operators' kernels apart from the user's. It counts for nothing here.
const PREFIX: &str = "fold_lib_";

/// The files of `shaders/`.
pub(crate) struct Files {
    /// Paths below `shaders/`.
    paths: Vec<String>,
    lines: Vec<Vec<String>>,
    /// Those that begin with a line.
    by_first: HashMap<String, Vec<usize>>,
}

impl Files {
    pub(crate) fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
        let mut found = Vec::new();
        collect(&root, &mut found);
        found.sort();
        let text = |path: &PathBuf| fs::read_to_string(path).expect("it can be read");
        let lines_of = |path| text(path).replace(PREFIX, "").lines().map(str::to_owned).collect();
        let lines: Vec<Vec<_>> = found.iter().map(lines_of).collect();
        let mut by_first: HashMap<_, Vec<_>> = HashMap::new();
        for (number, lines) in lines.iter().enumerate() {
            by_first.entry(lines[0].clone()).or_default().push(number);
        }
        let below =
            |path: &PathBuf| path.strip_prefix(&root).expect("it is inside").display().to_string();
        Self { paths: found.iter().map(below).collect(), lines, by_first }
    }

    /// The files that a text was joined of. Lines between them are passed over.
    fn of(&self, text: &str) -> Vec<usize> {
        let text = text.replace(PREFIX, "");
        let lines: Vec<_> = text.lines().collect();
        let mut files = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            let begin_so = self.by_first.get(lines[at]).into_iter().flatten().copied();
            let are_here = |&file: &usize| lines[at..].starts_with_lines(&self.lines[file]);
            let longest = begin_so.filter(are_here).max_by_key(|&file| self.lines[file].len());
            files.extend(longest);
            at += longest.map_or(1, |file| self.lines[file].len());
        }
        files
    }
}

/// The beginning of lines.
trait Lines {
    fn starts_with_lines(&self, lines: &[String]) -> bool;
}

impl Lines for [&str] {
    fn starts_with_lines(&self, lines: &[String]) -> bool {
        self.len() >= lines.len() && self.iter().zip(lines).all(|(own, line)| own == line)
    }
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().expect("it is a folder") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "wgsl") {
            found.push(path);
        }
    }
}

/// Every choice that there is. Guards are those that wgpu sets for the shader, and all.
pub(crate) fn every(shaders: &[Shader]) -> Vec<Choice> {
    let of = |(number, shader): (usize, &Shader)| {
        let own = shader.guards();
        let forms = 0..shader.forms.len();
        forms.flat_map(move |form| {
            [own, Guards::ChecksAndZeros].map(|guards| (number, form, guards))
        })
    };
    shaders.iter().enumerate().flat_map(of).collect()
}

/// Those that browsers are given, each once. One with a pipeline counts as another form of its kernel.
pub(crate) fn for_browsers(shaders: &[Shader]) -> Vec<Choice> {
    let of = |(number, shader): (usize, &Shader)| {
        let browser = shader.browser.as_ref()?;
        Some((number, usize::from(browser.with_pipeline), shader.guards()))
    };
    shaders.iter().enumerate().filter_map(of).collect()
}

/// So many of `every` that each feature of any is in one of them; those that are written in HLSL come first, since that is
/// what fewest compilers see. The next is always the one with most that is new, and the first of several such.
pub(crate) fn cover(files: &Files, shaders: &[Shader], every: &[Choice]) -> Vec<Choice> {
    let of_texts: Vec<_> = shaders.iter().map(|shader| files.of(&shader.text)).collect();
    let features = |&(shader, form, guards): &Choice| -> Vec<Feature> {
        let joined = &of_texts[shader];
        let pairs = joined.iter().flat_map(|&a| joined.iter().map(move |&b| Feature::Pair(a, b)));
        let pairs = pairs.filter(|pair| matches!(pair, Feature::Pair(a, b) if a < b));
        let guarded = joined.iter().map(|&file| Feature::Guarded(file, guards));
        let forms = joined.first().map(|&kernel| Feature::Form(kernel, form));
        pairs.chain(guarded).chain(forms).collect()
    };
    let mut seen = HashSet::new();
    let mut chosen = Vec::new();
    for in_hlsl in [true, false] {
        let are_of =
            |&&(shader, ..): &&Choice| shaders[shader].is_written_in(Language::Hlsl) == in_hlsl;
        let candidates: Vec<_> = every.iter().filter(are_of).collect();
        let mut heap: BinaryHeap<_> =
            (0..candidates.len()).map(|at| (usize::MAX, Reverse(at))).collect();
        // Gains only shrink: one that is still what it was is the largest.
        while let Some((said, Reverse(at))) = heap.pop() {
            let own = features(candidates[at]);
            let gain = own.iter().filter(|feature| !seen.contains(*feature)).count();
            if gain == said {
                seen.extend(own);
                chosen.push(*candidates[at]);
            } else if gain > 0 {
                heap.push((gain, Reverse(at)));
            }
        }
    }
    chosen.sort_unstable();
    chosen
}

/// Files that no chosen text has.
pub(crate) fn missing(files: &Files, shaders: &[Shader], chosen: &[Choice]) -> Vec<String> {
    let shown: BTreeSet<_> = chosen.iter().map(|&(shader, ..)| shader).collect();
    let shown: HashSet<_> =
        shown.into_iter().flat_map(|shader| files.of(&shaders[shader].text)).collect();
    let missing = files.paths.iter().enumerate().filter(|(number, _)| !shown.contains(number));
    missing.map(|(_, path)| path.clone()).collect()
}
