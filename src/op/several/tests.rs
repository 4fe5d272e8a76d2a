use super::{Several, record_of};
use crate::op::{
    ArgMin, CountNan, Max, Mean, NanSum, OpRecord, Operation, Over, Sum, SumExact, Variance,
};
use crate::shader::variant::Variant;
use crate::{ElementKind, Error};
use naga::TypeInner;
use naga::proc::Layouter;
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// Every operation that can be among several, with its number.
fn operations() -> Vec<&'static OpRecord> {
    OpRecord::ALL.into_iter().filter(|record| !record.name().ends_with("_exact")).collect()
}

/// What the host takes for the sizes of what a shader's text declares.
fn check_text(variant: &Variant, over: &Over) {
    let text = variant.wgsl();
    let module = naga::front::wgsl::parse_str(&text)
        .unwrap_or_else(|error| panic!("{variant}: {}", error.emit_to_string(&text)));
    let checked = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module);
    checked.unwrap_or_else(|error| panic!("{variant}: {}", error.emit_to_string(&text)));
    let mut layouts = Layouter::default();
    layouts.update(module.to_ctx()).unwrap();
    let bytes_of = |name: &str| {
        let found = module.types.iter().find(|(_, kind)| kind.name.as_deref() == Some(name));
        u64::from(layouts[found.unwrap_or_else(|| panic!("{variant}: {name}")).0].size)
    };
    assert_eq!(bytes_of("Acc"), over.accumulator.size_bytes(), "{variant}");
    assert_eq!(bytes_of("Output"), over.output_bytes, "{variant}");
    // Each pair has its second result where the host looks for it.
    let mut places = vec![0];
    let mut at = 0;
    let mut name = "Output".to_owned();
    while let Some((_, kind)) =
        module.types.iter().find(|(_, kind)| kind.name.as_ref() == Some(&name))
    {
        let TypeInner::Struct { members, .. } = &kind.inner else { break };
        let Some(second) = members.iter().find(|member| member.name.as_deref() == Some("second"))
        else {
            break;
        };
        at += u64::from(second.offset);
        places.push(at);
        name = format!("of_second_{name}");
    }
    assert_eq!(places, Several::places(*over), "{variant}");
    assert!(over.output_bytes.is_power_of_two(), "{variant}");
}

/// Each with the next; and three.
#[test]
fn texts_of_several_are_valid_and_have_the_sizes_that_the_host_knows() {
    let all = operations();
    let nth = |number: usize| all[number % all.len()];
    let lists =
        (0..all.len()).flat_map(|i| [vec![nth(i), nth(i + 1)], vec![nth(i), nth(i + 11), nth(i)]]);
    let (mut texts, mut refused) = (0, 0);
    for list in lists {
        let record = record_of(&list);
        // Each form of each, in turn.
        for (turn, variant) in Variant::of(record).enumerate() {
            if turn % 151 == texts % 151 {
                check_text(&variant, &record.over(variant.element).unwrap());
                texts += 1;
            }
        }
        refused += ElementKind::ALL.into_iter().filter(|&kind| record.over(kind).is_err()).count();
    }
    assert!(texts > 100 && refused > 100, "{texts} texts, {refused} not defined");
}

#[test]
fn a_list_has_one_record() {
    let [sum, max] = [Operation::<f32>::record(&Sum), Operation::<f32>::record(&Max)];
    let record = record_of(&[sum, max]);
    assert!(std::ptr::eq(record, record_of(&[sum, max])));
    assert_ne!(record, record_of(&[max, sum]));
    assert_eq!(record.name(), "(sum, max)");
    assert!(!record.takes_none() && !record.finds_indices() && record.takes(ElementKind::U8));
    let found = record_of(&[sum, Operation::<f32>::record(&ArgMin)]);
    assert!(found.finds_indices());
    assert!(record_of(&[sum, Operation::<f32>::record(&CountNan)]).takes_none());
}

#[test]
fn what_is_not_joined_is_refused() {
    let sum = Operation::<f32>::record(&Sum);
    let exact = record_of(&[sum, Operation::<f32>::record(&SumExact)]);
    let error = exact.over(ElementKind::F32).unwrap_err();
    assert_eq!(error, crate::plan::limits::unsupported("sum_exact among several operations"));
    let nan_sum = record_of(&[sum, Operation::<f32>::record(&NanSum)]);
    let error = nan_sum.over(ElementKind::I32).unwrap_err();
    assert_eq!(error, Error::NotDefined { operation: "nan_sum", element: "i32" });
    let variance = Operation::<f64>::record(&Variance { ddof: 0 });
    let long = record_of(&[variance, variance, Operation::<f64>::record(&Mean)]);
    let error = long.over(ElementKind::F64).unwrap_err();
    assert!(error.to_string().ends_with("more than 16: variance 8, variance 8, mean 6"), "{error}");
    // Neither pairs nor several once more.
    let dot = record_of(&[sum, OpRecord::PAIRS[0]]);
    assert!(matches!(dot.over(ElementKind::F32), Err(Error::Unsupported { .. })));
    let twice = record_of(&[sum, record_of(&[sum, sum])]);
    assert!(matches!(twice.over(ElementKind::F32), Err(Error::Unsupported { .. })));
}
