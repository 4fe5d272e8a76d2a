"""The cases that ONNX tests its backends with, of reductions, ArgMax, ArgMin and TopK."""

from __future__ import annotations

import importlib
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.lib.array_utils import normalize_axis_tuple

import wgpu_reduce as wr

MODULES = (
    "argmax", "argmin", "reduce_log_sum", "reduce_log_sum_exp", "reducel1", "reducel2", "reducemax", "reducemean",
    "reducemin", "reduceprod", "reducesum", "reducesumsquare", "topk",
)  # fmt: skip

Axes = tuple[int, ...]


def rows(x: np.ndarray, axes: Axes) -> np.ndarray:
    """Put all axes that are reduced into the last."""
    kept = [n for i, n in enumerate(x.shape) if i not in axes]
    count = math.prod(x.shape[axis] for axis in axes)
    moved = np.moveaxis(x, axes, range(x.ndim - len(axes), x.ndim))
    return moved.reshape(*kept, count)


def least(x: np.ndarray) -> Any:
    """Return what the largest of nothing is to ONNX."""
    return -np.inf if x.dtype.kind == "f" else 0 if x.dtype.kind == "b" else np.iinfo(x.dtype).min


def most(x: np.ndarray) -> Any:
    """Return what the smallest of nothing is to ONNX."""
    return np.inf if x.dtype.kind == "f" else 1 if x.dtype.kind == "b" else np.iinfo(x.dtype).max


def squares(x: np.ndarray, axes: Axes) -> Any:
    vectors = rows(x, axes)
    return wr.vecdot(vectors, vectors)


REDUCTIONS: dict[str, Callable[[np.ndarray, Axes], Any]] = {
    "ReduceSum": lambda x, axes: wr.sum(x, axes),
    "ReduceMean": lambda x, axes: wr.mean(x, axes),
    "ReduceProd": lambda x, axes: wr.prod(x, axes),
    "ReduceMax": lambda x, axes: wr.max(x, axes, initial=least(x)),
    "ReduceMin": lambda x, axes: wr.min(x, axes, initial=most(x)),
    "ReduceL1": lambda x, axes: wr.norm(rows(x, axes), 1, -1),
    "ReduceL2": lambda x, axes: wr.norm(rows(x, axes), 2, -1),
    "ReduceLogSum": lambda x, axes: np.log(wr.sum(x, axes)),
    "ReduceLogSumExp": lambda x, axes: wr.logsumexp(x, axes),
    "ReduceSumSquare": squares,
}


def typed(result: Any, x: np.ndarray) -> np.ndarray:
    """Return what ONNX has of integers, which NumPy adds up in 64 bits; of floats all is as it is."""
    return np.asarray(result) if x.dtype.kind == "f" else np.asarray(result).astype(x.dtype)


def reduced(operation: str, inputs: Sequence[np.ndarray], given: dict[str, Any]) -> np.ndarray:
    x = inputs[0]
    axes = given.get("axes", inputs[1].tolist() if len(inputs) > 1 else [])
    if not axes:
        if given.get("noop_with_empty_axes"):
            # Each element is reduced by itself.
            return typed(REDUCTIONS[operation](x[..., None], (x.ndim,)), x)
        axes = range(x.ndim)
    axes = normalize_axis_tuple(tuple(axes), x.ndim)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        result = typed(REDUCTIONS[operation](x, axes), x)
    ones = [1 if i in axes else n for i, n in enumerate(x.shape)]
    return result.reshape(ones) if given.get("keepdims", 1) else result


def place(operation: str, inputs: Sequence[np.ndarray], given: dict[str, Any]) -> np.ndarray:
    axis, x = given.get("axis", 0), wr.to_gpu(inputs[0])
    find = wr.argmax if operation == "ArgMax" else wr.argmin
    keepdims = bool(given.get("keepdims", 1))
    if not given.get("select_last_index"):
        return np.asarray(find(x, axis, keepdims=keepdims))
    axis = axis % x.ndim
    backwards = x[tuple(slice(None, None, -1) if i == axis else slice(None) for i in range(x.ndim))]
    return np.asarray(x.shape[axis] - 1 - find(backwards, axis, keepdims=keepdims))


def top(inputs: Sequence[np.ndarray], given: dict[str, Any]) -> tuple[np.ndarray, ...]:
    find = wr.topk if given.get("largest", 1) else wr.bottomk
    return find(inputs[0], int(inputs[1][0]), given.get("axis", -1))


def cases() -> list[Any]:
    """Make the cases of one node; others do the same with several nodes."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        made = importlib.import_module("onnx.backend.test.case.node")
        for name in MODULES:
            importlib.import_module(f"{made.__name__}.{name}")
    return [case for case in made._NodeTestCases if len(case.model.graph.node) == 1]


CASES = cases()


def test_there_are_cases_of_every_operation() -> None:
    operations = {case.model.graph.node[0].op_type for case in CASES}
    assert operations == {*REDUCTIONS, "ArgMax", "ArgMin", "TopK"}
    assert len(CASES) >= 130


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Any) -> None:
    node = case.model.graph.node[0]
    given = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
    for inputs, outputs in case.data_sets:
        if node.op_type == "TopK":
            found = top(inputs, given)
        elif node.op_type in REDUCTIONS:
            found = (reduced(node.op_type, inputs, given),)
        else:
            found = (place(node.op_type, inputs, given),)
        for ours, theirs in zip(found, outputs, strict=True):
            assert ours.dtype == theirs.dtype
            np.testing.assert_allclose(ours, theirs, rtol=case.rtol, atol=case.atol, strict=True)
