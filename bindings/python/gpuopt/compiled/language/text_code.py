# bindings/python/gpuopt/compiled/language/text_code.py -- the C++ text of texts.
"""A text is an array of code points of 32 bits, whose owner counts references, as that of any array: parts of a text
share its memory. Constants have no owner. Code points never change. A text that found no memory has the length -1."""

PARTS = {
    "gp_str": """
struct gp_str {
  gp_array<uint32_t, 1> chars;
  int64_t size() const { return chars.shape[0]; }
  const uint32_t *data() const { return chars.data; }
};
static inline gp_str gp_str_of(const gp_array<uint32_t, 1> &a) {
  gp_str s;
  s.chars = a;
  return s;
}
static inline gp_str gp_str_const(const uint32_t *data, int64_t n) {
  gp_str s;
  s.chars.data = (uint32_t *)data;
  s.chars.shape[0] = n;
  s.chars.strides[0] = 4;
  return s;
}
static gp_str gp_str_new(gp_context *cx, int64_t n) {
  gp_str s;
  gp_empty(cx, s.chars, &n);
  if (!s.chars.owner) s.chars.shape[0] = -1;
  return s;
}
static inline gp_str gp_str_part(const gp_str &s, int64_t start, int64_t n) {
  gp_str r = s;
  r.chars.data += start;
  r.chars.shape[0] = n;
  return r;
}
static gp_str gp_str_steps(gp_context *cx, const gp_str &s, int64_t start, int64_t n, int64_t step) {
  if (step == 1) return gp_str_part(s, n ? start : 0, n);
  gp_str r = gp_str_new(cx, n);
  for (int64_t i = 0; i < r.size(); i++) r.chars.data[i] = s.data()[start + i * step];
  return r;
}
// With an owner, so that it can be kept.
static gp_str gp_str_owned(gp_context *cx, const gp_str &s) {
  if (s.chars.owner || !s.size()) return s;
  gp_str r = gp_str_new(cx, s.size());
  for (int64_t i = 0; i < r.size(); i++) r.chars.data[i] = s.data()[i];
  return r;
}
static int gp_str_order(const gp_str &a, const gp_str &b) {
  const int64_t n = a.size() < b.size() ? a.size() : b.size();
  for (int64_t i = 0; i < n; i++)
    if (a.data()[i] != b.data()[i]) return a.data()[i] < b.data()[i] ? -1 : 1;
  return a.size() < b.size() ? -1 : a.size() > b.size();
}
static inline bool gp_equal(const gp_str &a, const gp_str &b) { return a.size() == b.size() && !gp_str_order(a, b); }
static inline bool operator<(const gp_str &a, const gp_str &b) { return gp_str_order(a, b) < 0; }
static inline bool operator>(const gp_str &a, const gp_str &b) { return gp_str_order(a, b) > 0; }
static inline bool operator==(const gp_str &a, const gp_str &b) { return gp_equal(a, b); }
static inline bool operator!=(const gp_str &a, const gp_str &b) { return !gp_equal(a, b); }
static inline uint64_t gp_hash(const gp_str &s) {  // FNV-1a
  uint64_t h = 14695981039346656037ull;
  for (int64_t i = 0; i < s.size(); i++) h = (h ^ s.data()[i]) * 1099511628211ull;
  return h ^ (h >> 29);
}
// Several texts, one behind the other.
static gp_str gp_str_all(gp_context *cx, const gp_str *parts, int64_t count) {
  int64_t n = 0, at = 0;
  for (int64_t k = 0; k < count; k++)
    if (parts[k].size() < 0 || __builtin_add_overflow(n, parts[k].size(), &n)) return gp_str_new(cx, -1);
  gp_str r = gp_str_new(cx, n);
  if (r.size() < 0) return r;
  for (int64_t k = 0; k < count; k++)
    for (int64_t i = 0; i < parts[k].size(); i++) r.chars.data[at++] = parts[k].data()[i];
  return r;
}
static gp_str gp_str_times(gp_context *cx, const gp_str &s, int64_t times) {
  int64_t n = 0;
  if (times > 0 && __builtin_mul_overflow(s.size(), times, &n)) return gp_str_new(cx, -1);
  gp_str r = gp_str_new(cx, n);
  for (int64_t i = 0; i < r.size(); i++) r.chars.data[i] = s.data()[i % s.size()];
  return r;
}
// The first place, not before `from`, where a text stands; -1 if there is none.
static int64_t gp_str_find(const gp_str &s, const gp_str &t, int64_t from) {
  for (int64_t i = from; i + t.size() <= s.size(); i++)
    if (gp_equal(gp_str_part(s, i, t.size()), t)) return i;
  return -1;
}
static int64_t gp_str_rfind(const gp_str &s, const gp_str &t) {
  for (int64_t i = s.size() - t.size(); i >= 0; i--)
    if (gp_equal(gp_str_part(s, i, t.size()), t)) return i;
  return -1;
}
static int64_t gp_str_count(const gp_str &s, const gp_str &t) {
  int64_t n = 0, step = t.size() ? t.size() : 1;
  for (int64_t at = gp_str_find(s, t, 0); at >= 0; at = gp_str_find(s, t, at + step)) n++;
  return n;
}
static inline bool gp_str_begins(const gp_str &s, const gp_str &t) {
  return t.size() <= s.size() && gp_equal(gp_str_part(s, 0, t.size()), t);
}
static inline bool gp_str_ends(const gp_str &s, const gp_str &t) {
  return t.size() <= s.size() && gp_equal(gp_str_part(s, s.size() - t.size(), t.size()), t);
}
static gp_str gp_str_integer(gp_context *cx, uint64_t x, bool negative) {
  uint32_t digits[21];
  int n = 0;
  do digits[20 - n++] = '0' + uint32_t(x % 10);
  while (x /= 10);
  if (negative) digits[20 - n++] = '-';
  const gp_str window = gp_str_const(digits + 21 - n, n);
  return gp_str_all(cx, &window, 1);
}
static inline gp_str gp_str_decimal(gp_context *cx, int64_t x) {
  return gp_str_integer(cx, x < 0 ? 0 - uint64_t(x) : uint64_t(x), x < 0);
}
static inline gp_str gp_str_decimal(gp_context *cx, uint64_t x) { return gp_str_integer(cx, x, false); }
static gp_str gp_str_char(gp_context *cx, int64_t code) {
  gp_str r = gp_str_new(cx, 1);
  if (r.size() == 1) r.chars.data[0] = uint32_t(code);
  return r;
}
// What Python's format() gives for a number or a text; of the length -1 where that raises.
static gp_str gp_str_format(gp_context *cx, char kind, int64_t integer, double real, double imaginary,
                            const uint32_t *text, const gp_str &spec) {
  gp_str r;
  int64_t n = -1;
  r.chars.owner = (gp_block *)cx->rt->format(kind, integer, real, imaginary, text, spec.data(), spec.size(), &n);
  if (r.chars.owner) r.chars.data = (uint32_t *)((char *)r.chars.owner + 64);
  r.chars.shape[0] = n;
  r.chars.strides[0] = 4;
  return r;
}
""",
    "gp_words": """
static inline bool gp_words_space(uint32_t c) {
  return (c >= 9 && c <= 13) || (c >= 28 && c <= 32) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}
static gp_str gp_words_strip(const gp_str &s, bool left, bool right) {
  int64_t first = 0, last = s.size();
  while (left && first < last && gp_words_space(s.data()[first])) first++;
  while (right && first < last && gp_words_space(s.data()[last - 1])) last--;
  return gp_str_part(s, first, last - first);
}
static gp_list<gp_str> gp_words_split(gp_context *cx, const gp_str &s) {
  gp_list<gp_str> made = gp_list_new<gp_str>(cx);
  const gp_str owned = gp_str_owned(cx, s);
  for (int64_t i = 0, n = owned.size(); i < n;) {
    int64_t end = i;
    while (end < n && !gp_words_space(owned.data()[end])) end++;
    if (end > i && !made.append(cx, gp_str_part(owned, i, end - i))) return gp_list<gp_str>();
    i = end > i ? end : i + 1;
  }
  return owned.size() < 0 ? gp_list<gp_str>() : made;
}
static gp_list<gp_str> gp_words_split(gp_context *cx, const gp_str &s, const gp_str &by) {
  gp_list<gp_str> made = gp_list_new<gp_str>(cx);
  const gp_str owned = gp_str_owned(cx, s);
  int64_t from = 0;
  for (int64_t at; (at = gp_str_find(owned, by, from)) >= 0; from = at + by.size())
    if (!made.append(cx, gp_str_part(owned, from, at - from))) return gp_list<gp_str>();
  return owned.size() < 0 || !made.append(cx, gp_str_part(owned, from, owned.size() - from)) ? gp_list<gp_str>() : made;
}
static gp_str gp_words_join(gp_context *cx, const gp_str &by, const gp_list<gp_str> &words) {
  const int64_t n = words.size();
  gp_list<gp_str> parts = gp_list_new<gp_str>(cx);
  for (int64_t k = 0; k < n; k++)
    if ((k && !parts.append(cx, by)) || !parts.append(cx, words.data()[k])) return gp_str_new(cx, -1);
  return gp_str_all(cx, n ? parts.data() : nullptr, parts.size());
}
static gp_str gp_words_replace(gp_context *cx, const gp_str &s, const gp_str &from, const gp_str &to) {
  if (from.size()) return gp_words_join(cx, to, gp_words_split(cx, s, from));
  gp_list<gp_str> letters = gp_list_new<gp_str>(cx);
  if (!letters.append(cx, gp_str_part(s, 0, 0))) return gp_str_new(cx, -1);
  for (int64_t i = 0; i < s.size(); i++) if (!letters.append(cx, gp_str_part(s, i, 1))) return gp_str_new(cx, -1);
  if (!letters.append(cx, gp_str_part(s, 0, 0))) return gp_str_new(cx, -1);
  return gp_words_join(cx, to, letters);
}
// What leaves a function: all code points of a list of texts, in a row.
static gp_list<uint32_t> gp_words_flat(gp_context *cx, const gp_list<gp_str> &words) {
  gp_list<uint32_t> made = gp_list_new<uint32_t>(cx);
  for (int64_t k = 0; k < words.size(); k++)
    for (int64_t i = 0; i < words.data()[k].size(); i++)
      if (!made.append(cx, words.data()[k].data()[i])) return made;
  return made;
}
""",
}

# Names that are in a part of another name.
OWNERS = {
    **{
        f"gp_str_{what}": "gp_str"
        for what in "of const new part steps owned order all times find rfind count begins ends integer decimal char"
        " format".split()
    },
    **{f"gp_words_{what}": "gp_words" for what in "space strip split join replace flat".split()},
}
