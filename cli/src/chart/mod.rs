//! Plots, as SVG.

mod bars;
mod graph;
mod look;
mod scale;

pub(crate) use look::Look;

use crate::failure::Failure;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea as _};
use plotters::element::Text;
use plotters::prelude::SVGBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{BLACK, Color as _, IntoFont as _, RGBColor, TextStyle, WHITE};
use std::io;

/// What is plotted: plain data.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) subtitle: String,
    /// What the values are, with their unit.
    pub(crate) values: &'static str,
    pub(crate) best: Option<Best>,
    pub(crate) shape: Shape,
    /// What the marks on bars are.
    pub(crate) marks: Option<String>,
}

/// The best rate, shown by a dashed line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Best {
    pub(crate) gb_per_s: f64,
    /// Where it lies among the values, at every place: a slope where these are times.
    pub(crate) points: Vec<(u64, f64)>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    /// One below the other.
    Bars(Vec<Bar>),
    /// Curves over a logarithmic axis.
    Graph(Graph),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bar {
    pub(crate) label: String,
    /// None if there is nothing to show.
    pub(crate) value: Option<f64>,
    /// Another value, shown by a mark.
    pub(crate) mark: Option<f64>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Graph {
    /// What the other axis is, with its unit.
    pub(crate) axis: &'static str,
    /// What is written along it.
    pub(crate) ticks: Vec<(u64, String)>,
    /// Whether the axis of the values is logarithmic, too.
    pub(crate) is_log: bool,
    pub(crate) curves: Vec<Curve>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Curve {
    pub(crate) name: String,
    pub(crate) look: Look,
    pub(crate) points: Vec<(u64, f64)>,
}

type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Result<T> = std::result::Result<T, DrawingAreaErrorKind<io::Error>>;

const WIDTH: u32 = 960;
/// Height of title and subtitle.
const HEAD: u32 = 64;
const MARGIN: i32 = 16;
const GREY: RGBColor = RGBColor(0x55, 0x55, 0x55);
const LIGHT_GREY: RGBColor = RGBColor(0xDD, 0xDD, 0xDD);

impl Chart {
    pub(crate) fn svg(&self) -> std::result::Result<String, Failure> {
        let mut text = String::new();
        let height = match &self.shape {
            Shape::Bars(bars) => bars::height(bars),
            Shape::Graph(graph) => graph::height(graph),
        };
        self.draw(SVGBackend::with_string(&mut text, (WIDTH, height)))
            .map_err(|error| Failure::Failed(format!("the plot cannot be drawn: {error}")))?;
        Ok(text)
    }

    fn draw(&self, backend: SVGBackend<'_>) -> Result<()> {
        let canvas = backend.into_drawing_area();
        canvas.fill(&WHITE)?;
        write(&canvas, &self.title, (MARGIN, 14), font(20.0, BLACK))?;
        write(&canvas, &self.subtitle, (MARGIN, 40), font(16.0, GREY))?;
        match &self.shape {
            Shape::Bars(bars) => bars::draw(self, bars, &canvas)?,
            Shape::Graph(graph) => graph::draw(self, graph, &canvas)?,
        }
        canvas.present()
    }
}

/// Text that hangs down from its position, to its right.
fn font(size: f64, color: RGBColor) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&color.to_rgba())
}

/// Text that is centred on the height of its position and has it at one side.
fn centred(size: f64, at: HPos) -> TextStyle<'static> {
    font(size, BLACK).pos(Pos::new(at, VPos::Center))
}

fn write(canvas: &Canvas<'_>, text: &str, at: (i32, i32), style: TextStyle<'_>) -> Result<()> {
    canvas.draw(&Text::new(text, at, style))
}

impl Best {
    /// The words beside the line.
    fn label(&self) -> String {
        format!("best read bandwidth {} GB/s", crate::table::format_rate(self.gb_per_s))
    }

    fn values(&self) -> impl Iterator<Item = f64> + Clone {
        self.points.iter().map(|point| point.1)
    }
}

#[cfg(test)]
mod tests {
    use super::{Bar, Best, Chart, Curve, Graph, Look, Shape};

    fn chart(best: Option<f64>, shape: Shape) -> Chart {
        let subtitle = "A <name> & \"another\"".into();
        let best = best
            .map(|gb_per_s| Best { gb_per_s, points: vec![(1024, gb_per_s), (1 << 20, gb_per_s)] });
        let (values, marks) = ("read bandwidth (GB/s)", None);
        Chart { title: "Title".into(), subtitle, values, best, shape, marks }
    }

    /// What is written in the plot; it must be well-formed.
    fn texts(chart: &Chart) -> Vec<String> {
        let svg = chart.svg().unwrap();
        let image = roxmltree::Document::parse(&svg).unwrap();
        let texts = image.descendants().filter(|node| node.has_tag_name("text"));
        texts.map(|node| node.text().unwrap_or_default().trim().to_owned()).collect()
    }

    fn curve(member: usize, points: &[(u64, f64)]) -> Curve {
        let look = Look { group: 9, member };
        Curve { name: format!("curve {member}"), look, points: points.into() }
    }

    #[test]
    fn bars_have_labels_values_and_an_axis() {
        let bars = [("one", Some(0.5)), ("two", None), ("three", Some(123.4))];
        let bars = bars.map(|(label, value)| Bar { label: label.into(), value, mark: None });
        let texts = texts(&chart(Some(150.0), Shape::Bars(bars.into())));
        for text in [
            "A <name> & \"another\"",
            "one",
            "0.500",
            "two",
            "skipped",
            "123.4",
            "read bandwidth (GB/s)",
            "best read bandwidth 150.0 GB/s",
            "100",
        ] {
            assert!(texts.iter().any(|it| it == text), "no {text} in {texts:?}");
        }
    }

    #[test]
    fn marks_lie_where_their_values_do() {
        let bar = |value, mark| Bar { label: String::new(), value, mark };
        let bars = vec![
            bar(Some(100.0), Some(50.0)),
            bar(Some(50.0), Some(100.0)),
            bar(None, Some(400.0)),
            bar(Some(1.0), None),
        ];
        let mut chart = chart(None, Shape::Bars(bars));
        chart.marks = Some("elsewhere".into());
        assert!(texts(&chart).iter().any(|text| text == "elsewhere"));
        let svg = chart.svg().unwrap();
        let image = roxmltree::Document::parse(&svg).unwrap();
        let of_bars = image.descendants().filter(|node| node.attribute("fill") == Some("#0072B2"));
        let number = |node: roxmltree::Node<'_, '_>, name| -> i32 {
            node.attribute(name).unwrap().parse().unwrap()
        };
        let ends: Vec<_> = of_bars.map(|bar| number(bar, "x") + number(bar, "width")).collect();
        let marks = image.descendants().filter(|node| node.attribute("fill") == Some("#D55E00"));
        let middles: Vec<_> =
            marks.map(|mark| number(mark, "x") + number(mark, "width") / 2).collect();
        // Three bars have a mark each, and one more mark says what they are.
        assert_eq!(middles.len(), 4);
        assert!((middles[0] - ends[1]).abs() <= 1 && (middles[1] - ends[0]).abs() <= 1, "{svg}");
        // The axis reaches as far as the marks.
        assert!(middles[2] > ends[0] && middles[2] < 960, "{svg}");
    }

    #[test]
    fn curves_have_names_and_two_axes() {
        let graph = Graph {
            axis: "elements",
            ticks: vec![(1024, "2^10".into()), (1 << 20, "2^20".into())],
            is_log: true,
            curves: vec![curve(0, &[(1024, 0.1), (1 << 20, 90.0)]), curve(5, &[(1024, 3.0)])],
        };
        let texts = texts(&chart(Some(95.0), Shape::Graph(graph)));
        for text in [
            "curve 0",
            "curve 5",
            "elements",
            "2^10",
            "2^20",
            "read bandwidth (GB/s)",
            "0.1",
            "100",
            "best read bandwidth 95.00 GB/s",
        ] {
            assert!(texts.iter().any(|it| it == text), "no {text} in {texts:?}");
        }
    }

    #[test]
    fn no_curve_has_the_colour_of_the_best_rate() {
        let black = "stroke=\"#000000\"";
        for group in 0..Look::GROUPS {
            let curve = Curve {
                name: String::new(),
                look: Look { group, member: 1 },
                points: vec![(1, 1.0), (9, 2.0)],
            };
            let graph = Graph {
                axis: "",
                ticks: vec![(1, String::new()), (9, String::new())],
                is_log: false,
                curves: vec![curve],
            };
            let count = |best| {
                let svg = chart(best, Shape::Graph(graph.clone())).svg().unwrap();
                svg.matches(black).count()
            };
            assert_eq!(count(None), 0);
            assert!(count(Some(1.0)) > 0);
        }
    }

    #[test]
    fn nothing_to_show_is_a_plot_too() {
        texts(&chart(None, Shape::Bars(Vec::new())));
        for is_log in [false, true] {
            let (axis, ticks, curves) = ("elements", Vec::new(), vec![curve(0, &[])]);
            texts(&chart(None, Shape::Graph(Graph { axis, ticks, is_log, curves })));
        }
    }
}
