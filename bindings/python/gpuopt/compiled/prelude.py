# bindings/python/gpuopt/compiled/prelude.py -- the C++ text that stands in front of compiled functions.
"""What Python's operators mean in C++. Parts are put in front of a function only if it names them."""

import re

from .language import containers, text_code

# Functions for the host own the memory of arrays that they make; kernels have none.
_HOST_ARRAY = """
struct gp_block { int64_t references; void (*release)(gp_block *); };
struct gp_runtime {
  void *(*allocate)(int64_t);
  int32_t (*run_chunks)(int32_t (*)(void *, int64_t), void *, int64_t);
  void (*print_number)(char, int64_t, double, double);
  void (*print_text)(const char *);
  void (*print_line)();
  void *(*random_state)();
  int32_t (*host_call)(const char *, const int64_t *, int64_t, int64_t *);
  void *(*own)(const void *);
  void (*note)(void **, char, int64_t, double, double, const void *);
  double (*draw_real)(int64_t, double, double, double);
  int64_t (*draw_integer)(int64_t, double, double, int64_t, int64_t, int64_t);
  void (*print_letters)(const uint32_t *, int64_t, bool);
  void *(*format)(char, int64_t, double, double, const uint32_t *, const uint32_t *, int64_t, int64_t *);
};
struct gp_context { const gp_runtime *rt; int64_t detail[2]; void *note; };
template <class T, int N> struct gp_array {
  typedef T element;
  T *data = nullptr;
  int64_t shape[N ? N : 1] = {}, strides[N ? N : 1] = {};
  gp_block *owner = nullptr;
  gp_array() {}
  gp_array(const gp_array &o) { take(o); if (owner) __atomic_fetch_add(&owner->references, 1, __ATOMIC_RELAXED); }
  gp_array &operator=(const gp_array &o) {
    if (o.owner) __atomic_fetch_add(&o.owner->references, 1, __ATOMIC_RELAXED);
    drop(); take(o); return *this;
  }
  ~gp_array() { drop(); }
  void take(const gp_array &o) {
    data = o.data; owner = o.owner;
    for (int d = 0; d < N; d++) { shape[d] = o.shape[d]; strides[d] = o.strides[d]; }
  }
  void drop() {
    if (owner && __atomic_fetch_sub(&owner->references, 1, __ATOMIC_ACQ_REL) == 1) owner->release(owner);
  }
};
template <class T, int N> static void gp_empty(gp_context *cx, gp_array<T, N> &out, const int64_t *shape) {
  int64_t bytes = sizeof(T);
  for (int d = N - 1; d >= 0; d--) {
    out.shape[d] = shape[d];
    out.strides[d] = bytes;
    if (shape[d] < 0 || (shape[d] && __builtin_mul_overflow(bytes, shape[d], &bytes))) return;
  }
  for (int d = 0; d < N; d++) if (!shape[d]) bytes = 0;
  out.owner = (gp_block *)cx->rt->allocate(bytes);
  if (out.owner) out.data = (T *)((char *)out.owner + 64);
}
template <class T, int N> static gp_array<T, N> gp_load(const int64_t *slot) {
  gp_array<T, N> a;
  a.data = (T *)slot[0];
  for (int d = 0; d < N; d++) { a.shape[d] = slot[1 + d]; a.strides[d] = slot[1 + N + d]; }
  return a;
}
template <class T, int N> static void gp_store(int64_t *slot, const gp_array<T, N> &a) {
  slot[0] = (int64_t)a.data;
  for (int d = 0; d < N; d++) { slot[1 + d] = a.shape[d]; slot[1 + N + d] = a.strides[d]; }
  slot[1 + 2 * N] = (int64_t)a.owner;
  if (a.owner) __atomic_fetch_add(&a.owner->references, 1, __ATOMIC_RELAXED);
}
"""

_DEVICE_ARRAY = """
template <class T, int N> struct gp_array {
  typedef T element;
  T *data;
  int64_t shape[N ? N : 1], strides[N ? N : 1];
};
"""

# Parts by the name that asks for them; a part may name others.
_PARTS = {
    "gp_add": """
template <class T> __device__ inline T gp_add(T a, T b) { return T(uint64_t(a) + uint64_t(b)); }
""",
    "gp_sub": """
template <class T> __device__ inline T gp_sub(T a, T b) { return T(uint64_t(a) - uint64_t(b)); }
""",
    "gp_mul": """
template <class T> __device__ inline T gp_mul(T a, T b) { return T(uint64_t(a) * uint64_t(b)); }
""",
    "gp_floordiv": """
__device__ inline int64_t gp_floordiv(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return int64_t(0 - uint64_t(a));
  const int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
__device__ inline uint64_t gp_floordiv(uint64_t a, uint64_t b) { return b ? a / b : 0; }
template <class T> __device__ inline T gp_floordiv_float(T a, T b) {
  if (b == 0) return a / b;
  T mod = fmod(a, b), div = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0)) div -= 1;
  if (div == 0) return copysign(T(0), a / b);
  const T whole = floor(div);
  return div - whole > T(0.5) ? whole + 1 : whole;
}
__device__ inline double gp_floordiv(double a, double b) { return gp_floordiv_float(a, b); }
__device__ inline float gp_floordiv(float a, float b) { return gp_floordiv_float(a, b); }
""",
    "gp_mod": """
__device__ inline int64_t gp_mod(int64_t a, int64_t b) {
  if (b == 0 || b == -1) return 0;
  const int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
__device__ inline uint64_t gp_mod(uint64_t a, uint64_t b) { return b ? a % b : 0; }
template <class T> __device__ inline T gp_mod_float(T a, T b) {
  const T mod = fmod(a, b);
  return mod == 0 ? copysign(T(0), b) : (b < 0) != (mod < 0) ? mod + b : mod;
}
__device__ inline double gp_mod(double a, double b) { return gp_mod_float(a, b); }
__device__ inline float gp_mod(float a, float b) { return gp_mod_float(a, b); }
""",
    "gp_pow": """
template <class T> __device__ inline T gp_pow_integer(T base, int64_t exponent) {
  const bool inverse = exponent < 0;
  uint64_t e = inverse ? 0 - uint64_t(exponent) : uint64_t(exponent), r = 1, b = uint64_t(base);
  for (; e; e >>= 1) { if (e & 1) r *= b; b *= b; }
  return inverse ? T(r) == 1 ? T(1) : T(r) == T(-1) ? T(-1) : T(0) : T(r);
}
__device__ inline int64_t gp_pow(int64_t a, int64_t b) { return gp_pow_integer(a, b); }
__device__ inline uint64_t gp_pow(uint64_t a, uint64_t b) {
  uint64_t r = 1;
  for (; b; b >>= 1) { if (b & 1) r *= a; a *= a; }
  return r;
}
__device__ inline double gp_pow(double a, double b) { return pow(a, b); }
__device__ inline float gp_pow(float a, float b) { return pow(a, b); }
template <class T> __device__ inline complex<T> gp_pow(complex<T> a, complex<T> b) { return pow(a, b); }
""",
    "gp_shl": """
template <class T> __device__ inline T gp_shl(T a, int64_t n) { return n < 0 || n > 63 ? T(0) : T(uint64_t(a) << n); }
""",
    "gp_shr": """
template <class T> __device__ inline T gp_shr(T a, int64_t n) {
  return n < 0 || n > 63 ? (a < 0 ? T(-1) : T(0)) : T(a >> n);
}
""",
    "gp_to": """
template <class T, class S> __device__ inline T gp_to(S x) {
  const double v = double(x), least = T(-1) < T(0) ? -9223372036854775808.0 : 0.0;
  if (v != v) return 0;
  const bool is_signed = T(-1) < T(0);
  if (v < -9223372036854775808.0) return is_signed ? T(-9223372036854775807LL - 1) : T(0);
  if (v < least) return T(int64_t(v));
  if (v >= (is_signed ? 9223372036854775808.0 : 18446744073709551616.0))
    return is_signed ? T(9223372036854775807LL) : T(-1);
  return is_signed ? T(int64_t(v)) : T(uint64_t(v));
}
""",
    "gp_order": """
__device__ inline int gp_order(int64_t a, uint64_t b) {
  return a < 0 || uint64_t(a) < b ? -1 : uint64_t(a) > b;
}
__device__ inline int gp_order(uint64_t a, int64_t b) { return -gp_order(b, a); }
""",
    "gp_round": """
__device__ inline double gp_round(double x, int64_t n) {
  if (!(fabs(x) < 1e300) || n > 300) return x;
  if (n < -300) return 0 * x;
  const double p = pow(10.0, double(n < 0 ? -n : n)), y = n < 0 ? x / p : x * p;
  if (!(fabs(y) < 4503599627370496.0)) return x;
  double z = round(y);
  if (fabs(y - z) == 0.5) z = 2.0 * round(y / 2.0);
  return n < 0 ? z * p : z / p;
}
""",
    "gp_range": """
__device__ inline int64_t gp_range(int64_t start, int64_t stop, int64_t step) {
  if (step > 0) return start < stop ? int64_t((uint64_t(stop) - uint64_t(start) - 1) / uint64_t(step)) + 1 : 0;
  return start > stop ? int64_t((uint64_t(start) - uint64_t(stop) - 1) / (0 - uint64_t(step))) + 1 : 0;
}
""",
    "gp_slice": """
__device__ inline int64_t gp_clip(int64_t i, int64_t n, int64_t low, int64_t high) {
  if (i < 0) i += n;
  return i < low ? low : i > high ? high : i;
}
__device__ inline void gp_slice(int64_t n, int64_t &start, int64_t &stop, int64_t step, bool has_start, bool has_stop) {
  const int64_t low = step < 0 ? -1 : 0, high = step < 0 ? n - 1 : n;
  start = has_start ? gp_clip(start, n, low, high) : step < 0 ? high : low;
  stop = has_stop ? gp_clip(stop, n, low, high) : step < 0 ? low : high;
  const int64_t length = step > 0 ? stop - start : start - stop;
  stop = length > 0 ? (length - 1) / (step > 0 ? step : -step) + 1 : 0;
}
""",
    "gp_size": """
template <class T, int N> __device__ inline int64_t gp_size(const gp_array<T, N> &a) {
  int64_t n = 1;
  for (int d = 0; d < N; d++) n *= a.shape[d];
  return n;
}
template <class T, int N> __device__ inline bool gp_packed(const gp_array<T, N> &a) {
  int64_t step = sizeof(T);
  for (int d = N - 1; d >= 0; d--) {
    if (a.shape[d] != 1 && a.strides[d] != step) return false;
    step *= a.shape[d];
  }
  return true;
}
// The element at a flat position in C order.
template <class T, int N> __device__ inline T &gp_flat(const gp_array<T, N> &a, int64_t at) {
  char *p = (char *)a.data;
  for (int d = N - 1; d >= 0; d--) { p += at % a.shape[d] * a.strides[d]; at /= a.shape[d]; }
  return *(T *)p;
}
""",
    "gp_atomic": """
template <class F> __device__ inline uint32_t gp_swap_bits(uint32_t *p, F f) {
  uint32_t old = *(volatile uint32_t *)p, seen;
  for (;; old = seen) { seen = atomicCAS(p, old, f(old)); if (seen == old) return old; }
}
template <class F> __device__ inline unsigned long long gp_swap_bits(unsigned long long *p, F f) {
  unsigned long long old = *(volatile unsigned long long *)p, seen;
  for (;; old = seen) { seen = atomicCAS(p, old, f(old)); if (seen == old) return old; }
}
template <class T, int bytes> struct gp_bits { typedef unsigned long long type; };
template <class T> struct gp_bits<T, 4> { typedef uint32_t type; };
// Puts f(old) in the place of old, as one step; gives old.
template <class T> union gp_word { T value; typename gp_bits<T, sizeof(T)>::type bits; };
template <class T, class F> __device__ inline T gp_atomic(T *p, F f) {
  gp_word<T> old;
  old.bits = gp_swap_bits(&((gp_word<T> *)p)->bits, [&](typename gp_bits<T, sizeof(T)>::type b) {
    gp_word<T> word;
    word.bits = b;
    word.value = f(word.value);
    return word.bits;
  });
  return old.value;
}
""",
    "gp_xoroshiro": """
__device__ inline uint64_t gp_rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
__device__ inline uint64_t gp_xoroshiro_next(uint64_t *s) {
  const uint64_t s0 = s[0], sum = s0 + s[1], s1 = s[1] ^ s0;
  s[0] = gp_rotl(s0, 55) ^ s1 ^ (s1 << 14);
  s[1] = gp_rotl(s1, 36);
  return sum;
}
__device__ inline double gp_xoroshiro_uniform(uint64_t *s) {
  return double(gp_xoroshiro_next(s) >> 11) * (1.0 / 9007199254740992.0);
}
__device__ inline double gp_xoroshiro_normal(uint64_t *s) {
  const double u1 = gp_xoroshiro_uniform(s), u2 = gp_xoroshiro_uniform(s);
  return sqrt(-2.0 * log(u1)) * cos(6.283185307179586 * u2);
}
__device__ inline float gp_xoroshiro_normal_float(uint64_t *s) {
  const float u1 = float(gp_xoroshiro_uniform(s)), u2 = float(gp_xoroshiro_uniform(s));
  return sqrt(-2.0f * log(u1)) * cos(6.2831853f * u2);
}
""",
    "gp_sort": """
template <class T> __device__ inline bool gp_before(T a, T b) { return a < b || (a == a && b != b); }
// Heapsort; NaN stands last.
template <class T> __device__ inline void gp_sift(const gp_array<T, 1> &a, int64_t root, int64_t n) {
  for (int64_t child; (child = 2 * root + 1) < n; root = child) {
    if (child + 1 < n && gp_before(gp_flat(a, child), gp_flat(a, child + 1))) child++;
    if (!gp_before(gp_flat(a, root), gp_flat(a, child))) return;
    const T x = gp_flat(a, root);
    gp_flat(a, root) = gp_flat(a, child);
    gp_flat(a, child) = x;
  }
}
template <class T> __device__ inline void gp_sort(const gp_array<T, 1> &a) {
  for (int64_t k = a.shape[0] / 2 - 1; k >= 0; k--) gp_sift(a, k, a.shape[0]);
  for (int64_t n = a.shape[0] - 1; n > 0; n--) {
    const T x = gp_flat(a, 0);
    gp_flat(a, 0) = gp_flat(a, n);
    gp_flat(a, n) = x;
    gp_sift(a, 0, n);
  }
}
""",
    "gp_owned": """
// The array with an owner, so that it can outlive the call: that of an argument's memory, or a copy of a constant.
template <class T, int N> static gp_array<T, N> gp_owned(gp_context *cx, gp_array<T, N> a) {
  if (a.owner || (a.owner = (gp_block *)cx->rt->own(a.data))) return a;
  gp_array<T, N> made;
  gp_empty(cx, made, a.shape);
  if (made.owner) gp_map(made, [](T x) { return x; }, a);
  else for (int d = 0; d < N; d++) made.shape[d] = 0;
  return made;
}
""",
    "gp_map": """
template <int N, class T, int M> __device__ inline bool gp_widen(int64_t *shape, const gp_array<T, M> &a) {
  for (int d = 0; d < M; d++) {
    int64_t &n = shape[N - M + d];
    if (n == 1) n = a.shape[d];
    else if (a.shape[d] != 1 && a.shape[d] != n) return false;
  }
  return true;
}
template <int N, class... A> __device__ inline bool gp_broadcast(int64_t *shape, const A &...a) {
  for (int d = 0; d < N; d++) shape[d] = 1;
  return (gp_widen<N>(shape, a) && ...);
}
template <class T, int N, class S, int M>
__device__ inline bool gp_same(const gp_array<T, N> &out, const gp_array<S, M> &a) {
  if (M != N || !gp_packed(a)) return false;
  for (int d = 0; d < M; d++) if (a.shape[d] != out.shape[d]) return false;
  return true;
}
template <int N, class S, int M> __device__ inline S &gp_at(const gp_array<S, M> &a, const int64_t *index) {
  char *p = (char *)a.data;
  for (int d = 0; d < M; d++) p += a.shape[d] == 1 ? 0 : index[N - M + d] * a.strides[d];
  return *(S *)p;
}
template <class T, class F, class... S> __device__ inline void gp_map_flat(T *out, int64_t n, F f, S *...a) {
  for (int64_t i = 0; i < n; i++) out[i] = T(f(a[i]...));
}
template <class T, int N, class F, class... A>
__device__ inline void gp_map(const gp_array<T, N> &out, F f, const A &...a) {
  const int64_t n = gp_size(out);
  if (n == 0) return;
  if (gp_packed(out) && (gp_same(out, a) && ...)) return gp_map_flat(out.data, n, f, a.data...);
  int64_t index[N + 1] = {};
  const int64_t inner = N ? out.shape[N ? N - 1 : 0] : 1;
  for (int64_t done = 0; done < n; done += inner) {
    for (int64_t i = 0; i < inner; i++) {
      if (N) index[N ? N - 1 : 0] = i;
      gp_at<N>(out, index) = T(f(gp_at<N>(a, index)...));
    }
    for (int d = N - 2; d >= 0 && ++index[d] == out.shape[d]; d--) index[d] = 0;
  }
}
""",
}

_PARTS["gp_str"] = text_code.PARTS["gp_str"]
_PARTS.update(containers.PARTS)
_PARTS.update(text_code.PARTS)
_XOROSHIRO = {f"gp_xoroshiro_{what}": "gp_xoroshiro" for what in ("uniform", "normal", "normal_float")}
_OWNERS = {
    "gp_packed": "gp_size", "gp_flat": "gp_size", "gp_broadcast": "gp_map", **_XOROSHIRO, **containers.OWNERS,
    **text_code.OWNERS,
}  # fmt: skip
_NAMES = re.compile(r"\bgp_[a-z_]+")


def _needed(text):
    """The parts that a text names, and those that these name."""
    found, left = [], [text]
    while left:
        for name in dict.fromkeys(_NAMES.findall(left.pop())):
            name = _OWNERS.get(name, name)
            if name in _PARTS and name not in found:
                found.append(name)
                left.append(_PARTS[name])
    return [name for name in _PARTS if name in found]


def in_front_of(text, host, extra=()):
    """The prelude of a text."""
    parts = _needed("\n".join((text, *extra)))
    return (_HOST_ARRAY if host else _DEVICE_ARRAY) + "".join(_PARTS[name] for name in parts) + "".join(extra)
