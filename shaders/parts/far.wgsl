// Figures that are far: what is counted from the pivot is divided by 2^FAR_EXPONENT. They become so where a sum would be beyond its
// type, or nearly, and stay so. The highest bit of their count tells.

const FAR_BIT: u32 = 0x80000000u;

fn far_distances(values: vec4<Real>, pivot: Real) -> vec4<Real> {
    let far = vec4<Real>(
        lowered(values.x, FAR_EXPONENT),
        lowered(values.y, FAR_EXPONENT),
        lowered(values.z, FAR_EXPONENT),
        lowered(values.w, FAR_EXPONENT),
    );
    return far - lowered(pivot, FAR_EXPONENT);
}

fn far_apart(a: Real, b: Real) -> Real {
    return lowered(b, FAR_EXPONENT) - lowered(a, FAR_EXPONENT);
}

// A pivot and a distance from it, of far figures.
fn from_far(pivot: Real, distance: Real) -> Real {
    return (lowered(pivot, FAR_EXPONENT) + distance) * FAR_UNIT;
}

fn sum_of_four(terms: vec4<Real>) -> Real {
    return (terms.x + terms.y) + (terms.z + terms.w);
}
