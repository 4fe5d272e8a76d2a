//! The page in a browser without a window: every level's answer is right, and its exact sum has the bits that
//! the library has outside of browsers. `cargo xtask web-test` builds the page first.

#[path = "../../tests/browser/browser.rs"]
mod browser;
#[path = "../../xtask/src/content.rs"]
mod content;

use std::error::Error;
use std::path::Path;
use wgpu_reduce::ExactSum;
use wgpu_reduce::ladder::Level;
use wgpu_reduce_known::{hash, wide};

/// What `orders.js` sums.
const NUMBERS: u64 = 65_536;

fn main() -> Result<(), Box<dyn Error>> {
    let program = browser::find().ok_or("no Chromium in the path")?;
    let report = browser::show(&program, &serve)?;
    let lines: Vec<Vec<&str>> = report.lines().map(|line| line.split('\t').collect()).collect();
    if let Some(["failed", why]) = lines.first().map(Vec::as_slice) {
        return Err(format!("the page failed: {why}").into());
    }
    println!("{report}");
    let rows = |kind: &'static str| lines.iter().filter(move |line| line.first() == Some(&kind));
    let has_subgroups = rows("fact").any(|line| line[1] == "Subgroups" && line[2] != "no");
    assert!(has_subgroups, "SwiftShader has subgroups");
    assert!(rows("without").any(|line| line[1] == "Subgroups" && line[2] == "no"));
    assert_eq!(rows("level").count(), 3 * Level::ALL.len());
    assert!(rows("level").all(|line| line.last() == Some(&"right")));
    check_orders(&rows("order").collect::<Vec<_>>());
    assert_eq!(rows("shader").next().map(Vec::as_slice), Some(&["shader", "true"][..]));
    println!("the page is right");
    Ok(())
}

/// The exact sums have the library's bits, whatever the order; the naive ones differ.
fn check_orders(rows: &[&Vec<&str>]) {
    let numbers: Vec<f32> = (0..NUMBERS).map(|index| wide(hash(index))).collect();
    let mut exact = ExactSum::new();
    exact.add_slice(&numbers);
    let expected = format!("({:08x})", exact.round().to_bits());
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row[4].ends_with(&expected)), "{expected}");
    assert!(rows.iter().any(|row| row[2] != rows[0][2]), "no order differs");
}

/// The page, with the script that uses it.
fn serve(path: &str) -> Option<(&'static str, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    if path == "/drive.js" {
        return content::read(&folder.join("tests"), path);
    }
    let (kind, mut bytes) = content::read(&folder.join("dist"), path)?;
    if path == "/" {
        bytes.extend_from_slice(b"<script type=\"module\" src=\"drive.js\"></script>");
    }
    Some((kind, bytes))
}
