// Figures that are far: what is counted from the pivot is divided by 2^FAR_EXPONENT. They become so where a sum would be beyond its
// type, or nearly, and stay so. The highest bit of their count tells.

const FAR_BIT: u32 = 0x80000000u;

fn made_far(value: Real) -> Real {
    return opened(lowered(closed(value), FAR_EXPONENT));
}

fn far_distances(values: Reals, pivot: Real) -> Reals {
    let far = reals(
        made_far(values.x), made_far(values.y), made_far(values.z), made_far(values.w),
    );
    return each_minus(far, made_far(pivot));
}

fn far_apart(a: Kept, b: Kept) -> Real {
    return minus(opened(lowered(b, FAR_EXPONENT)), opened(lowered(a, FAR_EXPONENT)));
}

// A pivot and a distance from it, of far figures.
fn from_far(pivot: Real, distance: Real) -> Real {
    return times(plus(made_far(pivot), distance), power_of_two(FAR_EXPONENT));
}
