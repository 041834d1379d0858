#!/usr/bin/env python3
# abi/generate.py -- writes gpuopt_ops.h (and gpuopt_ops.hpp) from ops.def. `--check` only says whether they are fresh.
import re
import sys
from pathlib import Path

ABI = Path(__file__).resolve().parent / "gpuopt"
ROW = re.compile(r'^GPUOPT_(OP|REDUCTION|SCAN)\((\w+), (?:(\d), )?"([^"]*)", (\w+), "([^"]*)"\)$', re.M)
KINDS = {"?": "bool", "i": "signed", "u": "unsigned", "f": "real", "c": "complex"}
RESULT = {
    "SAME": "the promoted dtype",
    "BOOL": "bool",
    "REAL": "the promoted dtype; of complex numbers its real component",
    "LOGICAL": "bool (inputs count as x != 0)",
    "SELECT": "the promoted dtype of x2 and x3 (x1 counts as x1 != 0)",
    "SUM": "int64 for bool and signed, uint64 for unsigned integers, else the dtype of x",
    "INDEX": "int64",
}
HEAD = "/* abi/gpuopt/{name} -- generated from ops.def by abi/generate.py; do not edit. {what} */\n"


def rows(kind):
    for m in ROW.finditer((ABI / "ops.def").read_text()):
        if m[1] == kind:
            yield {"name": m[2], "nin": int(m[3] or 1), "kinds": m[4], "result": m[5], "doc": m[6]}


def comment(row, shape):
    kinds = ", ".join(KINDS[k] for k in row["kinds"])
    if row["result"] in ("LOGICAL", "SELECT") or (row["result"] == "BOOL" and row["kinds"] == "?"):
        kinds = "any"
    elif row["kinds"][0] in "f" or row["kinds"] == "fc":
        kinds += " (bool and integers as float64)"
    return f'/* {row["doc"]}\n * {shape} dtypes: {kinds}; result: {RESULT[row["result"]]}. */\n'


def prototypes():
    out = [HEAD.format(name="gpuopt_ops.h", what="Included by gpuopt.h."), "\n"]
    for row in rows("OP"):
        args = ", ".join(f"gpuopt_array {n}" for n in parameters(row))
        out.append(comment(row, "Elementwise, recorded; inputs broadcast."))
        out.append(f'GPUOPT_CALL gpuopt_{row["name"]}({args}, gpuopt_array *result, gpuopt_error *error);\n')
        out.append(f'GPUOPT_CALL gpuopt_{row["name"]}_into({args}, gpuopt_array out, gpuopt_error *error);\n\n')
    for row in rows("REDUCTION"):
        out.append(comment(row, "Reduction over options->axes, recorded."))
        out.append(f'GPUOPT_CALL gpuopt_{row["name"]}(gpuopt_array x, const gpuopt_reduce_options *options, gpuopt_array *result, gpuopt_error *error);\n\n')
    for row in rows("SCAN"):
        out.append(comment(row, "Scan along `axis`, recorded; dtype 0: the default; include_initial puts the identity in front (length + 1)."))
        out.append(f'GPUOPT_CALL gpuopt_{row["name"]}(gpuopt_array x, int64_t axis, gpuopt_dtype dtype, int32_t include_initial, gpuopt_array *result, gpuopt_error *error);\n\n')
    return "".join(out)


def parameters(row):
    return ["x"] if row["nin"] == 1 else [f"x{i + 1}" for i in range(row["nin"])]


def functions():
    what = "Included by gpuopt.hpp; dtypes and results are documented in gpuopt_ops.h."
    out = [HEAD.format(name="gpuopt_ops.hpp", what=what)]
    out.append('#ifndef GPUOPT_OPS_HPP\n#define GPUOPT_OPS_HPP\n\n#include "hpp/array.hpp"\n\n')
    out.append("namespace gpuopt {\ninline namespace v1 {\n")
    for row in rows("OP"):
        names = parameters(row)
        args, values = ", ".join(f"const operand &{n}" for n in names), ", ".join(names)
        op = f'GPUOPT_OP_{row["name"]}'
        out.append(f'\n// {row["doc"]}\n')
        out.append(f'inline array {row["name"]}({args}) {{ return detail::apply({op}, {values}); }}\n')
        out.append(f'inline void {row["name"]}_into({args}, const array &out) {{ detail::apply_into({op}, out, {values}); }}\n')
    for row in rows("REDUCTION"):
        if row["name"] == "all":  # also a subscript: all_t in hpp/base.hpp
            continue
        out.append(f'\n// {row["doc"]}\n')
        out.append(f'inline array {row["name"]}(const array &x, const axes &over = {{}}) {{ return detail::reduce(GPUOPT_REDUCTION_{row["name"]}, x, over); }}\n')
    for row in rows("SCAN"):
        out.append(f'\n// {row["doc"]} include_initial puts the identity in front.\n')
        out.append(f'inline array {row["name"]}(const array &x, int64_t axis = -1, dtype t = default_dtype, bool include_initial = false) {{\n')
        out.append(f'  return detail::make<array>(gpuopt_{row["name"]}, x.get(), axis, raw(t), int32_t{{include_initial}});\n}}\n')
    out.append("\n}  // namespace v1\n}  // namespace gpuopt\n#endif\n")
    return "".join(out)


def outputs():
    yield ABI / "gpuopt_ops.h", prototypes()
    yield ABI / "gpuopt_ops.hpp", functions()


def main():
    stale = [path for path, text in outputs() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.name} is stale: run abi/generate.py")
        return 1 if stale else 0
    for path, text in outputs():
        if path in stale:
            path.write_text(text)
            print(f"wrote {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
