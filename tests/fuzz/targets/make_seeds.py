#!/usr/bin/env python3
"""tests/fuzz/targets/make_seeds.py -- writes the first inputs of each fuzz target into corpus/<target>/seed_*.

Fuzzers add what reaches new code (./dev fuzz-targets --keep); this writes only what a person would begin with.
"""
import pathlib
import struct

HERE = pathlib.Path(__file__).parent
SEEDS = {
    "core_request": ["cpu", "cuda,cpu", "cuda:1", "cuda!", "auto", "numpy", "cupy:0 , cpu", "my_backend:12!"],
    "core_settings": [b"\0cuda,cpu\n\2cuda\n", b"\3/usr/lib:relative::/opt/x\n", b"\1cupy\n\0auto\n"],
    "core_parameters": ["T x, raw T table, int32 n\nT y", "float32 a, _non_const S b\nraw complex64 c, S d",
                        "\nint64 y"],
    "core_types": [b"\0float32", b"\0complex128", b"\1float32,float32->float32; float64,float64->float64",
                   b"\2(m,n),(n,p)->(m,p)", b"\2(),(3,k)->(),(k,3)", b"\1T,T->T"],
    "core_kernel_text": [b"\0\1T x, T y\nT z\nsquared\nstatic int n;\nz = (x - y) * (x - y)",
                         b"\1\1T x\nT y\ntotal\nx * x\na + b\nsqrt(a)\n0\n",
                         b"\2\0T x\nT y\nblur\ny = (x(-1, 0) + x[0, 1] + x(1, 0)) / 3",
                         b"\0\2raw T x, int32 n\nraw T y\ngather\n\ny[i] = x[n - 1 - i] + _ind.get()[0]"],
    "api_kernel": ["float f(float x, float y) { return x * y + sqrtf(x); }",
                   "float f(float x, float y) { return x +; }",
                   "template <class T> T g(T x) { return x < 0 ? -x : x; }\n"
                   "float f(float x, float y) { return g(x) / y; }",
                   "#include <cuda_fp16.h>\nfloat f(float x, float y) { return x; }",
                   "float f(float x, float y) { asm(\"trap\"); return f(y, x); }",
                   "struct S { float a[4]; };\nfloat f(float x, float y) { S s{{x, y}}; for (int i = 0; i < 9; i++) "
                   "s.a[i & 3] += y;"
                   " return s.a[2]; }"],
}


def npy(descr, shape, data, fortran=False):
    header = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, shape)
    padding = -(10 + len(header) + 1) % 64
    header = header + " " * padding + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + data


def dlpack(copy=1, major=1, flags=0, has=7, device=(1, 0), dtype=(2, 32, 1), offset=0, dims=((3, 4), (4, 1))):
    wide = struct.pack("<BBBBB", copy, major, 0, flags, has)
    head = struct.pack("<bbBBBBb", *device, *dtype, offset, len(dims))
    return wide + head + b"".join(struct.pack("<bb", *d) for d in dims)


def pe(sections=2, dll=True, machine=0x8664):
    start, count = 128, sections
    dos = b"MZ" + bytes(58) + struct.pack("<I", start) + bytes(start - 64)
    coff = struct.pack("<4sHHIIIHH", b"PE\0\0", machine, count, 0, 0, 0, 240, 0x2000 if dll else 2)
    optional = struct.pack("<H", 0x20B) + bytes(238)
    begin = start + 24 + 240 + 40 * count
    table = b"".join(struct.pack("<8sIIIIIIHHI", b".text", 16, 0, 16, begin + 16 * k, 0, 0, 0, 0, 0)
                     for k in range(count))
    return dos + coff + optional + table + bytes(16 * count)


def bundle(fields):
    return b"\1" + b"".join(struct.pack("<B", len(field)) + field for field in fields)


def zip_of(members):
    import io
    import zipfile
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number, (name, data) in enumerate(members):
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            archive.writestr(info, data, zipfile.ZIP_DEFLATED if number % 2 else zipfile.ZIP_STORED)
    return out.getvalue()


SEEDS["core_npy"] = [npy("<f4", "(2, 3)", bytes(24)), npy(">i8", "(3,)", bytes(24), True), npy("|b1", "()", b"\1")]
SEEDS["core_text_table"] = ["\0001 2.5 -3e4\n4 inf nan\n",
                            "\x0d1,\"2\"\"3\",4 # five\r\n\r6,,7", "\x131::(1+2j)::True\r2::3\n",
                            "\x09\"1\n2", "\x101\0002", "\x14\ufeff 1 #\n"]
SEEDS["core_npz"] = [zip_of([("x.npy", npy("<f8", "(2,)", bytes(16))), ("y.npy", npy("<i2", "(0, 4)", b""))])]
SEEDS["core_dlpack"] = [dlpack(), dlpack(copy=2, dims=((2, -1),)), dlpack(copy=3, has=3, dims=()), dlpack(major=2),
                        dlpack(dtype=(0, 8, 4)), dlpack(copy=3, dims=((0, 0),) * 5)]
SEEDS["core_pe"] = [pe(), pe(dll=False), pe(machine=0x14C), pe(sections=0)]
SEEDS["shared_bundle"] = [bundle([b"cpu", b"build", b"v3", b"k", bytes(32), b"code"]),
                          bundle([b"source", b"", b"", b"k", b"", b"text"]),
                          bundle([b"cpu", b"other", b"v3", b"k", bytes(31), b"code"])]
SEEDS["core_bundle"] = [b"\1", b"\0gpuopt bundle 1\n" + bytes(8), b"\1" + struct.pack("<Q", 40) + bytes(40)]
SEEDS["shared_cache"] = [b"\0\4code", b"\1\4code\1\0\0\0\7", b"\0\4code\1\x10\0\1", b"\0\4code\1\x08\0\2\3abc"]

def main():
    for target, seeds in SEEDS.items():
        folder = HERE / "corpus" / target
        folder.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(seeds):
            data = seed.encode() if isinstance(seed, str) else seed
            (folder / ("seed_%02d" % number)).write_bytes(data)


if __name__ == "__main__":
    main()
