"""The notebook and the programs of `examples/`, run as a user runs them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import wgpu_reduce as wr

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(*command: object, cwd: Path) -> str:
    arguments = [str(argument) for argument in command]
    told = subprocess.run(arguments, cwd=cwd, capture_output=True, text=True, timeout=600, check=False)
    assert told.returncode == 0, told.stderr[-3000:]
    return told.stdout


def test_the_gallery_runs_and_plots(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    made = tmp_path / "gallery.ipynb"
    shutil.copy(EXAMPLES / made.name, made)
    execute = shutil.which("jupyter-execute", path=Path(sys.executable).parent)
    run(execute, "--inplace", made, cwd=tmp_path)
    cells = [cell for cell in nbformat.read(made, 4).cells if cell.cell_type == "code"]
    pictures = [cell for cell in cells if any("image/png" in output.get("data", {}) for output in cell.outputs)]
    assert len(pictures) == 3
    committed = nbformat.read(EXAMPLES / made.name, 4).cells
    assert sum(bool(cell.get("outputs")) for cell in committed) >= 3


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="there is no MPI")
def test_processes_of_mpi_add_up_exactly(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    numbers = random.normal(size=10_001) * 2.0 ** random.integers(-300, 300, 10_001)
    np.save(tmp_path / "x.npy", numbers)
    environ = ["env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"]
    mpirun = [*environ, "mpirun", "--oversubscribe", "-n", 3]
    told = run(*mpirun, sys.executable, EXAMPLES / "exact_mpi.py", "x.npy", cwd=tmp_path)
    assert float(told) == wr.sum(numbers, exact=True)
