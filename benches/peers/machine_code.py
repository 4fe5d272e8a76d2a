"""Machine code in a pipeline cache of NVIDIA's Vulkan driver, one file for each pipeline.

    python3 machine_code.py CACHE FOLDER

What is known of the format, none of it documented: the cache holds Zstandard frames. In what they
decompress to, each pipeline's code is a section of a container that starts with `NVuc`. Bytes 8 and 9
of the container count its sections; from byte 32 on there are 32 bytes for each section, of which the
first 16 are its kind and length (32 bits each) and where in the container it starts (64 bits). Kind 1
is the code, in instructions of 16 bytes. Seen so with driver 580, for Hopper.

Prints the names of the files that it writes. Needs the command zstd.
"""

import pathlib
import struct
import subprocess
import sys

FRAME = b"\x28\xb5\x2f\xfd"
CONTAINER = b"NVuc"
CODE = 1
INSTRUCTION_BYTES = 16
EXIT = 0x94D  # the low 12 bits; which predicate guards it is in the next 4


def places(data: bytes, what: bytes):
    at = data.find(what)
    while at >= 0:
        yield at
        at = data.find(what, at + 1)


def frames(data: bytes):
    """Decompressed; zstd stops by itself where a frame ends, and complains of what follows."""
    for at in places(data, FRAME):
        yield subprocess.run(["zstd", "-dcq"], input=data[at:], capture_output=True).stdout


def sections(container: bytes):
    if len(container) < 32:
        return
    (count,) = struct.unpack_from("<H", container, 8)
    table = container[32 : 32 + 32 * count]
    for kind, length, start, _ in struct.iter_unpack("<IIQ16s", table[: len(table) // 32 * 32]):
        yield kind, container[start : start + length]


def is_code(section: bytes) -> bool:
    """Whether it is made of whole instructions, of which one ends the program."""
    if not section or len(section) % INSTRUCTION_BYTES:
        return False
    return any(low & 0xFFF == EXIT for low, _ in struct.iter_unpack("<Q8s", section))


def programs(data: bytes):
    """Each once: one frame may be found as the end of another."""
    found = {}
    for content in frames(data):
        for at in places(content, CONTAINER):
            for kind, section in sections(content[at:]):
                if kind == CODE and is_code(section):
                    found.setdefault(section)
    return list(found)


def main() -> int:
    if len(sys.argv) != 3:
        print("usage: machine_code.py CACHE FOLDER", file=sys.stderr)
        return 2
    cache, folder = map(pathlib.Path, sys.argv[1:])
    found = programs(cache.read_bytes())
    if not found:
        print(f"{cache}: no machine code of a known format in it", file=sys.stderr)
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    for index, program in enumerate(found):
        file = folder / f"pipeline_{index}.code"
        file.write_bytes(program)
        print(file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
