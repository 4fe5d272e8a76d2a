//! The bits that the page must show, too, in `exact_bits.txt`: the exact sum of its numbers has them on every adapter
//! outside of browsers, and on the CPU.

use wgpu_reduce::{ExactSum, GpuReducer, Options};
use wgpu_reduce_known::{hash, wide};

/// What `page/orders.js` asks for.
const NUMBERS: u64 = 65_536;

fn expected() -> String {
    include_str!("exact_bits.txt").trim().into()
}

fn numbers() -> Vec<f32> {
    (0..NUMBERS).map(|index| wide(hash(index))).collect()
}

#[test]
fn the_cpu_has_them() {
    let mut sum = ExactSum::new();
    sum.add_slice(&numbers());
    assert_eq!(format!("{:08x}", sum.round().to_bits()), expected());
}

#[test]
fn every_adapter_has_them() {
    let adapters = GpuReducer::adapters();
    let may_be_none = std::env::var_os("WGPU_REDUCE_ALLOW_NO_ADAPTER").is_some();
    assert!(may_be_none || !adapters.is_empty(), "no adapter");
    let mut unopened = 0;
    for (number, adapter) in adapters.iter().enumerate() {
        let options = Options::default().adapter(number.to_string());
        let reducer = match pollster::block_on(GpuReducer::request(&options)) {
            Ok(reducer) => reducer,
            Err(error) => {
                println!("NOT COVERED: {adapter} cannot be opened: {error}");
                unopened += 1;
                continue;
            }
        };
        let buffer = reducer.upload(&numbers()).expect("memory");
        let sum = reducer.sum_exact(&buffer).expect("a sum");
        assert_eq!(format!("{:08x}", sum.to_bits()), expected(), "{adapter}");
        println!("{adapter}: {sum}");
    }
    assert!(may_be_none || unopened < adapters.len(), "no adapter could be opened");
}
