# tests/fuzz/programs/standalone_kernels.py -- the statements of programs that call user kernels, in C++ on the C ABI.
import re
from pathlib import Path

from program import split

_TABLE = (Path(__file__).parent / "kernels.def").read_text()


def _row(macro, name):
    """The arguments that kernels.def has behind the name, each C++: string literals, of which several in a row are one,
    and nullptr."""
    found = re.search(rf"^{macro}\({name},\s*(.*?)\)\n(?=FUZZ|\n|#)", _TABLE, re.M | re.S)
    return re.findall(r'(?:"(?:[^"\\]|\\.)*"\s*)+|nullptr', found.group(1))


def _arguments(macro, name):
    return ", ".join(_row(macro, name))


def _with_name(macro, name):
    """The same with the name behind the text."""
    text, *rest = _row(macro, name)
    return ", ".join([text, f'"{name}"', *rest])


def _used(make, use):
    return f"gpuopt_kernel kernel = nullptr;\nCALL({make}, &kernel, &error));\n{use}\ngpuopt_kernel_release(kernel);"


def _call(arrays, out, options="nullptr"):
    return (f"const gpuopt_array arguments[] = {{{', '.join(arrays)}}};\n"
            f"CALL(gpuopt_kernel_call(kernel, {len(arrays)}, arguments, {options}, {out or 'nullptr'}, &error));")


def _axes(word):
    """A declaration, the count and the pointer."""
    if word == "*":
        return "", "0", "nullptr"
    return f"const int64_t axes[] = {{{', '.join(map(str, split(word)))}}};\n", str(len(split(word))), "axes"


def _kernel(w, out):
    return _used(f'gpuopt_elementwise_kernel({_arguments("FUZZ_KERNEL", w[0])}, "{w[0]}", nullptr', _call(w[1:], out))


def _reduction_kernel(w, out):
    declared, count, axes = _axes(w[1])
    options = (f"{declared}gpuopt_kernel_call_options options = GPUOPT_KERNEL_CALL_OPTIONS_INIT;\n"
               f"options.axes = {axes}, options.naxes = {count}, options.keepdims = {w[2]};\n")
    return _used(f'gpuopt_reduction_kernel({_arguments("FUZZ_REDUCTION", w[0])}, "{w[0]}", nullptr',
                 options + _call(w[3:], out, "&options"))


def _raw(w, out):
    name, rows, columns, block, grid, x, target = w
    return (f'const char *const types[] = {{"int", "long long", "float", "double"}};\n'
            f"const std::vector<gpuopt_dtype> dtypes = {{GPUOPT_INT32, GPUOPT_INT64, GPUOPT_FLOAT32, "
            f"GPUOPT_FLOAT64}};\n"
            f"size_t type = 0;\nwhile (dtypes[type] != gpuopt_array_dtype({x})) ++type;\n"
            f'const std::string name = std::string("{name}<") + types[type] + ">";\n'
            f"const uint32_t grid[3] = {{{grid}, 1, 1}}, block[3] = {{{block}, 1, 1}};\n"
            f"const int rows = {rows}, columns = {columns};\n"
            f"const gpuopt_raw_argument arguments[] = {{{{{x}, nullptr, 0}}, {{{target}, nullptr, 0}}, {{nullptr, "
            f"&rows, 4}}, "
            f"{{nullptr, &columns, 4}}}};\n"
            + _used(f'gpuopt_raw_kernel({_arguments("FUZZ_RAW", name)}, name.c_str()',
                    "CALL(gpuopt_raw_kernel_launch(kernel, grid, block, 0, 4, arguments, nullptr, &error));"))


def _module(w, out):
    text, first, second, variable = _row("FUZZ_MODULE", w[0])
    launches = "".join(
        f"{{\n  const int value = {number};\n"
        f"  CALL(gpuopt_raw_kernel_set_global(kernels[{k}], {variable}, 0, &value, sizeof value, &options, &error));\n"
        f"  CALL(gpuopt_raw_kernel_launch(kernels[{k}], grid, block, 0, 2, arguments, nullptr, &error));\n}}\n"
        for k, number in enumerate(w[1:3]))
    return (f"const char *const names[] = {{{first}, {second}}};\ngpuopt_kernel kernels[2] = {{}};\n"
            f"CALL(gpuopt_raw_module({text}, 2, names, kernels, &error));\n"
            "gpuopt_raw_launch_options options = GPUOPT_RAW_LAUNCH_OPTIONS_INIT;\noptions.device = device;\n"
            f"const uint32_t grid[3] = {{2, 1, 1}}, block[3] = {{64, 1, 1}};\n"
            f"const int32_t n = int32_t(gpuopt_array_size({w[3]}));\n"
            f"const gpuopt_raw_argument arguments[] = {{{{{w[3]}, nullptr, 0}}, {{nullptr, &n, sizeof n}}}};\n"
            f"{launches}for (gpuopt_kernel kernel : kernels) gpuopt_kernel_release(kernel);")


def _cfunc(w, out):
    return (f"gpuopt_cfunc function = nullptr;\nCALL(gpuopt_compile_cfunc({_with_name('FUZZ_CFUNC', w[0])}, &function, "
            "&error));\n"
            "if (function) {\n  const auto call = reinterpret_cast<double (*)(double, "
            "double)>(gpuopt_cfunc_address(function));\n"
            f'  std::printf("%a\\n", call({w[1]}, {w[2]}));\n  gpuopt_cfunc_release(function);\n}}')


def _of_ufunc(use):
    return lambda w, out: _used(f'gpuopt_vectorize({_with_name("FUZZ_UFUNC", w[0])}', use(w, out))


def _ufunc_reduce(w, out):
    declared, count, axes = _axes(w[2])
    return f"{declared}CALL(gpuopt_ufunc_reduce(kernel, {w[1]}, {count}, {axes}, {w[3]}, {out}, &error));"


def _gufunc(w, out):
    return _used(f'gpuopt_guvectorize({_with_name("FUZZ_GUFUNC", w[0])}', _call(w[1:], out))


def _stencil(w, out):
    options = ("gpuopt_stencil_options options = GPUOPT_STENCIL_OPTIONS_INIT;\n"
               f"options.mode = {w[1]}, options.cval = gpuopt_scalar_int({w[2][2:]});\n")
    return options + _used(f'gpuopt_stencil({_arguments("FUZZ_STENCIL", w[0])}, "{w[0]}", &options', _call(w[3:], out))


VERBS = {
    "kernel": _kernel, "kernel_into": _kernel, "reduction_kernel": _reduction_kernel, "raw": _raw, "module": _module,
    "cfunc": _cfunc,
    "ufunc": _of_ufunc(lambda w, out: _call(w[1:], out)), "ufunc_reduce": _of_ufunc(_ufunc_reduce),
    "ufunc_accumulate": _of_ufunc(lambda w, out: f"CALL(gpuopt_ufunc_accumulate(kernel, {w[1]}, {w[2]}, {out}, "
                                                 "&error));"),
    "ufunc_outer": _of_ufunc(lambda w, out: f"CALL(gpuopt_ufunc_outer(kernel, {w[1]}, {w[2]}, {out}, &error));"),
    "ufunc_at": _of_ufunc(lambda w, out: f"CALL(gpuopt_ufunc_at(kernel, {w[1]}, {w[2]}, {w[3]}, &error));"),
    "gufunc": _gufunc, "stencil": _stencil,
}
