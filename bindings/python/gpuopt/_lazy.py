# bindings/python/gpuopt/_lazy.py -- names of gpuopt that are loaded when they are asked for: functions that are
# compiled from Python.
COMPILED = {
    "jit": "dispatch",
    "njit": "dispatch",
    "prange": "loops",
    "vectorize": "vectorized",
    "guvectorize": "vectorized",
    "stencil": "stencils",
    "cfunc": "callbacks",
    "carray": "callbacks",
    "typeof": "types",
    "types": "types",
    "void": "types",
    "none": "types",
    "CPointer": "types",
    "TypingError": "errors",
    "fuse": "fusion",
    "generated_jit": "language.extending",
    "jitclass": "language.classes",
    "overload": "language.extending",
    "overload_attribute": "language.extending",
    "overload_method": "language.extending",
    "register_jitable": "language.extending",
}


# NumPy's own of these have nothing to do with arrays' elements: classes of dtypes, indices, numbers as texts, and what
# NumPy does about its own errors.
NUMPY = {
    *("generic", "number", "integer", "signedinteger", "unsignedinteger", "inexact", "floating", "complexfloating"),
    *("flexible", "character", "ndindex", "s_", "index_exp", "errstate", "geterr", "seterr", "exceptions"),
    *("base_repr", "binary_repr", "format_float_positional", "format_float_scientific"),
    *("euler_gamma", "little_endian", "mintypecode", "typecodes", "typename"),
}


def find(name):
    """The value of one of these names."""
    import importlib

    module = importlib.import_module(f"gpuopt.compiled.{COMPILED[name]}")
    return module if name == COMPILED[name] == "types" else getattr(module, name)
