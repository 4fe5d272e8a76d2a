//! Order statistics.

use crate::shader::Shader;
use naga::valid::Capabilities;
use wgpu_reduce::planners::OrderShader;

pub(super) fn all() -> Vec<Shader> {
    OrderShader::all().map(of).collect()
}

fn of(order: OrderShader) -> Shader {
    let mut constants = vec![("WORKGROUP_SIZE", 64)];
    let (element, bindings) = match order {
        OrderShader::Gather(element) => {
            constants.extend([("RANKS", 3), ("IS_FIRST", 0), ("COUNTERS", 3 * 16)]);
            (element, &[0, 1, 3, 4, 8][..])
        }
        OrderShader::Rows(element) => {
            constants.extend([("RANKS", 3), ("COUNTERS", 3 * 256), ("DIMENSIONS", 2)]);
            constants.extend([("WANTED", 2), ("ROOM", 3), ("TURNED", 1)]);
            (element, &[0, 2, 3, 8][..])
        }
        OrderShader::Places(element) => {
            constants.extend([("IS_FIRST", 0), ("COUNTERS", 16), ("TURNED", 1)]);
            (element, &[0, 1, 3, 4, 8, 9][..])
        }
        OrderShader::Chosen(element) => {
            constants.push(("IS_FIRST", 0));
            (element, &[0, 1, 2, 3, 4, 8, 9][..])
        }
        OrderShader::RowsOfAxes(element) => {
            let of_rows = [("RANKS", 3), ("COUNTERS", 3 * 256), ("DIMENSIONS", 2), ("OUTER", 3)];
            constants.extend(of_rows);
            constants.extend([("WANTED", 1), ("ROOM", 1)]);
            (element, &[0, 2, 3, 8][..])
        }
        OrderShader::Choose(element) => (element, &[0, 2, 3, 4, 8][..]),
    };
    if element.size_bytes() < 4 {
        constants.push(("UNUSED", 16));
    }
    Shader::new(order.to_string(), order.wgsl(), Capabilities::empty())
        .with_form(constants, 64, bindings)
        .with_pipeline(true)
}
