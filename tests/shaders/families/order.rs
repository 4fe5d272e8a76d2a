//! Order statistics.

use crate::shader::Shader;
use wgpu_reduce::ElementKind;
use wgpu_reduce::planners::{OrderShader, Ranking, Search};

/// What quantiles of numbers are compiled with.
const BY_METHOD: [(&str, u32); 2] = [("LESS", 0), ("HALVES", 3)];

pub(super) fn all() -> Vec<Shader> {
    let counts_nan = OrderShader::all().filter_map(|order| match order {
        OrderShader::Gather(element) if element.is_float() => Some(of_first_digit(order, element)),
        _ => None,
    });
    OrderShader::all().map(of).chain(counts_nan).collect()
}

fn of(order: OrderShader) -> Shader {
    let mut constants = vec![("WORKGROUP_SIZE", 64)];
    let (element, bindings) = match order {
        OrderShader::Gather(element) => {
            constants.extend([("RANKS", 3), ("IS_FIRST", 0), ("COUNTERS", 3 * 16)]);
            (element, &[0, 1, 3, 4, 8][..])
        }
        OrderShader::Rows(element, ranking, _) => {
            constants.extend([("RANKS", 3), ("COUNTERS", 3 * 256), ("DIMENSIONS", 2)]);
            match ranking {
                Ranking::Elements => {
                    constants.extend([("WANTED", 2), ("ROOM", 3), ("TURNED", 1)]);
                }
                Ranking::Numbers => constants.extend(BY_METHOD),
            }
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
        OrderShader::RowsOfAxes(element, ranking, _) => {
            let of_rows = [("RANKS", 3), ("COUNTERS", 3 * 256), ("DIMENSIONS", 2), ("OUTER", 3)];
            constants.extend(of_rows);
            match ranking {
                Ranking::Elements => constants.extend([("WANTED", 1), ("ROOM", 1)]),
                Ranking::Numbers => constants.extend(BY_METHOD),
            }
            (element, &[0, 2, 3, 8][..])
        }
        OrderShader::Choose(element, ranking) => {
            constants.extend(BY_METHOD.iter().filter(|_| ranking == Ranking::Numbers));
            (element, &[0, 2, 3, 4, 8][..])
        }
    };
    shader(order.to_string(), order, element, (constants, bindings))
}

/// The first digit, with NaN counted by themselves.
fn of_first_digit(order: OrderShader, element: ElementKind) -> Shader {
    let constants = vec![("WORKGROUP_SIZE", 64), ("COUNTERS", 17), ("COUNTS_NAN", 1)];
    shader(format!("{order}, and NaN"), order, element, (constants, &[0, 1, 3, 4, 8]))
}

fn shader(
    name: String,
    order: OrderShader,
    element: ElementKind,
    (mut constants, bindings): (Vec<(&'static str, u32)>, &[u32]),
) -> Shader {
    if element.size_bytes() < 4 {
        constants.push(("UNUSED", 16));
    }
    Shader::new(name, order.wgsl(), Shader::needs(uses_subgroups(order), false, false))
        .with_form(constants, 64, bindings)
        .with_pipeline(true)
}

const fn uses_subgroups(order: OrderShader) -> bool {
    matches!(
        order,
        OrderShader::Rows(_, _, Search::Pivots) | OrderShader::RowsOfAxes(_, _, Search::Pivots)
    )
}
