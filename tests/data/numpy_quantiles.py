"""Writes numpy_quantiles.txt: NumPy's quantiles, for tests/host/order.rs.

    python3 tests/data/numpy_quantiles.py > tests/data/numpy_quantiles.txt

The second line has the bits of the quantiles asked for, as f64. Others are a type, a method, the elements' bits, and the bits of the
results as f64 or "nan", separated by "|". Elements of f32 and f16 are widened to float64 before.
"""

import warnings

import numpy as np

warnings.simplefilter("ignore")

METHODS = ("inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull",
           "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest")
TYPES = (("f64", np.float64, "u8"), ("f32", np.float32, "u4"), ("f16", np.float16, "u2"), ("i32", np.int32, "u4"),
         ("u8", np.uint8, "u1"), ("i64", np.int64, "u8"))
SHARES = np.array([0, 0.1, 0.25, 0.3, 1 / 3, 0.5, 0.75, 0.9, 0.999, 1])


def arrays(kind):
    """Arrays of a type."""
    rng = np.random.default_rng(5)
    for length in (1, 2, 3, 4, 5, 10, 11) if kind == np.float64 else (4, 11):
        if np.issubdtype(kind, np.floating):
            yield rng.normal(size=length).astype(kind)
        else:
            ends = np.iinfo(kind)
            yield rng.integers(max(ends.min, -2**40), min(ends.max, 2**40), length).astype(kind)
    yield np.array([3, 3, 3, 1, 1], kind)
    if np.issubdtype(kind, np.floating):
        yield np.array([1, np.nan, 2], kind)
        yield np.array([-0.0, 0.0, -1], kind)


def hexes(array, bits):
    """The bits of numbers."""
    return " ".join(f"{word:x}" for word in np.ascontiguousarray(array).view(bits))


print(f"# NumPy {np.__version__}, written by numpy_quantiles.py")
print(hexes(SHARES, 'u8'))
for name, kind, bits in TYPES:
    for elements in arrays(kind):
        for method in METHODS:
            found = np.quantile(elements.astype(np.float64) if kind != np.int64 else elements, SHARES, method=method)
            found = found.astype(np.float64)
            results = " ".join("nan" if np.isnan(x) else hexes(np.array([x]), "u8") for x in found)
            print(f"{name}|{method}|{hexes(elements, bits)}|{results}")
