//! Segments and runs of equal keys, beside NumPy's results (`tests/data/numpy_segments.py`).

use crate::harness::{Outcome, Rig, ensure, on_every_rig, one_rig_of_each_adapter};
use half::{bf16, f16};
use libtest_mimic::{Failed, Trial};
use wgpu_reduce::{All, Any, ArgMax, ArgMin, Element, Located, Max, Min, Operation, Sum};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    let mut trials = on_every_rig(rigs, "numpy_segments::every_case", of_first_types);
    let others = on_every_rig(rigs, "numpy_segments::other_types", of_other_types);
    trials.extend(one_rig_of_each_adapter(rigs, others));
    trials
}

/// A number that is whole here.
trait Whole: Copy {
    fn whole(self) -> i64;
}

macro_rules! whole {
    ($($number:ty),*) => {$(
        impl Whole for $number {
            #[allow(clippy::cast_possible_truncation, clippy::cast_lossless, reason = "small numbers")]
            #[allow(clippy::cast_possible_wrap, reason = "small numbers")]
            fn whole(self) -> i64 {
                self as i64
            }
        }
    )*};
}
whole!(f32, i32, u8, i16, i64, u64, i128);

/// An element made of the numbers that are written down.
trait Written: Element + Whole {
    fn of(number: i64) -> Self;
}

macro_rules! written {
    ($($element:ty),*) => {$(
        impl Written for $element {
            #[allow(clippy::cast_possible_truncation, reason = "small numbers")]
            #[allow(clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "small numbers")]
            fn of(number: i64) -> Self {
                number as $element
            }
        }
    )*};
}
written!(f32, i32, u8, i16, i64);

macro_rules! halves {
    ($($half:ty),*) => {$(
        impl Whole for $half {
            fn whole(self) -> i64 {
                self.to_f32().whole()
            }
        }

        impl Written for $half {
            fn of(number: i64) -> Self {
                Self::from_f32(f32::of(number))
            }
        }
    )*};
}
halves!(f16, bf16);

/// One line: what it has, and its numbers.
fn parse(line: &str) -> Result<(&str, Vec<i64>), Failed> {
    let (name, numbers) = line.split_once(' ').unwrap_or((line, ""));
    let numbers = numbers.split_whitespace().map(str::parse);
    let numbers = numbers.collect::<Result<_, _>>();
    Ok((name, numbers.map_err(|error| Failed::from(format!("{line}: {error}")))?))
}

fn words(numbers: &[i64]) -> Vec<u32> {
    numbers.iter().map(|&number| u32::try_from(number).unwrap_or(u32::MAX)).collect()
}

/// What lines say of what segments and runs there are, for those behind them.
#[derive(Default)]
struct Given {
    offsets: Vec<u32>,
    /// Those without empty segments.
    full: Vec<u32>,
    keys: Vec<u32>,
    run_keys: Vec<i64>,
}

impl Given {
    /// Whether a line says something of that.
    fn takes(&mut self, name: &str, numbers: &[i64]) -> bool {
        match name {
            "offsets" => {
                self.offsets = words(numbers);
                self.full.clone_from(&self.offsets);
                self.full.dedup();
            }
            "keys" => self.keys = words(numbers),
            "run_keys" => self.run_keys = numbers.to_vec(),
            _ => return false,
        }
        true
    }
}

/// Judges all that is said of some values. Returns of how many lines.
fn check<T: Written>(rig: &Rig, values: &[i64], lines: &[&str]) -> Result<usize, Failed>
where
    Sum: Operation<T, Output: Whole>,
    Min: Operation<T, Output = T>,
    Max: Operation<T, Output = T>,
    ArgMin: Operation<T, Output = Located<T>>,
    ArgMax: Operation<T, Output = Located<T>>,
    Any: Operation<T, Output = bool>,
    All: Operation<T, Output = bool>,
{
    let elements: Vec<T> = values.iter().map(|&value| T::of(value)).collect();
    let input = rig.reducer.upload(&elements)?;
    let mut given = Given::default();
    for line in lines {
        let (name, expected) = parse(line)?;
        if given.takes(name, &expected) {
            continue;
        }
        let Given { offsets, full, keys, run_keys } = &given;
        let on_gpu = rig.reducer.upload(offsets)?;
        let full_on_gpu = rig.reducer.upload(full)?;
        let results: Vec<i64> = match name {
            "sum" => {
                let sums = rig.reducer.reduce(Sum, &input).segments(&on_gpu).start()?.wait()?;
                sums.into_iter().map(Whole::whole).collect()
            }
            "min" => {
                let least =
                    rig.reducer.reduce(Min, &input).segments(&full_on_gpu).start()?.wait()?;
                least.into_iter().map(Whole::whole).collect()
            }
            "max" => {
                let most =
                    rig.reducer.reduce(Max, &input).segments(&full_on_gpu).start()?.wait()?;
                most.into_iter().map(Whole::whole).collect()
            }
            "argmin" => {
                let found =
                    rig.reducer.reduce(ArgMin, &input).segments(&full_on_gpu).start()?.wait()?;
                found.into_iter().map(|found| found.index.cast_signed()).collect()
            }
            "argmax" => {
                let found =
                    rig.reducer.reduce(ArgMax, &input).segments(&full_on_gpu).start()?.wait()?;
                found.into_iter().map(|found| found.index.cast_signed()).collect()
            }
            "any" => {
                let any = rig.reducer.reduce(Any, &input).segments(&on_gpu).start()?.wait()?;
                any.into_iter().map(i64::from).collect()
            }
            "all" => {
                let all = rig.reducer.reduce(All, &input).segments(&on_gpu).start()?.wait()?;
                all.into_iter().map(i64::from).collect()
            }
            "run_sums" => {
                let keys = rig.reducer.upload(keys)?;
                let runs = rig.reducer.reduce(Sum, &input).runs(&keys).start()?.wait()?;
                let found: Vec<_> = runs.iter().map(|run| i64::from(run.0)).collect();
                ensure!(found == *run_keys, "keys {found:?}, but NumPy has {run_keys:?}");
                runs.into_iter().map(|run| run.1.whole()).collect()
            }
            _ => return Err(Failed::from(format!("{line}: what is that?"))),
        };
        ensure!(results == expected, "{name} of {offsets:?}: {results:?}, but NumPy has {line}");
    }
    Ok(lines.len())
}

fn of_first_types(rig: &Rig) -> Outcome {
    check_types(rig, &["f32", "i32", "u8"])
}

fn of_other_types(rig: &Rig) -> Outcome {
    check_types(rig, &["f16", "i16", "i64", "bf16"])
}

/// All that is said of values of these types.
fn check_types(rig: &Rig, kinds: &[&str]) -> Outcome {
    let text = include_str!("../data/numpy_segments.txt");
    let lines: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let mut checked = 0;
    let mut rest = &lines[..];
    while let [first, behind @ ..] = rest {
        let end = behind.iter().position(|line| line.starts_with("values")).unwrap_or(behind.len());
        let (of_values, others) = behind.split_at(end);
        let (element, _) = first.trim_start_matches("values ").split_once(' ').unwrap_or(("", ""));
        let (_, values) = parse(first.trim_start_matches("values "))?;
        rest = others;
        if !kinds.contains(&element) {
            continue;
        }
        checked += match element {
            "f32" => check::<f32>(rig, &values, of_values)?,
            "i32" => check::<i32>(rig, &values, of_values)?,
            "u8" => check::<u8>(rig, &values, of_values)?,
            "f16" => check::<f16>(rig, &values, of_values)?,
            "bf16" => check::<bf16>(rig, &values, of_values)?,
            "i16" => check::<i16>(rig, &values, of_values)?,
            "i64" => check::<i64>(rig, &values, of_values)?,
            _ => return Err(Failed::from(format!("{element}: what is that?"))),
        };
    }
    ensure!(checked > 150, "only {checked} lines");
    Ok(())
}
