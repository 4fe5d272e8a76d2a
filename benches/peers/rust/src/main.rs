//! Other Rust crates on wgpu, timed as this crate's benches time calls, to set beside it.
//!
//!     cargo run --release -- lampshade [LOG2_OF_ELEMENTS, 28] [REPETITIONS, 21]
//!     cargo run --release --features cubek -- cubek [LOG2_OF_ELEMENTS, 28] [REPETITIONS, 21]
//!
//! and so `burn`; both are behind a feature of their name, since hundreds of crates have to be compiled for them.
//!
//! lampshade: `Reducer` for sums of u32, which wrap; it has none of f32. cubek: `shared_sum` of f32 by several numbers of
//! workgroups. burn: `Tensor::sum` and `Tensor::argmax` of f32.
//!
//! Prints CSV, medians of wall-clock microseconds: call_us from the call to the value on the host; flight_us of eight runs that
//! are started before the first is waited for, divided by eight. Each spread is what lies between the quartiles, in percent of the
//! median. Before it counts everything runs once, which compiles, and then for a while. Data as `wgpu-reduce bench` has
//! them; every answer of a call is compared with the host's.

#[cfg(feature = "burn")]
mod burn;
#[cfg(feature = "cubek")]
mod cubek;
mod lampshade;
mod subject;

use subject::Subject;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize| arguments.get(place).and_then(|text| text.parse().ok());
    let (log_len, repetitions) = (number(1).unwrap_or(28), number(2).unwrap_or(21));
    let (peer, run): (_, fn(&Subject)) = match arguments.first().map(String::as_str) {
        #[cfg(feature = "burn")]
        Some("burn") => ("burn", burn::run),
        #[cfg(feature = "cubek")]
        Some("cubek") => ("cubek", cubek::run),
        Some("lampshade") => ("lampshade", lampshade::run),
        _ => {
            eprintln!("usage: burn|cubek|lampshade [LOG2_OF_ELEMENTS, 28] [REPETITIONS, 21]");
            std::process::exit(2);
        }
    };
    println!(
        "peer,operation,dtype,elements,repetitions,call_us,call_spread,flight_us,flight_spread"
    );
    run(&Subject { peer, len: 1 << log_len, repetitions });
}
