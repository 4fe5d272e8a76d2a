//! Streams of what readers give, fail to give and lie about.

use crate::harness::oracle::Oracle;
use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, on_every_rig};
use crate::stream::SMALL;
use libtest_mimic::Trial;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use wgpu_reduce::{Error, Min, StreamOptions, Sum, SumExact};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    [
        ("stream::readers", readers as fn(&Rig) -> Outcome),
        ("stream::readers_that_fail", readers_that_fail),
        ("stream::readers_that_lie", readers_that_lie),
        ("stream::readers_that_panic", readers_that_panic),
    ]
    .into_iter()
    .flat_map(|(name, test)| on_every_rig(rigs, name, test))
    .collect()
}

/// Gives a few bytes at a time, is interrupted, and fails once.
struct Fitful<'a> {
    bytes: &'a [u8],
    turn: usize,
    fails_at: Option<usize>,
}

impl Read for Fitful<'_> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        self.turn += 1;
        if self.turn.is_multiple_of(5) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        if self.fails_at.take_if(|left| self.bytes.len() <= *left).is_some() {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "no answer"));
        }
        let most = [1, 7, 1001, 3][self.turn % 4].min(target.len());
        self.bytes.read(&mut target[..most])
    }
}

fn readers(rig: &Rig) -> Outcome {
    for len in [0, 1, 2, 3, 1000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 5_000_001] {
        let values = u16::data(Shape::Random, len);
        let bytes: &[u8] = bytemuck::cast_slice(&values);
        let sum: u64 = rig.reducer.reduce_reader::<u16, _>(Sum, bytes)?;
        let expected = <Sum as Oracle<u16>>::expected(&values)?;
        ensure!(sum == expected, "{len} elements: {sum}, not {expected}");
    }
    let outcome = rig.reducer.reduce_reader::<u32, _>(Sum, &[1, 0, 0, 0, 2][..]);
    let what = "of element 1 of u32 there are only 1 bytes".into();
    ensure!(outcome == Err(Error::InvalidBytes { what }), "{outcome:?}");
    let outcome = rig.reducer.reduce_reader::<f32, _>(Min, io::empty());
    ensure!(outcome == Err(Error::Empty { operation: "min" }), "{outcome:?}");
    Ok(())
}

/// What has come before a reader fails is in the result, whatever is in the middle of an element.
fn readers_that_fail(rig: &Rig) -> Outcome {
    for fails_at in [0, 1, 2, 3, 4, 1000, 1003, 19_999, 20_000] {
        check_failing(rig, 5000, fails_at, SMALL)?;
    }
    // Several pieces before, and others that begin amid an element after it.
    for fails_at in [0, 5, (3 << 20) + 1, 5_999_999] {
        check_failing(rig, 1_500_000, fails_at, StreamOptions::new(5 << 20))?;
    }
    Ok(())
}

/// A reader that panics after several pieces leaves a stream of no more use, and not one that has lost some of them.
fn readers_that_panic(rig: &Rig) -> Outcome {
    let zeros = vec![0_u8; 5 << 20];
    let mut stream = rig.reducer.stream::<u32, _>(Sum, &StreamOptions::new(3 << 20))?;
    let read = AssertUnwindSafe(|| stream.read_from(zeros.chain(Panicking)));
    ensure!(catch_unwind(read).is_err(), "it did not panic");
    let outcome = stream.push(&[1]);
    ensure!(matches!(outcome, Err(Error::Internal { .. })), "{outcome:?}");
    let outcome = stream.finish().err();
    ensure!(matches!(outcome, Some(Error::Internal { .. })), "{outcome:?}");
    Ok(())
}

struct Panicking;

impl Read for Panicking {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        // As a panic does, without its message.
        resume_unwind(Box::new(()))
    }
}

fn check_failing(rig: &Rig, len: u64, fails_at: usize, options: StreamOptions) -> Outcome {
    let values = f32::data(Shape::Random, len);
    let bytes: &[u8] = bytemuck::cast_slice(&values);
    let expected = rig.reducer.reduce_stream(SumExact, values.chunks(70_000))?;
    let mut reader = Fitful { bytes, turn: 0, fails_at: Some(fails_at) };
    let mut stream = rig.reducer.stream::<f32, _>(SumExact, &options)?;
    let Err(Error::Reader { at_byte, kind, message }) = stream.read_from(&mut reader) else {
        return Err(format!("nothing failed with {fails_at} bytes left").into());
    };
    let before = (bytes.len() - reader.bytes.len()) as u64;
    ensure!(at_byte == before, "failed at byte {at_byte}, not {before}");
    ensure!(kind == io::ErrorKind::TimedOut && message == "no answer", "{kind} {message}");
    if !before.is_multiple_of(4) {
        let outcome = stream.push(&[1.0]);
        ensure!(matches!(outcome, Err(Error::InvalidBytes { .. })), "{outcome:?}");
    }
    let taken = stream.len();
    let more = stream.read_from(&mut reader)?;
    ensure!(taken + more == len, "{taken} and {more} elements");
    let sum = stream.finish()?.wait()?;
    ensure!(sum.to_bits() == expected.to_bits(), "{sum:e} is not {expected:e}");
    Ok(())
}

/// A reader that says that it has read more than there was room for is refused, and what came before it is not lost.
fn readers_that_lie(rig: &Rig) -> Outcome {
    let mut stream = rig.reducer.stream::<u32, _>(Sum, &StreamOptions::new(3 << 20))?;
    let taken = stream.read_from(&[1, 0, 0, 0, 2, 0, 0, 0][..])?;
    let Err(Error::Reader { at_byte: 8, message, .. }) = stream.read_from(&mut Liar) else {
        return Err("it was believed".into());
    };
    let zeros = vec![0_u8; (5 << 20) + 2];
    let after_pieces = stream.read_from(zeros.chain(Liar));
    let at = 8 + zeros.len() as u64;
    ensure!(matches!(after_pieces, Err(Error::Reader { at_byte, .. }) if at_byte == at), "{at}");
    stream.read_from(&[0, 0][..])?;
    ensure!(taken == 2 && message.contains("says that it has read"), "{taken}, {message}");
    let sum = stream.finish()?.wait()?;
    ensure!(sum == 3, "{sum}");
    Ok(())
}

struct Liar;

impl Read for Liar {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        Ok(bytes.len() + 1)
    }
}
