"""Arrays that stay on the GPU, the adapter itself, threads and signals."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from conftest import ALL, LAYOUTS, ON_HOST, answer, arrays, reductions, same
from hypothesis import given
from hypothesis import strategies as st

import wgpu_reduce as wr


@given(array=arrays(ALL), layout=st.sampled_from(sorted(LAYOUTS)))
def test_what_goes_there_comes_back(array: np.ndarray, layout: str) -> None:
    x = wr.to_gpu(LAYOUTS[layout](array))
    assert (x.shape, x.dtype, x.ndim, x.size) == (array.shape, array.dtype, array.ndim, array.size)
    assert x.nbytes == array.nbytes
    back = np.asarray(x)
    assert back.dtype == array.dtype
    assert back.tobytes() == array.tobytes()


@given(data=st.data(), array=arrays(("i2", "f8", "?"), least=1))
def test_indices_are_numpys(data: Any, array: np.ndarray) -> None:
    index = data.draw(hnp.basic_indices(array.shape, allow_newaxis=True))
    expected = array[index]
    x = wr.to_gpu(array)[index]
    assert x.shape == expected.shape
    np.testing.assert_array_equal(np.asarray(x), expected)
    np.testing.assert_array_equal(np.asarray(x.T), np.transpose(expected))
    if expected.size:
        np.testing.assert_array_equal(x.max(), np.max(expected))
        if expected.ndim:
            np.testing.assert_array_equal(x.argmin(axis=0), np.argmin(expected, axis=0))


def test_other_indices_are_refused() -> None:
    x = wr.to_gpu(np.zeros((2, 3)))
    for index in ([0], np.array([0, 1]), np.array([True, False]), True, "a", 1.0):
        with pytest.raises(IndexError):
            x[index]  # type: ignore[index]
    for many in ((0, 0, 0), (..., ...), 2, (0, -4)):
        with pytest.raises(IndexError):
            x[many]  # type: ignore[index]
    with pytest.raises(TypeError, match="unsized"):
        len(x[0, 0])
    with pytest.raises(ValueError, match="copy"):
        np.array(x, copy=False)


def test_steps_that_reach_far_are_views() -> None:
    x = wr.to_gpu([1, 2, 3])
    for step in (2**62, -(2**62)):
        np.testing.assert_array_equal(np.asarray(x[::step]), np.arange(1, 4)[::step])
        assert wr.sum(x[::step]) == np.sum(np.arange(1, 4)[::step])


def test_truth_membership_and_iteration_are_numpys() -> None:
    for array in (np.array(3), np.array([0.0]), np.array([[1, 2], [3, 4]]), np.array([], np.int8)):
        x = wr.to_gpu(array)
        same(answer(bool, x), answer(bool, array))
        for value in (3, 3.0, 7, "a", None):
            assert (value in x) == (value in array)
        rows = answer(list, x)
        assert isinstance(rows, type) == isinstance(answer(list, array), type)
        if array.ndim:
            assert [row.shape for row in rows] == [row.shape for row in array]
            np.testing.assert_array_equal([np.asarray(row) for row in rows], list(array))
    with pytest.raises(TypeError):
        iter(wr.to_gpu(3))


def test_methods_and_numpys_functions_take_it() -> None:
    array = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    x = wr.to_gpu(array)
    for name in ("sum", "prod", "mean", "var", "std", "min", "max", "any", "all"):
        expected = getattr(array, name)(axis=(0, 2))
        np.testing.assert_allclose(getattr(x, name)(axis=(0, 2)), expected, rtol=1e-14)
        np.testing.assert_allclose(getattr(np, name)(x, axis=1), getattr(np, name)(array, axis=1), rtol=1e-14)
    assert x.argmax() == 23
    assert int(np.argmin(x)) == 0
    assert repr(x) == "GpuArray(shape=(2, 3, 4), dtype=int32)"
    assert float(wr.to_gpu(np.float32(2)).sum(exact=True)) == 2


@pytest.mark.skipif(ON_HOST, reason="arrays that are kept on the host do not change")
@given(case=reductions(("?", "i1", "f2", "f4", "i8"), least=1), place=st.integers(0, 2))
def test_results_go_to_arrays_on_the_gpu(case: Any, place: int) -> None:
    array, axis, keepdims, x = case
    for function, dtype in ((wr.max, array.dtype), (wr.any, np.bool_), (wr.sum, np.float64)):
        results = function(x, axis, keepdims=keepdims)
        expected = np.zeros((*np.shape(results), 3), dtype)
        held = wr.to_gpu(expected)
        out = held[..., place]
        assert function(x, axis, out=out, keepdims=keepdims) is out
        with np.errstate(all="ignore"):
            expected[..., place] = function(x, axis, out=np.empty(np.shape(results), dtype), keepdims=keepdims)
        # Those beside it are as they were.
        assert np.asarray(held).tobytes() == expected.tobytes()
        whole = wr.to_gpu(expected[..., 0])
        function(x, axis, out=whole, keepdims=keepdims)
        np.testing.assert_array_equal(np.asarray(whole), expected[..., place])


def test_arrays_that_take_no_results_are_refused() -> None:
    x = np.arange(6.0).reshape(2, 3)
    if ON_HOST:
        with pytest.raises(TypeError, match="kept on the host"):
            wr.sum(x, axis=0, out=wr.to_gpu(np.zeros(3)))
        return
    held = wr.to_gpu(np.full(3, 7.0))
    with pytest.raises(ValueError, match="shape"):
        wr.sum(x, axis=1, out=held)
    with pytest.raises(TypeError, match="int64"):
        wr.argmax(x, axis=0, out=held)
    with pytest.raises(TypeError, match="and not both"):
        wr.sum(x, axis=0, out=held, device=True)
    with pytest.raises(TypeError, match="NumPy array or a GpuArray"):
        wr.sum(x, axis=0, out=[0.0, 0.0, 0.0])  # type: ignore[arg-type]
    assert np.asarray(held).tolist() == [7, 7, 7]
    # What is there for no elements goes there, too.
    np.sum(wr.to_gpu(np.empty((0, 3))), axis=0, out=held)  # type: ignore[call-overload]
    assert np.asarray(held).tolist() == [0, 0, 0]


def test_the_array_api_finds_the_reductions() -> None:
    x = wr.to_gpu([[1.0, 2.0], [3.0, 6.0]])
    xp = x.__array_namespace__()
    assert xp is wr
    for name in ("all", "any", "argmax", "argmin", "count_nonzero", "max", "mean", "min", "prod", "std", "sum", "var"):
        np.testing.assert_array_equal(getattr(xp, name)(x, axis=1), getattr(np, name)(np.asarray(x), axis=1))
    np.testing.assert_array_equal(xp.std(x, axis=0, correction=1), np.std(np.asarray(x), axis=0, correction=1))
    with pytest.raises(ValueError, match="api_version"):
        x.__array_namespace__(api_version="2024.12")


def test_threads_have_their_own_results() -> None:
    shared = wr.to_gpu(np.arange(1000))

    def task(number: int) -> bool:
        own = np.full(1000 + number, number)
        results = (int(wr.sum(own)), int(wr.max(own)), int(wr.sum(shared[:number])))
        return results == (number * own.size, number, number * (number - 1) // 2)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(task, range(200)))


def test_a_lost_device_is_an_error_and_the_next_call_opens_another() -> None:
    x = wr.to_gpu([1.0, 2.0])
    assert wr.sum(x) == 3
    wr.close()
    with pytest.raises(wr.Error, match="lost"):
        wr.sum(x)
    assert wr.sum([1.0, 2.0]) == 3
    assert wr.adapter()
    with pytest.raises(wr.Error, match="lost"):
        np.asarray(x)
    # The next one is as good as the first, and not mixed up with it.
    y = wr.to_gpu([3.0, 4.0])
    for a, b in ((x, y), (y, x), (x, [5.0, 6.0]), ([5.0, 6.0], x)):
        with pytest.raises(wr.Error, match="two adapters"):
            wr.dot(a, b)
    with pytest.raises(wr.Error, match="two adapters"):
        wr.sum(x, where=[True, False])
    assert wr.dot(y, y, exact=True) == 25
    assert issubclass(wr.Error, RuntimeError)


def child(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    arguments = [sys.executable, "-c", code]
    environ = {**os.environ, **environment}
    return subprocess.run(arguments, env=environ, capture_output=True, text=True, timeout=120, check=False)


def test_without_an_adapter_an_error_says_how_to_get_one() -> None:
    code = "import wgpu_reduce as wr\ntry: wr.sum([1.0])\nexcept wr.Error as error: print(error)"
    told = child(code, VK_DRIVER_FILES="/nowhere", VK_ADD_DRIVER_FILES="", WGPU_BACKEND="vulkan")
    assert "no adapter found" in told.stdout, told
    assert len(told.stdout.split(";")) > 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_process_is_told_that_it_cannot() -> None:
    code = """
import os, numpy as np, wgpu_reduce as wr
from wgpu_reduce._native import Stream
x, stream = wr.to_gpu([1, 2]), Stream.exact("f64", 4096)
assert wr.sum(x) == 3
child = os.fork()
if child == 0:
    told = 0
    for call in (
        lambda: wr.sum(x), lambda: wr.sum([3, 4]), lambda: wr.sum([3, 4]), wr.close, lambda: np.asarray(x),
        lambda: wr.topk(x, 1), lambda: stream.push(np.zeros(8, np.uint8)), stream.finish,
    ):
        try: call()
        except wr.Error as error: told += "forked" in str(error)
    os._exit(told)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), wr.sum([5, 6]))
"""
    assert child(code).stdout == "8 11\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_process_that_is_forked_while_an_adapter_is_opened_does_not_wait() -> None:
    code = """
import os, signal, threading, time, warnings
import wgpu_reduce as wr
warnings.simplefilter("ignore")
wr.adapter()
told = 0
for delay in (0, 0.001, 0.003, 0.01):
    wr.close()
    opener = threading.Thread(target=wr.adapter)
    opener.start()
    time.sleep(delay)
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        told = 0
        for call in (wr.adapter, wr.close):
            try: call()
            except wr.Error as error: told += "forked" in str(error)
        os._exit(told)
    told += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    opener.join()
print(told, wr.sum([5, 6]))
"""
    assert child(code).stdout == "8 11\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_process_that_is_forked_while_a_stream_is_fed_does_not_wait() -> None:
    code = """
import os, signal, threading, time, warnings
import numpy as np, wgpu_reduce as wr
from wgpu_reduce._native import Stream
warnings.simplefilter("ignore")
stream, zeros, is_over = Stream.exact("f64", 1 << 20), np.zeros(1 << 22, np.uint8), threading.Event()
def feed():
    while not is_over.is_set(): stream.push(zeros)
feeder = threading.Thread(target=feed)
feeder.start()
told = 0
for _ in range(4):
    time.sleep(0.02)
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        told = 0
        for call in (lambda: stream.push(zeros), stream.finish):
            try: call()
            except wr.Error as error: told += "forked" in str(error)
        os._exit(told)
    told += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
is_over.set()
feeder.join()
print(told)
"""
    assert child(code).stdout == "8\n"


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_ends_a_wait() -> None:
    code = """
import os, signal, threading, time
import numpy as np, wgpu_reduce as wr
# Shells start what runs in the background with the signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
# So many elements that an end before the whole tells; on a GPU there may not be as many.
for power in range(22, 26):
    x = wr.to_gpu(np.ones(1 << power))
    wr.std(x)
    begun = time.monotonic()
    wr.std(x)
    whole = time.monotonic() - begun
    if whole > 0.5: break
threading.Timer(whole / 10, os.kill, (os.getpid(), signal.SIGINT)).start()
begun = time.monotonic()
try:
    while True: wr.std(x)
except KeyboardInterrupt:
    waited = time.monotonic() - begun
    in_time = waited < max(0.8 * whole, 0.4)
    print("in time" if in_time else (waited, whole), wr.sum([1, 2]))
"""
    assert child(code).stdout == "in time 3\n"
