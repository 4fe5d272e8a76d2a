"""Files in pieces, beside NumPy's answers for the whole."""

from __future__ import annotations

import io
import os
import tracemalloc
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ALL, ON_HOST, answer, arrays, same
from hypothesis import given, settings
from hypothesis import strategies as st

import wgpu_reduce as wr
from wgpu_reduce import _native
from wgpu_reduce._run import decoded

WHOLE = (
    "sum", "prod", "min", "max", "ptp", "any", "all", "argmin", "argmax", "count_nonzero", "nanmin", "nanmax",
)  # fmt: skip
#: So little that every file here comes in several pieces.
LITTLE = 4096


def written(array: np.ndarray, folder: Path, form: str) -> Any:
    """Write an array in a form, and open it."""
    path = folder / "x"
    if form == "npy":
        with path.open("wb") as file:
            np.save(file, array)
        return wr.open(path, LITTLE)
    if form in ("npz", "compressed"):
        save = np.savez if form == "npz" else np.savez_compressed
        with path.open("wb") as file:
            save(file, other=np.zeros(2), array=array)
        return wr.open(str(path), LITTLE, member="array")
    if form == "swapped":
        with path.open("wb") as file:
            np.save(file, array.astype(array.dtype.newbyteorder()))
        return wr.open(path, LITTLE)
    if form == "array":
        return wr.open(np.asfortranarray(array), LITTLE)
    path.write_bytes(b"head" + array.tobytes())
    if form == "raw":
        return wr.open(path, LITTLE, dtype=array.dtype, offset=4, shape=array.shape)
    mapped = np.memmap(path, array.dtype, "r", 4, array.shape) if array.size else array
    return wr.open(mapped, LITTLE)


FORMS = ("npy", "npz", "compressed", "swapped", "array", "raw", "memmap")


def test_every_type_in_every_form(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for form in FORMS:
        for dtype in ALL:
            array = np.asarray(rng.integers(0, 100, (37, 8, 3))).astype(dtype)
            file = written(array, tmp_path, form)
            assert (file.shape, file.dtype, file.ndim, file.size) == (array.shape, array.dtype, 3, 888)
            assert (file.nbytes, len(file)) == (array.nbytes, 37)
            same(wr.max(file), np.max(array))
            same(wr.argmax(file), np.argmax(array))
            if dtype[0] != "f":
                same(wr.sum(file), np.sum(array))
            else:
                same(wr.sum(file, exact=True), wr.sum(array, exact=True))


@settings(max_examples=150)
@given(
    array=arrays(ALL),
    name=st.sampled_from(WHOLE),
    form=st.sampled_from(("npy", "compressed", "array")),
    axis=st.sampled_from([None, 0, -1, (1, 2), (0, 2)]),
)
def test_answers_are_those_of_the_whole(
    tmp_path_factory: Any, array: np.ndarray, name: str, form: str, axis: Any
) -> None:
    if array.dtype.kind == "f" and name in ("sum", "prod"):
        return
    file = written(array, tmp_path_factory.mktemp("file"), form)
    same(*(answer(getattr(wr, name), given_as, axis) for given_as in (file, array)))


@given(
    array=arrays(("f4", "f8"), least=1),
    name=st.sampled_from(("argmin", "argmax", "nanargmin", "nanargmax", "nanmin", "nanmax")),
    axis=st.sampled_from([None, 0]),
    device=st.sampled_from([None, "cpu"]),
)
def test_places_of_pieces_are_those_of_the_whole(
    array: np.ndarray, name: str, axis: Any, device: Any
) -> None:
    # So many rows, some of them NaN alone, that they come in several pieces.
    rows = np.concatenate([array.reshape(len(array), -1) if array.ndim else array.reshape(1, 1)] * 40)
    rows[: len(rows) // 3] = np.nan
    rows = np.resize(rows, (640, *rows.shape[1:]))
    file = wr.open(rows, 4 * 8 * 32 * rows[0].size)
    same(*(answer(getattr(wr, name), x, axis, device=device) for x in (file, rows)))


@pytest.mark.parametrize("device", [None, "cpu"])
def test_moments_and_norms_of_pieces_are_those_of_the_whole(device: Any) -> None:
    rows = np.random.default_rng(4).standard_normal((600, 3)) + 7
    rows[100:350, 1], rows[:, 2], rows[:400, 0] = np.nan, np.nan, np.nan
    rows[599, 2] = 5
    file = wr.open(rows, LITTLE)
    for name, arguments in (
        ("nanmean", {}), ("nanvar", {}), ("nanstd", {"ddof": 1}), ("nansum", {}), ("norm", {}), ("norm", {"ord": 1}),
        ("norm", {"ord": np.inf}), ("logsumexp", {}), ("nanvar", {"ddof": 2}),
    ):  # fmt: skip
        for axis in (0, None) if name != "norm" else (0,):
            function = getattr(wr, name)
            x, elements = (file, rows) if name != "logsumexp" else (file._as("f4"), rows.astype("f4"))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ours, whole = (function(of, axis=axis, device=device, **arguments) for of in (x, elements))
            np.testing.assert_allclose(ours, whole, rtol=3e-6 if name == "logsumexp" else 1e-13, err_msg=f"{name} {axis}")


@pytest.mark.skipif(ON_HOST, reason="a device counts elements in ranges")
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "u1", "f2"])
def test_quantiles_of_what_is_larger_than_memory(dtype: str, tmp_path: Path) -> None:
    array = (np.random.default_rng(5).standard_normal((300, 200)) * 90).astype(dtype)
    np.save(tmp_path / "x.npy", array)
    file = wr.open(tmp_path / "x.npy", 1 << 15)
    shares = [0, 0.1, 0.25, 0.999, 1]
    same(wr.median(file), wr.median(array))
    same(wr.percentile(file, 30, keepdims=True), wr.percentile(array, 30, keepdims=True))
    for method in ("linear", "lower", "median_unbiased"):
        same(wr.quantile(file, shares, method=method), wr.quantile(array, shares, method=method))
    same(wr.quantile(file, np.linspace(0, 1, 700)), wr.quantile(array, np.linspace(0, 1, 700)))
    if dtype[0] == "f":
        array[7, 7] = np.nan
        np.save(tmp_path / "x.npy", array)
        file = wr.open(tmp_path / "x.npy", 1 << 15)
        assert np.isnan(wr.median(file))
        same(wr.nanquantile(file, shares), wr.nanquantile(array, shares))
    with pytest.raises(ValueError, match="range"):
        wr.quantile(file, 1.5)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "?"])
def test_results_that_round(dtype: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    array = (rng.standard_normal((90, 5, 7)) * 9).astype(dtype)
    file = written(array, tmp_path, "npy")
    unit = float(np.finfo(dtype).eps) if dtype[0] == "f" else 2.0**-52
    for axis in (None, 0, (1, 2)) if dtype != "f4" else ((0, 2), 1):
        for name in ("sum", "prod", "mean", "std", "nanmean", "norm"):
            ours, memory = (answer(getattr(wr, name), given_as, axis=axis) for given_as in (file, array))
            if isinstance(memory, type):
                assert ours is memory
                continue
            assert ours.dtype == memory.dtype
            scale = 1 + np.abs(array.astype("f8")).sum()
            np.testing.assert_allclose(
                ours.astype("f8"),
                memory.astype("f8"),
                rtol=600 * unit,
                atol=unit * scale,
                err_msg=f"{name} {axis}",
            )
        for name in ("sum", "mean") if dtype[0] == "f" else ():
            same(getattr(wr, name)(file, axis, exact=True), getattr(wr, name)(array, axis, exact=True))


def test_arguments_are_those_of_arrays(tmp_path: Path) -> None:
    array = np.arange(600, dtype=np.int16).reshape(30, 20)
    file = written(array, tmp_path, "npy")
    for kwargs in (
        {"dtype": "f4"},
        {"initial": 5},
        {"keepdims": True},
        {"axis": 1, "keepdims": True},
        {"dtype": "u1"},
    ):
        same(wr.sum(file, **kwargs), np.sum(array, **kwargs))
    out = np.zeros(30)
    assert wr.mean(file, axis=1, out=out) is out
    np.testing.assert_array_equal(out, array.mean(axis=1))
    same(wr.median(file, axis=1), np.median(array, axis=1))
    same(wr.var(file, ddof=599), np.var(array, ddof=599))
    np.testing.assert_allclose(file.std(axis=0, ddof=1), array.std(axis=0, ddof=1), rtol=1e-14)
    for name in ("sum", "prod", "mean", "var", "std", "min", "max", "argmin", "argmax", "any", "all"):
        same(getattr(file, name)(), getattr(wr, name)(array))
    for axis in (2, -3):
        with pytest.raises(np.exceptions.AxisError):
            wr.sum(file, axis=axis)


def test_infinities_and_nan_along_all_pieces(tmp_path: Path) -> None:
    array = np.ones((700, 4), np.float32)
    array[3, 0], array[600, 1], array[5, 2], array[699, 2] = np.inf, np.nan, np.inf, -np.inf
    file = written(array, tmp_path, "raw")
    with np.errstate(all="ignore"):
        for name in ("sum", "mean", "min", "max", "nanmin", "var"):
            ours, numpys = (
                answer(function, given_as, axis=0)
                for function, given_as in ((getattr(wr, name), file), (getattr(np, name), array))
            )
            same(ours, numpys)
    same(wr.mean(file, axis=0, exact=True), wr.mean(array, axis=0, exact=True))


def test_histograms_are_numpys(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    for dtype in ("f4", "f8", "u1", "i8", "?"):
        array = np.asarray(rng.integers(0, 2 if dtype == "?" else 90, 3000)).astype(dtype)
        file = written(array, tmp_path, "npy")
        for kwargs in ({}, {"bins": 7, "range": (3, 40)}, {"bins": [0, 1, 5, 80]}, {"density": True}):
            ours = wr.histogram(file, **kwargs)
            # NumPy takes no difference of bool.
            numpys = np.histogram(array.astype("u1") if dtype == "?" else array, **kwargs)
            for mine, its in zip(ours, numpys, strict=True):
                same(mine, its)
    with pytest.raises(TypeError, match="in memory"):
        wr.histogram(file, bins="auto")
    with pytest.raises(TypeError, match="weights"):
        wr.histogram(file, weights=array)
    same(wr.histogram(written(np.empty(0), tmp_path, "npy"))[0], np.histogram([])[0])


def test_folders_and_lists_are_one_array(tmp_path: Path) -> None:
    array = np.arange(60.0).reshape(10, 6)
    np.save(tmp_path / "a.npy", array[:3])
    np.savez(tmp_path / "b.npz", array[3:7].astype(">f8"))
    np.save(tmp_path / "c.npy", array[7:])
    (tmp_path / ".hidden").write_text("not looked at")
    files = [tmp_path / "a.npy", array[3:7], tmp_path / "c.npy"]
    for file in (wr.open(tmp_path, 512), wr.open(files, 512), wr.open([tmp_path])):
        assert file.shape == (10, 6)
        assert (wr.sum(file), wr.argmax(file)) == (1770, 59)
        same(wr.sum(file, axis=1), array.sum(axis=1))
        same(wr.max(file, axis=0), array.max(axis=0))
    for others, told in (
        (np.zeros((2, 5)), "rows of shape"),
        (np.zeros((2, 6), "f4"), "elements of"),
        (np.zeros(6), "has"),
    ):
        with pytest.raises(ValueError, match=told):
            wr.open([tmp_path, others])
    with pytest.raises(ValueError, match="zero-dimensional"):
        wr.open([np.array(1.0), np.array(2.0)])
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="no files"):
        wr.open(tmp_path / "empty")


def test_nothing_is_what_numpy_says(tmp_path: Path) -> None:
    for shape in ((0,), (0, 3), (3, 0)):
        array = np.empty(shape, np.float32)
        file = written(array, tmp_path, "npy")
        for name in ("sum", "prod", "min", "argmax", "any", "all", "count_nonzero", "mean"):
            for axis in (None, 0, -1):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    same(answer(getattr(wr, name), file, axis), answer(getattr(wr, name), array, axis))
    number = written(np.array(5), tmp_path, "npy")
    assert (
        wr.sum(number),
        wr.max(number),
        wr.median(written(np.ones((2, 3)), tmp_path, "npy"), axis=1)[0],
    ) == (5, 5, 1)
    with pytest.raises(TypeError, match="unsized"):
        len(number)


def test_what_is_no_such_file_is_refused_as_by_numpy(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    whole = io.BytesIO()
    np.save(whole, np.arange(100.0))
    objects = io.BytesIO()
    np.save(objects, np.array([object()]), allow_pickle=True)
    for data in (
        b"",
        b"hello, world",
        whole.getvalue()[:4],
        whole.getvalue()[:40],
        objects.getvalue(),
        b"\x93NUMPY\x09\x00" + bytes(90),
    ):
        path.write_bytes(data)
        with pytest.raises((ValueError, EOFError)) as numpys:
            np.load(path)
        with pytest.raises(numpys.type, match="x.npy"):
            wr.open(path)
    with pytest.raises(FileNotFoundError):
        wr.open(tmp_path / "none.npy")
    for refused in (np.zeros(2, complex), np.zeros(2, "M8[s]"), np.array(["a"]), np.zeros(2, [("a", "f4")])):
        np.save(path, refused)
        with pytest.raises(TypeError, match="not supported"):
            wr.open(path)
    np.save(path, np.zeros((3, 2)))
    with pytest.raises(ValueError, match="raw files"):
        wr.open(path, dtype="f8")
    with pytest.raises(TypeError, match="mask"):
        wr.open(np.ma.masked_array([1], [True]))


def test_a_file_that_changes_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.arange(1000.0))
    data = path.read_bytes()
    path.write_bytes(data[:-8])
    with pytest.raises(ValueError, match="truncated: 8000 bytes of elements are promised, and 7992"):
        wr.open(path)
    path.write_bytes(data + b"and more")
    file = wr.open(path)
    assert wr.sum(file) == 499500
    path.write_bytes(data)
    with pytest.raises(ValueError, match="has changed"):
        wr.sum(file)
    path.write_bytes(data)
    file, opened = wr.open(path), path.stat()
    np.save(path, np.arange(1000))
    assert path.stat().st_size == opened.st_size
    for times in (
        (opened.st_atime_ns, opened.st_mtime_ns),
        (opened.st_atime_ns, opened.st_mtime_ns + 10**9),
    ):
        os.utime(path, ns=times)
        with pytest.raises(ValueError, match="has changed"):
            wr.sum(file)
    path.write_bytes(data)
    os.utime(path, ns=(opened.st_atime_ns, opened.st_mtime_ns))
    assert wr.sum(file) == 499500


def test_a_failure_closes_files_and_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []
    real = Path.open

    def watched(self: Path, *args: Any) -> Any:
        opened.append(real(self, *args))
        return opened[-1]

    class Bar:
        is_closed = False

        def close(self) -> None:
            self.is_closed = True

    np.save(tmp_path / "x.npy", np.arange(1200.0).reshape(300, 4))
    file = wr.open(tmp_path / "x.npy", LITTLE, progress=True)
    for call in (
        lambda: wr.sum(file), lambda: wr.sum(file, 0), lambda: wr.mean(file, 0), lambda: wr.median(file, 1),
        lambda: wr.max(file, 1), lambda: wr.ExactSum(file, 0), lambda: wr.ExactSum.of_squares(file, 1),
    ):  # fmt: skip
        bar = Bar()
        with monkeypatch.context() as patched:
            patched.setattr(Path, "open", watched)
            patched.setattr("wgpu_reduce._files._shown", lambda _, bar=bar: bar)
            # What takes the first piece fails.
            patched.setattr("wgpu_reduce._run.to_gpu", None)
            patched.setattr(np, "ascontiguousarray", None)
            with pytest.raises(TypeError, match="not callable") as failure:
                call()
        # The traceback has all that was in use.
        assert failure.tb
        assert opened.pop().closed
        assert bar.is_closed


def test_archives_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, a=np.zeros(300), b=np.ones(300))
    with pytest.raises(ValueError, match="member= is one of"):
        wr.open(path)
    with pytest.raises(KeyError, match="not a file in"):
        wr.open(path, member="c")
    assert wr.sum(wr.open(path, member="b.npy")) == 300
    with zipfile.ZipFile(path) as archive:
        at = archive.getinfo("b.npy").header_offset + 1000
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)
    with pytest.raises(zipfile.BadZipFile):
        np.load(path)["b"]
    with pytest.raises(zipfile.BadZipFile):
        wr.sum(wr.open(path, LITTLE, member="b"))
    np.save(tmp_path / "y.npy", np.zeros(3))
    with pytest.raises(ValueError, match="no member"):
        wr.open(tmp_path / "y.npy", member="a")


def test_raw_files_are_whole_elements(tmp_path: Path) -> None:
    path = tmp_path / "x.bin"
    path.write_bytes(bytes(range(11)))
    same(wr.sum(wr.open(path, dtype="u1")), np.uint64(55))
    same(wr.sum(wr.open(path, dtype=">u2", offset=1)), np.frombuffer(path.read_bytes()[1:], ">u2").sum())
    for kwargs, told in (
        ({"dtype": "u2"}, "whole"), ({"dtype": "u1", "shape": (3, 4)}, "fewer"), ({"dtype": "u1", "offset": 12}, "offset"),
        ({"dtype": "u1", "offset": -1}, "offset"), ({"dtype": "u1", "shape": (-1,)}, "fewer"), ({"shape": (11,)}, "dtype"),
        ({}, "dtype"), ({"dtype": "u1", "memory": 0}, "memory"), ({"dtype": object}, "objects"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=told):
            wr.open(path, **kwargs)
    for shape in (5, [5], np.int8(5)):
        assert wr.open(path, dtype="u1", shape=shape).shape == (5,)
    for kwargs in ({"memory": 1e9}, {"shape": 2.5}, {"offset": 1.0}):
        with pytest.raises(TypeError):
            wr.open(path, dtype="u1", **kwargs)
    for given_as, kwargs in (
        (path, {"dtype": "u1", "member": "a"}),
        (np.zeros(2), {"dtype": "f8"}),
        (np.zeros(2), {"member": "a"}),
    ):
        with pytest.raises(ValueError, match="for"):
            wr.open(given_as, **kwargs)


def test_what_needs_all_elements_says_so(tmp_path: Path) -> None:
    file = written(np.arange(12.0).reshape(3, 4), tmp_path, "npy")
    for call in (
        lambda: wr.quantile(file, 0.5, axis=0), lambda: wr.nanmedian(file, axis=0), lambda: np.asarray(file),
        lambda: wr.median(file, device="cpu"),
        lambda: wr.sum(file, where=[True] * 4), lambda: wr.vdot(file, file), lambda: wr.to_gpu(file), lambda: np.sum([file]),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="all elements in memory at once, 96 bytes: np.load"):
            call()
    wide = written(np.zeros((2, 4000)), tmp_path, "npy")
    with pytest.raises(ValueError, match="4 times as much"):
        wr.max(wide, axis=1)


def test_memory_is_what_is_said(tmp_path: Path) -> None:
    path, memory = tmp_path / "x.bin", 1 << 20
    with path.open("wb") as file:
        for start in range(0, 1 << 21, 1 << 17):
            np.arange(start, start + (1 << 17), dtype=np.int32).tofile(file)
    count = 1 << 21
    for kwargs, expected in (
        ({}, count * (count - 1) // 2),
        ({"dtype": "f8"}, float(count * (count - 1) // 2)),
    ):
        opened = wr.open(path, memory, dtype="i4", shape=(1 << 11, 1 << 10))
        wr.sum(opened, **kwargs)
        tracemalloc.start()
        assert wr.sum(opened, **kwargs) == expected
        wr.sum(opened, axis=1)
        wr.sum(opened, axis=0)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < memory, peak


def test_progress_is_shown_if_it_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(tmp_path / "x.npy", np.zeros(1000))
    wr.sum(wr.open(tmp_path / "x.npy", LITTLE))
    assert capsys.readouterr().err == ""
    wr.sum(wr.open(tmp_path / "x.npy", LITTLE, progress=True))
    assert "8.00k/8.00k" in capsys.readouterr().err
    monkeypatch.setitem(__import__("sys").modules, "tqdm.auto", None)
    assert wr.sum(wr.open(tmp_path / "x.npy", LITTLE, progress=True)) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(ON_HOST, reason="there is no adapter")
def test_a_stream_takes_whole_elements_until_it_ends() -> None:
    stream = _native.Stream.reduction("sum", "f32", 0, LITTLE)
    with pytest.raises(ValueError, match="not whole elements"):
        stream.push(np.zeros(3, np.uint8))
    stream.push(np.ones(2, np.float32).view(np.uint8))
    assert decoded(stream.finish())[0] == 2
    for call in (lambda: stream.push(np.zeros(4, np.uint8)), stream.finish):
        with pytest.raises(ValueError, match="has ended"):
            call()
    for make in (
        lambda: _native.Stream.exact("i32", LITTLE),
        lambda: _native.Stream.reduction("sum", "f8", 0, LITTLE),
    ):
        with pytest.raises(TypeError):
            make()
    for stream in (_native.Stream.exact("f64", LITTLE), _native.Stream.histogram("u16", [0, 1], LITTLE)):
        with pytest.raises(ValueError, match="not whole elements"):
            stream.push(np.zeros(9, np.uint8))
    with pytest.raises(wr.Error, match="no operation"):
        _native.Stream.reduction("median", "f32", 0, LITTLE)


@pytest.mark.skipif(ON_HOST, reason="there is no adapter")
def test_an_adapter_that_is_lost_is_told(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones(1000))
    stream = _native.Stream.exact("f64", LITTLE)
    wr.close()
    with pytest.raises(wr.Error):
        for _ in range(3):
            stream.push(np.ones(1000).view(np.uint8))
        stream.finish()
    assert wr.sum(wr.open(tmp_path / "x.npy", LITTLE)) == 1000
