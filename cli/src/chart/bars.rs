//! Bars, one below the other.

use super::look::{BLUE, VERMILION, draw_best};
use super::scale::Scale;
use super::{Bar, Canvas, Chart, GREY, HEAD, LIGHT_GREY, MARGIN, Result, WIDTH};
use super::{centred, font, write};
use crate::table::format_rate;
use plotters::coord::ranged1d::Ranged as _;
use plotters::element::{PathElement, Rectangle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{BLACK, Color as _, WHITE};

/// Height of a bar with the space around it.
const ROW: i32 = 26;
/// Half the height of a bar.
const HALF_BAR: i32 = 9;
/// Half the width of a mark.
const HALF_MARK: i32 = 2;
/// Width of the labels.
const LABELS: i32 = 250;
/// Height of the axis with what is written along it.
const FOOT: i32 = 62;
/// Room for a value.
const VALUE: i32 = 70;

pub(super) fn height(bars: &[Bar]) -> u32 {
    let rows = i32::try_from(bars.len()).unwrap_or(i32::MAX / ROW - 100) + 1;
    HEAD + u32::try_from(rows * ROW + FOOT).unwrap_or_default()
}

/// Where things are, in pixels.
struct Place {
    scale: Scale,
    left: i32,
    right: i32,
    top: i32,
    bottom: i32,
}

impl Place {
    fn x(&self, value: f64) -> i32 {
        self.scale.map(&value, (self.left, self.right))
    }
}

pub(super) fn draw(chart: &Chart, bars: &[Bar], canvas: &Canvas<'_>) -> Result<()> {
    let best = chart.best.as_ref().and_then(|best| Some((best, best.values().next()?)));
    let of_bars = bars.iter().flat_map(|bar| [bar.value, bar.mark]).flatten();
    let values = of_bars.chain(best.map(|(_, value)| value));
    let (top, height) = (HEAD.cast_signed(), height(bars).cast_signed());
    let place = Place {
        scale: Scale::around(values, false),
        left: MARGIN + LABELS,
        right: WIDTH.cast_signed() - MARGIN - VALUE,
        top,
        bottom: height - FOOT,
    };
    draw_axis(chart, &place, canvas)?;
    if let Some((best, value)) = best {
        let x = place.x(value);
        draw_best(canvas, &[(x, place.top + 4), (x, place.bottom)])?;
        // Times of bars may all be longer: beside the line there is room on one side.
        let is_far = x > i32::midpoint(place.left, place.right);
        let (side, gap) = if is_far { (HPos::Right, -8) } else { (HPos::Left, 8) };
        write(canvas, &best.label(), (x + gap, place.top + ROW / 2), centred(16.0, side))?;
    }
    let centres = (0..).map(|index| place.top + ROW + ROW / 2 + index * ROW);
    for (bar, y) in bars.iter().zip(centres) {
        draw_bar(bar, y, &place, canvas)?;
        if let Some(mark) = bar.mark {
            draw_mark((place.x(mark), y), canvas)?;
        }
    }
    if let Some(marks) = &chart.marks {
        let y = place.bottom + FOOT - 16;
        draw_mark((MARGIN + 4, y), canvas)?;
        write(canvas, marks, (MARGIN + 14, y), centred(16.0, HPos::Left).color(&GREY))?;
    }
    Ok(())
}

/// A bar across, with an edge that is seen on both what is filled and what is not.
fn draw_mark((x, y): (i32, i32), canvas: &Canvas<'_>) -> Result<()> {
    let corners = |margin: i32| {
        let (width, height) = (HALF_MARK + margin, HALF_BAR + 1 + margin);
        [(x - width, y - height), (x + width, y + height)]
    };
    canvas.draw(&Rectangle::new(corners(1), WHITE.filled()))?;
    canvas.draw(&Rectangle::new(corners(0), VERMILION.filled()))
}

fn draw_bar(bar: &Bar, y: i32, place: &Place, canvas: &Canvas<'_>) -> Result<()> {
    write(canvas, &bar.label, (place.left - 8, y), centred(17.0, HPos::Right))?;
    let end = place.x(bar.value.unwrap_or_default());
    let corners = [(place.left, y - HALF_BAR), (end, y + HALF_BAR)];
    canvas.draw(&Rectangle::new(corners, BLUE.filled()))?;
    let value = bar.value.map_or("skipped".into(), format_rate);
    // Long bars have room for it, and might have the dashed line behind them. Nothing is written over a mark.
    let mark = bar.mark.map(|mark| place.x(mark) + HALF_MARK);
    if end - place.left > VALUE && !mark.is_some_and(|mark| (end - VALUE..=end).contains(&mark)) {
        return write(canvas, &value, (end - 6, y), centred(16.0, HPos::Right).color(&WHITE));
    }
    let end = mark.filter(|mark| (end..end + VALUE).contains(mark)).unwrap_or(end);
    write(canvas, &value, (end + 6, y), centred(16.0, HPos::Left))
}

fn draw_axis(chart: &Chart, place: &Place, canvas: &Canvas<'_>) -> Result<()> {
    let Place { scale, left, right, top, bottom } = place;
    for &tick in &scale.ticks {
        let x = place.x(tick);
        let line = vec![(x, *top), (x, *bottom)];
        canvas.draw(&PathElement::new(line, LIGHT_GREY.stroke_width(1)))?;
        let style = font(16.0, GREY).pos(Pos::new(HPos::Center, VPos::Top));
        write(canvas, &Scale::label(tick), (x, bottom + 8), style)?;
    }
    let style = font(17.0, BLACK).pos(Pos::new(HPos::Center, VPos::Top));
    write(canvas, chart.values, (i32::midpoint(*left, *right), bottom + 32), style)
}
