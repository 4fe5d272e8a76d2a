//! Histograms as SVG: an outline for each channel, in its colour, over one axis.

use super::drawing::shown;
use super::{Channel, Report};
use std::fmt::Write as _;
use wgpu_reduce::Histogram;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 40.0;
const TOP: f64 = 64.0;
const BOTTOM: f64 = 48.0;

/// As `Report` lists them: named after a colour, or one after another.
const COLOURS: [&str; 6] = ["#1f5fbf", "#c05a1a", "#2b8a3e", "#8a2be2", "#b02a2a", "#555555"];

pub(super) fn draw(report: &Report) -> String {
    let counts = report.channels.iter().flat_map(|channel| &channel.histogram.counts);
    let most = counts.copied().max().unwrap_or_default();
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"16\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"16\" y=\"28\" font-size=\"20\">{}</text>\n\
         <text x=\"16\" y=\"50\" fill=\"#555\">{} elements of {}, most in a bin: {most}</text>\n",
        escaped(&report.name),
        report.elements,
        report.dtype
    );
    for (number, Channel { name, histogram }) in report.channels.iter().enumerate() {
        let colour = colour(name.as_deref(), number);
        let path = outline(histogram, most);
        let name = name.as_deref().map(escaped).unwrap_or_default();
        // A text never fails to be written to.
        let _ = writeln!(
            text,
            "<path d=\"{path}\" fill=\"{colour}\" fill-opacity=\"0.25\" stroke=\"{colour}\">\
             <title>{name}</title></path>"
        );
    }
    let edges = report.channels.first().map(|channel| &channel.histogram.edges[..]);
    if let Some([first, .., last]) = edges {
        let (right, base, below) = (WIDTH - LEFT, HEIGHT - BOTTOM, HEIGHT - BOTTOM + 24.0);
        let _ = writeln!(
            text,
            "<path d=\"M{LEFT} {base}H{right}\" stroke=\"black\"/>\n\
             <text x=\"{LEFT}\" y=\"{below}\">{}</text>\n\
             <text x=\"{right}\" y=\"{below}\" text-anchor=\"end\">{}</text>",
            shown(*first, report.dtype),
            shown(*last, report.dtype)
        );
    }
    text + "</svg>\n"
}

/// From the lower left corner over all bins to the lower right one.
#[expect(clippy::cast_precision_loss, reason = "places in a picture")]
fn outline(histogram: &Histogram, most: u64) -> String {
    let Histogram { counts, edges, .. } = histogram;
    let (first, last) = match &edges[..] {
        [first, .., last] => (*first, *last),
        _ => (0.0, 1.0),
    };
    let x = |edge: f64| LEFT + share(edge, first, last) * (WIDTH - 2.0 * LEFT);
    let base = HEIGHT - BOTTOM;
    let y = |count: u64| base - count as f64 / most.max(1) as f64 * (base - TOP);
    let mut path = format!("M{LEFT:.1} {base:.1}");
    for (&count, edge) in counts.iter().zip(edges.iter().skip(1)) {
        let _ = write!(path, "V{:.1}H{:.1}", y(count), x(*edge));
    }
    let _ = write!(path, "V{base:.1}Z");
    path
}

/// How far an edge is along the axis, from 0 to 1.
fn share(edge: f64, first: f64, last: f64) -> f64 {
    // Large edges may be farther from each other than a number holds; halves of them are not.
    if first >= last {
        return 1.0;
    }
    let scale = if (last - first).is_finite() { 1.0 } else { 0.5 };
    (edge * scale - first * scale) / (last * scale - first * scale)
}

fn colour(name: Option<&str>, number: usize) -> &'static str {
    match name {
        Some("red") => "#d62728",
        Some("green") => "#2ca02c",
        Some("blue") => "#1f77b4",
        Some("grey" | "alpha") => "#555555",
        _ => COLOURS.get(number % COLOURS.len()).copied().unwrap_or("#555555"),
    }
}

fn escaped(text: &str) -> String {
    let shown: String = text.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    shown.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn edges_of_any_size_have_a_place_on_the_axis() {
        let bits = |numbers: &[f64]| numbers.iter().map(|it| it.to_bits()).collect::<Vec<_>>();
        for largest in [f64::MAX, 1e308, 1.0, f64::MIN_POSITIVE] {
            let shares = [-largest, 0.0, largest].map(|edge| share(edge, -largest, largest));
            assert_eq!(bits(&shares), bits(&[0.0, 0.5, 1.0]));
        }
        assert_eq!(bits(&[share(2.0, 2.0, 2.0)]), bits(&[1.0]));
        let least = f64::from_bits(1);
        assert_eq!(bits(&[0.0, least].map(|edge| share(edge, 0.0, least))), bits(&[0.0, 1.0]));
    }
}
