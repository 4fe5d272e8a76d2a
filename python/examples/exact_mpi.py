"""Add up a file exactly, a part of it by each process: `mpirun -n 4 python exact_mpi.py x.npy`."""

import sys

import numpy as np
from mpi4py import MPI

import wgpu_reduce as wr

here = MPI.COMM_WORLD
parts = np.array_split(np.load(sys.argv[1], mmap_mode="r"), here.size)
total = here.reduce(wr.ExactSum(wr.open(parts[here.rank])), op=MPI.SUM)
if total is not None:
    print(total.round())
