#!/usr/bin/env python3
# abi/generate.py -- writes what is made of the tables: gpuopt_ops.h, gpuopt_ops.hpp, plugins/shared/ops/op_headers.def;
# of the bindings the wrappers of operations, the tables, Rust's declarations and the operations that their tests try;
# the list of operations in docs/coming-from.md; and of settings.def, what docs/environment.md and gpuopt(1) say.
# `--check` only says whether they are fresh.
#
# What the tests of the bindings expect comes from tests/oracle.def, by a C++ program that is compiled here ($CXX, or
# c++).
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ABI = ROOT / "abi" / "gpuopt"
SHARED = ROOT / "plugins" / "shared"
RUST = ROOT / "bindings" / "rust"
GO = ROOT / "bindings" / "go"
ROW = re.compile(r'^GPUOPT_(OP|REDUCTION|SCAN)(?:_ROW)?\((\w+), (?:(\d), )?"([^"]*)", (\w+), (?:(\w+), (\d+), '
                 r')?"([^"]*)"\)$', re.M)
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


FAMILY = re.compile(r'^GPUOPT_OP_FAMILY\((\w+), "([^"]*)"\)$', re.M)


def families():
    return dict(FAMILY.findall((ABI / "ops.def").read_text()))


def check_rows():
    """Ends with what is wrong with a row that nothing below would see."""
    text = (ABI / "ops.def").read_text()
    for line in re.findall(r"^GPUOPT_.*$", text, re.M):
        if not ROW.match(line) and not FAMILY.match(line):
            sys.exit(f"ops.def: this is not a row as its head describes it: {line}")
    for row in rows("OP"):
        if row["family"] not in families():
            sys.exit(f"ops.def: {row['name']} is of the family {row['family']}, which has no row")


def rows(kind):
    for m in ROW.finditer((ABI / "ops.def").read_text()):
        if m[1] == kind:
            yield {"name": m[2], "nin": int(m[3] or 1), "kinds": m[4], "result": m[5], "family": m[6], "doc": m[8]}


def dtypes(row):
    kinds = ", ".join(KINDS[k] for k in row["kinds"])
    if row["result"] in ("LOGICAL", "SELECT") or (row["result"] == "BOOL" and row["kinds"] == "?"):
        kinds = "any"
    elif row["kinds"][0] in "f" or row["kinds"] == "fc":
        kinds += " (bool and integers as float64)"
    return f'dtypes: {kinds}; result: {RESULT[row["result"]]}.'


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
        out.append(f'inline void {row["name"]}_into({args}, const array &out) {{ detail::apply_into({op}, out, '
                   f'{values}); }}\n')
    for row in rows("REDUCTION"):
        if row["name"] == "all":  # also a subscript: all_t in hpp/base.hpp
            continue
        out.append(f'\n// {row["doc"]}\n')
        out.append(f'inline array {row["name"]}(const array &x, const axes &over = {{}}) {{ return '
                   f'detail::reduce(GPUOPT_REDUCTION_{row["name"]}, x, over); }}\n')
    for row in rows("SCAN"):
        out.append(f'\n// {row["doc"]} include_initial puts the identity in front.\n')
        out.append(f'inline array {row["name"]}(const array &x, int64_t axis, dtype t = default_dtype, bool '
                   f'include_initial = false) {{\n')
        out.append(f'  return detail::make<array>(gpuopt_{row["name"]}, x.get(), axis, raw(t), '
                   f'int32_t{{include_initial}});\n}}\n')
        out.append("// Without an axis: of an array of one dimension; others are an error, because every axis would be "
                   "a guess.\n")
        out.append(f'inline array {row["name"]}(const array &x) {{ return {row["name"]}(x, detail::only_axis(x, '
                   f'"{row["name"]}")); }}\n')
    out.append("\n}  // namespace v1\n}  // namespace gpuopt\n#endif\n")
    return "".join(out)


HEADERS_HEAD = """\
// plugins/shared/ops/op_headers.def -- which header under plugins/shared/ops/ defines each row of ops.def; generated by
// abi/generate.py from ops.def and those headers, do not edit.
//
// For backends that compile text at run time: GPO_OP_HEADER(row, header). Complex loops of rows in arithmetic, explog,
// power and trig need "plugins/shared/math/complex_functions.h" as well.
"""
# A definition is a struct, or comes of a macro whose first argument is its name.
DEFINITION = re.compile(r"^(?:struct |\w+\()(\w+)\b", re.M)


def op_headers():
    header_of = {}
    for header in sorted((SHARED / "ops").glob("*.h")):
        for name in DEFINITION.findall(header.read_text()):
            header_of.setdefault(name, f"plugins/shared/ops/{header.name}")
    out = [HEADERS_HEAD]
    for row in rows("OP"):
        if row["name"] not in header_of:
            sys.exit(f"no header in plugins/shared/ops/ defines {row['name']}")
        out.append(f'GPO_OP_HEADER({row["name"]}, "{header_of[row["name"]]}")\n')
    return "".join(out + ["#undef GPO_OP_HEADER\n"])


# ---- What operations give --------------------------------------------------------------------------------------------

VALUES = ROOT / "tests" / "data" / "operations.txt"
VALUES_PROGRAM = ROOT / "tests" / "conformance" / "operation_values.cpp"
VALUES_HEAD = """# tests/data/operations.txt -- what tests/oracle.def gives for each operation at a few arguments; \
written by abi/generate.py, do not edit.
# made of {hash}
"""


def values_head():
    """Names what the values are computed from: whether they are fresh is seen without a compiler."""
    sources = [ROOT / "tests" / "oracle.def", ROOT / "tests" / "conformance" / "oracle.h", VALUES_PROGRAM]
    text = "".join(path.read_text() for path in sources)
    text += "".join(f'{row["name"]} {row["nin"]} {row["kinds"]} {row["result"]}\n' for row in rows("OP"))
    return VALUES_HEAD.format(hash=hashlib.sha256(text.encode()).hexdigest()[:16])


def computed_values():
    tested = set(re.findall(r"^GPUOPT_ORACLE\((\w+),", (ROOT / "tests" / "oracle.def").read_text(), re.M))
    listed = {row["name"] for row in rows("OP")}
    if tested != listed:
        sys.exit("\n".join([f"tests/oracle.def has no row for {name}" for name in sorted(listed - tested)] +
                           [f"tests/oracle.def has a row for {name}, and ops.def has none"
                            for name in sorted(tested - listed)]))
    with tempfile.TemporaryDirectory() as folder:
        program, compiler = Path(folder) / "operation_values", os.environ.get("CXX", "c++")
        subprocess.run([compiler, "-std=c++20", "-I", ABI.parent, "-I", ROOT, VALUES_PROGRAM, "-o", program],
                       check=True)
        return subprocess.run([program], check=True, capture_output=True, text=True).stdout


def operation_values():
    """The text of VALUES: what is there, if it is made of the same sources."""
    head = values_head()
    old = VALUES.read_text() if VALUES.exists() else ""
    if old.startswith(head):
        return old
    return head if "--check" in sys.argv[1:] else head + computed_values()


def arguments(text):
    """(name, dtype, values) of each array that operations are tried on and that some operation is."""
    used = {name for _, _, _, names, _ in expected(text) for name in names}
    for name, dtype, values in re.findall(r"^argument (\w+) (\w+) (.*)$", text, re.M):
        if name in used:
            yield name, dtype, [float.fromhex(v) for v in values.split()]


def expected(text):
    """(row, dtype, whether exactly, names of arguments, values) of each operation."""
    row_of = {row["name"]: row for row in rows("OP")}
    for name, dtype, accuracy, names, values in re.findall(r"^operation (\w+) (\w+) (exact|near) (.*?) = (.*)$", text,
                                                           re.M):
        yield row_of[name], dtype, accuracy == "exact", names.split(), [float.fromhex(v) for v in values.split()]


def literals(dtype, values, nan, infinity, minus_infinity):
    """Numbers as most languages write them, but for those that each names in its own way."""
    if dtype == "int64":
        return ", ".join(str(int(value)) for value in values)
    special = {"nan": nan, "inf": infinity, "-inf": minus_infinity}
    return ", ".join(special.get(repr(value), repr(value)) for value in values)


# ---- Functions of user kernels ---------------------------------------------------------------------------------------

USER_FUNCTION = re.compile(r"^GPO_USER_FUNCTION\((\w+), (\w+), (\w+)\)", re.M)
USER_OTHERS = ("min", "max", "rsqrt", "round", "fma", "conj", "real", "imag")  # functions.h defines them whole
USED_HEAD = """// plugins/shared/user/functions_used.h -- the functions of user_functions.def whose name the kernel's \
text holds; generated by
// abi/generate.py, do not edit.
//
// The text defines GPO_USES_<word> for each word of the user's: what is not called need not be parsed, \
unless functions_all.h has
// been. To be included once for each set of words, hence without a guard.
#include "plugins/shared/user/functions.h"
#if defined(GPO_USES_philox)
#include "plugins/shared/user/random.h"
#endif
"""


ALL_HEAD = """// plugins/shared/user/functions_all.h -- the functions of user_functions.def, whoever calls them; \
generated by
// abi/generate.py, do not edit.
#ifndef GPUOPT_PLUGINS_SHARED_USER_FUNCTIONS_ALL_H_
#define GPUOPT_PLUGINS_SHARED_USER_FUNCTIONS_ALL_H_

#include "plugins/shared/ops/scalar_ops.h"
#include "plugins/shared/user/functions.h"

"""


def user_functions():
    return USER_FUNCTION.findall((SHARED / "user" / "user_functions.def").read_text())


def user_functions_all():
    return (
        ALL_HEAD + "".join(f"GPO_USER_{kind}({name}, {row})\n" for name, kind, row in user_functions()) + "\n#endif\n"
    )


ATOMICS = ["Add", "Sub", "Exch", "Min", "Max", "Inc", "Dec", "CAS", "And", "Or", "Xor"]


# Of a name that the kernel declares functions by.
def yielding(name, ours):
    return f"#if defined(GPO_DECLARES_{name})\nGPO_USER_YIELDS({name}, {ours})\n#endif\n"


def user_functions_used():
    header_of = dict(re.findall(r'GPO_OP_HEADER\((\w+), "([^"]+)"\)', op_headers()))
    out = [USED_HEAD]
    for name, kind, row in user_functions():
        names = [name] if kind == "TEST" or kind == "MAGNITUDE" else [name, name + "f"]
        uses = " || ".join(f"defined(GPO_USES_{n})" for n in names)
        out.append(f"\n#if {uses}\n#if !defined(GPUOPT_PLUGINS_SHARED_USER_FUNCTIONS_ALL_H_)\n")
        out.append(f'#include "{header_of[row]}"\nGPO_USER_{kind}({name}, {row})\n#endif\n')
        out.append("namespace gpuopt_kernel {\n" + "".join(f"using gpo::user::functions::{n};\n" for n in names)
                   + "}\n")
        out.append("".join(yielding(n, f"gpo::user::functions::{n}") for n in names) + "#endif\n")
    for name in USER_OTHERS:
        out.append(f"\n#if defined(GPO_USES_{name})\nnamespace gpuopt_kernel {{\nusing gpo::user::functions::{name};\n"
                   f"}}\n")
        out.append(yielding(name, f"gpo::user::functions::{name}") + "#endif\n")
    out.append("\n")
    out.extend(yielding(f"atomic{name}", f"::atomic{name}") for name in ATOMICS)
    return "".join(out)


# ---- Bindings: tables ------------------------------------------------------------------------------------------------

STATUS = re.compile(r'^GPUOPT_(STATUS|REASON)\((\w+), (\d+), "([^"]*)"', re.M)
DTYPE = re.compile(r"^GPUOPT_DTYPE\((\w+), (\w+),", re.M)


def numbered():
    """(table, NAME, number, sentence) of statuses, reasons and dtypes."""
    for kind, name, number, sentence in STATUS.findall((ABI / "status.def").read_text()):
        yield kind, name, int(number), sentence[0].upper() + sentence[1:] + "."
    for row, (name, text) in enumerate(DTYPE.findall((ABI / "dtypes.def").read_text())):
        yield "DTYPE", name, row + 1, f"The dtype {text}."


def short(name):
    return name.removeprefix("ERR_")


def camel(name):
    known = {"isnan": "IsNaN", "isinf": "IsInf", "isfinite": "IsFinite", "nanmin": "NanMin", "nanmax": "NanMax",
             "argmin": "ArgMin",
             "argmax": "ArgMax", "logaddexp": "LogAddExp", "bfloat16": "BFloat16"}
    if name.lower() in known:
        return known[name.lower()]
    if name.lower().startswith("uint"):
        return "UInt" + name[4:]
    return "".join({"io": "IO", "jit": "JIT", "abi": "ABI"}.get(w, w.capitalize()) for w in name.lower().split("_"))


# ---- Rust ------------------------------------------------------------------------------------------------------------

RUST_HEAD = "// bindings/rust/{path} -- generated by abi/generate.py; do not edit. {what}\n"
RUST_TYPES = {"char": "c_char", "void": "c_void", "size_t": "usize", "int32_t": "i32", "uint32_t": "u32",
              "int64_t": "i64",
              "uint64_t": "u64", "double": "f64"}
CALL = re.compile(r"^GPUOPT_CALL (\w+)\(([^;]*)\);", re.M)
API = re.compile(r"^GPUOPT_API ([^;]*?)(gpuopt_\w+)\(([^;]*)\);", re.M)


def rust_type(text):
    """The Rust form of a C type without its name: `const char *const *` is `*const *const c_char`."""
    base, *stars = re.split(r"(\*(?:\s*const)?)", text.replace("struct ", "").strip())
    words = base.split()
    const = "const" in words
    result = next(w for w in words if w != "const")
    result = RUST_TYPES.get(result, result)
    for star in (s for s in stars if s.strip()):
        result = f"*{'const' if const else 'mut'} {result}"
        const = "const" in star
    return result


def rust_parameters(text):
    text = text.replace("void (*release)(void *context)", "gpuopt_release release")
    if text == "void":
        return ""
    pairs = (re.match(r"(.*?)(\w+)$", p.strip()) for p in text.split(","))
    return ", ".join(f"{m[2]}: {rust_type(m[1])}" for m in pairs)


def declarations():
    """(comment above it, return type, name, parameters) of each function of gpuopt.h and of what it includes, in C."""
    for header in ("gpuopt.h", "gpuopt_ops.h", "gpuopt_kernels.h", "gpuopt_ufuncs.h", "gpuopt_compiled.h"):
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


def rust_functions():
    out = [RUST_HEAD.format(path="gpuopt-sys/src/functions.rs", what="The functions of gpuopt.h.")]
    out.append("use crate::types::*;\nuse std::os::raw::{c_char, c_void};\n\nextern \"C\" {\n")
    for lines, result, name, parameters in declarations():
        out.append("".join(f"    /// {line}\n".replace(" \n", "\n") for line in ["```text", *lines, "```"]))
        given = "" if result == "void" else f" -> {rust_type(result)}"
        out.append(f"    pub fn {name}({rust_parameters(parameters)}){given};\n")
    return "".join(out + ["}\n"])


def rust_sys_tables():
    out = [RUST_HEAD.format(path="gpuopt-sys/src/tables.rs", what="The numbers of the tables.")]
    out.append("use crate::types::*;\n")
    of = {"STATUS": "status", "REASON": "reason", "DTYPE": "dtype"}
    for kind, name, number, sentence in numbered():
        c_name = f"GPUOPT_REASON_{name}" if kind == "REASON" else f"GPUOPT_{name}"
        out.append(f"/// {sentence}\npub const {c_name}: gpuopt_{of[kind]} = {number};\n")
    for kind in ("OP", "REDUCTION", "SCAN"):
        numbers = [row["name"] for row in rows(kind)]
        for at, name in enumerate(numbers):
            out.append(f"/// The row `{name}`.\npub const GPUOPT_{kind}_{name}: gpuopt_{kind.lower()} = {at};\n")
        out.append(f"/// How many rows there are.\npub const GPUOPT_{kind}_COUNT: gpuopt_{kind.lower()} = "
                   f"{len(numbers)};\n")
    return "".join(out)


def rust_tables():
    out = [RUST_HEAD.format(path="gpuopt/src/tables.rs", what="Names for the numbers of the tables.")]
    out.append("use crate::{Code, DType, Reason};\nuse gpuopt_sys as sys;\n")
    for kind, owner in (("STATUS", "Code"), ("REASON", "Reason"), ("DTYPE", "DType")):
        out.append(f"\nimpl {owner} {{\n")
        for of, name, _, sentence in numbered():
            if of == kind:
                c_name = f"GPUOPT_REASON_{name}" if kind == "REASON" else f"GPUOPT_{name}"
                out.append(f"    /// {markdown(sentence)}\n    pub const {short(name)}: {owner} = "
                           f"{owner}(sys::{c_name});\n")
        out.append("}\n")
    return "".join(out)


def markdown(text):
    return re.sub(r"([\[\]*|<>_])", r"\\\1", text)


def rust_doc(row, indent):
    return f"{indent}/// {markdown(row['doc'])}\n{indent}///\n{indent}/// {markdown(dtypes(row))}\n"


def rust_ops():
    out = [RUST_HEAD.format(path="gpuopt/src/ops.rs", what="The functions of ops.def.")]
    out.append(
        """\
//! Every elementwise operation as a function of arrays and numbers. Reductions and scans are methods of [`Array`].
//!
//! Inputs broadcast and are promoted as NumPy's; a number takes the dtype of the arrays beside it. `*_into` writes to
//! an array of the result's shape, whose dtype the result may be cast to within its kind. Operations are recorded; a
//! failure while running comes from the call that looks at a result.

use crate::operand::{apply, apply_in_place, apply_into, Operand};
use crate::reduce::{reduce, scan, Axes};
use crate::{Array, DType, Result};
use gpuopt_sys as sys;
"""
    )
    methods = []
    for row in rows("OP"):
        bare, c_name = row["name"], f"sys::GPUOPT_OP_{row['name']}"
        name = rust_name(row)
        names = parameters(row)
        args = ", ".join(f"{n}: impl Into<Operand<'a>>" for n in names)
        values = ", ".join(f"{n}.into()" for n in names)
        rest = "".join(f", {n}: impl Into<Operand<'a>>" for n in names[1:])
        others = "".join(f", {n}.into()" for n in names[1:])
        tail = ", ".join(f"{n}.into()" for n in names[1:])
        life = "<'a>" if len(names) > 1 else ""
        own = "&'a self" if life else "&self"
        doc = rust_doc(row, "")
        out.append(f"\n{doc}pub fn {name}<'a>({args}) -> Result<Array> {{\n    apply({c_name}, [{values}])\n}}\n")
        out.append(f"\n/// [`{name}`], written to `out`.\n")
        out.append(f"pub fn {bare}_into<'a>({args}, out: &mut Array) -> Result<()> {{\n"
                   f"    apply_into({c_name}, [{values}], out)\n}}\n")
        methods.append(f"\n    /// [`{name}`](crate::ops::{name}) of `self`.\n")
        methods.append(f"    pub fn {name}{life}({own}{rest}) -> Result<Array> {{\n"
                       f"        apply({c_name}, [self.into(){others}])\n    }}\n")
        if row["result"] == "SELECT":  # the first input chooses: there is nothing to do in place
            continue
        methods.append(f"\n    /// [`{name}`](crate::ops::{name}) of `self`, in place: the result keeps the shape and "
                       "dtype of `self`.\n")
        methods.append(f"    pub fn {name}_assign{life}(&mut self{rest}) -> Result<()> {{\n"
                       f"        apply_in_place({c_name}, self, [{tail}])\n    }}\n")
    for row in rows("REDUCTION"):
        methods.append(f"\n{rust_doc(row, '    ')}    ///\n    /// A reduction over `axes`: `()` for all, an axis, "
                       "several, or [`Axes`] with more options.\n")
        methods.append(f"    pub fn {row['name']}(&self, axes: impl Into<Axes>) -> Result<Array> {{\n"
                       f"        reduce(sys::gpuopt_{row['name']}, self, axes.into())\n    }}\n")
    for row in rows("SCAN"):
        methods.append(f"\n{rust_doc(row, '    ')}    ///\n    /// `dtype` of the accumulation and result, `None` for "
                       "the table's; `include_initial` puts the identity in front.\n")
        methods.append(f"    pub fn {row['name']}(&self, axis: i64, dtype: impl Into<Option<DType>>, include_initial: "
                       f"bool) -> Result<Array> {{\n")
        methods.append(f"        scan(sys::gpuopt_{row['name']}, self, axis, dtype.into(), include_initial)\n    }}\n")
    out.append("\n/// The operations, reductions and scans as methods.\nimpl Array {"
               + "".join(methods).replace("\n", "\n", 1) + "}\n")
    return "".join(out)


def rust_name(row):
    return "where_" if row["name"] == "where" else row["name"]  # a keyword


def rust_operations(text):
    """An expression that bindings/rust/gpuopt/tests/ops.rs includes."""
    out = [RUST_HEAD.format(path="gpuopt/tests/operations.in",
                            what="Each operation, and what tests/oracle.def gives for it."), "rows! {\n"]
    special = ("f64::NAN", "f64::INFINITY", "f64::NEG_INFINITY")
    for name, dtype, values in arguments(text):
        out.append(f"    {name.upper()}: {'f64' if dtype == 'float64' else 'i64'} = "
                   f"[{literals(dtype, values, *special)}];\n")
    for row, dtype, exact, names, values in expected(text):
        name, form = row["name"], "select" if row["result"] == "SELECT" else f"{row['name']}_assign {row['nin']}"
        out.append(f'    "{name}" [{rust_name(row)} {name}_into {form}] ({" ".join(names).upper()}) {dtype.upper()} '
                   f'{str(exact).lower()}\n')
        out.append(f"        [{literals('float64', values, *special)}];\n")
    return "".join(out + ["}\n"])


# ---- Go --------------------------------------------------------------------------------------------------------------

GO_HEAD = """\
// Code generated by abi/generate.py. DO NOT EDIT.
// bindings/go/{name} -- {what}

package gpuopt

// #include "shim.h"
import "C"
"""


def go_tables():
    out = [GO_HEAD.format(name="tables.go", what="names for the numbers of the tables, generated.")]
    for kind, owner, prefix in (("STATUS", "Code", "Err"), ("REASON", "Reason", "Reason"), ("DTYPE", "DType", "")):
        out.append("\nconst (\n")
        for of, name, _, sentence in numbered():
            if of == kind:
                c_name = f"GPUOPT_REASON_{name}" if kind == "REASON" else f"GPUOPT_{name}"
                go_name = "OK" if name == "OK" else prefix + camel(short(name))
                out.append(f"\t// {go_name}: {sentence[0].lower() + sentence[1:]}\n\t{go_name} {owner} = C.{c_name}\n")
        out.append(")\n")
    return "".join(out)


def go_ops():
    out = [GO_HEAD.format(name="ops.go", what="the functions of ops.def, generated.")]
    for row in rows("OP"):
        name, names = camel(row["name"]), parameters(row)
        args, values = ", ".join(names) + " Operand", ", ".join(names)
        out.append(f"\n// {name}: {row['doc']}\n// {dtypes(row)}\nfunc {name}({args}) (*Array, error) {{\n"
                   f"\treturn apply(C.GPUOPT_OP_{row['name']}, {values})\n}}\n")
        out.append(f"\n// {name}Into is {name} written to out, an array of the result's shape.\n")
        out.append(f"func {name}Into({args}, out *Array) error {{\n"
                   f"\treturn applyInto(C.GPUOPT_OP_{row['name']}, out, {values})\n}}\n")
    for row in rows("REDUCTION"):
        out.append(f"\n// {camel(row['name'])}: {row['doc']}\n// {dtypes(row)} All axes are reduced unless an option "
                   "names some.\n")
        out.append(f"func {camel(row['name'])}(x *Array, options ...ReduceOption) (*Array, error) {{\n"
                   f"\treturn reduce(C.gpuopt_go_reduction(C.gpuopt_{row['name']}), x, options)\n}}\n")
    for row in rows("SCAN"):
        out.append(f"\n// {camel(row['name'])}: {row['doc']}\n// {dtypes(row)} dtype is that of the accumulation and "
                   "result, Default for the table's;\n// includeInitial puts the identity in front.\n")
        out.append(f"func {camel(row['name'])}(x *Array, axis int, dtype DType, includeInitial bool) (*Array, error) "
                   f"{{\n")
        out.append("\treturn x.make(func(raw C.gpuopt_array, r *C.gpuopt_array, e *C.gpuopt_error) C.gpuopt_status {\n")
        out.append(f"\t\treturn C.gpuopt_{row['name']}(raw, C.int64_t(axis), C.gpuopt_dtype(dtype), "
                   f"flag(includeInitial), r, e)\n\t}})\n}}\n")
    return "".join(out)


def settings():
    """Rows of settings.def as dictionaries of their columns."""
    table = (SHARED / "host" / "settings.def").read_text()
    columns = ("name", "place", "kind", "accepted", "fallback", "read", "meaning")
    string = r'\s*((?:"[^"]*"\s*)+)'
    for row in re.findall(rf"^GPUOPT_SETTING\((\w+), (\w+), (\w+),{string},{string},{string},{string}\)", table, re.M):
        yield dict(zip(columns, (*row[:3], *("".join(re.findall(r'"([^"]*)"', text)) for text in row[3:]))))


def environment_page():
    def section(found):
        head = "\n| Variable | Values | Default | Meaning | Read |\n|---|---|---|---|---|\n"
        cells = ("accepted", "fallback", "meaning", "read")
        rows = [r for r in settings() if r["place"] == found[2]]
        return head + "".join(f"| `{r['name']}` | " + " | ".join(r[c] for c in cells) + " |\n" for r in rows) + "\n"

    begin = r"<!-- settings of (\w+), from settings.def by abi/generate.py -->"
    path = ROOT / "docs" / "environment.md"
    return re.sub(rf"({begin}\n)(?:.*?)(<!-- end of settings -->\n)",
                  lambda found: found[1] + section(found) + found[3], path.read_text(), flags=re.S)


def manual_page():
    def entry(row):
        meaning = row["meaning"][0].upper() + row["meaning"][1:]
        text = f"{meaning}: {row['accepted']} (default: {row['fallback']}); read {row['read']}."
        lines = textwrap.wrap(text, 80, break_long_words=False, break_on_hyphens=False)
        return f".It Ev {row['name']}\n" + "".join(line + "\n" for line in lines)

    path = ROOT / "packaging" / "man" / "gpuopt.1"
    begin, end = '(\\.\\\\" Generated from settings.def by abi/generate.py\n)', '(\\.\\\\" End of what is generated\n)'
    return re.sub(f"{begin}(?:.*?){end}", lambda found: found[1] + "".join(map(entry, settings())) + found[2],
                  path.read_text(), flags=re.S)


GO_OPERATIONS_HEAD = """// Code generated by abi/generate.py. DO NOT EDIT.
// bindings/go/operations_test.go -- each operation, and what tests/oracle.def gives for it.

package gpuopt

import "math"

"""


def go_operations(text):
    out, special = [GO_OPERATIONS_HEAD, "var (\n"], ("math.NaN()", "math.Inf(1)", "math.Inf(-1)")
    for name, dtype, values in arguments(text):
        out.append(f"\t{name}s = []{dtype}{{{literals(dtype, values, *special)}}}\n")
    out.append(")\n\nvar operations = []operation{\n")
    for row, dtype, exact, names, values in expected(text):
        name = camel(row["name"])
        inputs = ", ".join(f"x[{i}]" for i in range(row["nin"]))
        arrays = ", ".join(f"{n}s" for n in names)
        want = literals("float64", values, *special)
        out.append(f'\t{{"{row["name"]}", []any{{{arrays}}}, {camel(dtype)}, {str(exact).lower()}, '
                   f'[]float64{{{want}}},\n')
        out.append(f"\t\tfunc(x []*Array) (*Array, error) {{ return {name}({inputs}) }},\n")
        out.append(f"\t\tfunc(x []*Array, out *Array) error {{ return {name}Into({inputs}, out) }}}},\n")
    return "".join(out + ["}\n"])


# ---- Python ---------------------------------------------------------------------------------------------------------

PYTHON = ROOT / "bindings" / "python"
PYTHON_CALLS = (PYTHON / "src" / "abi.cpp").read_text()
PYTHON_HEAD = "// bindings/python/src/{name} -- generated by abi/generate.py; do not edit.\n//\n// {what}\n"
PYTHON_PARAMETERS = "out=None, dtype=None, where=True, casting='same_kind'"
# Functions that reduce and are no rows of ops.def: what they give, and the order of their parameters.
PYTHON_REDUCTIONS = [
    ("mean", "sums", "The arithmetic mean; of integers and bool in float64, NaN for no elements."),
    ("var", "spreads", "The variance, divided by n - ddof (also named correction); of complex numbers real."),
    ("std", "spreads", "The standard deviation, the square root of var."),
    ("nansum", "sums", "The sum of the elements that are not NaN; 0 if none are left."),
    ("nanprod", "sums", "The product of the elements that are not NaN; 1 if none are left."),
    ("nanmean", "sums", "The mean of the elements that are not NaN; NaN if none are left."),
    ("nanvar", "spreads", "The variance of the elements that are not NaN; NaN if none are left."),
    ("nanstd", "spreads", "The standard deviation of the elements that are not NaN; NaN if none are left."),
    ("nanargmin", "extremes",
     "The position of the least element that is not NaN. A slice of NaN alone is a ValueError."),
    ("nanargmax", "extremes",
     "The position of the greatest element that is not NaN. A slice of NaN alone is a ValueError."),
]
PYTHON_METHODS = {"sum", "prod", "min", "max", "any", "all", "argmin", "argmax", "mean", "var", "std"}
PYTHON_ORDERS = {
    "sums": "axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True",
    "extremes": "axis=None, out=None, keepdims=False, initial=None, where=True",
    "spreads": "axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True, correction=0",
}


def python_text(*paragraphs):
    """Paragraphs as C string literals, one line of text to a line."""
    lines = [line for paragraph in paragraphs for line in (*textwrap.wrap(paragraph, 100), "")][:-1]
    quoted = (line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return "\n".join(f'    "{line}\\n"' for line in quoted)


def python_operation_text(row):
    shapes = "Inputs are arrays and numbers; their shapes broadcast, and a number takes the dtype of the arrays."
    errors = "Raises ValueError if the shapes do not broadcast, TypeError for dtypes without such an operation."
    if row["nin"] == 1:
        shapes, errors = "The result has the shape of x.", "Raises TypeError for dtypes without such an operation."
    what = dtypes(row)
    return python_text(row["doc"], f"{shapes} {what[0].upper()}{what[1:]}", errors)


def python_operations():
    out = [PYTHON_HEAD.format(name="operations.inc", what="The rows of ops.def: operations.cpp includes it.")]
    for row in rows("OP"):
        signature = f'{row["name"]}($module, {", ".join(parameters(row))}, {PYTHON_PARAMETERS})\\n--\\n\\n'
        text = python_operation_text(row)
        out.append(f'GPUOPT_PYTHON_OPERATION({row["name"]}, {row["nin"]},\n    "{signature}"\n{text})\n')
    return "".join(out)


def python_reduction_rows():
    """(name, order of parameters, doc, a sentence on dtypes)"""
    for row in rows("REDUCTION"):
        order = "sums" if row["result"] == "SUM" else "extremes"
        what = dtypes(row)
        yield row["name"], order, row["doc"], what[0].upper() + what[1:]
    for name, order, doc in PYTHON_REDUCTIONS:
        yield (name, order, doc,
               "Dtypes: all; bool and integers count as float64 where the result is a mean or a spread.")


def python_reductions():
    out = [PYTHON_HEAD.format(name="reductions.inc", what="Reductions: reductions.cpp includes it.")]
    for name, order, doc, what in python_reduction_rows():
        macro = "GPUOPT_PYTHON_REDUCTION" + ("" if name in PYTHON_METHODS else "_FUNCTION")
        shapes = ("Over all elements, or over the given axis or axes, which are left out of the shape or, "
                  "with keepdims, have size 1.")
        errors = "Raises AxisError (a ValueError and an IndexError) for an axis that x does not have."
        text = python_text(doc, f"{shapes} {what}", errors)
        out.append(f'{macro}({name}, gpuopt_{name}, {order},\n    "{PYTHON_ORDERS[order]}",\n{text})\n')
    return "".join(out)


PYTHON_STUBS_HEAD = """# bindings/python/gpuopt/_rows.pyi -- generated by abi/generate.py; do not edit.
#
# Types of the functions of gpuopt._core.
from typing import Any

from ._core import Axes, DType, Operand, ndarray

"""
PYTHON_TYPES = {"axis": "Axes", "dtype": "DType", "out": "ndarray | None", "keepdims": "bool", "initial": "Any",
                "where": "Any", "ddof": "float", "correction": "float", "casting": "str"}


def python_typed(parameters):
    """`out=None, ddof=0` with types, for a stub."""
    names = (p.strip().split("=") for p in parameters.split(", "))
    return ", ".join(f"{name}: {PYTHON_TYPES[name]} = ..." for name, _ in names)


def python_function(name, given):
    """The stub of a function that gives an array."""
    words = re.sub(r"(?<!,) ", "\0", given)  # a parameter is one word
    lines = textwrap.wrap(words, 110, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)
    return "\n".join([f"def {name}(", *lines, ") -> ndarray: ...", ""]).replace("\0", " ")


def python_stubs():
    out = [PYTHON_STUBS_HEAD]
    for row in rows("OP"):
        given = ", ".join(f"{name}: Operand" for name in parameters(row))
        out.append(python_function(row["name"], f"{given}, {python_typed(PYTHON_PARAMETERS)}"))
    for name, order, _, _ in python_reduction_rows():
        out.append(python_function(name, f"x: Operand, /, {python_typed(PYTHON_ORDERS[order])}"))
    for _, _, name, given in declarations():
        gives_an_array = re.search(r"gpuopt_array \*results?, gpuopt_error \*error$", given)
        if gives_an_array and f"GPUOPT_PYTHON_CALL({name})" in PYTHON_CALLS:
            out.append(f"def {name}(*arguments: Any) -> ndarray: ...\n")
    return "".join(out)


PYTHON_OPERATIONS_HEAD = """# bindings/python/tests/operations.py -- generated by abi/generate.py; do not edit.
#
# What operations give at a few arguments.
from math import inf, nan

"""


def python_values(text):
    out = [PYTHON_OPERATIONS_HEAD, "# name: (dtype, values)\nARGUMENTS = {\n"]
    for name, dtype, values in arguments(text):
        out.append(f'    "{name}": ("{dtype}", [{literals(dtype, values, "nan", "inf", "-inf")}]),\n')
    out.append("}\n# (operation, dtype of the result, whether exactly, arguments, values)\nOPERATIONS = [\n")
    for row, dtype, exact, names, values in expected(text):
        want = literals("float64", values, "nan", "inf", "-inf")
        out.append(f'    ("{row["name"]}", "{dtype}", {exact}, {names}, [{want}]),\n'.replace("'", '"'))
    return "".join(out + ["]\n"])


# ---- Documents -------------------------------------------------------------------------------------------------------

COMING_FROM = ROOT / "docs" / "coming-from.md"
TABLE = re.compile(r"(<!-- The operations, written by abi/generate.py. -->\n).*?(<!-- The end of the operations. "
                   r"-->\n)", re.S)


def operations_table():
    out = ["\n| Family | Functions |\n|---|---|\n"]
    for family, sentence in families().items():
        names = " ".join(f"`{row['name']}`" for row in rows("OP") if row["family"] == family)
        out.append(f"| {sentence.removesuffix('.')} | {names} |\n")
    return "".join(out + ["\n"])


def coming_from():
    text, tables = TABLE.subn(lambda m: m[1] + operations_table() + m[2], COMING_FROM.read_text())
    if tables != 1:
        sys.exit("docs/coming-from.md has no place for the operations")
    return text


def outputs():
    headers = op_headers()  # first of all, as it says what is not defined
    values = operation_values()
    yield VALUES, values
    yield ABI / "gpuopt_ops.h", prototypes()
    yield ABI / "gpuopt_ops.hpp", functions()
    yield SHARED / "ops" / "op_headers.def", headers
    yield SHARED / "user" / "functions_all.h", user_functions_all()
    yield SHARED / "user" / "functions_used.h", user_functions_used()
    yield RUST / "gpuopt-sys" / "src" / "functions.rs", rust_functions()
    yield RUST / "gpuopt-sys" / "src" / "tables.rs", rust_sys_tables()
    yield RUST / "gpuopt" / "src" / "tables.rs", rust_tables()
    yield RUST / "gpuopt" / "src" / "ops.rs", rust_ops()
    yield RUST / "gpuopt" / "tests" / "operations.in", rust_operations(values)
    yield GO / "tables.go", go_tables()
    yield GO / "ops.go", go_ops()
    yield GO / "operations_test.go", go_operations(values)
    yield PYTHON / "src" / "operations.inc", python_operations()
    yield PYTHON / "src" / "reductions.inc", python_reductions()
    yield PYTHON / "gpuopt" / "_rows.pyi", python_stubs()
    yield PYTHON / "tests" / "operations.py", python_values(values)
    yield COMING_FROM, coming_from()
    yield ROOT / "docs" / "environment.md", environment_page()
    yield ROOT / "packaging" / "man" / "gpuopt.1", manual_page()


def main():
    check_rows()
    stale = [(path, text) for path, text in outputs() if not path.exists() or path.read_text() != text]
    for path, text in stale:
        if "--check" in sys.argv[1:]:
            print(f"{path.name} is stale: run abi/generate.py")
        else:
            path.write_text(text)
            print(f"wrote {path.name}")
    return 1 if stale and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
