"""Writes the .npy files of this folder, with NumPy 2.4, in the folder it is run in.

The images are not NumPy's. `cmyk.jpg` is by Pillow: `Image.new("CMYK", (16, 8), (0, 255, 255, 0)).save("cmyk.jpg", quality=95)`.
`ycck.jpg` is by the crate `jpeg-encoder`: 16 by 8 pixels of the inks 20, 200, 90, 40, as `CmykAsYcck`.
`progressive.jpg` is by the same crate, progressive, of quality 95: 32 by 24 pixels, (8 x, 10 y, 100) at column x and row y.
"""

import numpy as np
from numpy.lib import format


def save(name, array, version=(1, 0)):
    with open(name, "wb") as file:
        format.write_array(file, array, version=version)


# Supported.
f4 = np.arange(24, dtype="<f4").reshape(4, 6) / 4 - 1
save("f4.npy", f4)
save("f4-fortran.npy", np.asfortranarray(f4))
save("i4.npy", np.array([2**31 - 1, -(2**31), -2, 2**31 - 1, -(2**31 - 1)], "<i4"))
save("u4.npy", np.array([2**32 - 1, 2**32 - 1, 10], "<u4"))
save("u1.npy", np.array([255, 0, 7, 255, 200, 1, 1], "u1"))
save("i1.npy", np.array([[-128, 127, -128], [-1, 0, 3]], "i1"))
save("u2.npy", np.array([2**16 - 1, 2**16 - 1, 10], "<u2"))
save("i2.npy", np.array([-(2**15), -(2**15), 2**15 - 1, -5, 0], "<i2"))
save("f2.npy", np.array([65504, 65504, -0.5, 2**-24, 2], "<f2"))
save("i8.npy", np.array([-(2**63), -(2**63), 2**63 - 1, 2**32, -1], "<i8"))
save("u8.npy", np.array([2**64 - 1, 2**64 - 1, 2**32 + 10], "<u8"))
save("f8.npy", np.array([2.0**40, 0.25, -(2.0**40), 1e-300], "<f8"))
save("i8-big-endian.npy", np.array([2**40, -3], ">i8"))
save("u2-big-endian.npy", np.array([2**16 - 1, 256, 1], ">u2"))
save("f2-big-endian.npy", np.array([0.5, 1024, -2], ">f2"))
save("f4-big-endian.npy", np.array([1.5, 2**20], ">f4"))
save("f4-0d.npy", np.array(7.5, "<f4"))
save("f4-empty.npy", np.zeros((3, 0, 2), "<f4"))
save("i4-version2.npy", np.array([[1, 2], [3, 4]], "<i4"), (2, 0))
save("i4-version3.npy", np.array([[1, 2], [3, 4]], "<i4"), (3, 0))
save("bool.npy", np.array([True, False]))

# Not supported.
save("refused-complex.npy", np.array([1 + 2j], "<c8"))
save("refused-string.npy", np.array(["sum"]))
save("refused-structured.npy", np.array([(1, 2)], [("x", "<f4"), ("y", "<i4", (2,))]))
save("refused-version3.npy", np.array([(1,)], [("größe", "<f4")]), (3, 0))
