"""NumPy's reductions on every GPU, and sums that are exact.

>>> import wgpu_reduce as wr
>>> float(wr.sum([0.1] * 10, exact=True))
1.0

Functions have NumPy's names, arguments, results and errors. They take what NumPy takes, or a `GpuArray` of `to_gpu`.
"""

from ._array import GpuArray, to_gpu
from ._histogram import histogram
from ._linear import dot, logsumexp, norm, vdot
from ._nan import (
    nanargmax,
    nanargmin,
    nanmax,
    nanmean,
    nanmin,
    nanstd,
    nansum,
    nanvar,
)
from ._native import Error, adapter, close
from ._order import (
    median,
    nanmedian,
    nanpercentile,
    nanquantile,
    percentile,
    quantile,
)
from ._reductions import (
    all,
    any,
    argmax,
    argmin,
    count_nonzero,
    max,
    mean,
    min,
    prod,
    ptp,
    std,
    sum,
    var,
)

__all__ = [
    "Error", "GpuArray", "adapter", "all", "any", "argmax", "argmin", "close", "count_nonzero",
    "dot", "histogram", "logsumexp", "max", "mean", "median", "min", "nanargmax", "nanargmin",
    "nanmax", "nanmean", "nanmedian", "nanmin", "nanpercentile", "nanquantile", "nanstd", "nansum",
    "nanvar", "norm", "percentile", "prod", "ptp", "quantile", "std", "sum", "to_gpu", "var", "vdot",
]  # fmt: skip
