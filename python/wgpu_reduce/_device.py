"""Where functions compute, and where their results stay."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar

from . import _native

P = ParamSpec("P")
R = TypeVar("R")

#: The values of `device=`. With None the adapter computes, and results come to the host.
Device: TypeAlias = Literal["cpu", True, None]

#: The `device=` of the call that runs.
_DEVICE: ContextVar[Device] = ContextVar("device", default=None)


def is_on_host() -> bool:
    """Tell whether the library's definitions compute, on the host."""
    return _DEVICE.get() == "cpu" or os.environ.get("WGPU_REDUCE_CPU", "") not in ("", "0")


def does_stay() -> bool:
    """Tell whether results are to stay where they are computed."""
    return _DEVICE.get() is True


def adapter() -> str:
    """Return the name of the adapter and how it is reached, and open it if need be.

    With `WGPU_REDUCE_CPU` there is none.
    """
    return "CPU (the library's definitions)" if is_on_host() else _native.adapter()


def placed(own: Callable[P, R]) -> Callable[P, R]:
    """Let `device=` say where a function computes, and whether its results stay."""

    @functools.wraps(own)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        device: Any = kwargs.pop("device", None)
        if device is None and not does_stay():
            return own(*args, **kwargs)
        if device is not None and device is not True and device != "cpu":
            raise ValueError(f"device={device!r}: there are None, 'cpu' and True, with which results stay")
        # Inner calls bring their results to the host.
        before = _DEVICE.set(device)
        try:
            result = own(*args, **kwargs)
        finally:
            _DEVICE.reset(before)
        return _stayed(result) if device is True else result

    return wrapped


def _stayed(result: Any) -> Any:
    """Return results as arrays on the GPU; those that the host finished go there once more."""
    from ._array import to_gpu

    if not isinstance(result, tuple):
        return to_gpu(result)
    both = map(to_gpu, result)
    return type(result)(*both) if hasattr(result, "_fields") else tuple(both)
