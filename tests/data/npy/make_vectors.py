# tests/data/npy/make_vectors.py -- small .npy and .npz files as NumPy writes them, and manifest.txt with what is in
# them
#
# manifest.txt, one line each:
#   array <file> <dtype> <fortran 0|1> <same 0|1> <hex of the elements in C order, little-endian, or -> <shape...>
#         same 1: saving the array again gives these very bytes
#   member <file> <name> <dtype> <hex or -> <shape...>
#   reject <file> <word that the message must hold>
import io
import os
import sys
import zipfile

import numpy as np

here = os.path.dirname(os.path.abspath(sys.argv[0]))
rng = np.random.default_rng(7)
lines = []


def hex_of(a):
    return np.ascontiguousarray(a.astype(a.dtype.newbyteorder("<"))).tobytes().hex() or "-"


def describe(a):
    name = "bfloat16" if a.dtype == "V2" else a.dtype.newbyteorder("=").name
    data = a.tobytes().hex() if a.dtype == "V2" else hex_of(a)
    return name, data, " ".join(map(str, a.shape))


def put(file, data):
    with open(os.path.join(here, file), "wb") as f:
        f.write(data)


def npy(a, version=None, **kw):
    b = io.BytesIO()
    np.lib.format.write_array(b, a, version=version, **kw)
    return b.getvalue()


def array(file, a, version=None, same=True, raw=None):
    put(file, raw if raw is not None else npy(a, version))
    name, data, shape = describe(a)
    fortran = int(a.flags.f_contiguous and not a.flags.c_contiguous)
    lines.append(f"array {file} {name} {fortran} {int(same)} {data} {shape}")


def values(dtype, shape):
    kind = np.dtype(dtype).kind
    n = int(np.prod(shape))
    if kind == "b":
        return (rng.random(shape) < 0.5)
    if kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, np.dtype(dtype).newbyteorder("="), endpoint=True).astype(dtype)
    if kind == "c":
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    a = rng.standard_normal(shape).astype(dtype)
    if n > 2:
        a.flat[0], a.flat[1] = np.nan, -np.inf
    return a


dtypes = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
for d in dtypes:
    array(f"c_{d}.npy", values("<" + d, (2, 3)))
    if np.dtype(d).itemsize > 1:
        array(f"big_{d}.npy", values(">" + d, (3, 2)), same=False)
array("fortran.npy", np.asfortranarray(values("<f8", (3, 4))))
array("fortran_3d.npy", np.asfortranarray(values("<i2", (2, 3, 4))))
array("fortran_big.npy", np.asfortranarray(values(">i4", (3, 4))), same=False)
array("zero_dim.npy", np.array(3.25))
array("one.npy", values("<f4", (5,)))
array("empty.npy", np.empty((0,)))
array("empty_3d.npy", np.empty((2, 0, 3), "<i4"))
array("version_2.npy", values("<i4", (4,)), (2, 0), same=False)
array("version_3.npy", values("<f8", (4,)), (3, 0), same=False)
array("bfloat16.npy", np.frombuffer(bytes.fromhex("803f00c0cd3d"), "V2"), same=False)
array("trailing.npy", np.arange(3), raw=npy(np.arange(3)) + b"more", same=False)


def by_hand(text, data=b"", major=1):
    head = text.encode("latin1")
    size = len(head).to_bytes(2 if major == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([major, 0]) + size + head + data


two = np.array([1, 2], "<i4")
array("python2.npy", two, raw=by_hand("{'shape': (2L,), 'fortran_order': False, 'descr': '<i4'}\n", two.tobytes()),
      same=False)
array("quotes.npy", two, raw=by_hand('{"descr":"<i4","fortran_order":False,"shape":(2,)}', two.tobytes()), same=False)
array("spaces.npy", two, raw=by_hand(" {\n 'shape' :\t( 2 , ) , 'descr' : 'i4' , 'fortran_order' : False , }   \n",
                                     two.tobytes()), same=False)


def reject(file, data, word):
    put(file, data)
    lines.append(f"reject {file} {word}")


reject("objects.npy", npy(np.array([1, "a", None], object), allow_pickle=True), "objects")
reject("records.npy", npy(np.zeros(2, [("a", "<i4"), ("b", "<f8")])), "records")
reject("strings.npy", npy(np.array(["ab", "c"])), "strings")
reject("dates.npy", npy(np.array(["2020-01-01"], "M8[D]")), "dates")
reject("raw.npy", npy(np.zeros(2, "V3")), "raw")
if np.dtype("g").itemsize == 16:
    reject("longdouble.npy", npy(np.zeros(2, "g")), "f16")
ok = "'descr': '<i4', 'fortran_order': False, 'shape': (2,)"
for k, (text, word) in enumerate([
    ("{" + ok.replace("(2,)", "(2)") + "}", "tuple"), ("{" + ok.replace("(2,)", "(-2,)") + "}", "size"),
    ("{" + ok.replace("(2,)", "(2 3)") + "}", "','"), ("{" + ok.replace("(2,)", "(99999999999999999999,)") + "}", "64"),
    ("{" + ok.replace("(2,)", "(4611686018427387904, 4)") + "}", "many"),
    ("{" + ok.replace("False", "false") + "}", "fortran_order"),
    ("{" + ok + ", 'more': 1}", "unknown"), ("{" + ok + ", 'shape': (2,)}", "twice"),
    ("{'descr': '<i4', 'shape': (2,)}", "missing"),
    ("{" + ok, "'}'"), ("{" + ok + "} x", "follows"), ("", "'{'"), ("{'descr': '<i4", "end"),
    ("{'de\\x73cr': '<i4'}", "escapes"),
    ("{" + ok.replace("(2,)", "(" + "1," * 65 + ")") + "}", "dimensions"),
    ("{" + ok.replace("'<i4'", "'<i3'") + "}", "i3"),
    ("{" + ok.replace("(2,)", "(2,,)") + "}", "size"), ("{" + ok.replace("'<i4'", "'<'") + "}", "supported"),
    ("{" + ok.replace("(2,)", "(1000000000000,)") + "}", "short")]):
    reject(f"header_{k:02}.npy", by_hand(text + "\n", two.tobytes()), word)
reject("version_9.npy", b"\x93NUMPY\x09\x00" + npy(two)[8:], "version")
reject("magic.npy", b"hello world, this is no array\n", "begin")
reject("nothing.npy", b"", "begin")
reject("long_header.npy", by_hand("{" + ok + "}" + " " * 70000, two.tobytes(), major=2), "long")


class Unseekable(io.RawIOBase):
    """Makes zipfile write data descriptors."""

    def __init__(self):
        self.data = b""

    def writable(self):
        return True

    def write(self, b):
        self.data += bytes(b)
        return len(b)


def members(file, arrays):
    for name, a in arrays.items():
        dtype, data, shape = describe(a)
        lines.append(f"member {file} {name} {dtype} {data} {shape}")


arrays = {"x": values("<f8", (2, 3)), "arr_0": np.arange(5), "fortran": np.asfortranarray(values("<i4", (3, 2))),
          "zero": np.array(7)}
for file, save in (("stored.npz", np.savez), ("deflated.npz", np.savez_compressed)):
    b = io.BytesIO()
    save(b, **arrays)
    put(file, b.getvalue())
    members(file, arrays)
stream = Unseekable()
with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as z:
    for name, a in arrays.items():
        z.writestr(name + ".npy", npy(a))
put("descriptors.npz", stream.data)
members("descriptors.npz", arrays)
b = io.BytesIO()
with zipfile.ZipFile(b, "w") as z:
    z.comment = b"a comment with PK\x05\x06 inside, and more than twenty-two bytes behind it"
    z.writestr("notes.txt", "not an array")
    z.writestr("wert/\u00e4.npy", npy(arrays["x"]))
put("mixed.npz", b.getvalue())
members("mixed.npz", {"wert/\u00e4": arrays["x"]})
reject("text.npz", b"PK but no archive at all\n", "end")

with open(os.path.join(here, "manifest.txt"), "w", encoding="utf-8") as f:
    f.write("\n".join(line.rstrip() for line in lines) + "\n")
print(len(lines), "lines")
