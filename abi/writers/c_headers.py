# abi/writers/c_headers.py -- the functions of operations in C and in C++; and of the C headers, what they declare.
import re
import sys
import textwrap

from .tables import ABI, dtypes, parameters, rows

HEAD = "/* abi/gpuopt/{name} -- generated from ops.def by abi/generate.py; do not edit. {what} */\n"
WIDTH = 120


def comment(row, shape):
    said = f"{shape} {dtypes(row)}\0*/"  # the end of the comment stays with its last word
    lines = [line for text in (row["doc"], said) for line in textwrap.wrap(text, WIDTH - 3, break_on_hyphens=False)]
    return "/* " + "\n * ".join(lines).replace("\0", " ") + "\n"


def prototype(name, *parameters):
    """A prototype whose lines are no longer than WIDTH, with what does not fit below the first parameter."""
    begin = f"GPUOPT_CALL {name}("
    glued = ", ".join(p.replace(" ", "\0") for p in parameters)
    lines = textwrap.wrap(glued, WIDTH - len(begin) - 2, break_long_words=False, break_on_hyphens=False)
    return begin + ("\n" + " " * len(begin)).join(lines).replace("\0", " ") + ");\n"


# A part of gpuopt.h, which includes it; where a program includes the part alone, it gets the whole.
PART_BEGINS = '#ifndef GPUOPT_H\n#include "gpuopt.h"\n#elif !defined(GPUOPT_OPS_H)\n#define GPUOPT_OPS_H\n\n'


SCAN = (
    "Scan along `axis`, which has no default (to scan all elements in C order, reshape x to one dimension first), "
    "recorded; dtype 0: the default; include_initial puts the identity in front (length + 1)."
)


def prototypes():
    out = [HEAD.format(name="gpuopt_ops.h", what="Included by gpuopt.h."), PART_BEGINS]
    for row in rows("OP"):
        name, args = f'gpuopt_{row["name"]}', [f"gpuopt_array {n}" for n in parameters(row)]
        out.append(comment(row, "Elementwise, recorded; inputs broadcast."))
        out.append(prototype(name, *args, "gpuopt_array *result", "gpuopt_error *error"))
        out.append(prototype(f"{name}_into", *args, "gpuopt_array out", "gpuopt_error *error") + "\n")
    for row in rows("REDUCTION"):
        out.append(comment(row, "Reduction over options->axes, recorded."))
        options = "const gpuopt_reduce_options *options"
        parts = ("gpuopt_array x", options, "gpuopt_array *result", "gpuopt_error *error")
        out.append(prototype(f'gpuopt_{row["name"]}', *parts) + "\n")
    for row in rows("SCAN"):
        out.append(comment(row, SCAN))
        parts = ("gpuopt_array x", "int64_t axis", "gpuopt_dtype dtype", "int32_t include_initial")
        out.append(prototype(f'gpuopt_{row["name"]}', *parts, "gpuopt_array *result", "gpuopt_error *error") + "\n")
    return "".join([*out, "#endif\n"])


def functions():
    what = "Included by gpuopt.hpp; dtypes and results are documented in gpuopt_ops.h."
    out = [HEAD.format(name="gpuopt_ops.hpp", what=what)]
    out.append('#ifndef GPUOPT_OPS_HPP\n#define GPUOPT_OPS_HPP\n\n#include "hpp/array.hpp"\n\n')
    out.append("namespace gpuopt {\ninline namespace v1 {\n")
    for row in rows("OP"):
        names = parameters(row)
        args, values = ", ".join(f"operand {n}" for n in names), ", ".join(f"std::move({n})" for n in names)
        op = f'GPUOPT_OP_{row["name"]}'
        out.append(f'\n// {row["doc"]}\n')
        out.append(f'inline array {row["name"]}({args}) {{ return detail::apply({op}, {values}); }}\n')
        out.append(f'inline void {row["name"]}_into({args}, const array &out) {{ detail::apply_into({op}, out, '
                   f'{values}); }}\n')
    for row in rows("REDUCTION"):
        if row["name"] == "all":  # also a subscript: all_t in hpp/base.hpp
            continue
        out.append(f'\n// {row["doc"]}\n')
        out.append(f'inline array {row["name"]}(array x, const axes &over = {{}}) {{ return '
                   f'detail::reduce(GPUOPT_REDUCTION_{row["name"]}, std::move(x), over); }}\n')
    for row in rows("SCAN"):
        out.append(f'\n// {row["doc"]} include_initial puts the identity in front.\n')
        out.append(f'inline array {row["name"]}(array x, int64_t axis, dtype t = default_dtype, bool '
                   f'include_initial = false) {{\n')
        out.append(f'  return detail::from_one(gpuopt_{row["name"]}, std::move(x), axis, raw(t), '
                   f'int32_t{{include_initial}});\n}}\n')
        out.append("// Without an axis: of an array of one dimension; others are an error, because every axis would be "
                   "a guess.\n")
        out.append(f'inline array {row["name"]}(array x) {{\n'
                   f'  const int64_t axis = detail::only_axis(x, "{row["name"]}");\n'
                   f'  return {row["name"]}(std::move(x), axis);\n}}\n')
    out.append("\n}  // namespace v1\n}  // namespace gpuopt\n#endif\n")
    return "".join(out)


CALL = re.compile(r"^GPUOPT_CALL (\w+)\(([^;]*)\);", re.M)
API = re.compile(r"^GPUOPT_API ([^;]*?)(gpuopt_\w+)\(([^;]*)\);", re.M)


def declarations():
    """(comment above it, return type, name, parameters) of each function of gpuopt.h and of what it includes, in C."""
    for header in ("gpuopt.h", "gpuopt_ops.h", "gpuopt_fft.h", "gpuopt_sorting.h", "gpuopt_statistics.h",
                   "gpuopt_linalg.h", "gpuopt_random.h", "gpuopt_selection.h", "gpuopt_creation.h",
                   "gpuopt_signal.h", "gpuopt_text.h", "gpuopt_polynomial.h", "gpuopt_numbers.h",
                   "gpuopt_apply.h", "gpuopt_queries.h", "gpuopt_kernels.h", "gpuopt_ufuncs.h", "gpuopt_compiled.h",
                   "gpuopt_comm.h", "gpuopt_shard.h", "gpuopt_arrow.h", "gpuopt_texture.h"):
        text = prototypes() if header == "gpuopt_ops.h" else (ABI / header).read_text()  # what is on disk may be stale
        found = 0
        for block in re.split(r"\n(?=/\*)", text):
            prose = re.match(r"/\*(.*?)\*/", block, re.S)
            lines = [line.strip(" *").strip() for line in prose[1].splitlines()] if prose else []
            for m in CALL.finditer(block):
                found += 1
                yield lines, "gpuopt_status", m[1], " ".join(m[2].split())
            for m in API.finditer(block):
                found += 1
                yield lines, m[1].strip(), m[2], " ".join(m[3].split())
        if found != len(re.findall(r"^GPUOPT_(?:CALL|API) ", text, re.M)):
            sys.exit(f"{header} declares a function in a form that is not understood")
