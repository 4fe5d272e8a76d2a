"""The tests of reductions that are in NumPy's wheel, with this package's functions in place of NumPy's."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from substituted import MODULES, OURS


@pytest.mark.skipif(np.__version__.split(".")[:2] != ["2", "4"], reason="other versions have other tests")
def test_numpys_own_tests_pass(tmp_path: Path) -> None:
    assert len(OURS) > 30
    plugins = ["-p", "substituted", "-p", "no:cacheprovider"]
    arguments = [sys.executable, "-m", "pytest", *plugins, "-q", "-c", os.devnull, "--rootdir", str(tmp_path)]
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    told = subprocess.run(
        [*arguments, "--pyargs", *MODULES],
        env=environ,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert told.returncode == 0, told.stdout[-5000:] + told.stderr[-2000:]
    found = {what: int(count) for count, what in re.findall(r"(\d+) (passed|xfailed)", told.stdout)}
    assert found["passed"] > 400
    # Of elements and edges that there are not; what differs from NumPy is named one by one.
    assert found["xfailed"] < found["passed"] / 3
