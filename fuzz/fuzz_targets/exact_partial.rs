#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = wgpu_reduce_hostile::exact_partial(bytes);
});
