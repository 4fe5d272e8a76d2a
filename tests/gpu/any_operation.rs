//! Operations and elements that are known when the program runs: they give what those give that are known before.

use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, on_every_rig};
use libtest_mimic::Trial;
use std::fmt::Debug;
use wgpu_reduce::{
    AnyOperation, AnySlices, AnyStream, ArgMax, Dot, Element, ElementKind, Error, GpuBuffer,
    Matrix, MeanExact, Operation, PairOperation, Result, StreamOptions, SumExact,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    [
        on_every_rig(rigs, "any_operation::shapes_f32", shapes::<f32>),
        on_every_rig(rigs, "any_operation::shapes_i16", shapes::<i16>),
        on_every_rig(rigs, "any_operation::streams", streams),
        on_every_rig(rigs, "any_operation::exact_sums_and_pairs", exact_sums_and_pairs),
        on_every_rig(rigs, "any_operation::refused", refused),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn said(result: impl Debug) -> String {
    format!("{result:?}")
}

fn finished<T: Element, O: Operation<T>>(operation: O, raw: &[u8], len: u64) -> Result<String> {
    let raw = bytemuck::pod_read_unaligned(&raw[..size_of::<O::Raw>()]);
    operation.finish(raw, len).map(said)
}

fn argmax() -> AnyOperation<String> {
    AnyOperation::new(Operation::<f32>::record(&ArgMax), |element, raw, len| match element {
        ElementKind::F32 => finished::<f32, _>(ArgMax, raw, len),
        _ => finished::<i16, _>(ArgMax, raw, len),
    })
}

fn dot() -> AnyOperation<i128> {
    AnyOperation::new(PairOperation::<i32>::record(&Dot), |_, raw, _| {
        Ok(bytemuck::pod_read_unaligned(&raw[..16]))
    })
}

/// One binding holds as many runs on every rig.
const LEN: usize = 600;

fn shapes<T: TestElement>(rig: &Rig) -> Outcome
where
    ArgMax: Operation<T>,
{
    let (reducer, argmax) = (&rig.reducer, argmax());
    let x: GpuBuffer<T> = reducer.upload(&T::data(Shape::Random, LEN as u64))?;
    let (by, keys) = (reducer.upload(&[0_u32, 4, 400, 599])?, reducer.upload(&vec![7_u32; LEN])?);
    let matrix = Matrix { rows: 6, columns: 100 };
    let (known, any) = (reducer.reduce(ArgMax, &x), reducer.reduce(&argmax, AnySlices::from(&x)));

    let whole = said(known.run()?);
    ensure!(any.run()? == whole && any.prepare()?.run()? == whole, "{whole}");
    ensure!(any.clone().timed().run()?.value == whole, "{whole}");
    let batch = reducer.batch(vec![any.clone(), any.clone()]);
    ensure!(batch.run()? == [&*whole, &*whole], "{whole}");
    ensure!(any.plan()? == known.plan()?, "{}", any.plan()?);

    let rows: Vec<_> = known.clone().rows(matrix).run()?.into_iter().map(said).collect();
    ensure!(any.clone().rows(matrix).run()? == rows, "{rows:?}");
    let parts: Vec<_> = known.clone().segments(&by).run()?.into_iter().map(said).collect();
    ensure!(any.clone().segments(&by).run()? == parts, "{parts:?}");
    let runs = known.clone().runs(&keys).run()?.into_iter();
    let runs: Vec<_> = runs.map(|(key, place)| (key, said(place))).collect();
    ensure!(any.clone().runs(&keys).run()? == runs, "{runs:?}");

    let nothing = reducer.upload(&[0_u32, 3, 3])?;
    let error = known.segments(&nothing).run().err();
    ensure!(matches!(error, Some(Error::EmptySegment { segment: 1, .. })), "{error:?}");
    ensure!(any.segments(&nothing).run().err() == error, "{error:?}");
    Ok(())
}

/// Streams take bytes, in pieces that are no chunks.
fn streams(rig: &Rig) -> Outcome {
    let (reducer, argmax, options) = (&rig.reducer, argmax(), StreamOptions::new(1 << 16));
    let values = <i16 as TestElement>::data(Shape::Random, 200_000);
    let mut stream = AnyStream::new(reducer, &argmax, ElementKind::I16, &options)?;
    for piece in values.chunks(7777) {
        stream.push(&[bytemuck::cast_slice(piece)])?;
    }
    let expected = said(ArgMax.on_cpu(&values)?);
    ensure!(stream.len() == values.len() as u64, "{}", stream.len());
    let found = stream.finish()?.wait()?;
    ensure!(found == expected, "{found} is not {expected}");

    let mut pairs = AnyStream::new(reducer, &dot(), ElementKind::I32, &options)?;
    let (left, right) = (<i32 as TestElement>::data(Shape::Random, 50_000), vec![-3_i32; 50_000]);
    pairs.push(&[bytemuck::cast_slice(&left), bytemuck::cast_slice(&right)])?;
    let found = pairs.finish()?.wait()?;
    ensure!(found == Dot.on_cpu(&left, &right)?, "{found}");
    Ok(())
}

fn exact_sums_and_pairs(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let sum = AnyOperation::new(Operation::<f32>::record(&SumExact), |_, raw, len| {
        finished::<f32, _>(SumExact, raw, len)
    });
    let floats = <f32 as TestElement>::data(Shape::Random, LEN as u64);
    let found = reducer.reduce(&sum, AnySlices::from(&reducer.upload(&floats)?)).run()?;
    let expected = said(SumExact.on_cpu(&floats)?);
    ensure!(found == expected, "{found} is not {expected}");

    let mean = AnyOperation::new(Operation::<f32>::record(&MeanExact), |element, raw, len| {
        Ok(match element {
            ElementKind::F64 => finished::<f64, _>(MeanExact, raw, len)?,
            _ => finished::<f32, _>(MeanExact, raw, len)?,
        })
    });
    let found = reducer.reduce(&mean, AnySlices::from(&reducer.upload(&floats)?)).run()?;
    let expected = said(MeanExact.on_cpu(&floats)?);
    ensure!(found == expected, "the mean {found} is not {expected}");
    let wide: Vec<f64> = floats.iter().map(|&float| f64::from(float) / 3.0).collect();
    let found = reducer.reduce(&mean, AnySlices::from(&reducer.upload(&wide)?)).run()?;
    let expected = said(MeanExact.on_cpu(&wide)?);
    ensure!(found == expected, "the mean {found} is not {expected}");

    let integers = <i32 as TestElement>::data(Shape::Random, LEN as u64);
    let bytes = reducer.upload::<u8>(bytemuck::cast_slice(&integers))?;
    let elements = AnySlices::new(ElementKind::I32, &bytes)?;
    let found = reducer.reduce(&dot(), elements.clone().paired(elements)?).run()?;
    ensure!(found == Dot.on_cpu(&integers, &integers)?, "{found}");
    Ok(())
}

fn refused(rig: &Rig) -> Outcome {
    let (reducer, options) = (&rig.reducer, StreamOptions::new(1 << 16));
    let (x, wide) = (reducer.upload(&[1_i32, 2])?, reducer.upload(&[1_u64])?);
    let elements = || AnySlices::from(&x);
    let (dot, argmax) = (dot(), argmax());
    let error = reducer.reduce(&dot, elements()).start().err();
    ensure!(matches!(error, Some(Error::WrongInputs { inputs: 1, .. })), "{error:?}");
    for many in [elements(), elements().paired(elements())?.paired(elements())?] {
        let alone = reducer.reduce(&dot, many.clone()).start().err();
        let error = reducer.batch(vec![reducer.reduce(&dot, many); 2]).start().err();
        ensure!(matches!(error, Some(Error::WrongInputs { .. })) && error == alone, "{error:?}");
    }
    let pair = elements().paired(elements())?;
    let error = reducer.reduce(&argmax, pair.clone()).start().err();
    ensure!(matches!(error, Some(Error::WrongInputs { inputs: 2, .. })), "{error:?}");
    let rows = reducer.reduce(&dot, pair.clone()).rows(Matrix { rows: 1, columns: 2 }).run()?;
    ensure!(rows == [5], "{rows:?}");
    let runs = reducer.reduce(&dot, pair).runs(&x).start().err();
    ensure!(matches!(runs, Some(Error::Unsupported { .. })), "{runs:?}");
    let error = reducer.reduce(&dot, AnySlices::from(&wide).paired(AnySlices::from(&wide))?);
    ensure!(matches!(error.start().err(), Some(Error::NotDefined { .. })), "dot of u64");
    let error = elements().paired(AnySlices::from(&wide)).err();
    ensure!(matches!(error, Some(Error::InvalidBuffer { .. })), "{error:?}");

    let mut stream = AnyStream::new(reducer, &argmax, ElementKind::I16, &options)?;
    for (bytes, is_right) in
        [(&[&[0_u8; 3][..]][..], false), (&[&[0; 2], &[0; 2]], false), (&[&[0; 2]], true)]
    {
        ensure!(stream.push(bytes).is_ok() == is_right, "{bytes:?}");
    }
    ensure!(stream.len() == 1, "{}", stream.len());
    let mut pairs = AnyStream::new(reducer, &dot, ElementKind::I32, &options)?;
    let error = pairs.push(&[&[0; 8], &[0; 4]]);
    ensure!(error == Err(Error::LengthMismatch { left: 2, right: 1 }), "{error:?}");
    Ok(())
}
