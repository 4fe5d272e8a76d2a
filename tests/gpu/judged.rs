//! Whether the tests' own judges find what is wrong.

use crate::harness::oracle::{Judged, Oracle, is_near_dot};
use crate::harness::{Outcome, ensure};
use crate::numpy;
use libtest_mimic::Trial;
use wgpu_reduce::{Accuracy, Caps, ElementKind, Mean, OpRecord, Problem, Sum};

/// They need no device.
pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("judged::a_wrong_infinity_is_found", a_wrong_infinity_is_found),
        Trial::test("judged::sums_that_overflow", sums_that_overflow),
        Trial::test("judged::figures_of_numpy", numpy::a_wrong_infinity_is_found),
    ]
}

const INF: f32 = f32::INFINITY;

fn a_wrong_infinity_is_found() -> Outcome {
    for tolerance in [f64::INFINITY, f64::NAN] {
        for (result, expected) in [(INF, 1.0), (-INF, 1.0), (f32::NAN, 1.0), (1.0, INF)]
            .into_iter()
            .chain([(INF, -INF), (f32::NAN, INF), (INF, f32::NAN), (2.0, 1.0), (1.0, f32::MAX)])
        {
            let what = format!("{result} for {expected} within {tolerance}");
            ensure!(!result.within(expected, tolerance), "{what}");
            let [result, expected] = [result, expected].map(f64::from);
            // That is no end of this range.
            ensure!(!result.within(expected, tolerance), "{what} of f64");
        }
        for (result, expected) in [(1.0, 1.0), (INF, INF), (f32::NAN, f32::NAN), (f32::MAX, INF)] {
            ensure!(result.within(expected, tolerance), "{result} is not {expected}");
        }
    }
    ensure!(!INF.within(1.0, f64::MAX) && !1.0.within(f64::INFINITY, f64::MAX), "a wide bound");
    Ok(())
}

fn accuracy(len: usize) -> Result<Accuracy, wgpu_reduce::Error> {
    let problem = Problem::by(OpRecord::ALL[0], ElementKind::F32, len as u64);
    Ok(problem.plan(&Caps::baseline())?.accuracy())
}

/// Which results of sums, dot products and means of these numbers are right.
fn sums_that_overflow() -> Outcome {
    // Two of them are beyond the range.
    let most = f32::MAX * 0.9;
    let none = f32::NAN;
    for (values, right, wrong) in [
        // Positive numbers alone overflow.
        (&[most, most, -1.0][..], &[INF][..], &[-INF, none, most][..]),
        (&[most, most, -most], &[INF, most], &[-INF, none, 0.0]),
        (&[-most, -most, most], &[-INF, -most], &[INF, none, 0.0]),
        (&[most, most, -most, -most], &[INF, -INF, none, 0.0], &[1e37, most]),
        (&[INF, most, most], &[INF], &[-INF, none, 0.0, most]),
        (&[INF, -most, -most], &[INF, none], &[-INF, 0.0]),
    ] {
        let accuracy = accuracy(values.len())?;
        let ones = vec![1.0; values.len()];
        let expected = <Sum as Oracle<f32>>::expected(values)?;
        for (results, is_right) in [(right, true), (wrong, false)] {
            for &result in results {
                let is_sum = <Sum as Oracle<f32>>::judge(result, expected, values, &accuracy);
                let within = (f64::INFINITY, &accuracy);
                let is_dot = is_near_dot(result, expected, [values, &ones], within);
                ensure!([is_sum, is_dot] == [is_right; 2], "{result:e} of {values:?}");
            }
        }
    }
    // Means lose nothing.
    let values = [most, most, -most, -most];
    for wrong in [INF, -INF, none] {
        let is_mean = <Mean as Oracle<f32>>::judge(wrong, 0.0, &values, &accuracy(4)?);
        ensure!(!is_mean, "a mean of {wrong}");
    }
    Ok(())
}
