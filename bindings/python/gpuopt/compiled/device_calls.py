# bindings/python/gpuopt/compiled/device_calls.py -- the words of kernels in C++: threads, barriers, memory, atomics.
from . import types, words
from .errors import Unsupported
from .values import MISSING, Value, cast, constant, truth, tuple_of

_AXES = "xyz"
# What an atomic operation makes of the old value and an operand.
_ATOMICS = {
    "sub": "{o} - {v}", "max": "({v} > {o} ? {v} : {o})", "min": "({v} < {o} ? {v} : {o})",
    "nanmax": "({v} > {o} || {o} != {o} ? {v} : {o})", "nanmin": "({v} < {o} || {o} != {o} ? {v} : {o})",
    "and_": "{o} & {v}", "or_": "{o} | {v}", "xor": "{o} ^ {v}", "exch": "{v}",
    "inc": "({o} >= {v} ? 0 : {o} + 1)", "dec": "({o} == 0 || {o} > {v} ? {v} : {o} - 1)",
}  # fmt: skip


class DeviceCallMixin:
    """Calls and attributes that only kernels have."""

    def special_attribute(self, node, target):
        """threadIdx.x and its like."""
        if isinstance(target, words.Three):
            self._in_kernel(node, target.name)
            if node.attr not in _AXES:
                raise self.error(node, f"{target.name} has x, y and z")
            return Value(types.NUMBERS["int32"], f"int32_t({target.name}.{node.attr})")
        found = getattr(target, node.attr, None) if target is not None else None
        if isinstance(found, words.Number):
            self._in_kernel(node, node.attr)
            return Value(types.NUMBERS["int32"], f"int32_t({found.text})")
        return None

    def _in_kernel(self, node, name):
        if self.options.host:
            raise self.error(node, f"cuda.{name} is for kernels: decorate the function with @cuda.jit")

    def _dimensions(self, node, ndim):
        self._in_kernel(node, "grid")
        if ndim.const not in (1, 2, 3):
            raise self.error(node, "cuda.grid() and gridsize() take 1, 2 or 3")
        return _AXES[: ndim.const]

    def _numbers(self, texts):
        values = [self.temp(types.int64, text) for text in texts]
        return values[0] if len(values) == 1 else tuple_of(values)

    def call_words_grid(self, node, ndim):
        return self._numbers(
            f"int64_t(blockIdx.{a}) * blockDim.{a} + threadIdx.{a}" for a in self._dimensions(node, ndim)
        )

    def call_words_gridsize(self, node, ndim):
        return self._numbers(f"int64_t(gridDim.{a}) * blockDim.{a}" for a in self._dimensions(node, ndim))

    def _word(self, node, text):
        self._in_kernel(node, "syncthreads")
        self.emit(text + ";")
        return Value(types.none, const=None)

    def call_words_syncthreads(self, node):
        return self._word(node, "__syncthreads()")

    def call_words_syncwarp(self, node, mask=None):
        return self._word(node, "__syncwarp()" if mask is None else f"__syncwarp({_mask(mask)})")

    def call_words_threadfence(self, node):
        return self._word(node, "__threadfence()")

    def call_words_threadfence_block(self, node):
        return self._word(node, "__threadfence_block()")

    def call_words_threadfence_system(self, node):
        return self._word(node, "__threadfence_system()")

    def call_words_nanosleep(self, node, ns):
        return self._word(node, f"__nanosleep({cast(ns, types.NUMBERS['uint32']).text})")

    def _int32(self, node, text):
        self._in_kernel(node, "syncthreads_count")
        return self.temp(types.NUMBERS["int32"], text)

    def call_words_syncthreads_count(self, node, predicate):
        return self._int32(node, f"__syncthreads_count({truth(predicate)})")

    def call_words_syncthreads_and(self, node, predicate):
        return self._int32(node, f"__syncthreads_and({truth(predicate)})")

    def call_words_syncthreads_or(self, node, predicate):
        return self._int32(node, f"__syncthreads_or({truth(predicate)})")

    # ---- Warps -------------------------------------------------------------------------------------------------

    def _shuffle(self, node, name, mask, value, lane):
        self._in_kernel(node, name)
        t = value.type
        return self.temp(t, f"__{name}({_mask(mask)}, {value.text}, int({lane.text}))")

    def call_words_shfl_sync(self, node, mask, value, src_lane):
        return self._shuffle(node, "shfl_sync", mask, value, src_lane)

    def call_words_shfl_up_sync(self, node, mask, value, delta):
        return self._shuffle(node, "shfl_up_sync", mask, value, delta)

    def call_words_shfl_down_sync(self, node, mask, value, delta):
        return self._shuffle(node, "shfl_down_sync", mask, value, delta)

    def call_words_shfl_xor_sync(self, node, mask, value, lane_mask):
        return self._shuffle(node, "shfl_xor_sync", mask, value, lane_mask)

    def call_words_all_sync(self, node, mask, predicate):
        self._in_kernel(node, "all_sync")
        return self.temp(types.boolean, f"__all_sync({_mask(mask)}, {truth(predicate)}) != 0")

    def call_words_any_sync(self, node, mask, predicate):
        self._in_kernel(node, "any_sync")
        return self.temp(types.boolean, f"__any_sync({_mask(mask)}, {truth(predicate)}) != 0")

    def call_words_ballot_sync(self, node, mask, predicate):
        return self._uint32(node, f"__ballot_sync({_mask(mask)}, {truth(predicate)})")

    def call_words_match_any_sync(self, node, mask, value):
        return self._uint32(node, f"__match_any_sync({_mask(mask)}, {value.text})")

    def call_words_activemask(self, node):
        return self._uint32(node, "__activemask()")

    def _uint32(self, node, text):
        self._in_kernel(node, "ballot_sync")
        return self.temp(types.NUMBERS["uint32"], text)

    # ---- Bits --------------------------------------------------------------------------------------------------

    def _bits(self, node, name, x):
        if not x.is_number or x.type.kind not in "biu":
            raise self.error(node, f"{name} of {x.type}: an integer is expected")
        wide = x.type.bytes == 8
        text = f"__{name}{'ll' if wide else ''}({'uint64_t' if wide else 'uint32_t'}({x.text}))"
        return self._int32(node, text)

    def call_words_popc(self, node, x):
        return self._bits(node, "popc", x)

    def call_words_clz(self, node, x):
        return self._bits(node, "clz", x)

    def call_words_ffs(self, node, x):
        return self._bits(node, "ffs", x)

    def call_words_brev(self, node, x):
        t = types.uint64 if x.type.bytes == 8 else types.NUMBERS["uint32"]
        self._in_kernel(node, "brev")
        return self.temp(t, f"__brev{'ll' if t is types.uint64 else ''}({cast(x, t).text})")

    def call_words_fma(self, node, a, b, c):
        t = types.arithmetic(types.arithmetic(a.type, b.type), c.type)
        t = t if t.kind == "f" else types.float64
        return self.temp(t, f"fma({cast(a, t).text}, {cast(b, t).text}, {cast(c, t).text})")

    def call_words_cbrt(self, node, x):
        return self.ufunc(node, "cbrt", [x])

    def call_words_selp(self, node, condition, a, b):
        t = types.unify(a.type, b.type)
        return self.temp(t, f"{truth(condition)} ? {cast(a, t).text} : {cast(b, t).text}")

    # ---- Memory ------------------------------------------------------------------------------------------------

    def _constant_shape(self, node, shape):
        sizes = [v.const for v in (shape.items if shape.is_tuple else [shape])]
        if any(not isinstance(s, int) or s < 0 for s in sizes):
            raise self.error(node, "the shape must be a constant")
        return sizes

    def _fixed_array(self, node, sizes, element, name):
        t = types.Array(element, len(sizes), "C")
        window = self.new_name("w")
        self.emit(f"{t.cpp} {window}; {window}.data = ({element.cpp} *){name};")
        stride = element.bytes
        for d in reversed(range(len(sizes))):
            self.emit(f"{window}.shape[{d}] = {sizes[d]}; {window}.strides[{d}] = {stride};")
            stride *= max(sizes[d], 1)
        return Value(t, window)

    def call_words_shared_array(self, node, shape, dtype):
        self._in_kernel(node, "shared.array")
        sizes, element = self._constant_shape(node, shape), self._dtype(node, dtype)
        count = _product(sizes)
        if count == 0:  # the size is that of the launch
            self.unit.declarations["gp_dynamic"] = "extern __shared__ __align__(16) unsigned char gp_dynamic[];\n"
            value = self._fixed_array(node, sizes, element, "gp_dynamic")
            return value
        name = self.new_name("shared_")
        self.emit(f"__shared__ __align__(16) unsigned char {name}[{count * element.bytes}];")
        return self._fixed_array(node, sizes, element, name)

    def call_words_shared_memory(self, node, dtype, size):
        return self.call_words_shared_array(node, constant(0) if size.type is types.none else size, dtype)

    def call_words_local_array(self, node, shape, dtype):
        self._in_kernel(node, "local.array")
        sizes, element = self._constant_shape(node, shape), self._dtype(node, dtype)
        name = self.new_name("local_")
        self.emit(f"alignas(16) unsigned char {name}[{max(_product(sizes), 1) * element.bytes}];")
        return self._fixed_array(node, sizes, element, name)

    def call_words_const_array_like(self, node, array):
        return array

    # ---- Atomics -----------------------------------------------------------------------------------------------

    def _atomic_place(self, node, array, index):
        self._in_kernel(node, "atomic")
        array = self.materialize(array)
        if not array.is_array:
            raise self.error(node, f"an array is expected, not {array.type}")
        place = self.place_at(node, array, index.items if index.is_tuple else [index])
        if place.kind != "element":
            raise self.error(node, "an atomic operation is on one element")
        if place.type.bytes not in (4, 8) or place.type.kind == "c":
            raise self.error(node, f"atomic operations are on numbers of 32 and 64 bits, not {place.type}", Unsupported)
        self.mark_written(array)
        return place

    def _atomic(self, node, name, array, index, value):
        place = self._atomic_place(node, array, index)
        t = place.type
        v = self.temp(t, cast(value, t).text).text
        if name == "add":
            if t.bytes == 8 and t.kind in "iu":
                return self.temp(t, f"{t.cpp}(atomicAdd((unsigned long long *)&{place.text}, (unsigned long long){v}))")
            return self.temp(t, f"atomicAdd(&{place.text}, {v})")
        made = _ATOMICS[name].format(o="o", v=v)
        return self.temp(t, f"gp_atomic(&{place.text}, [&]({t.cpp} o) {{ return {t.cpp}({made}); }})")

    def call_words_atomic_add(self, node, array, index, value):
        return self._atomic(node, "add", array, index, value)

    def call_words_atomic_sub(self, node, array, index, value):
        return self._atomic(node, "sub", array, index, value)

    def call_words_atomic_max(self, node, array, index, value):
        return self._atomic(node, "max", array, index, value)

    def call_words_atomic_min(self, node, array, index, value):
        return self._atomic(node, "min", array, index, value)

    def call_words_atomic_nanmax(self, node, array, index, value):
        return self._atomic(node, "nanmax", array, index, value)

    def call_words_atomic_nanmin(self, node, array, index, value):
        return self._atomic(node, "nanmin", array, index, value)

    def call_words_atomic_and_(self, node, array, index, value):
        return self._atomic(node, "and_", array, index, value)

    def call_words_atomic_or_(self, node, array, index, value):
        return self._atomic(node, "or_", array, index, value)

    def call_words_atomic_xor(self, node, array, index, value):
        return self._atomic(node, "xor", array, index, value)

    def call_words_atomic_exch(self, node, array, index, value):
        return self._atomic(node, "exch", array, index, value)

    def call_words_atomic_inc(self, node, array, index, value):
        return self._atomic(node, "inc", array, index, value)

    def call_words_atomic_dec(self, node, array, index, value):
        return self._atomic(node, "dec", array, index, value)

    def call_words_atomic_cas(self, node, array, index, old, value):
        place = self._atomic_place(node, array, index)
        t = place.type
        expected, v = (self.temp(t, cast(x, t).text).text for x in (old, value))
        return self.temp(t, f"gp_atomic(&{place.text}, [&]({t.cpp} o) {{ return o == {expected} ? {v} : o; }})")

    def call_words_atomic_compare_and_swap(self, node, array, old, value):
        index = tuple_of([constant(0)] * array.type.ndim) if array.is_array else constant(0)
        return self.call_words_atomic_cas(node, array, index, old, value)

    # ---- Random numbers ----------------------------------------------------------------------------------------

    def _drawn(self, node, states, index, what):
        self._in_kernel(node, "random")
        row = self.place_at(node, states, [index, constant(0)])
        self.mark_written(states)
        return f"gp_xoroshiro_{what}(&{row.text})"

    def call_words_xoroshiro128p_uniform_float32(self, node, states, index):
        return self.temp(types.float32, "float(" + self._drawn(node, states, index, "uniform") + ")")

    def call_words_xoroshiro128p_uniform_float64(self, node, states, index):
        return self.temp(types.float64, self._drawn(node, states, index, "uniform"))

    def call_words_xoroshiro128p_normal_float32(self, node, states, index):
        return self.temp(types.float32, self._drawn(node, states, index, "normal_float"))

    def call_words_xoroshiro128p_normal_float64(self, node, states, index):
        return self.temp(types.float64, self._drawn(node, states, index, "normal"))


def _mask(mask):
    return cast(mask, types.NUMBERS["uint32"]).text if mask.const is MISSING else f"{mask.const & 0xFFFFFFFF}u"


def _product(sizes):
    count = 1
    for size in sizes:
        count *= size
    return count
