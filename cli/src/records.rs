//! Results as elements of a `.npy` file: a number each, or a record of several with their names.

use crate::figures::Figures;
use crate::number::Number;
use npyz::{DType, DTypeError, Field, Serialize, TypeWrite, WriterBuilder as _};
use std::io::{self, Write};

/// Writes a whole file. Of no results nobody knows the type, so that f64 is as good as any.
pub(crate) fn write_npy(
    file: &mut dyn Write,
    extents: &[u64],
    results: impl IntoIterator<Item = Figures>,
) -> io::Result<()> {
    let mut results = results.into_iter().peekable();
    let first: Vec<Cell> = results.peek().map(cells).unwrap_or_default();
    let options = npyz::WriteOptions::<Bytes>::new().dtype(dtype_of(&first)?).shape(extents);
    let mut writer = options.writer(file).begin_nd()?;
    let mut bytes = Bytes(Vec::new());
    for figures in results {
        bytes.0.clear();
        let cells = cells(&figures);
        if !cells.iter().map(Cell::of_type).eq(first.iter().map(Cell::of_type)) {
            return Err(io::Error::other("results of different types"));
        }
        bytes.0.extend(cells.iter().flat_map(|cell| &cell.bytes));
        writer.push(&bytes)?;
    }
    writer.finish()
}

/// Returns the bytes of a whole file of so many results like this one.
pub(crate) fn npy_bytes(results: u64, example: &Figures) -> u64 {
    let result_bytes = cells(example).iter().map(|cell| cell.bytes.len() as u64).sum();
    results.saturating_mul(result_bytes).saturating_add(HEADER_BYTES)
}

/// The header of a file takes no more, unless the array has very many dimensions.
const HEADER_BYTES: u64 = 512;

/// One number in a file.
struct Cell {
    name: String,
    kind: &'static str,
    bytes: Vec<u8>,
}

impl Cell {
    /// What all results have alike.
    fn of_type(&self) -> (&str, &str) {
        (&self.name, self.kind)
    }
}

/// What a file has of a result: its only number, the index of a place, as NumPy has it, or all of them.
fn cells(figures: &Figures) -> Vec<Cell> {
    let index = figures.iter().find(|&(name, _)| name == "index");
    let named = index.map_or_else(|| figures.iter().collect(), |index| vec![index]);
    named.into_iter().flat_map(|(name, number)| cells_of(name, number)).collect()
}

/// The number in a cell; of 128 bits, which NumPy does not have, two halves.
fn cells_of(name: &str, number: Number) -> Vec<Cell> {
    let cell = |kind, bytes: &[u8]| Cell { name: name.into(), kind, bytes: bytes.into() };
    let halves = |kind, bytes: [u8; 16]| {
        let (low, high) = bytes.split_at(8);
        let half = |half: &str, kind, bytes: &[u8]| Cell {
            name: if name == Figures::ONLY { half.into() } else { format!("{name}_{half}") },
            ..cell(kind, bytes)
        };
        vec![half("low", "<u8", low), half("high", kind, high)]
    };
    match number {
        Number::F32(value) => vec![cell("<f4", &value.to_le_bytes())],
        Number::F64(value) => vec![cell("<f8", &value.to_le_bytes())],
        Number::Int(value) => vec![cell("<i8", &value.to_le_bytes())],
        Number::Uint(value) => vec![cell("<u8", &value.to_le_bytes())],
        Number::Bool(value) => vec![cell("|b1", &[value.into()])],
        Number::WideInt(value) => halves("<i8", value.to_le_bytes()),
        Number::Wide(value) => halves("<u8", value.to_le_bytes()),
    }
}

/// A plain type of one cell, a record of several.
fn dtype_of(cells: &[Cell]) -> io::Result<DType> {
    let plain = |kind: &str| kind.parse().map(DType::Plain).map_err(io::Error::other);
    match cells {
        [] => plain("<f8"),
        [cell] => plain(cell.kind),
        cells => {
            let field =
                |cell: &Cell| Ok(Field { name: cell.name.clone(), dtype: plain(cell.kind)? });
            cells.iter().map(field).collect::<io::Result<_>>().map(DType::Record)
        }
    }
}

/// An element of the file, as it lies there.
struct Bytes(Vec<u8>);

struct AsTheyAre;

impl Serialize for Bytes {
    type TypeWriter = AsTheyAre;

    fn writer(_: &DType) -> Result<AsTheyAre, DTypeError> {
        Ok(AsTheyAre)
    }
}

impl TypeWrite for AsTheyAre {
    type Value = Bytes;

    fn write_one<W: Write>(&self, mut writer: W, value: &Bytes) -> io::Result<()> {
        writer.write_all(&value.0)
    }
}

#[cfg(test)]
mod tests {
    use super::write_npy;
    use crate::failure::Failure;
    use crate::figures::Figures;
    use crate::output;
    use wgpu_reduce::{Extrema, Located};

    /// The type and the bytes of the elements.
    fn written(results: Vec<Figures>) -> (String, Vec<u8>) {
        let count = results.len() as u64;
        let mut bytes = Vec::new();
        write_npy(&mut bytes, &[count], results).unwrap();
        let npy = npyz::NpyFile::new(&bytes[..]).unwrap();
        assert_eq!(npy.shape(), [count]);
        let dtype = npy.dtype().descr();
        let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        (dtype, bytes[header..].to_vec())
    }

    #[test]
    fn one_number_is_plain_and_several_are_a_record() {
        assert_eq!(written(vec![]), ("'<f8'".into(), vec![]));
        let one = vec![Figures::from(true), Figures::from(false)];
        assert_eq!(written(one), ("'|b1'".into(), vec![1, 0]));
        let place = vec![Figures::from(Located { index: 3, value: 0.5_f32 })];
        assert_eq!(written(place), ("'<u8'".into(), 3_u64.to_le_bytes().to_vec()));
        let extrema = vec![Figures::from(Extrema { min: 1.5_f32, max: 2.0 })];
        let expected = [1.5_f32.to_le_bytes(), 2.0_f32.to_le_bytes()].concat();
        assert_eq!(written(extrema), ("[('min', '<f4'), ('max', '<f4'), ]".into(), expected));
    }

    #[test]
    fn integers_of_128_bits_are_two_halves() {
        let (dtype, bytes) = written(vec![Figures::from(-2_i128)]);
        assert_eq!(dtype, "[('low', '<u8'), ('high', '<i8'), ]");
        assert_eq!(bytes, (-2_i128).to_le_bytes());
        let (dtype, bytes) = written(vec![Figures::from(1_u128 << 100)]);
        assert_eq!(dtype, "[('low', '<u8'), ('high', '<u8'), ]");
        assert_eq!(bytes, (1_u128 << 100).to_le_bytes());
    }

    #[test]
    fn results_of_different_types_leave_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("results.npy");
        let output = output::open_one("--output", Some(&file), &[]).unwrap().unwrap();
        let results = [Figures::from(1), Figures::from(1.0_f32)];
        let failure = output.fill(|file| write_npy(file, &[2], results)).unwrap_err();
        drop(output);
        assert!(matches!(failure, Failure::Failed(what) if what.ends_with("different types")));
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}
