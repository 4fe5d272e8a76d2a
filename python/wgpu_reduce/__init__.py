"""NumPy's reductions on every GPU, and sums that are exact.

>>> import wgpu_reduce as wr
>>> float(wr.sum([0.1] * 10, exact=True))
1.0

Functions have NumPy's names, arguments, results and errors. They take what NumPy takes, a `GpuArray` of
`to_gpu`, or a `FileArray` of `open`. With `device=True` a result stays, as a `GpuArray`; with `device="cpu"` the
library's definitions compute it on the host, slowly and without an adapter, as with `WGPU_REDUCE_CPU=1` all results.
"""

from ._array import GpuArray, to_gpu
from ._counts import bincount, unique_counts
from ._device import adapter
from ._exact import ExactSum
from ._files import FileArray, open
from ._histogram import histogram
from ._linear import dot, logsumexp, norm, vdot, vecdot
from ._nan import (
    nanargmax,
    nanargmin,
    nanmax,
    nanmean,
    nanmin,
    nanprod,
    nanstd,
    nansum,
    nanvar,
)
from ._native import Error, close
from ._order import (
    median,
    nanmedian,
    nanpercentile,
    nanquantile,
    percentile,
    quantile,
)
from ._partials import Extremes, Moments
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
from ._top import bottomk, topk
from ._weighted import average, corrcoef, cov

__all__ = [
    "Error", "ExactSum", "Extremes", "FileArray", "GpuArray", "Moments", "adapter", "all", "any", "argmax",
    "argmin", "average", "bincount", "bottomk", "close", "corrcoef", "count_nonzero", "cov", "dot", "histogram",
    "logsumexp", "max", "mean", "median", "min", "nanargmax", "nanargmin", "nanmax", "nanmean", "nanmedian",
    "nanmin", "nanpercentile", "nanprod", "nanquantile", "nanstd", "nansum", "nanvar", "norm", "open",
    "percentile", "prod", "ptp", "quantile", "std", "sum", "to_gpu", "topk", "unique_counts", "var", "vdot",
    "vecdot",
]  # fmt: skip
