"""Writes numpy_types.txt: what NumPy reads spellings of types as, for reader.rs.

    python3 npy/tests/numpy_types.py > npy/tests/numpy_types.txt

A line is the literal of 'descr', a tab and the type, or "-" where NumPy reads no file with it, or no numbers. The order
of bytes is that of a machine whose lowest byte comes first.
"""

import io
import itertools
import struct
import warnings

import numpy as np

ORDERS = ["", "<", ">", "=", "|"]
COUNTS = ["1", "()", "(1,)", "1,", "(1,1)", " 1", "1 ", "( 1,)", "(1, 1 ,)", "(1)", "( )", "2", "0", "01", "(2,)",
          "(1,2)", "(,)", "(", "1)", "1,1", "1 1", "+1", "1.", ","]
NAMES = ["f4", "i2", "u1", "b1", "?", "n", "float32", "bool", "f 4", "f+4", "S1", "c8", "1f4"]
PLAIN = ["f4", "f04", "f 4", "f\\t4", "f\\n4", "f\\v4", "f+4", "f+04", "f +4", "f -4", "f++4", "f+ 4", "f0x4", "f4_0",
         "f", "e", "d", "g", "n", "N", "p", "P", "q", "l", "h", "?", "b", "b1", "b2", "B", "c", "f4 ", " f4", "f4,",
         "f4,f4", ", f4", "i3", "u16", "", " ", "float32 ", " float32", "f4:", "f99999999999999999999", "f18446744073709551620"]
LITERALS = ["('<f4', ())", "('<f4', 1)", "('>f4', (1,))", "('f4', (1, 1, 1))", "('f4', [1])", "('f4', [])", "('f4',)",
            "(('<f4', 1), 1)", "('1f4', 1)", "('<f4', 1, 2)", "('<f4', (2,))", "('<f4', 0)", "('<f4', -1)",
            "('<f4', True)", "('<f4', (True,))", "('<f4', ((1,),))", "('<f4', (((1))))", "('<f4', None)",
            "('<f4', 1.0)", "('bool', 1)", "('float32', (1,))", "('n', 1)", "('f', '4')", "['<f4']", "[('', '<f4')]",
            "()", "(1, 'f4')", "4", "True", "None"]


def read_as(literal):
    text = f"{{'descr': {literal}, 'fortran_order': False, 'shape': (2,), }}".encode()
    file = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + bytes(64)
    try:
        dtype = np.load(io.BytesIO(file)).dtype
    except Exception:
        return "-"
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        return "-"
    name = "u8" if dtype.kind == "b" else f"{dtype.kind}{8 * dtype.itemsize}"
    return f"{name} {'>' if dtype.str[0] == '>' else '<'}" if dtype.itemsize > 1 else name


def main():
    warnings.simplefilter("ignore")
    spellings = [order + name for order, name in itertools.product(ORDERS, PLAIN)]
    for order, count, name in itertools.product(ORDERS, COUNTS, NAMES):
        spellings += [order + count + name, count + order + name]
    for count, name in itertools.product(["1", "(1,)", "()"], ["f4", "float32"]):
        spellings += [one + count + other + name for one, other in itertools.product(ORDERS, ORDERS)]
        spellings += [count + name + end for end in [" ", "\\n", ",", ", ", " ,", ":", "x"]]
    literals = [f"'{spelling}'" for spelling in dict.fromkeys(spellings)] + LITERALS
    print(f"# NumPy {np.__version__}, written by numpy_types.py")
    for literal in literals:
        print(f"{literal}\t{read_as(literal)}")


main()
