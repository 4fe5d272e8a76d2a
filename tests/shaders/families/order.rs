//! Order statistics.

use crate::shader::Shader;
use wgpu_reduce::ElementKind;
use wgpu_reduce::planners::{OrderShader, Origin, Ranking, Search};

/// What quantiles of numbers are compiled with.
const BY_METHOD: [(&str, u32); 2] = [("LESS", 0), ("HALVES", 3)];

pub(super) fn all() -> Vec<Shader> {
    let counts_nan = OrderShader::all().filter_map(|order| match order {
        OrderShader::Gather(element, Origin::Input) if element.is_float() => {
            Some(of_first_digit(order, element))
        }
        _ => None,
    });
    // Edges that are searched.
    let many = OrderShader::all().filter(|order| matches!(order, OrderShader::Sifted(_)));
    let many = many.map(|order| of_brackets(order, 5));
    OrderShader::all().map(of).chain(counts_nan).chain(many).collect()
}

fn of(order: OrderShader) -> Shader {
    let mut constants = vec![("WORKGROUP_SIZE", 64)];
    let (element, bindings) = match order {
        OrderShader::Gather(element, Origin::Input) => {
            constants.extend([("RANKS", 3), ("IS_FIRST", 0), ("COUNTERS", 3 * 16)]);
            (element, &[0, 1, 3, 4, 8][..])
        }
        OrderShader::Gather(element, Origin::Kept) => {
            constants.extend([
                ("RANKS", 3),
                ("IS_FIRST", 0),
                ("COUNTERS", 3 * 16),
                ("BRACKETS", 3),
            ]);
            (element, &[0, 1, 3, 4, 8, 10][..])
        }
        OrderShader::Sample(element) => (element, &[0, 2, 3][..]),
        OrderShader::Sifted(_) => return of_brackets(order, 2),
        OrderShader::Settle(element) => {
            constants.extend([("BRACKETS", 2), ("EDGES", 8), ("OPEN_ABOVE", 1)]);
            (element, &[0, 2, 3, 4, 5, 8][..])
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
        OrderShader::Places(element, origin) => {
            constants.extend([("IS_FIRST", 0), ("COUNTERS", 16), ("TURNED", 1)]);
            (element, and_kept(origin, &mut constants, &[0, 1, 3, 4, 8, 9, 10]))
        }
        OrderShader::Chosen(element, origin) => {
            constants.push(("IS_FIRST", 0));
            (element, and_kept(origin, &mut constants, &[0, 1, 2, 3, 4, 8, 9, 10]))
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

/// Bindings, of which the last has what was kept.
fn and_kept<'a>(
    origin: Origin,
    constants: &mut Vec<(&'static str, u32)>,
    bindings: &'a [u32],
) -> &'a [u32] {
    match origin {
        Origin::Input => &bindings[..bindings.len() - 1],
        Origin::Kept => {
            constants.push(("INDEX_WORDS", 1));
            bindings
        }
    }
}

/// What keeps elements between bounds of so many brackets.
fn of_brackets(order: OrderShader, brackets: u32) -> Shader {
    let OrderShader::Sifted(element) = order else { panic!("{order}") };
    let edges = 4 * brackets;
    let counters = 32 * (1 + edges);
    let numbers = [("BRACKETS", brackets), ("EDGES", edges), ("COUNTERS", counters)];
    let mut constants = vec![("WORKGROUP_SIZE", 64), ("INDEX_WORDS", 1), ("OPEN_BELOW", 1)];
    constants.extend(numbers);
    let name = format!("{order}, {brackets} brackets");
    shader(name, order, element, (constants, &[0, 1, 2, 3, 4, 8]))
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
