# bindings/python/gpuopt/compiled/language/containers.py -- the C++ text of lists and of tuples that stand in them.
"""Lists count their references, as arrays do. A list is a block of memory with a second one that has its items; memory
that is all zero bytes is a valid item of every type, so that items are assigned to, never constructed."""

PARTS = {
    "gp_tuple": """
template <class... T> struct gp_tuple {};
template <class A, class... T> struct gp_tuple<A, T...> { A first{}; gp_tuple<T...> rest{}; };
template <class... T> static gp_tuple<T...> gp_pack_none() { return {}; }
template <class A, class... T> static gp_tuple<A, T...> gp_pack(A a, T... t) {
  gp_tuple<A, T...> r;
  r.first = a;
  if constexpr (sizeof...(T) > 0) r.rest = gp_pack<T...>(t...);
  return r;
}
static inline bool gp_equal(const gp_tuple<> &, const gp_tuple<> &) { return true; }
template <class T> static bool gp_equal(const T &a, const T &b) { return a == b; }
template <class A, class... T> static bool gp_equal(const gp_tuple<A, T...> &a, const gp_tuple<A, T...> &b) {
  return gp_equal(a.first, b.first) && gp_equal(a.rest, b.rest);
}
""",
    "gp_list": """
template <class T> struct gp_list {
  typedef T element;
  struct fields { gp_block *memory; int64_t length, capacity; };
  gp_block *block = nullptr;
  gp_list() {}
  gp_list(const gp_list &o) : block(o.block) { hold(block); }
  gp_list &operator=(const gp_list &o) {
    gp_block *const old = block;
    hold(o.block);
    block = o.block;
    drop(old);
    return *this;
  }
  ~gp_list() { drop(block); }
  static void hold(gp_block *b) { if (b) __atomic_fetch_add(&b->references, 1, __ATOMIC_RELAXED); }
  static void drop(gp_block *b) {
    if (!b || __atomic_fetch_sub(&b->references, 1, __ATOMIC_ACQ_REL) != 1) return;
    fields &f = *(fields *)((char *)b + 64);
    if (f.memory) {
      if constexpr (!__is_trivially_destructible(T))
        for (int64_t i = 0; i < f.length; i++) ((T *)((char *)f.memory + 64))[i] = T();
      f.memory->release(f.memory);
    }
    b->release(b);
  }
  fields &self() const { return *(fields *)((char *)block + 64); }
  int64_t size() const { return block ? self().length : 0; }
  T *data() const { return (T *)((char *)self().memory + 64); }
  bool grow(gp_context *cx, int64_t wanted) const {
    if (!block) return false;
    fields &f = self();
    if (wanted <= f.capacity) return true;
    const int64_t capacity = wanted < 8 ? 8 : wanted + wanted / 2;
    int64_t bytes;
    if (__builtin_mul_overflow(capacity, int64_t(sizeof(T)), &bytes)) return false;
    gp_block *const made = (gp_block *)cx->rt->allocate(bytes);
    if (!made) return false;
    uint64_t *const to = (uint64_t *)((char *)made + 64);
    const int64_t used = f.memory ? f.length * int64_t(sizeof(T)) : 0;
    unsigned char *const bytes_to = (unsigned char *)to;
    for (int64_t i = 0; i < used; i++) bytes_to[i] = ((const unsigned char *)f.memory)[64 + i];
    for (int64_t i = used; i < bytes; i++) bytes_to[i] = 0;
    if (f.memory) f.memory->release(f.memory);
    f.memory = made;
    f.capacity = capacity;
    return true;
  }
  bool append(gp_context *cx, T x) const {
    if (!grow(cx, size() + 1)) return false;
    data()[self().length++] = x;
    return true;
  }
  bool insert(gp_context *cx, int64_t at, T x) const {
    if (!append(cx, x)) return false;
    const int64_t n = size() - 1;
    at = at < 0 ? (at + n < 0 ? 0 : at + n) : at > n ? n : at;
    for (int64_t i = n; i > at; i--) data()[i] = data()[i - 1];
    data()[at] = x;
    return true;
  }
  T take(int64_t at) const {
    T x = data()[at];
    for (int64_t i = at + 1; i < size(); i++) data()[i - 1] = data()[i];
    data()[--self().length] = T();
    return x;
  }
  void clear() const { while (size()) data()[--self().length] = T(); }
  bool extend(gp_context *cx, const gp_list &o) const {
    const int64_t n = o.size();
    for (int64_t i = 0; i < n; i++) if (!append(cx, o.data()[i])) return false;
    return true;
  }
  void reverse() const {
    for (int64_t i = 0, j = size() - 1; i < j; i++, j--) {
      const T x = data()[i];
      data()[i] = data()[j];
      data()[j] = x;
    }
  }
  int64_t find(const T &x, int64_t from) const {
    for (int64_t i = from; i < size(); i++) if (gp_equal(data()[i], x)) return i;
    return -1;
  }
  int64_t count(const T &x) const {
    int64_t n = 0;
    for (int64_t i = 0; i < size(); i++) n += gp_equal(data()[i], x);
    return n;
  }
};
template <class T> static bool gp_equal(const gp_list<T> &a, const gp_list<T> &b) {
  if (a.size() != b.size()) return false;
  for (int64_t i = 0; i < a.size(); i++) if (!gp_equal(a.data()[i], b.data()[i])) return false;
  return true;
}
template <class T> static gp_list<T> gp_list_new(gp_context *cx) {
  gp_list<T> made;
  made.block = (gp_block *)cx->rt->allocate(sizeof(typename gp_list<T>::fields));
  if (made.block) made.self() = {nullptr, 0, 0};
  return made;
}
template <class T> static gp_list<T> gp_list_part(gp_context *cx, const gp_list<T> &a, int64_t start, int64_t n,
                                                  int64_t step) {
  gp_list<T> made = gp_list_new<T>(cx);
  for (int64_t i = 0; i < n; i++) if (!made.append(cx, a.data()[start + i * step])) return gp_list<T>();
  return made;
}
template <class T> static gp_list<T> gp_list_times(gp_context *cx, const gp_list<T> &a, int64_t times) {
  gp_list<T> made = gp_list_new<T>(cx);
  for (int64_t i = 0; i < times; i++) if (!made.extend(cx, a)) return gp_list<T>();
  return made;
}
template <class T> static gp_list<T> gp_list_sum(gp_context *cx, const gp_list<T> &a, const gp_list<T> &b) {
  gp_list<T> made = gp_list_new<T>(cx);
  return made.extend(cx, a) && made.extend(cx, b) ? made : gp_list<T>();
}
// A window on the items of a list, as an array; the list has to live longer.
template <class T> static gp_array<T, 1> gp_list_window(const gp_list<T> &a) {
  gp_array<T, 1> w;
  w.shape[0] = a.size();
  w.strides[0] = sizeof(T);
  w.data = a.size() ? a.data() : nullptr;
  return w;
}
template <class T> static gp_list<T> gp_list_of(gp_context *cx, const gp_array<T, 1> &a) {
  gp_list<T> made = gp_list_new<T>(cx);
  for (int64_t i = 0; i < a.shape[0]; i++)
    if (!made.append(cx, *(T *)((char *)a.data + i * a.strides[0]))) return gp_list<T>();
  return made;
}
// What leaves a function: arrays of numbers, whose memory Python owns.
template <class U, class T, class F> static gp_array<U, 1> gp_list_column(gp_context *cx, const gp_list<T> &a, F f) {
  gp_array<U, 1> made;
  const int64_t shape[] = {a.size()};
  gp_empty(cx, made, shape);
  for (int64_t i = 0; made.owner && i < a.size(); i++) made.data[i] = U(f(a.data()[i]));
  return made;
}
template <class U, class T, class F> static gp_list<U> gp_list_map(gp_context *cx, const gp_list<T> &a, F f) {
  gp_list<U> made = gp_list_new<U>(cx);
  for (int64_t i = 0; i < a.size(); i++) if (!made.append(cx, f(a.data()[i]))) return made;
  return made;
}
template <class T> static gp_list<T> gp_list_flat(gp_context *cx, const gp_list<gp_list<T>> &a) {
  gp_list<T> made = gp_list_new<T>(cx);
  for (int64_t i = 0; i < a.size(); i++) if (!made.extend(cx, a.data()[i])) return made;
  return made;
}
""",
}

PARTS["gp_note"] = """
// What an exception is raised with, one after the other.
static inline void gp_note_any(gp_context *cx, char kind, int64_t integer, double real = 0, double imaginary = 0,
                               const void *text = nullptr) {
  if (cx->rt->note) cx->rt->note(&cx->note, kind, integer, real, imaginary, text);
}
static inline void gp_note(gp_context *cx, bool x) { gp_note_any(cx, 'b', x); }
static inline void gp_note(gp_context *cx, int64_t x) { gp_note_any(cx, 'i', x); }
static inline void gp_note(gp_context *cx, uint64_t x) { gp_note_any(cx, 'u', int64_t(x)); }
static inline void gp_note(gp_context *cx, double x) { gp_note_any(cx, 'f', 0, x); }
static inline void gp_note(gp_context *cx, const complex<double> &x) { gp_note_any(cx, 'c', 0, x.real(), x.imag()); }
static inline void gp_note_none(gp_context *cx) { gp_note_any(cx, 'n', 0); }
static inline void gp_note_end(gp_context *cx, int32_t site) { gp_note_any(cx, '!', site); }
"""

# Names that are in a part of another name.
OWNERS = {
    "gp_note_end": "gp_note",
    "gp_note_none": "gp_note",
    "gp_note_any": "gp_note",
    **{f"gp_list_{what}": "gp_list" for what in "new part times sum window of column map flat".split()},
    "gp_pack": "gp_tuple",
    "gp_equal": "gp_tuple",
}

PARTS["gp_random"] = """
struct gp_twister { uint32_t index, seeded, has_normal, unused; double normal; uint32_t words[624]; };
static inline gp_twister &gp_random_state(gp_context *cx) { return *(gp_twister *)cx->rt->random_state(); }
static void gp_random_seed(gp_twister &s, uint32_t seed) {
  for (uint32_t k = 0; k < 624; k++) {
    s.words[k] = seed;
    seed = 1812433253u * (seed ^ (seed >> 30)) + k + 1;
  }
  s.index = 624;
  s.seeded = 1;
  s.has_normal = 0;
}
// Mersenne twister (Matsumoto, Nishimura 1998).
static uint32_t gp_random_word(gp_twister &s) {
  if (s.index >= 624) {
    for (int k = 0; k < 624; k++) {
      const uint32_t y = (s.words[k] & 0x80000000u) | (s.words[(k + 1) % 624] & 0x7fffffffu);
      s.words[k] = s.words[(k + 397) % 624] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0u);
    }
    s.index = 0;
  }
  uint32_t y = s.words[s.index++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}
static double gp_random_double(gp_twister &s) {
  const uint32_t a = gp_random_word(s) >> 5, b = gp_random_word(s) >> 6;
  return (a * 67108864.0 + b) / 9007199254740992.0;
}
// An integer of [0, n): bits are drawn until they are below n.
static uint64_t gp_random_below(gp_twister &s, uint64_t n) {
  if (n <= 1) return 0;
  uint64_t mask = ~0ull >> __builtin_clzll(n - 1);
  for (;;) {
    uint64_t r = gp_random_word(s);
    if (mask >> 32) r = (r << 32) | gp_random_word(s);
    if ((r & mask) < n) return r & mask;
  }
}
template <class T> static void gp_random_shuffle(gp_twister &s, const gp_array<T, 1> &a) {
  for (int64_t i = a.shape[0] - 1; i > 0; i--) {
    T &x = *(T *)((char *)a.data + i * a.strides[0]);
    T &y = *(T *)((char *)a.data + int64_t(gp_random_below(s, uint64_t(i) + 1)) * a.strides[0]);
    const T t = x;
    x = y;
    y = t;
  }
}
"""
OWNERS.update(
    {
        f"gp_random_{what}": "gp_random"
        for what in "state seed word double below shuffle".split()
    }
)

PARTS["gp_object"] = """
template <class T> struct gp_object {
  struct body { void (*free)(gp_block *); int64_t unused; T value; };
  gp_block *block = nullptr;
  gp_object() {}
  gp_object(const gp_object &o) : block(o.block) { hold(block); }
  gp_object &operator=(const gp_object &o) {
    gp_block *const old = block;
    hold(o.block);
    block = o.block;
    drop(old);
    return *this;
  }
  ~gp_object() { drop(block); }
  static void hold(gp_block *b) { if (b) __atomic_fetch_add(&b->references, 1, __ATOMIC_RELAXED); }
  static void drop(gp_block *b) {
    if (b && __atomic_fetch_sub(&b->references, 1, __ATOMIC_ACQ_REL) == 1) b->release(b);
  }
  static body &of(gp_block *b) { return *(body *)((char *)b + 64); }
  T *operator->() const { return &of(block).value; }
};
template <class T> static bool gp_equal(const gp_object<T> &a, const gp_object<T> &b) { return a.block == b.block; }
// The last reference is gone, here or in Python.
template <class T> static void gp_object_release(gp_block *b) {
  auto &body = gp_object<T>::of(b);
  void (*const free)(gp_block *) = body.free;
  body.value.~T();
  free(b);
}
template <class T> static gp_object<T> gp_object_new(gp_context *cx) {
  gp_object<T> made;
  const int64_t bytes = sizeof(typename gp_object<T>::body);
  made.block = (gp_block *)cx->rt->allocate(bytes);
  if (!made.block) return made;
  for (int64_t i = 0; i < bytes; i++) ((char *)made.block)[64 + i] = 0;
  gp_object<T>::of(made.block).free = made.block->release;
  made.block->release = gp_object_release<T>;
  return made;
}
template <class T> static gp_object<T> gp_object_load(int64_t slot) {
  gp_object<T> made;
  made.block = (gp_block *)slot;
  gp_object<T>::hold(made.block);
  return made;
}
template <class T> static int64_t gp_object_store(const gp_object<T> &x) {
  gp_object<T>::hold(x.block);
  return (int64_t)x.block;
}
"""
OWNERS.update({f"gp_object_{what}": "gp_object" for what in "new load store release".split()})

PARTS["gp_dict"] = """
static inline uint64_t gp_hash(uint64_t x) { x *= 0x9e3779b97f4a7c15ull; return x ^ (x >> 29); }
static inline uint64_t gp_hash(int64_t x) { return gp_hash(uint64_t(x)); }
static inline uint64_t gp_hash(double x) { return gp_hash(x == 0 ? uint64_t(0) : __builtin_bit_cast(uint64_t, x)); }
template <class T> static uint64_t gp_hash(const T &x) {
  if constexpr (T(0.5) == T(0)) return gp_hash(uint64_t(x)); else return gp_hash(double(x));
}
static inline uint64_t gp_hash(const gp_tuple<> &) { return 1; }
template <class A, class... T> static uint64_t gp_hash(const gp_tuple<A, T...> &x) {
  return gp_hash(gp_hash(x.first) + 31 * gp_hash(x.rest));
}
// Keys and values in the order in which they came, and a table of their places (Knuth, volume 3, 6.4, linear probing).
template <class K, class V> struct gp_dict {
  gp_list<K> keys;
  gp_list<V> values;
  gp_list<bool> alive;
  gp_list<int64_t> table;
  int64_t live, first;  // all keys before the place `first` are gone
  int64_t slot(const K &key) const {
    const int64_t mask = table.size() - 1;
    for (int64_t at = int64_t(gp_hash(key)) & mask;; at = (at + 1) & mask) {
      const int64_t k = table.data()[at];
      if (k < 0 || gp_equal(keys.data()[k], key)) return at;
    }
  }
  // The place of a key that is there, else -1.
  int64_t find(const K &key) const {
    if (!table.size()) return -1;
    const int64_t k = table.data()[slot(key)];
    return k >= 0 && alive.data()[k] ? k : -1;
  }
  bool rebuild(gp_context *cx) {
    const gp_list<K> old_keys = keys;
    const gp_list<V> old_values = values;
    const gp_list<bool> old_alive = alive;
    int64_t size = 8;
    first = 0;
    while (size < 4 * (live + 1)) size *= 2;
    keys = gp_list_new<K>(cx);
    values = gp_list_new<V>(cx);
    alive = gp_list_new<bool>(cx);
    table = gp_list_new<int64_t>(cx);
    for (int64_t k = 0; k < size; k++) if (!table.append(cx, -1)) return false;
    for (int64_t k = 0; k < old_keys.size(); k++) {
      if (!old_alive.data()[k]) continue;
      table.data()[slot(old_keys.data()[k])] = keys.size();
      if (!keys.append(cx, old_keys.data()[k]) || !values.append(cx, old_values.data()[k]) || !alive.append(cx, true))
        return false;
    }
    return true;
  }
  bool put(gp_context *cx, K key, V value) {
    if (const int64_t k = find(key); k >= 0) {
      values.data()[k] = value;
      return true;
    }
    if (2 * (keys.size() + 1) > table.size() && !rebuild(cx)) return false;
    const int64_t at = slot(key);
    table.data()[at] = keys.size();
    live++;
    return keys.append(cx, key) && values.append(cx, value) && alive.append(cx, true);
  }
  V take(int64_t k) {
    alive.data()[k] = false;
    live--;
    V value = values.data()[k];
    values.data()[k] = V();
    return value;
  }
  void clear() { keys.clear(); values.clear(); alive.clear(); table.clear(); live = first = 0; }
  // Becomes what another dictionary is, which is not used any more.
  void take_all(const gp_dict &o) {
    keys = o.keys;
    values = o.values;
    alive = o.alive;
    table = o.table;
    live = o.live;
    first = o.first;
  }
};
template <class K, class V, class U, class F>
static gp_list<U> gp_dict_list(gp_context *cx, const gp_dict<K, V> &d, F f) {
  gp_list<U> made = gp_list_new<U>(cx);
  for (int64_t k = 0; k < d.keys.size(); k++)
    if (d.alive.data()[k] && !made.append(cx, f(d.keys.data()[k], d.values.data()[k]))) return gp_list<U>();
  return made;
}
template <class K, class V> static gp_list<K> gp_dict_keys(gp_context *cx, const gp_object<gp_dict<K, V>> &d) {
  return gp_dict_list<K, V, K>(cx, *d.operator->(), [](const K &k, const V &) { return k; });
}
template <class K, class V> static gp_list<V> gp_dict_values(gp_context *cx, const gp_object<gp_dict<K, V>> &d) {
  return gp_dict_list<K, V, V>(cx, *d.operator->(), [](const K &, const V &v) { return v; });
}
template <class K, class V>
static gp_list<gp_tuple<K, V>> gp_dict_items(gp_context *cx, const gp_object<gp_dict<K, V>> &d) {
  return gp_dict_list<K, V, gp_tuple<K, V>>(cx, *d.operator->(), [](K k, V v) { return gp_pack<K, V>(k, v); });
}
"""
OWNERS.update({f"gp_dict_{what}": "gp_dict" for what in "list keys values items".split()})

PARTS["gp_set"] = """
template <class T> using gp_set = gp_object<gp_dict<T, bool>>;
template <class T> static bool gp_set_update(gp_context *cx, const gp_set<T> &s, const gp_list<T> &a) {
  for (int64_t i = 0; i < a.size(); i++) if (!s->put(cx, a.data()[i], true)) return false;
  return true;
}
template <class T> static gp_set<T> gp_set_of(gp_context *cx, const gp_array<T, 1> &a) {
  gp_set<T> made = gp_object_new<gp_dict<T, bool>>(cx);
  return made.block && gp_set_update(cx, made, gp_list_of(cx, a)) ? made : gp_set<T>();
}
template <class T> static bool gp_set_within(const gp_set<T> &a, const gp_set<T> &b) {
  for (int64_t k = 0; k < a->keys.size(); k++)
    if (a->alive.data()[k] && b->find(a->keys.data()[k]) < 0) return false;
  return true;
}
template <class T> static bool gp_set_equal(const gp_set<T> &a, const gp_set<T> &b) {
  return a->live == b->live && gp_set_within(a, b);
}
// A set of what is in the first alone, in both, or in the second alone.
template <class T>
static gp_set<T> gp_set_combine(gp_context *cx, const gp_set<T> &a, const gp_set<T> &b, bool one, bool both,
                                bool two) {
  gp_set<T> made = gp_object_new<gp_dict<T, bool>>(cx);
  if (!made.block) return made;
  for (int64_t k = 0; k < a->keys.size(); k++) {
    const T x = a->keys.data()[k];
    if (a->alive.data()[k] && (b->find(x) < 0 ? one : both) && !made->put(cx, x, true)) return {};
  }
  for (int64_t k = 0; two && k < b->keys.size(); k++) {
    const T x = b->keys.data()[k];
    if (b->alive.data()[k] && a->find(x) < 0 && !made->put(cx, x, true)) return {};
  }
  return made;
}
// Takes the first item of a set that has one.
template <class T> static T gp_set_pop(const gp_set<T> &s) {
  while (!s->alive.data()[s->first]) s->first++;
  s->take(s->first);
  return s->keys.data()[s->first];
}
"""
OWNERS.update({f"gp_set_{what}": "gp_set" for what in "update of within equal combine pop".split()})
