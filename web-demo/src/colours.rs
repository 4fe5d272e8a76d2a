//! Pixels of an image by groups of colours.

use crate::data::{CHANNELS, Data};
use crate::{object, thrown};
use js_sys::{Array, Float64Array, Object};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsError, JsValue};
use wgpu_reduce::{Bins, Result, Sum};

/// Names of groups, in the order of their numbers.
const COLOURS: [&str; 12] = [
    "red",
    "orange",
    "yellow",
    "green",
    "cyan",
    "blue",
    "purple",
    "pink",
    "black",
    "grey",
    "white",
    "see-through",
];

/// The number of the first group that has no hue; three follow it.
const BLACK: u8 = 8;

/// Keys of all channels of all groups.
const KEYS: u32 = 48;

/// Where the hues of groups end, in degrees; the last wraps around to red.
const HUES: [i32; 8] = [15, 45, 70, 165, 195, 255, 290, 345];

/// The number of a pixel's group: by alpha and how bright it is, then by its hue.
fn colour_of([red, green, blue, alpha]: [u8; 4]) -> u8 {
    let [red, green, blue] = [red, green, blue].map(i32::from);
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    let chroma = most - least;
    if alpha < 128 {
        return BLACK + 3;
    }
    if most < 40 || chroma < 24 || chroma * 6 < most {
        return match most {
            ..64 => BLACK,
            64..208 => BLACK + 1,
            _ => BLACK + 2,
        };
    }
    let hue = match most {
        _ if most == red => 60 * (green - blue) / chroma,
        _ if most == green => 120 + 60 * (blue - red) / chroma,
        _ => 240 + 60 * (red - green) / chroma,
    };
    let hue = hue.rem_euclid(360);
    HUES.iter().zip(0..).find(|&(&end, _)| hue < end).map_or(0, |(_, colour)| colour)
}

/// The number of each pixel's group.
#[wasm_bindgen]
#[must_use]
pub fn colours_of(pixels: &[u8]) -> Vec<u8> {
    let colour = |pixel: &[u8]| pixel.try_into().map_or(BLACK, colour_of);
    pixels.chunks_exact(CHANNELS.len()).map(colour).collect()
}

/// For each channel of each pixel its key: channels of a group have keys that follow each other.
pub(crate) fn colour_keys(pixels: &[u8]) -> Vec<u8> {
    let keys = |colour: u8| (0..4).map(move |channel| 4 * colour + channel);
    colours_of(pixels).into_iter().flat_map(keys).collect()
}

#[wasm_bindgen]
impl Data {
    /// An object for each group of an image's pixels that has any: `number`, as [`colours_of`] has it, `name`, `count`
    /// and `mean`, of each channel. Nothing of anything else than an image.
    ///
    /// # Errors
    ///
    /// The device was lost, or has no memory for the groups.
    pub async fn colours(&self) -> std::result::Result<Array, JsError> {
        let groups = self.groups().await.map_err(|error| thrown(&error))?;
        Ok(groups.into_iter().collect())
    }
}

impl Data {
    async fn groups(&self) -> Result<Vec<Object>> {
        let Some(image) = &self.image else { return Ok(Vec::new()) };
        let bins = Bins::even(0..KEYS, KEYS)?;
        // As one channel: a histogram of an image's bytes has channels, too, and is not compiled twice.
        let counts = self.reducer.bin(&image.keys, &bins).channels(1).start()?;
        let sums = self.reducer.reduce(Sum, &self.bytes).groups(&image.keys, KEYS).start()?;
        let counts = counts.await?.pop().map(|histogram| histogram.counts).unwrap_or_default();
        let sums = sums.await?;
        let channels = CHANNELS.len();
        let groups = counts.chunks(channels).zip(sums.chunks(channels)).enumerate();
        let named = groups.zip(COLOURS).map(|((number, (counts, sums)), name)| {
            // All channels have one count.
            group(number, name, counts.first().copied().unwrap_or_default(), sums)
        });
        Ok(named.flatten().collect())
    }
}

/// A group as a page shows it, if it has pixels.
#[expect(clippy::cast_precision_loss, reason = "below 2^53")]
fn group(number: usize, name: &str, count: u64, sums: &[u64]) -> Option<Object> {
    let mean: Vec<f64> = sums.iter().map(|&sum| sum as f64 / count as f64).collect();
    let properties = [
        ("number", JsValue::from(number)),
        ("name", name.into()),
        ("count", (count as f64).into()),
        ("mean", Float64Array::from(&mean[..]).into()),
    ];
    (count > 0).then(|| object(properties))
}

#[cfg(test)]
mod tests {
    use super::{COLOURS, colour_keys, colour_of};

    #[test]
    fn colours_have_the_names_that_people_give_them() {
        for (pixel, name) in [
            ([255, 0, 0, 255], "red"),
            ([200, 20, 40, 255], "red"),
            ([255, 128, 0, 255], "orange"),
            ([255, 255, 0, 255], "yellow"),
            ([30, 200, 60, 255], "green"),
            ([0, 255, 255, 255], "cyan"),
            ([20, 60, 220, 255], "blue"),
            ([120, 30, 200, 255], "purple"),
            ([255, 80, 200, 255], "pink"),
            ([255, 0, 64, 255], "red"),
            ([0, 0, 0, 255], "black"),
            ([39, 0, 0, 255], "black"),
            ([128, 120, 125, 255], "grey"),
            ([250, 255, 249, 255], "white"),
            ([255, 0, 0, 127], "see-through"),
        ] {
            assert_eq!(COLOURS[usize::from(colour_of(pixel))], name, "{pixel:?}");
        }
    }

    #[test]
    fn each_channel_of_a_pixel_has_a_key() {
        assert_eq!(colour_keys(&[255, 255, 0, 255, 0, 0, 0, 0]), [8, 9, 10, 11, 44, 45, 46, 47]);
    }
}
