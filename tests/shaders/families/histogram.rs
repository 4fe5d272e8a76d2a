//! Histograms, of counts and of weights.

use crate::shader::Shader;
use naga::valid::Capabilities;
use wgpu_reduce::planners::{Counters, HistogramShader};

pub(super) fn all() -> Vec<Shader> {
    HistogramShader::all().map(of).collect()
}

fn of(histogram: HistogramShader) -> Shader {
    let mut constants = vec![("WORKGROUP_SIZE", 64)];
    let mut element = None;
    let bindings = match histogram {
        HistogramShader::Gather { counters, element: of } => {
            element = Some(of);
            constants.extend([("LOADS", 4), ("CHANNELS", 3), ("METHOD", 2)]);
            if counters == Counters::Workgroup {
                constants.extend([("COPIES", 4), ("COUNTERS", 4 * 40)]);
            }
            &[0, 1, 3, 4, 8][..]
        }
        HistogramShader::Weighted { counters, element: of, .. } => {
            element = Some(of);
            constants.extend([("METHOD", 2), ("CHANNELS", 3)]);
            if counters == Counters::Workgroup {
                constants.push(("SUMS", 20 * 40));
            }
            &[0, 3, 4, 6, 8]
        }
        HistogramShader::Values => &[2, 3, 4, 8],
        _ => &[2, 3, 4],
    };
    let is_sample = element.is_none_or(|element| element.size_bytes() != 2);
    Shader::new(histogram.to_string(), histogram.wgsl(), Capabilities::empty())
        .with_form(constants, 64, bindings)
        .with_pipeline(is_sample)
}
