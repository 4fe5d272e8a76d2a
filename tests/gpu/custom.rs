//! Custom operators: order kept, on every length, offset and cut; types; results; mistakes.

use crate::harness::oracle::Poison;
use crate::harness::rig::TIGHT_BINDING_BYTES;
use crate::harness::{Outcome, Rig, Shape, TestElement, ensure, on_every_rig};
use half::{bf16, f16};
use libtest_mimic::Trial;
use wgpu_reduce::{
    Combining, CustomInput, CustomOp, CustomValue, Error, GpuBuffer, GpuSlices, Pending, Tuning,
};

pub(crate) fn trials(rigs: &'static [Rig]) -> Vec<Trial> {
    [
        on_every_rig(rigs, "custom::edge_lengths", edge_lengths),
        on_every_rig(rigs, "custom::every_offset", every_offset),
        on_every_rig(rigs, "custom::every_offset_of_pairs", every_offset_of_pairs),
        on_every_rig(rigs, "custom::several_buffers", several_buffers),
        on_every_rig(rigs, "custom::several_buffers_of_pairs", several_buffers_of_pairs),
        on_every_rig(rigs, "custom::tunings", tunings),
        on_every_rig(rigs, "custom::types", types),
        on_every_rig(rigs, "custom::packed_elements", packed_elements),
        on_every_rig(rigs, "custom::empty_inputs", empty_inputs),
        on_every_rig(rigs, "custom::loops_and_tables", loops_and_tables),
        on_every_rig(rigs, "custom::deep_texts", deep_texts),
        on_every_rig(rigs, "custom::encoded", encoded),
        on_every_rig(rigs, "custom::in_flight", in_flight),
        on_every_rig(rigs, "custom::refused_inputs", refused_inputs),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// x ↦ a·x + b modulo 2^32 as (a, b), first the left one and then the right one: composition is
/// associative and not commutative. Each depends on an element, or on the difference of two, and on its
/// index, so that nothing can be left out, doubled or out of place without changing the result.
pub(crate) const COMPOSE: &str = "
    fn combine(left: vec2<u32>, right: vec2<u32>) -> vec2<u32> {
        return vec2<u32>(left.x * right.x, left.y * right.x + right.y);
    }

    fn at(word: u32, index: u32) -> vec2<u32> {
        return vec2<u32>(4u * (word ^ index) + 1u, word + 3u * index + 1u);
    }
";

const OF_ONE: &str = "fn map(element: u32, index: u32) -> vec2<u32> { return at(element, index); }";

const OF_TWO: &str =
    "fn map(a: u32, b: u32, index: u32) -> vec2<u32> { return at(a - 5u * b, index); }";

pub(crate) fn compose_one() -> CustomOp<u32, [u32; 2]> {
    CustomOp::new([COMPOSE, OF_ONE].concat(), [1, 0]).expect("the text is right")
}

pub(crate) fn compose_two() -> CustomOp<(u32, u32), [u32; 2]> {
    CustomOp::new([COMPOSE, OF_TWO].concat(), [1, 0]).expect("the text is right")
}

pub(crate) fn composed(words: impl IntoIterator<Item = u32>) -> [u32; 2] {
    (0_u32..).zip(words).fold([1, 0], |[a, b], (index, word)| {
        let scale = (word ^ index).wrapping_mul(4).wrapping_add(1);
        let shift = word.wrapping_add(index.wrapping_mul(3)).wrapping_add(1);
        [a.wrapping_mul(scale), b.wrapping_mul(scale).wrapping_add(shift)]
    })
}

pub(crate) fn composed_pairs(a: &[u32], b: &[u32]) -> [u32; 2] {
    composed(a.iter().zip(b).map(|(a, b)| a.wrapping_sub(b.wrapping_mul(5))))
}

/// A buffer with `values` between poisoned neighbours.
pub(crate) fn padded<T: TestElement>(
    rig: &Rig,
    values: &[T],
    poison: Poison,
) -> wgpu_reduce::Result<GpuBuffer<T>> {
    let mut padded = vec![T::poison(); poison.before];
    padded.extend_from_slice(values);
    padded.resize(padded.len() + poison.after, T::poison());
    rig.reducer.upload(&padded)
}

pub(crate) fn check(rig: &Rig, len: u64, poison: Poison) -> Outcome {
    let values = u32::data(Shape::Random, len);
    let buffer = padded(rig, &values, poison)?;
    let first = poison.before as u64;
    let result = rig.reducer.reduce(&compose_one(), buffer.slice(first..first + len)?).run()?;
    let expected = composed(values);
    ensure!(result == expected, "{len} elements, {poison:?}: {result:?} is not {expected:?}");
    Ok(())
}

pub(crate) const SOME_POISON: Poison = Poison { before: 3, after: 5 };

/// Lengths at which something in the plan changes, and their neighbours.
fn edge_lengths(rig: &Rig) -> Outcome {
    let tuning = rig.reducer.reduce(&compose_one(), &rig.reducer.alloc(1)?).plan()?.tuning.whole();
    let tuning = tuning.ok_or("it is of a whole input")?;
    let workgroup = u64::from(tuning.workgroup_size);
    let tile = 4 * workgroup * u64::from(tuning.loads_in_flight);
    let share = 4 * workgroup * u64::from(tuning.min_quads_per_invocation);
    let binding = TIGHT_BINDING_BYTES / 4;
    let mut lengths = vec![0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 7919, 104_729];
    for edge in [workgroup, 4 * workgroup, tile, 2 * tile, share, 3 * share, binding, 3 * binding] {
        lengths.extend([edge - 1, edge, edge + 1]);
    }
    for len in lengths {
        check(rig, len, SOME_POISON)?;
    }
    Ok(())
}

/// Slices from every element of a quad, and past a binding's alignment.
fn every_offset(rig: &Rig) -> Outcome {
    for len in [1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 1000, 16_384, 16_389] {
        for before in [0, 1, 2, 3, 4, 5, 63, 64, 65] {
            check(rig, len, Poison { before, after: 4 })?;
        }
    }
    Ok(())
}

fn every_offset_of_pairs(rig: &Rig) -> Outcome {
    let op = compose_two();
    for len in [1, 3, 4, 5, 9, 1000, 16_389, 40_000] {
        let both = some_pairs(len);
        for (before_a, before_b) in
            [(0, 0), (1, 1), (0, 1), (1, 0), (2, 0), (3, 1), (1, 3), (4, 8), (0, 64), (65, 2)]
        {
            check_pairs_by(rig, &op, &both, [before_a, before_b])?;
        }
    }
    Ok(())
}

/// Words and others that are paired with them.
fn some_pairs(len: u64) -> [Vec<u32>; 2] {
    let a = u32::data(Shape::Random, len);
    let b = a.iter().map(|word| word.rotate_left(7)).collect();
    [a, b]
}

/// Two inputs, each behind so many elements that are poison.
pub(crate) fn check_pairs(rig: &Rig, len: u64, before: [usize; 2]) -> Outcome {
    check_pairs_by(rig, &compose_two(), &some_pairs(len), before)
}

fn check_pairs_by(
    rig: &Rig,
    op: &CustomOp<(u32, u32), [u32; 2]>,
    [a, b]: &[Vec<u32>; 2],
    before: [usize; 2],
) -> Outcome {
    let len = a.len() as u64;
    let [first, second] = [(a, before[0]), (b, before[1])]
        .map(|(values, before)| padded(rig, values, Poison { before, after: 3 }));
    let (first, second) = (first?, second?);
    let [start_a, start_b] = before.map(|before| before as u64);
    let slices = (first.slice(start_a..start_a + len)?, second.slice(start_b..start_b + len)?);
    let result = rig.reducer.reduce(op, slices).run()?;
    let expected = composed_pairs(a, b);
    ensure!(result == expected, "{len} pairs from {before:?}: {result:?} is not {expected:?}");
    Ok(())
}

/// A sequence of buffers is one input, its indices and all.
fn several_buffers(rig: &Rig) -> Outcome {
    let values = u32::data(Shape::Random, 60_000);
    let cuts = [0, 0, 1, 5, 5000, 5000, 40_003, 60_000];
    let parts: Vec<_> = cuts.windows(2).map(|cut| &values[cut[0]..cut[1]]).collect();
    let buffers = parts.iter().map(|part| padded(rig, part, SOME_POISON));
    let buffers = buffers.collect::<Result<Vec<_>, _>>()?;
    let slices = buffers.iter().zip(&parts).map(|(buffer, part)| {
        let first = SOME_POISON.before as u64;
        buffer.slice(first..first + part.len() as u64)
    });
    let slices: GpuSlices<'_, u32> = slices.collect::<Result<Vec<_>, _>>()?.into();
    let result = rig.reducer.reduce(&compose_one(), slices).run()?;
    let expected = composed(values);
    ensure!(result == expected, "{result:?} is not {expected:?}");
    Ok(())
}

/// Two sequences, cut at different places; and one buffer as both.
fn several_buffers_of_pairs(rig: &Rig) -> Outcome {
    let a = u32::data(Shape::Random, 50_000);
    let b: Vec<_> = a.iter().map(|word| !word.rotate_left(3)).collect();
    let chunks = |values: &[u32], cuts: &[usize]| {
        let parts = cuts.windows(2).map(|cut| rig.reducer.upload(&values[cut[0]..cut[1]]));
        parts.collect::<Result<Vec<_>, _>>()
    };
    let of_a = chunks(&a, &[0, 3, 20_000, 20_000, 33_333, 50_000])?;
    let of_b = chunks(&b, &[0, 17_001, 33_333, 50_000])?;
    let result = rig.reducer.reduce(&compose_two(), (&of_a, &of_b)).run()?;
    let expected = composed_pairs(&a, &b);
    ensure!(result == expected, "{result:?} is not {expected:?}");

    let both = rig.reducer.upload(&a)?;
    let result = rig
        .reducer
        .reduce(&compose_two(), (both.slice(..30_000)?, both.slice(7..30_007)?))
        .run()?;
    let expected = composed_pairs(&a[..30_000], &a[7..30_007]);
    ensure!(result == expected, "one buffer: {result:?} is not {expected:?}");
    Ok(())
}

/// Products of 2 × 2 matrices modulo 2^32, in one vector of four.
const MATRICES: &str = "
    fn map(element: u32, index: u32) -> vec4<u32> {
        return vec4<u32>(element, index, 1u, element ^ 3u);
    }

    fn combine(left: vec4<u32>, right: vec4<u32>) -> vec4<u32> {
        return vec4<u32>(
            left.x * right.x + left.y * right.z,
            left.x * right.y + left.y * right.w,
            left.z * right.x + left.w * right.z,
            left.z * right.y + left.w * right.w,
        );
    }";

fn product_of_matrices(words: &[u32]) -> [u32; 4] {
    (0_u32..).zip(words).fold([1, 0, 0, 1], |[a, b, c, d], (index, &word)| {
        let [e, f, g, h] = [word, index, 1, word ^ 3];
        let dot =
            |a: u32, b: u32, c: u32, d: u32| a.wrapping_mul(b).wrapping_add(c.wrapping_mul(d));
        [dot(a, e, b, g), dot(a, f, b, h), dot(c, e, d, g), dot(c, f, d, h)]
    })
}

/// No tuning changes anything, on one workgroup or many, with one later pass or several.
fn tunings(rig: &Rig) -> Outcome {
    let op = CustomOp::<u32, [u32; 4]>::new(MATRICES, [1, 0, 0, 1])?;
    for (
        workgroup_size,
        loads_in_flight,
        max_workgroups,
        min_quads_per_invocation,
        most_partials,
    ) in [
        (1, 1, 1, 1, 1000),
        (1, 3, 7, 3, 3),
        (2, 1, 1000, 1, 2),
        (16, 16, 2, 1, 2),
        (16, 4, 1 << 20, 1, 16),
        (64, 3, 7, 3, 3),
        (256, 1, 1000, 1, 2),
        (256, 4, 1, 1, 1000),
    ] {
        let tuning = Tuning {
            workgroup_size,
            max_workgroups,
            loads_in_flight,
            min_quads_per_invocation,
            max_partials_per_workgroup: most_partials,
            combining: Combining::Passes,
        };
        let rig = rig.tuned(tuning);
        for len in [1, 5, 64, 1001, 5000] {
            let values = u32::data(Shape::Random, len);
            let result = rig.reducer.reduce(&op, &rig.reducer.upload(&values)?).run()?;
            let expected = product_of_matrices(&values);
            ensure!(
                result == expected,
                "{tuning}, {most_partials} partials, {len} elements: {result:?}, not {expected:?}"
            );
        }
    }
    let bad = Tuning { workgroup_size: 3, ..rig.tuning(1) };
    let refused = rig.tuned(bad).reducer.reduce(&op, &rig.reducer.upload(&[1])?).run();
    ensure!(matches!(refused, Err(Error::InvalidTuning { .. })), "{refused:?}");
    Ok(())
}

/// The first elements that are as the text says, their index, and how many there are, of one type in
/// accumulators of another.
fn type_case<T: TestElement + CustomInput, A: CustomValue, R: CustomValue>(
    rig: &Rig,
    text: &str,
    identity: A,
    expected: impl Fn(&[T]) -> R,
) -> Outcome {
    let op =
        CustomOp::<T, A, R>::new(text, identity).map_err(|error| format!("{text}: {error}"))?;
    for len in [1, 3, 100, 20_001] {
        let values = T::data(Shape::Random, len);
        let result = rig.reducer.reduce(&op, &rig.reducer.upload(&values)?).run()?;
        let expected = expected(&values);
        ensure!(result == expected, "{text}, {len} elements: {result:?} is not {expected:?}");
    }
    Ok(())
}

/// Every width of accumulators and results, and every scalar.
fn types(rig: &Rig) -> Outcome {
    type_case::<i32, i32, i32>(
        rig,
        "fn map(element: i32, index: u32) -> i32 { return select(element, -element, index % 2u == 1u); }
         fn combine(left: i32, right: i32) -> i32 { return left + right; }",
        0,
        |values| {
            let signed = values.iter().enumerate();
            let signed = signed.map(|(i, &v)| if i % 2 == 1 { v.wrapping_neg() } else { v });
            signed.fold(0, i32::wrapping_add)
        },
    )?;
    // Count, sum of indices, last element; handed over as three and as two.
    let three = "
        fn map(element: u32, index: u32) -> vec3<u32> { return vec3<u32>(1u, index, element); }
        fn combine(left: vec3<u32>, right: vec3<u32>) -> vec3<u32> {
            return vec3<u32>(left.xy + right.xy, select(left.z, right.z, right.x > 0u));
        }";
    let of_three = |values: &[u32]| {
        let count = u32::try_from(values.len()).unwrap_or(0);
        [count, (0..count).fold(0, u32::wrapping_add), values[values.len() - 1]]
    };
    type_case::<u32, [u32; 3], [u32; 3]>(rig, three, [0; 3], of_three)?;
    type_case::<u32, [u32; 3], [i32; 2]>(
        rig,
        &format!(
            "{three}
            fn finish(total: vec3<u32>) -> vec2<i32> {{ return vec2<i32>(total.zx); }}"
        ),
        [0; 3],
        |values| [of_three(values)[2].cast_signed(), of_three(values)[0].cast_signed()],
    )?;
    // Smallest, largest, first and last, which no rounding touches; then two of them.
    let four = "
        fn map(element: f32, index: u32) -> vec4<f32> { return vec4<f32>(element); }
        fn combine(left: vec4<f32>, right: vec4<f32>) -> vec4<f32> {
            return vec4<f32>(min(left.x, right.x), max(left.y, right.y), left.z, right.w);
        }";
    let of_four = |values: &[f32]| {
        let min = values.iter().copied().fold(f32::INFINITY, f32::min);
        let max = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        [min, max, values[0], values[values.len() - 1]]
    };
    let none = [f32::INFINITY, f32::NEG_INFINITY, 0.0, 0.0];
    type_case::<f32, [f32; 4], [f32; 4]>(rig, four, none, of_four)?;
    type_case::<f32, [f32; 4], u32>(
        rig,
        &format!("{four} fn finish(total: vec4<f32>) -> u32 {{ return bitcast<u32>(total.w); }}"),
        none,
        |values| of_four(values)[3].to_bits(),
    )?;
    type_case::<f32, [i32; 2], [f32; 3]>(
        rig,
        "struct Sign { value: i32 }
         alias Two = vec2<i32>;
         const ONE = 1;
         fn sign_of(value: f32) -> Sign { return Sign(select(ONE, -1, value < 0.0)); }
         fn map(element: f32, index: u32) -> Two { return Two(sign_of(element).value, 1); }
         fn combine(left: Two, right: Two) -> Two { return left + right; }
         fn finish(total: Two) -> vec3<f32> { return vec3<f32>(f32(total.x), f32(total.y), 0.5); }",
        [0; 2],
        |values| {
            let negative = values.iter().filter(|&&value| value < 0.0).count();
            let count = |count: usize| f32::from(u16::try_from(count).unwrap_or(0));
            [count(values.len()) - 2.0 * count(negative), count(values.len()), 0.5]
        },
    )
}

/// Elements of fewer bits than a word, from every offset, alone and in pairs.
fn packed_elements(rig: &Rig) -> Outcome {
    let of_signed = "bitcast<u32>(element)";
    packed_case::<u8>(rig, "u32", "element", u32::from)?;
    packed_case::<i8>(rig, "i32", of_signed, |v| i32::from(v).cast_unsigned())?;
    packed_case::<u16>(rig, "u32", "element", u32::from)?;
    packed_case::<i16>(rig, "i32", of_signed, |v| i32::from(v).cast_unsigned())?;
    packed_case::<f16>(rig, "f32", of_signed, |v| f32::from(v).to_bits())?;
    packed_case::<bf16>(rig, "f32", of_signed, |v| f32::from(v).to_bits())?;
    packed_case::<f32>(rig, "f32", of_signed, f32::to_bits)
}

/// `number` is the element's type in WGSL, `word` its bits there and `word_of` on the host.
fn packed_case<T>(rig: &Rig, number: &str, word: &str, word_of: impl Fn(T) -> u32) -> Outcome
where
    T: TestElement + CustomInput,
    (T, T): CustomInput,
{
    let word = format!("fn word(element: {number}) -> u32 {{ return {word}; }}");
    let of_one = format!(
        "{COMPOSE} {word}
        fn map(a: {number}, index: u32) -> vec2<u32> {{ return at(word(a), index); }}"
    );
    let of_two = format!(
        "{COMPOSE} {word}
        fn map(a: {number}, b: {number}, index: u32) -> vec2<u32> {{
            return at(word(a) - 5u * word(b), index);
        }}"
    );
    let one = CustomOp::<T, [u32; 2]>::new(of_one, [1, 0])?;
    let two = CustomOp::<(T, T), [u32; 2]>::new(of_two, [1, 0])?;
    let words = |values: &[T]| values.iter().map(|&value| word_of(value)).collect::<Vec<_>>();
    for len in [1, 3, 16, 31, 1000, 20_001] {
        let values = T::data(Shape::Random, len);
        let partners = values.iter().rev().copied().collect::<Vec<_>>();
        for (before, before_partner) in [(0, 0), (1, 0), (2, 5), (3, 1), (17, 16), (64, 3)] {
            let what = format!("{len} {} from {before} and {before_partner}", T::KIND);
            let on_gpu = |values, before| padded(rig, values, Poison { before, after: 3 });
            let (buffer, partner) = (on_gpu(&values, before)?, on_gpu(&partners, before_partner)?);
            let (first, second) = (before as u64, before_partner as u64);
            let slice = buffer.slice(first..first + len)?;
            let result = rig.reducer.reduce(&one, slice).run()?;
            let expected = composed(words(&values));
            ensure!(result == expected, "{what}: {result:?} is not {expected:?}");
            let result =
                rig.reducer.reduce(&two, (slice, partner.slice(second..second + len)?)).run()?;
            let expected = composed_pairs(&words(&values), &words(&partners));
            ensure!(result == expected, "{what}, pairs: {result:?} is not {expected:?}");
        }
    }
    Ok(())
}

/// The finished identity, bit for bit, of one input and of two.
fn empty_inputs(rig: &Rig) -> Outcome {
    let text = "
        fn map(element: f32, index: u32) -> vec3<f32> { return vec3<f32>(element); }
        fn combine(left: vec3<f32>, right: vec3<f32>) -> vec3<f32> { return left; }
        fn finish(total: vec3<f32>) -> vec3<u32> { return bitcast<vec3<u32>>(total) + vec3<u32>(1u); }";
    let identity = [f32::NEG_INFINITY, f32::NAN, -0.0];
    let op = CustomOp::<f32, [f32; 3], [u32; 3]>::new(text, identity)?;
    let expected = identity.map(|value| value.to_bits() + 1);
    let empty = rig.reducer.alloc::<f32>(0)?;
    let some = rig.reducer.upload(&[1.0_f32, 2.0])?;
    for input in [GpuSlices::from(&empty), some.slice(1..1)?.into(), Vec::new().into()] {
        let result = rig.reducer.reduce(&op, input).run()?;
        ensure!(result == expected, "{result:x?} is not {expected:x?}");
    }
    let nothing = rig.reducer.alloc::<u32>(0)?;
    let result = rig.reducer.reduce(&compose_two(), (&nothing, Vec::new())).run()?;
    ensure!(result == [1, 0], "no pairs: {result:?}");
    Ok(())
}

/// Loops of the user's, and an index beyond a table, which wgpu's checks keep inside it. To GLSL naga
/// translates without these checks.
fn loops_and_tables(rig: &Rig) -> Outcome {
    let text = "
        fn bits(word: u32) -> u32 {
            var left = word;
            var count = 0u;
            while (left != 0u) {
                left &= left - 1u;
                count += 1u;
            }
            return count;
        }

        fn map(element: u32, index: u32) -> vec2<u32> {
            var table = array<u32, 3>(1u, 2u, 3u);
            let beyond = table[element % ENTRIES];
            return vec2<u32>(bits(element), select(1u, 0u, beyond >= 1u && beyond <= 3u));
        }

        fn combine(left: vec2<u32>, right: vec2<u32>) -> vec2<u32> { return left + right; }

        const ENTRIES = ";
    let is_checked = rig.reducer.adapter_info().backend != wgpu::Backend::Gl;
    let entries = if is_checked { "7u;" } else { "3u;" };
    let op = CustomOp::<u32, [u32; 2]>::new([text, entries].concat(), [0, 0])?;
    let values = u32::data(Shape::Random, 300_000);
    let result = rig.reducer.reduce(&op, &rig.reducer.upload(&values)?).run()?;
    let bits: u32 = values.iter().map(|word| word.count_ones()).sum();
    ensure!(result == [bits, 0], "{result:?} is not {:?}", [bits, 0]);
    Ok(())
}

/// As long and as deep as texts may be, on a test's small stack.
fn deep_texts(rig: &Rig) -> Outcome {
    let value = ["abs(".repeat(20), "- ".repeat(40), "a".into(), ")".repeat(20)].concat();
    let terms = "element".to_owned() + &" + 1.0".repeat(70);
    let text = format!(
        "fn deep(a: f32) -> f32 {{ {} {} {{ return {value}; }} {} return 0.0; }}
        fn map(element: f32, index: u32) -> f32 {{ return deep({terms}); }}
        fn combine(left: f32, right: f32) -> f32 {{ return max(left, right); }}",
        "if a > 0.0 {".repeat(13),
        "if a < 3.0 {} else ".repeat(30),
        "}".repeat(13),
    );
    let op = CustomOp::<f32, f32>::new(text, 0.0)?;
    let result = rig.reducer.reduce(&op, &rig.reducer.upload(&[1.0_f32, 5.0, 2.0])?).run()?;
    ensure!(result.to_bits() == 75.0_f32.to_bits(), "{result} is not 75");
    Ok(())
}

/// Recorded into the caller's encoder: into a buffer of its own, and into the input's.
fn encoded(rig: &Rig) -> Outcome {
    let reducer = &rig.reducer;
    let text = "
        fn map(element: u32, index: u32) -> vec3<u32> { return vec3<u32>(element, index, 1u); }
        fn combine(left: vec3<u32>, right: vec3<u32>) -> vec3<u32> { return left + right; }";
    let op = CustomOp::<u32, [u32; 3]>::new(text, [0; 3])?;
    for len in [0_u32, 5, 1000, 50_000] {
        let expected = [3 * len, (0..len).fold(0, u32::wrapping_add), len];
        let mut values = vec![7_u32; 6];
        values.resize(6 + len as usize, 3);
        let input = reducer.upload(&values)?;
        let output = reducer.upload(&[[9_u32; 3]; 3])?;
        let mut encoder =
            reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        reducer.reduce(&op, input.slice(6..)?).encode(&mut encoder, output.slice(1..)?)?;
        reducer.queue().submit([encoder.finish()]);
        let after = output.download(reducer)?;
        ensure!(after == [[9; 3], expected, [9; 3]], "{len}: {after:?} beside {expected:?}");

        let in_place = GpuBuffer::<[u32; 3]>::from_wgpu(input.as_wgpu().clone(), 0, 2)?;
        let mut encoder =
            reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        reducer.reduce(&op, input.slice(6..)?).encode(&mut encoder, in_place.slice(1..)?)?;
        reducer.queue().submit([encoder.finish()]);
        let after = in_place.download(reducer)?;
        ensure!(after == [[7; 3], expected], "{len}, in place: {after:?} beside {expected:?}");
    }
    let mut encoder =
        reducer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let (input, nothing) = (reducer.upload(&[1_u32])?, reducer.alloc::<[u32; 3]>(0)?);
    let refused = reducer.reduce(&op, &input).encode(&mut encoder, &nothing);
    ensure!(matches!(refused, Err(Error::InvalidRange { .. })), "{refused:?}");
    Ok(())
}

/// Many at once, timed or not, of one text that is compiled once for each kind of pass.
fn in_flight(rig: &Rig) -> Outcome {
    let values = u32::data(Shape::Random, 20_000);
    let buffer = rig.reducer.upload(&values)?;
    let lens: Vec<_> = (0..20_u32).map(|k| k * 1000 + 1).collect();
    let before = rig.reducer.pipelines_made();
    // A text that no other test has.
    let text = [COMPOSE, OF_ONE, "// in flight"].concat();
    let pending = lens.iter().map(|&len| {
        let op = CustomOp::<u32, [u32; 2]>::new(text.clone(), [1, 0])?;
        rig.reducer.reduce(&op, buffer.slice(..u64::from(len))?).start()
    });
    let pending = pending.collect::<Result<Vec<_>, _>>()?;
    for (pending, &len) in pending.into_iter().zip(&lens) {
        let expected = composed(values[..len as usize].iter().copied());
        let result = pending.wait()?;
        ensure!(result == expected, "{len}: {result:?} is not {expected:?}");
    }
    let alone = std::env::args().any(|argument| argument.contains("in_flight"));
    let made = rig.reducer.pipelines_made() - before;
    ensure!(!alone || made <= 3, "{made} pipelines");
    let timed =
        rig.reducer.reduce(&compose_one(), &buffer).timed().start().and_then(Pending::wait)?;
    ensure!(timed.value == composed(values), "{:?}", timed.value);
    Ok(())
}

/// What is refused leaves the reducer as it was.
fn refused_inputs(rig: &Rig) -> Outcome {
    let (two, three) = (rig.reducer.upload(&[1_u32, 2])?, rig.reducer.upload(&[3_u32, 4, 5])?);
    let refused = rig.reducer.reduce(&compose_two(), (&two, &three)).run();
    ensure!(refused == Err(Error::LengthMismatch { left: 2, right: 3 }), "{refused:?}");
    let destroyed = rig.reducer.upload(&[1_u32])?;
    destroyed.as_wgpu().destroy();
    let refused = rig.reducer.reduce(&compose_one(), &destroyed).run();
    ensure!(matches!(refused, Err(Error::Validation { .. })), "{refused:?}");
    check(rig, 1000, SOME_POISON)
}
