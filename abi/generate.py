#!/usr/bin/env python3
# abi/generate.py -- writes what is made of the tables: gpuopt_ops.h, gpuopt_ops.hpp, plugins/shared/ops/op_headers.def;
# of the bindings the wrappers of operations, the tables, Rust's declarations and the operations that their tests try;
# of plugins/shared/distributions what functions compiled from Python draw; the list of operations in
# docs/coming-from.md; of settings.def, what docs/environment.md and gpuopt(1) say; and of names.txt, docs/names.md.
# `--check` only says whether they are fresh.
#
# Each file of abi/writers writes for one reader: C and C++, a binding, the documents.
import sys

sys.dont_write_bytecode = True
from writers.c_headers import functions, prototypes  # noqa: E402
from writers.documents import COMING_FROM, coming_from, environment_page, manual_page  # noqa: E402
from writers.go import go_operations, go_ops, go_tables  # noqa: E402
from writers.names import PAGE, names_page  # noqa: E402
from writers.operations import VALUES, op_headers, operation_values  # noqa: E402
from writers.curand_powers import curand_powers  # noqa: E402
from writers.python import (  # noqa: E402
    PYTHON,
    python_distributions,
    python_operations,
    python_reductions,
    python_stubs,
    python_values,
)
from writers.rust import rust_functions, rust_operations, rust_ops, rust_sys_tables, rust_tables  # noqa: E402
from writers.tables import ABI, GO, ROOT, RUST, SHARED, check_rows  # noqa: E402
from writers.user_functions import user_functions_all, user_functions_used  # noqa: E402


def outputs():
    headers = op_headers()  # first of all, as it says what is not defined
    values = operation_values()
    yield VALUES, values
    yield ABI / "gpuopt_ops.h", prototypes()
    yield ABI / "gpuopt_ops.hpp", functions()
    yield SHARED / "ops" / "op_headers.def", headers
    yield SHARED / "user" / "functions_all.h", user_functions_all()
    yield SHARED / "user" / "functions_used.h", user_functions_used()
    yield SHARED / "words" / "curand" / "curand_powers.h", curand_powers()
    yield RUST / "gpuopt-sys" / "src" / "functions.rs", rust_functions()
    yield RUST / "gpuopt-sys" / "src" / "tables.rs", rust_sys_tables()
    yield RUST / "gpuopt" / "src" / "tables.rs", rust_tables()
    yield RUST / "gpuopt" / "src" / "ops.rs", rust_ops()
    yield RUST / "gpuopt" / "tests" / "operations.in", rust_operations(values)
    yield GO / "tables.go", go_tables()
    yield GO / "ops.go", go_ops()
    yield GO / "operations_test.go", go_operations(values)
    yield PYTHON / "src" / "distributions.inc", python_distributions()
    yield PYTHON / "src" / "operations.inc", python_operations()
    yield PYTHON / "src" / "reductions.inc", python_reductions()
    yield PYTHON / "gpuopt" / "_rows.pyi", python_stubs()
    yield PYTHON / "tests" / "operations.py", python_values(values)
    yield COMING_FROM, coming_from()
    yield PAGE, names_page()
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
