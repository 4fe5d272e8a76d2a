//! Plans of every operation and element type, with the tunings that there are by default.

use crate::error::Result;
use crate::op::OpRecord;
use crate::op::element::ElementKind;
use crate::plan::caps::{AdapterClass, Caps};
use crate::plan::cut::part::Part;
use crate::plan::followed::written;
use crate::plan::problem::{Problem, Shape};
use crate::plan::shapes::axis::{AxisSet, Matrix, View};
use crate::plan::shapes::groups::{Grouped, GroupsParts};
use crate::plan::shapes::runs::KeyPart;
use crate::tests::goldens::Written;

/// Lengths from nothing to what takes several bindings.
const LENGTHS: [u64; 10] =
    [0, 1, 5, 1000, 65_537, 1 << 20, (1 << 24) + 3, 1 << 26, 1 << 28, 5_000_000_000];

/// So many lengths are planned for a software adapter with tight limits, on which longer inputs are thousands of dispatches.
const SHORT: usize = 6;

pub(crate) fn note(all: &mut Written, device: &'static str, caps: &Caps) {
    for operation in OpRecord::ALL {
        for element in ElementKind::ALL.into_iter().filter(|&kind| operation.over(kind).is_ok()) {
            let of = Of { operation, element, caps: *caps };
            let name = |shape: &str| format!("{} {element} {shape}", operation.name());
            all.note_plans(&name("whole"), device, of.whole());
            all.note_plans(&name("axis"), device, of.along());
            if element == ElementKind::F32 {
                all.note_plans(&name("masked axis"), device, of.along_masked());
            }
            all.note_plans(&name("segments"), device, of.segments());
            all.note_plans(&name("by key"), device, of.by_key());
            if GroupsParts::of(operation, element).is_ok() {
                all.note_plans(&name("groups"), device, of.groups());
            }
        }
    }
    for operation in OpRecord::PAIRS {
        for element in ElementKind::ALL.into_iter().filter(|&kind| operation.over(kind).is_ok()) {
            let of = Of { operation, element, caps: *caps };
            let name = |shape: &str| format!("{} {element} {shape}", operation.name());
            all.note_plans(&name("whole"), device, of.pairs());
            all.note_plans(&name("axis"), device, of.along());
        }
    }
}

impl Written {
    fn note_plans(
        &mut self,
        name: &str,
        device: &'static str,
        plans: impl IntoIterator<Item = Result<String>>,
    ) {
        let texts =
            plans.into_iter().map(|plan| plan.unwrap_or_else(|error| format!("{error:?}\n")));
        self.0.entry(name.to_owned()).or_default().push((device, texts.collect()));
    }
}

/// Views, and each axis of them.
fn views() -> impl Iterator<Item = (View, usize)> {
    let matrices = [(1, 1), (1, 70_000), (3, 5000), (1000, 33), (40_000, 2), (1500, 1)];
    let views = matrices.map(|(rows, columns)| View::from(Matrix { rows, columns }));
    let strided = View::strided(&[7, 30, 40], &[2400, -40, 2], 1200).expect("it is a view");
    let gappy = View::strided(&[100, 101], &[128, 1], 3).expect("it is a view");
    let views = views.into_iter().chain([strided, gappy]);
    views.flat_map(|view| (0..view.shape().len()).map(move |axis| (view, axis)))
}

struct Of {
    operation: &'static OpRecord,
    element: ElementKind,
    caps: Caps,
}

impl Of {
    fn lengths(&self) -> &'static [u64] {
        if self.caps.class == AdapterClass::Cpu { &LENGTHS[..SHORT] } else { &LENGTHS }
    }

    /// One part, which begins at an element that depends on its length.
    fn part(&self, len: u64) -> Part {
        Part { offset_bytes: self.element.size_bytes() * (len % 3), len }
    }

    /// As many parts as it takes, each of no more than half of what a buffer holds.
    fn parts(&self, len: u64) -> Vec<Part> {
        let most = self.caps.max_buffer_bytes / 2 / self.element.size_bytes();
        let whole = std::iter::repeat_n(most, usize::try_from(len / most).expect("few"));
        whole.chain([len % most]).map(|len| self.part(len)).collect()
    }

    fn whole(&self) -> impl Iterator<Item = Result<String>> {
        self.lengths().iter().map(|&len| self.of_whole(len, vec![self.parts(len)]))
    }

    fn pairs(&self) -> impl Iterator<Item = Result<String>> {
        self.lengths().iter().map(|&len| {
            let mut partner = self.parts(len);
            partner[0].offset_bytes += self.element.size_bytes();
            self.of_whole(len, vec![self.parts(len), partner])
        })
    }

    /// With a place for the result, so that exact sums are planned as all others.
    fn of_whole(&self, len: u64, inputs: Vec<Vec<Part>>) -> Result<String> {
        let problem = Problem::by(self.operation, self.element, 0).parts(inputs);
        let problem = problem.left(Some([64 * (len % 2), 0, 0]), len % 5 == 1);
        Ok(written(&problem.plan(&self.caps)?, &self.caps))
    }

    fn along(&self) -> impl Iterator<Item = Result<String>> {
        views().map(|(view, axis)| self.axis(view, axis))
    }

    fn along_masked(&self) -> impl Iterator<Item = Result<String>> {
        let mask = vec![Part { offset_bytes: 3, len: 1 << 20 }];
        views().map(move |(view, axis)| {
            let problem = Problem::by(self.operation, self.element, 0).masked(mask.clone());
            let problem = problem.parts(vec![vec![self.part(1 << 20)]]).along(view, axis);
            Ok(written(&problem.plan(&self.caps)?, &self.caps))
        })
    }

    fn axis(&self, view: View, axis: usize) -> Result<String> {
        self.written(1 << 20, Shape::Axis(view, AxisSet::new(&axis)), None)
    }
    fn written(&self, len: u64, shape: Shape<'_>, outputs: Option<[u64; 3]>) -> Result<String> {
        let problem = Problem::by(self.operation, self.element, 0);
        let inputs = problem.inputs.len();
        let problem = problem.parts(vec![vec![self.part(len)]; inputs]).left(outputs, false);
        Ok(written(&problem.shaped(shape).plan(&self.caps)?, &self.caps))
    }

    fn segments(&self) -> [Result<String>; 3] {
        [(100, 3, None), (300_000, 1000, None), (70_000, 5, Some([256, 0, 0]))].map(
            |(len, segments, outputs)| {
                let offsets = Part { offset_bytes: 4, len: segments + 1 };
                self.written(len, Shape::Segments(offsets, None), outputs)
            },
        )
    }

    fn groups(&self) -> [Result<String>; 3] {
        [(100, 3, None), (70_000, 1000, None), (9000, 70_000, Some([256, 0, 0]))].map(
            |(len, groups, outputs)| {
                let keys = [Part { offset_bytes: 8, len }];
                let grouped = Grouped { keys: &keys, key_bytes: 4, groups };
                self.written(len, Shape::Groups(grouped), outputs)
            },
        )
    }

    fn by_key(&self) -> [Result<String>; 3] {
        [(100, 4, None), (5000, 8, None), (700, 4, Some([256, 0, 4]))].map(
            |(len, bytes, outputs)| {
                let place = Part { offset_bytes: 8, len };
                let keys = KeyPart { place, bytes, are_floats: len % 3 == 1 };
                self.written(len, Shape::Runs(keys), outputs)
            },
        )
    }
}
