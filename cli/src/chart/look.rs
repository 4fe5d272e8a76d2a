//! How curves are told apart: each by colour, and again by marker and dashes.

use super::{Canvas, Result};
use plotters::element::{Circle, DashedPathElement, PathElement, Polygon};
use plotters::style::{BLACK, Color as _, RGBColor, ShapeStyle};

/// Curves of one group have colour and marker in common, members of one number the dashes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) group: usize,
    pub(crate) member: usize,
}

impl Look {
    /// As many groups as there are colours.
    pub(crate) const GROUPS: usize = COLORS.len();

    pub(super) fn color(self) -> RGBColor {
        COLORS.into_iter().cycle().nth(self.group).unwrap_or(BLUE)
    }

    /// A line through `points`, in pixels, with a marker at each of `marks`.
    pub(super) fn draw(
        self,
        canvas: &Canvas<'_>,
        points: &[(i32, i32)],
        marks: &[(i32, i32)],
    ) -> Result<()> {
        let style = self.color().stroke_width(2);
        match self.member % DASHES {
            0 => canvas.draw(&PathElement::new(points.to_vec(), style))?,
            1 => draw_dashed(canvas, points, (9, 5), style)?,
            _ => draw_dashed(canvas, points, (2, 4), style)?,
        }
        marks.iter().try_for_each(|&mark| self.draw_marker(canvas, mark))
    }

    fn draw_marker(self, canvas: &Canvas<'_>, (x, y): (i32, i32)) -> Result<()> {
        let polygon = |corners: &[(i32, i32)]| {
            let points: Vec<_> = corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
            canvas.draw(&Polygon::new(points, self.color().filled()))
        };
        let stroke = |ends: [(i32, i32); 2]| {
            let points = ends.map(|(dx, dy)| (x + dx, y + dy)).to_vec();
            canvas.draw(&PathElement::new(points, self.color().stroke_width(2)))
        };
        match self.group % COLORS.len() {
            0 => canvas.draw(&Circle::new((x, y), 4, self.color().filled())),
            1 => polygon(&[(-4, -4), (4, -4), (4, 4), (-4, 4)]),
            2 => polygon(&[(0, -5), (5, 4), (-5, 4)]),
            3 => polygon(&[(0, -6), (6, 0), (0, 6), (-6, 0)]),
            4 => polygon(&[(0, 5), (5, -4), (-5, -4)]),
            _ => {
                stroke([(-4, -4), (4, 4)])?;
                stroke([(-4, 4), (4, -4)])
            }
        }
    }
}

/// The line of the best rate: black, thin and without markers, as no curve is.
pub(super) fn draw_best(canvas: &Canvas<'_>, points: &[(i32, i32)]) -> Result<()> {
    draw_dashed(canvas, points, (14, 4), BLACK.stroke_width(1))
}

fn draw_dashed(
    canvas: &Canvas<'_>,
    points: &[(i32, i32)],
    (dash, gap): (i32, i32),
    style: ShapeStyle,
) -> Result<()> {
    canvas.draw(&DashedPathElement::new(points.iter().copied(), dash, gap, style))
}

/// Solid, dashed, dotted.
const DASHES: usize = 3;

pub(super) const BLUE: RGBColor = RGBColor(0x00, 0x72, 0xB2);
pub(super) const VERMILION: RGBColor = RGBColor(0xD5, 0x5E, 0x00);

/// Okabe and Ito's colours, which people with any kind of colour vision can tell apart; without
/// their yellow, which is hard to see on white, and their black, which is that of the best rate.
const COLORS: [RGBColor; 6] = [
    BLUE,
    VERMILION,
    RGBColor(0x00, 0x9E, 0x73),
    RGBColor(0xCC, 0x79, 0xA7),
    RGBColor(0xE6, 0x9F, 0x00),
    RGBColor(0x56, 0xB4, 0xE9),
];
