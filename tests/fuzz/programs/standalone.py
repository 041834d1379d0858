# tests/fuzz/programs/standalone.py -- writes a program of the fuzzer as a C++ program of its own, on the C ABI.
import oracle_arrays
import standalone_joins
import standalone_kernels
from program import split
from runs import SHOWN
from tables import SIZE

_HEAD = """// {title}
//
// {message}
//
// c++ -std=c++17 program.cpp -lgpuopt -o program && {environment} ./program
#include <gpuopt/gpuopt.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

static gpuopt_device device = nullptr;
static gpuopt_error error = GPUOPT_ERROR_INIT;

#define CALL(call) \\
  do {{ if ((call) != GPUOPT_OK) std::printf("%s: %s\\n", #call, error.message); }} while (0)

// Memory of so many bytes, filled with the elements of `palette` one after the other, again and again.
[[maybe_unused]] static std::vector<unsigned char> filled(size_t bytes, const std::vector<unsigned char> &palette) {{
  std::vector<unsigned char> all(bytes);
  for (size_t i = 0; i < bytes; ++i) all[i] = palette[i % palette.size()];
  return all;
}}

[[maybe_unused]] static void show(const char *name, gpuopt_array x) {{
  std::vector<unsigned char> bytes(size_t(gpuopt_array_nbytes(x)));
  CALL(gpuopt_to_host(x, bytes.data(), bytes.size(), &error));
  char *text = nullptr;
  CALL(gpuopt_array_to_string(x, nullptr, &text, &error));
  uint64_t hash = 14695981039346656037u;
  for (unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211u;
  std::printf("%s = %s\\n(hash of its bytes: %016llx)\\n", name, text ? text : "?",
              static_cast<unsigned long long>(hash));
  gpuopt_string_free(text);
}}

int main() {{
  CALL(gpuopt_device_open("{device}", nullptr, &device, &error));
"""


def _numbers(values):
    return "std::vector<int64_t>{" + ", ".join(str(v) for v in values) + "}.data()"


def _shape(word):
    values = split(word)
    return f"{len(values)}, {_numbers(values) if values else 'nullptr'}"


def _dtype(word):
    return "0" if word == "-" else f"GPUOPT_{word.upper()}"


def _scalar(word):
    kind, text = word[0], word[2:]
    if kind == "c":
        re_part, im_part = text.split(":")
        return f"gpuopt_scalar_complex({re_part}, {im_part})"
    name = {"?": "bool", "i": "int", "u": "uint", "f": "real"}[kind]
    return f"gpuopt_scalar_{name}({text}{'u' if kind == 'u' else ''})"


def _bytes(word):
    return "{" + ", ".join("0x" + word[i:i + 2] for i in range(0, len(word), 2)) + "}"


def _real(word):
    return {"inf": "INFINITY", "-inf": "-INFINITY"}.get(word, word)


def _index(word):
    if word in "ne":
        return "{GPUOPT_INDEX_NEWAXIS, 0, 0, 0, 0}" if word == "n" else "{GPUOPT_INDEX_ELLIPSIS, 0, 0, 0, 0}"
    if ":" not in word:
        return f"{{GPUOPT_INDEX_INTEGER, 0, {word}, 0, 1}}"
    start, stop, step = (word + "::").split(":")[:3]
    return f"{{GPUOPT_INDEX_SLICE, 0, {start or 'GPUOPT_SLICE_ALL'}, {stop or 'GPUOPT_SLICE_ALL'}, {step or 1}}}"


def _options(axes, keepdims, dtype="-", correction="0"):
    values = ", ".join(str(axis) for axis in ([] if axes == "*" else split(axes))) or "0"
    given = "nullptr, 0" if axes == "*" else f"axes, {len(split(axes))}"
    list_of_axes = "" if axes == "*" else f"const int64_t axes[] = {{{values}}};\n"
    members = f"sizeof options, 0, nullptr, {given}, {keepdims}, {_dtype(dtype)}, 0, {correction}"
    return f"{list_of_axes}const gpuopt_reduce_options options = {{{members}}};"


def _data(w, out):
    size = 1
    for n in split(w[1]):
        size *= n
    data = f"filled({size * SIZE[w[0]]}, {_bytes(w[2])}).data()"
    return f"CALL(gpuopt_array_from(device, {data}, {_dtype(w[0])}, {_shape(w[1])}, {out}, &error));"


def _host(w, out):
    return (f"auto *memory = new std::vector<unsigned char>(filled({w[4]}, {_bytes(w[5])}));\n"
            f"CALL(gpuopt_from_host(device, memory->data() + {w[3]}, {_dtype(w[0])}, {_shape(w[1])}, "
            f"{_numbers(split(w[2]) or [0])}, GPUOPT_COPY_IF_NEEDED, "
            f"[](void *p) {{ delete static_cast<std::vector<unsigned char> *>(p); }}, memory, {out}, &error));")


def _file(text):
    """Bytes given as hexadecimal digits, in a file."""
    return (f"const std::vector<unsigned char> bytes = {_bytes(text)};\n"
            "std::FILE *file = std::fopen(\"program.tmp\", \"wb\");\n"
            "std::fwrite(bytes.data(), 1, bytes.size(), file);\nstd::fclose(file);\n")


def _save_npy(w, out):
    return f'CALL(gpuopt_save_npy({w[0]}, "program.tmp", &error));'


def _member(name, out):
    return (f'gpuopt_npz npz = nullptr;\nCALL(gpuopt_npz_open("program.tmp", &npz, &error));\n'
            f'CALL(gpuopt_npz_read(npz, "{name}", device, {out}, &error));\ngpuopt_npz_close(npz);')


def _saved_npz(compress, arrays):
    names = ", ".join(f'"{name}"' for name in arrays)
    return (f"const char *const names[] = {{{names}}};\nconst gpuopt_array arrays[] = {{{', '.join(arrays)}}};\n"
            f'CALL(gpuopt_save_npz("program.tmp", {len(arrays)}, names, arrays, {compress}, &error));\n')


def _npz(w, out):
    return _saved_npz(w[0], w[2:]) + _member(w[2 + int(w[1])], out)


def _load_npy(w, out):
    return f'{_file(w[0])}CALL(gpuopt_load_npy(device, "program.tmp", {out}, &error));'


def _dlpack(w, out):
    kind, ending = ("DLManagedTensorVersioned", "") if w[3] == "1" else ("DLManagedTensor", "_unversioned")
    return (f"{kind} *tensor = nullptr;\nCALL(gpuopt_to_dlpack{ending}({w[0]}, 0, gpuopt_copy({w[1]}), &tensor, "
            "&error));\n"
            f"CALL(gpuopt_from_dlpack{ending}(device, tensor, gpuopt_copy({w[2]}), {out}, &error));")


def _axes_call(function):
    return (
        lambda w, out: f"CALL({function}({w[0]}, {len(split(w[1]))}, "
                       f"{_numbers(split(w[1])) if split(w[1]) else 'nullptr'}, {out}, &error));"
    )


def _reduce(w, out):
    return f"{_options(w[2], w[3], w[4], w[5])}\nCALL(gpuopt_{w[0]}({w[1]}, &options, {out}, &error));"


def _like(function, value=False):
    return (
        lambda w, out: f"CALL({function}({w[0]}, {_dtype(w[1])}, {_scalar(w[2]) + ', ' if value else ''}{out}, "
                       "&error));"
    )


def _plain(function, *kinds, state=None):
    """A call whose arguments are the words in their order, each of a kind."""
    forms = {"x": str, "n": str, "f": _real, "d": _dtype, "s": _shape, "v": _scalar, "o": lambda w: f"&{w}"}

    def write(w, out):
        arguments = (["device"] if state == "device" else []) + [forms[kind](word) for kind, word in zip(kinds, w)]
        return f"CALL({function}({', '.join(arguments + ([out] if out else []))}, &error));"
    return write


def _tensordot(w, out):
    axes = "nullptr, nullptr" if len(w) == 3 else f"{_numbers(split(w[3]))}, {_numbers(split(w[4]))}"
    return f"CALL(gpuopt_tensordot({w[0]}, {w[1]}, {w[2]}, {axes}, {out}, &error));"


def _nan_to_num(w, out):
    ends = ["nullptr" if word == "-" else f"std::vector<double>{{{word}}}.data()" for word in w[2:]]
    return f"CALL(gpuopt_nan_to_num({w[0]}, {w[1]}, {ends[0]}, {ends[1]}, {out}, &error));"


def _stream(w, out):
    return (f"gpuopt_stream {w[1]} = nullptr;\nCALL(gpuopt_stream_create(device, &{w[1]}, &error));\n"
            f"CALL(gpuopt_array_on_stream({w[0]}, {w[1]}, {out}, &error));\ngpuopt_stream_release({w[1]});")


def _drop(w, out):
    return f"gpuopt_array_release({w[0]});\n{w[0]} = nullptr;"


def _item(w, out):
    return (f"gpuopt_scalar number;\nCALL(gpuopt_array_item({w[0]}, {_numbers(split(w[1]) or [0])}, &number, "
            "&error));\n"
            f'std::printf("%lld %g %g\\n", static_cast<long long>(number.value.i), number.value.f, number.imag);')


def _filled(w, out):
    return f"if ({out[1:]}) CALL(gpuopt_fill({out[1:]}, {_scalar(w[2])}, &error));"


def _choice(kind):
    return lambda w, out: (f"CALL(gpuopt_{kind}_choice({w[0]}, {w[1]}, {_shape(w[2])}, {w[3]}, "
                           f"{'nullptr' if w[4] == '-' else w[4]}, "
                           f"{out}, &error));")


def _permuted(kind):
    return lambda w, out: f"CALL(gpuopt_{kind}_permutation({w[0]}, 0, {w[1]}, {out}, &error));"


def _describe(w, out):
    return (f'std::printf("%s %d %d\\n", gpuopt_dtype_name(gpuopt_array_dtype({w[0]})), '
            f'gpuopt_array_is_contiguous({w[0]}), '
            f"gpuopt_array_is_read_only({w[0]}));")


def _dtype_shown(call):
    return f'gpuopt_dtype dtype = 0;\nCALL({call}, &dtype, &error));\nstd::printf("%s\\n", gpuopt_dtype_name(dtype));'


def _result_type(w, out):
    return f"const gpuopt_array arrays[] = {{{', '.join(w)}}};\n" + _dtype_shown(f"gpuopt_result_type({len(w)}, arrays")


def _promote_types(w, out):
    return _dtype_shown(f"gpuopt_promote_types({_dtype(w[0])}, {_dtype(w[1])}")


def _can_cast(w, out):
    return (f"int32_t allowed = -1;\nCALL(gpuopt_can_cast({_dtype(w[0])}, {_dtype(w[1])}, {w[2]}, &allowed, &error));\n"
            'std::printf("%d\\n", static_cast<int>(allowed));')


def _broadcast_shapes(w, out):
    shapes = [split(word) for word in w]
    rows = ", ".join("{" + ", ".join(map(str, shape)) + "}" for shape in shapes)
    return (f"const std::vector<std::vector<int64_t>> shapes = {{{rows}}};\n"
            f"const int32_t ndims[] = {{{', '.join(str(len(shape)) for shape in shapes)}}};\n"
            "std::vector<const int64_t *> pointers;\n"
            "for (const auto &shape : shapes) pointers.push_back(shape.data());\nint32_t ndim = 0;\n"
            "int64_t shape[GPUOPT_MAX_NDIM];\n"
            f"CALL(gpuopt_broadcast_shapes({len(shapes)}, ndims, pointers.data(), &ndim, shape, &error));\n"
            'for (int32_t d = 0; d < ndim; ++d) std::printf("%lld ", static_cast<long long>(shape[d]));\n'
            'std::printf("\\n");')


def _npz_names(w, out):
    return (_saved_npz(w[0], w[1:]) + 'gpuopt_npz npz = nullptr;\nCALL(gpuopt_npz_open("program.tmp", &npz, &error));\n'
            'for (int32_t i = 0; i < gpuopt_npz_count(npz); ++i) std::printf("%s\\n", gpuopt_npz_name(npz, i));\n'
            'gpuopt_npz_close(npz);')


def _eval(w, out):
    return f"const gpuopt_array arrays[] = {{{', '.join(w)}}};\nCALL(gpuopt_eval({len(w)}, arrays, &error));"


_VERBS = {
    "data": _data, "host": _host, "zeros": _plain("gpuopt_zeros", "d", "s", state="device"),
    "ones": _plain("gpuopt_ones", "d", "s", state="device"),
    "full": _plain("gpuopt_full", "d", "s", "v", state="device"),
    "arange": _plain("gpuopt_arange", "d", "v", "v", "v", state="device"),
    "empty": lambda w, out: f"CALL(gpuopt_empty(device, {_dtype(w[0])}, {_shape(w[1])}, {out}, &error));\n"
                            f"{_filled(w, out)}",
    "linspace": _plain("gpuopt_linspace", "d", "f", "f", "n", "n", state="device"),
    "eye": _plain("gpuopt_eye", "d", "n", "n", "n", state="device"),
    "tri": _plain("gpuopt_tri", "d", "n", "n", "n", state="device"), "tril": _plain("gpuopt_tril", "x", "n"),
    "triu": _plain("gpuopt_triu", "x", "n"),
    "zeros_like": _like("gpuopt_zeros_like"), "ones_like": _like("gpuopt_ones_like"),
    "full_like": _like("gpuopt_full_like", True),
    "empty_like": lambda w, out: f"{_like('gpuopt_empty_like')(w, out)}\n{_filled(w, out)}",
    "weak": _plain("gpuopt_weak", "v"),
    "slice": lambda w, out: f"const gpuopt_index items[] = {{{', '.join(_index(i) for i in w[1:]) or '{}'}}};\n"
                            f"CALL(gpuopt_slice({w[0]}, {len(w) - 1}, items, {out}, &error));",
    "permute": lambda w, out: f"CALL(gpuopt_permute_dims({w[0]}, "
                              f"{_numbers(split(w[1])) if split(w[1]) else 'nullptr'}, {out}, &error));",
    "transpose": _plain("gpuopt_matrix_transpose", "x"), "reshape": _plain("gpuopt_reshape", "x", "s", "n"),
    "broadcast": _plain("gpuopt_broadcast_to", "x", "s"), "expand": _plain("gpuopt_expand_dims", "x", "n"),
    "squeeze": _axes_call("gpuopt_squeeze"), "flip": _axes_call("gpuopt_flip"),
    "copy": _plain("gpuopt_copy_array", "x"),
    "astype": _plain("gpuopt_astype", "x", "d", "n"), "stream": _stream,
    "to_device": lambda w, out: f"CALL(gpuopt_to_device({w[0]}, device, gpuopt_copy({w[1]}), {out}, &error));",
    "describe": _describe, "result_type": _result_type, "promote_types": _promote_types, "can_cast": _can_cast,
    "broadcast_shapes": _broadcast_shapes,
    "assign": _plain("gpuopt_assign", "x", "x"), "fill": _plain("gpuopt_fill", "x", "v"),
    "set_item": lambda w, out: f"CALL(gpuopt_array_set_item({w[0]}, {_numbers(split(w[1]) or [0])}, {_scalar(w[2])}, "
                               "&error));",
    "mask_select": _plain("gpuopt_mask_select", "x", "x"), "mask_assign": _plain("gpuopt_mask_assign", "x", "x", "x"),
    "take": _plain("gpuopt_take", "x", "x", "n"), "put": _plain("gpuopt_put", "x", "x", "n", "x"),
    "argwhere": _plain("gpuopt_argwhere", "x"),
    "item": _item, "print": lambda w, out: f'show("{w[0]}", {w[0]});',
    "read": lambda w, out: f'show("{w[0]}", {w[0]});',
    "eval": _eval, "synchronize": lambda w, out: "CALL(gpuopt_device_synchronize(device, &error));", "drop": _drop,
    "op": lambda w, out: f"CALL(gpuopt_{w[0]}({', '.join(w[1:])}, {out}, &error));",
    "op_into": lambda w, out: f"CALL(gpuopt_{w[0]}_into({', '.join(w[1:])}, &error));",
    "nan_to_num": _nan_to_num, "isclose": _plain("gpuopt_isclose", "x", "x", "f", "f", "n"), "reduce": _reduce,
    "scan": lambda w, out: f"CALL(gpuopt_{w[0]}({w[1]}, {w[2]}, {_dtype(w[3])}, {w[4]}, {out}, &error));",
    "matmul": _plain("gpuopt_matmul", "x", "x"), "dot": _plain("gpuopt_dot", "x", "x"),
    "outer": _plain("gpuopt_outer", "x", "x"),
    "vecdot": _plain("gpuopt_vecdot", "x", "x", "n"), "tensordot": _tensordot,
    "vector_norm": lambda w, out: f"{_options(w[2], w[3])}\nCALL(gpuopt_vector_norm({w[0]}, {_real(w[1])}, &options, "
                                  f"{out}, &error));",
    "matrix_norm": _plain("gpuopt_matrix_norm", "x", "f", "n"), "norm": _plain("gpuopt_norm", "x"),
    "random_state": lambda w, out: f"CALL(gpuopt_random_state_create(device, {w[1]}, &{w[0]}, &error));",
    "generator": lambda w, out: f"CALL(gpuopt_generator_create(device, {w[1]}, &{w[0]}, &error));",
    "rs_sample": _plain("gpuopt_random_state_random_sample", "x", "s"),
    "rs_uniform": _plain("gpuopt_random_state_uniform", "x", "f", "f", "s"),
    "rs_normal": _plain("gpuopt_random_state_normal", "x", "f", "f", "s"),
    "rs_randint": _plain("gpuopt_random_state_randint", "x", "n", "n", "d", "s"),
    "random_state_array": lambda w, out: "const std::vector<uint32_t> seeds = "
                                         f"{{{', '.join(f'{n}u' for n in split(w[1]))}}};\n"
                                         f"CALL(gpuopt_random_state_create_array(device, {len(split(w[1]))}, "
                                         f"seeds.data(), &{w[0]}, &error));",
    "rs_seed": lambda w, out: f"CALL(gpuopt_random_state_seed({w[0]}, {w[1]}u, &error));",
    "rs_choice": _choice("random_state"), "rs_permuted": _permuted("random_state"),
    "gen_choice": _choice("generator"), "gen_permuted": _permuted("generator"),
    "rs_shuffle": _plain("gpuopt_random_state_shuffle", "x", "x"),
    "rs_permutation": lambda w, out: f"CALL(gpuopt_random_state_permutation({w[0]}, {w[1]}, nullptr, {out}, &error));",
    "gen_uniform": _plain("gpuopt_generator_uniform", "x", "f", "f", "d", "s"),
    "gen_normal": _plain("gpuopt_generator_normal", "x", "f", "f", "d", "s"),
    "gen_exponential": _plain("gpuopt_generator_exponential", "x", "f", "d", "s"),
    "gen_integers": _plain("gpuopt_generator_integers", "x", "n", "n", "n", "d", "s"),
    "gen_permutation": lambda w, out: f"CALL(gpuopt_generator_permutation({w[0]}, {w[1]}, nullptr, {out}, &error));",
    "npy": lambda w, out: f'{_save_npy(w, None)}\nCALL(gpuopt_load_npy(device, "program.tmp", {out}, &error));',
    "save_npy": _save_npy, "load_npy": _load_npy, "npz": _npz, "npz_names": _npz_names,
    "load_npz": lambda w, out: _file(w[1]) + _member(w[0], out), "dlpack": _dlpack,
    "pad": lambda w, out: f"CALL(gpuopt_pad({w[0]}, {_numbers(split(w[1]) or [0])}, {w[2]}, {_scalar(w[3])}, {out}, "
                          "&error));",
    **standalone_joins.VERBS,
    **standalone_kernels.VERBS,
}


def _statement(s):
    """Blocks, for what a call needs of its own."""
    lines = _VERBS[s.verb](s.words, f"&{s.result}" if s.result else None).split("\n")
    if len(lines) == 1:
        return f"  {lines[0]}\n"
    return "  {\n" + "".join(f"    {line}\n" for line in lines) + "  }\n"


def _shown(failure):
    """What prints the value that is wrong, where the statement does not itself."""
    if failure.place is None:
        return {}
    statement = failure.program.statements[failure.place]
    prints_itself = (
        statement.verb in ("read", "print", "drop", "eval", "synchronize", "weak") or statement.verb in SHOWN
    )
    name = statement.result or (None if prints_itself else oracle_arrays.target_of(statement))
    return {} if prints_itself or not name else {failure.place: f'  show("{name}", {name});\n'}


def source(failure, environment, device="cpu!"):
    """The C++ text of a failure's program."""
    program = failure.program
    settings = " ".join(f"{name}={value}" for name, value in environment.items())
    out = [_HEAD.format(title=f"Found by the fuzzer as program {program.name}: {failure.kind}, {failure.mode}",
                        message=failure.message.replace("\n", "\n// "), environment=settings, device=device)]
    arrays = [s.result for s in program.statements if s.result]
    out += [f"  gpuopt_array {name} = nullptr;\n" for name in arrays]
    out += [f"  gpuopt_random_state {s.words[0]} = nullptr;\n"
            for s in program.statements if s.verb.startswith("random_state")]
    out += [f"  gpuopt_generator {s.words[0]} = nullptr;\n" for s in program.statements if s.verb == "generator"]
    shown = _shown(failure)
    out += [_statement(s) + shown.get(place, "") for place, s in enumerate(program.statements)]
    out += [f"  gpuopt_array_release({name});\n" for name in arrays]
    out += [f"  gpuopt_random_state_release({s.words[0]});\n"
            for s in program.statements if s.verb.startswith("random_state")]
    out += [f"  gpuopt_generator_release({s.words[0]});\n" for s in program.statements if s.verb == "generator"]
    return "".join(out) + "  gpuopt_device_release(device);\n}\n"
