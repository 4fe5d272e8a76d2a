//! Curves over a logarithmic axis, with a legend beside them.

use super::look::draw_best;
use super::scale::Scale;
use super::{Best, Canvas, Chart, Curve, GREY, Graph, HEAD, LIGHT_GREY, MARGIN, Result, WIDTH};
use super::{centred, font, write};
use plotters::chart::ChartBuilder;
use plotters::style::BLACK;
use plotters::style::text_anchor::HPos;

/// Width of the legend.
const LEGEND: u32 = 270;
/// Height of one of its lines.
const LINE: i32 = 24;
/// Height without the head.
const BODY: i32 = 470;

pub(super) fn height(graph: &Graph) -> u32 {
    let lines = i32::try_from(graph.curves.len()).unwrap_or(i32::MAX / LINE - 100) + 2;
    HEAD + u32::try_from(BODY.max(lines * LINE)).unwrap_or_default()
}

pub(super) fn draw(chart: &Chart, graph: &Graph, canvas: &Canvas<'_>) -> Result<()> {
    let (_, below) = canvas.split_vertically(HEAD);
    let (plot, _) = below.split_horizontally(WIDTH - LEGEND);
    let values = graph.curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.1));
    let of_best = chart.best.iter().flat_map(Best::values);
    let values = Scale::around(values.chain(of_best), graph.is_log);
    let places = Scale::of_ticks(graph.ticks.iter().map(|(x, _)| number(*x)).collect());
    let mut axes = ChartBuilder::on(&plot)
        .margin_left(MARGIN)
        .margin_right(MARGIN)
        .margin_top(4)
        .margin_bottom(MARGIN)
        .x_label_area_size(52)
        .y_label_area_size(74)
        .build_cartesian_2d(places, values)?;
    let place_label = |at: &f64| {
        let is_there = |tick: &&(u64, String)| number(tick.0).total_cmp(at).is_eq();
        graph.ticks.iter().find(is_there).map(|tick| tick.1.clone()).unwrap_or_default()
    };
    axes.configure_mesh()
        .x_desc(graph.axis)
        .y_desc(chart.values)
        .x_label_formatter(&place_label)
        .y_label_formatter(&|tick| Scale::label(*tick))
        .bold_line_style(LIGHT_GREY)
        .axis_style(GREY)
        .label_style(font(16.0, GREY))
        .axis_desc_style(font(17.0, BLACK))
        .draw()?;
    let pixel = |(x, y): &(u64, f64)| axes.backend_coord(&(number(*x), *y));
    if let Some(best) = &chart.best {
        draw_best(canvas, &best.points.iter().map(pixel).collect::<Vec<_>>())?;
    }
    for Curve { points, look, .. } in &graph.curves {
        let points: Vec<_> = points.iter().map(pixel).collect();
        look.draw(canvas, &points, &points)?;
    }
    draw_legend(chart, graph, canvas)
}

fn draw_legend(chart: &Chart, graph: &Graph, canvas: &Canvas<'_>) -> Result<()> {
    let left = (WIDTH - LEGEND).cast_signed() + 4;
    let mut lines = (0..).map(|index| HEAD.cast_signed() + LINE / 2 + index * LINE);
    let text = |name: &str, y| write(canvas, name, (left + 48, y), centred(16.0, HPos::Left));
    for (Curve { name, look, .. }, y) in graph.curves.iter().zip(&mut lines) {
        look.draw(canvas, &[(left, y), (left + 40, y)], &[(left + 20, y)])?;
        text(name, y)?;
    }
    if let (Some(best), Some(y)) = (&chart.best, lines.next()) {
        draw_best(canvas, &[(left, y), (left + 40, y)])?;
        text(&best.label(), y)?;
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a place in a plot")]
fn number(x: u64) -> f64 {
    x.max(1) as f64
}
