#!/usr/bin/env python3
# tests/fault/make_arguments.py -- writes calls of every function of the public headers for arguments_posix_test.cpp:
# each argument is picked from the values of its type. A function that is added to the headers is called, too; a type
# that has no values does not compile.
#
# usage: make_arguments.py ROOT OUTPUT
import re
import sys
from pathlib import Path

root, output = Path(sys.argv[1]), Path(sys.argv[2])
sys.path.insert(0, str(root / "abi"))
from writers.c_headers import declarations  # noqa: E402


def split(parameters):
    """(type, name) of each parameter."""
    for text in re.split(r",(?![^()]*\))", parameters):
        text = text.strip()
        callback = re.match(r"void \(\*(\w+)\)\(.*\)$", text)
        named = re.match(r"(.*?)(\w+)$", text)
        if callback:
            yield "Release", callback[1]
        elif text != "void":
            yield named[1].strip(), named[2]


rows, bodies = [], []
for _, result, name, parameters in declarations():
    lines, arguments = [], []
    given = list(split(parameters))
    several = any(argument in ("results", "edges") for _, argument in given)
    for k, (kind, argument) in enumerate(given):
        if name == "gpuopt_frombuffer" and argument == "bytes":
            argument = "bytes_at_data"
        if several and kind == "int32_t":
            argument = "number_of_results"  # that the caller has room for
        lines.append(f'  const auto a{k} = call.pick<{kind}>("{argument}");')
        arguments.append(f"a{k}")
    given = f"{name}({', '.join(arguments)})"
    if name == "gpuopt_comm_send_recv":  # from nobody
        lines.append("  call.may_give_nothing();")
    lines.append("  if (!call.wanted()) return;")
    lines.append(f"  {given};\n  call.returned();" if result == "void" else f"  call.returned({given});")
    bodies.append(f"void call_{name}(Call &call) {{\n" + "\n".join(lines) + "\n}\n")
    rows.append(f'    {{"{name}", call_{name}, {str(result == "gpuopt_status").lower()}}},')
if len(rows) < 300:
    sys.exit(f"only {len(rows)} functions were found in the headers")
output.write_text("// Written by tests/fault/make_arguments.py.\n" + "\n".join(bodies) +
                  "\nconst Function functions[] = {\n" + "\n".join(rows) + "\n};\n")
