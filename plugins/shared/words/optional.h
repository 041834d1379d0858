// plugins/shared/words/optional.h -- std::optional and std::variant for kernels, and those of cuda::std
//
// Access to what is not there, which throws in C++, ends the kernel by a trap.
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_OPTIONAL_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_OPTIONAL_H_

#include "plugins/shared/words/standard.h"

#if !defined(__CUDACC_RTC__) && !defined(GPO_RAW_KERNEL)
#define GPO_NOT_THERE() __builtin_trap()
#else
#define GPO_NOT_THERE() __trap()
#endif

namespace gpo {
namespace words {
// Marks constructors that make an object in memory that is there.
struct Place {};
}  // namespace words
}  // namespace gpo

GPO_WORD_FN void *operator new(decltype(sizeof(0)), void *place, gpo::words::Place) noexcept { return place; }
GPO_WORD_FN void operator delete(void *, void *, gpo::words::Place) noexcept {}

namespace std {

struct in_place_t {};
inline constexpr in_place_t in_place{};
template <size_t k>
struct in_place_index_t {};
template <size_t k>
inline constexpr in_place_index_t<k> in_place_index{};
template <class T>
struct in_place_type_t {};
template <class T>
inline constexpr in_place_type_t<T> in_place_type{};

// ---- <optional> ----

struct nullopt_t {
  GPO_WORD_FN explicit constexpr nullopt_t(int) {}
};
inline constexpr nullopt_t nullopt{0};

template <class T>
class optional {
 public:
  using value_type = T;

  GPO_WORD_FN constexpr optional() : none_(), has_(false) {}
  GPO_WORD_FN constexpr optional(nullopt_t) : none_(), has_(false) {}
  GPO_WORD_FN constexpr optional(const T &value) : value_(value), has_(true) {}
  template <class... A>
  GPO_WORD_FN constexpr explicit optional(in_place_t, A &&...arguments)
      : value_(static_cast<A &&>(arguments)...), has_(true) {}
  GPO_WORD_FN optional(const optional &other) : none_(), has_(false) {
    if (other.has_) emplace(other.value_);
  }
  GPO_WORD_FN ~optional() { reset(); }
  GPO_WORD_FN optional &operator=(const optional &other) {
    if (!other.has_) {
      reset();
    } else {
      *this = other.value_;
    }
    return *this;
  }
  GPO_WORD_FN optional &operator=(nullopt_t) {
    reset();
    return *this;
  }
  GPO_WORD_FN optional &operator=(const T &value) {
    if (has_) {
      value_ = value;
    } else {
      emplace(value);
    }
    return *this;
  }

  GPO_WORD_FN constexpr bool has_value() const { return has_; }
  GPO_WORD_FN constexpr explicit operator bool() const { return has_; }
  GPO_WORD_FN constexpr T &operator*() { return value_; }
  GPO_WORD_FN constexpr const T &operator*() const { return value_; }
  GPO_WORD_FN constexpr T *operator->() { return &value_; }
  GPO_WORD_FN constexpr const T *operator->() const { return &value_; }
  GPO_WORD_FN T &value() {
    if (!has_) GPO_NOT_THERE();
    return value_;
  }
  GPO_WORD_FN const T &value() const {
    if (!has_) GPO_NOT_THERE();
    return value_;
  }
  template <class U>
  GPO_WORD_FN constexpr T value_or(const U &otherwise) const {
    return has_ ? value_ : T(otherwise);
  }
  template <class... A>
  GPO_WORD_FN T &emplace(A &&...arguments) {
    reset();
    new (&value_, gpo::words::Place()) T(static_cast<A &&>(arguments)...);
    has_ = true;
    return value_;
  }
  GPO_WORD_FN void reset() {
    if (has_) value_.~T();
    has_ = false;
  }

 private:
  union {
    char none_;
    T value_;
  };
  bool has_;
};
template <class T>
optional(T) -> optional<T>;
template <class T>
GPO_WORD_FN constexpr optional<decay_t<T>> make_optional(T &&value) {
  return optional<decay_t<T>>(value);
}
// One that has no value is less than any other.
template <class T>
GPO_WORD_FN constexpr bool operator==(const optional<T> &a, const optional<T> &b) {
  return a.has_value() == b.has_value() && (!a.has_value() || *a == *b);
}
template <class T>
GPO_WORD_FN constexpr bool operator!=(const optional<T> &a, const optional<T> &b) {
  return !(a == b);
}
template <class T>
GPO_WORD_FN constexpr bool operator<(const optional<T> &a, const optional<T> &b) {
  return b.has_value() && (!a.has_value() || *a < *b);
}
template <class T>
GPO_WORD_FN constexpr bool operator==(const optional<T> &a, nullopt_t) {
  return !a.has_value();
}
template <class T>
GPO_WORD_FN constexpr bool operator!=(const optional<T> &a, nullopt_t) {
  return a.has_value();
}
template <class T>
GPO_WORD_FN constexpr bool operator==(const optional<T> &a, const T &value) {
  return a.has_value() && *a == value;
}

// ---- <variant> ----

struct monostate {};
inline constexpr size_t variant_npos = size_t(-1);

template <size_t k, class... T>
struct gpo_type_at;
template <class First, class... More>
struct gpo_type_at<0, First, More...> {
  using type = First;
};
template <size_t k, class First, class... More>
struct gpo_type_at<k, First, More...> : gpo_type_at<k - 1, More...> {};

// The index of the first type of the list that is U; the list's length if none is.
template <class U, class... T>
GPO_WORD_FN constexpr size_t gpo_index_of() {
  size_t k = 0;
  const bool found = ((is_same_v<U, T> ? true : (k++, false)) || ...);
  return found ? k : sizeof...(T);
}

template <size_t n>
GPO_WORD_FN constexpr size_t gpo_largest(const size_t (&sizes)[n]) {
  size_t most = 0;
  for (const size_t size : sizes) most = size > most ? size : most;
  return most;
}

template <class... T>
class variant {
 public:
  GPO_WORD_FN variant() { emplace<0>(); }
  template <class U, class = enable_if_t<(gpo_index_of<decay_t<U>, T...>() < sizeof...(T))>>
  GPO_WORD_FN variant(U &&value) {
    emplace<gpo_index_of<decay_t<U>, T...>()>(static_cast<U &&>(value));
  }
  template <size_t k, class... A>
  GPO_WORD_FN explicit variant(in_place_index_t<k>, A &&...arguments) {
    emplace<k>(static_cast<A &&>(arguments)...);
  }
  template <class U, class... A>
  GPO_WORD_FN explicit variant(in_place_type_t<U>, A &&...arguments) {
    emplace<U>(static_cast<A &&>(arguments)...);
  }
  GPO_WORD_FN variant(const variant &other) { copy(other); }
  GPO_WORD_FN ~variant() { clear(); }
  GPO_WORD_FN variant &operator=(const variant &other) {
    if (this == &other) return *this;
    clear();
    copy(other);
    return *this;
  }
  template <class U, class = enable_if_t<(gpo_index_of<decay_t<U>, T...>() < sizeof...(T))>>
  GPO_WORD_FN variant &operator=(U &&value) {
    emplace<gpo_index_of<decay_t<U>, T...>()>(static_cast<U &&>(value));
    return *this;
  }

  GPO_WORD_FN constexpr size_t index() const { return index_; }
  template <size_t k, class... A>
  GPO_WORD_FN auto &emplace(A &&...arguments) {
    using U = typename gpo_type_at<k, T...>::type;
    clear();
    U *const made = new (memory_, gpo::words::Place()) U(static_cast<A &&>(arguments)...);
    index_ = k;
    return *made;
  }
  template <class U, class... A>
  GPO_WORD_FN U &emplace(A &&...arguments) {
    return emplace<gpo_index_of<U, T...>()>(static_cast<A &&>(arguments)...);
  }
  template <size_t k>
  GPO_WORD_FN auto *gpo_at() {
    return reinterpret_cast<typename gpo_type_at<k, T...>::type *>(memory_);
  }
  template <size_t k>
  GPO_WORD_FN const auto *gpo_at() const {
    return reinterpret_cast<const typename gpo_type_at<k, T...>::type *>(memory_);
  }

 private:
  template <class U>
  GPO_WORD_FN void end_one() {
    reinterpret_cast<U *>(memory_)->~U();
  }
  GPO_WORD_FN void clear() {
    size_t k = 0;
    ((k++ == index_ ? end_one<T>() : void()), ...);
    index_ = variant_npos;
  }
  template <class U>
  GPO_WORD_FN void copy_one(const variant &other) {
    new (memory_, gpo::words::Place()) U(*reinterpret_cast<const U *>(other.memory_));
  }
  GPO_WORD_FN void copy(const variant &other) {
    size_t k = 0;
    ((k++ == other.index_ ? copy_one<T>(other) : void()), ...);
    index_ = other.index_;
  }

  alignas(T...) unsigned char memory_[gpo_largest({sizeof(T)...})];
  size_t index_ = variant_npos;
};

template <size_t k, class... T>
GPO_WORD_FN auto *get_if(variant<T...> *of) {
  return of && of->index() == k ? of->template gpo_at<k>() : nullptr;
}
template <size_t k, class... T>
GPO_WORD_FN const auto *get_if(const variant<T...> *of) {
  return of && of->index() == k ? of->template gpo_at<k>() : nullptr;
}
template <class U, class... T>
GPO_WORD_FN U *get_if(variant<T...> *of) {
  return get_if<gpo_index_of<U, T...>()>(of);
}
template <class U, class... T>
GPO_WORD_FN const U *get_if(const variant<T...> *of) {
  return get_if<gpo_index_of<U, T...>()>(of);
}
template <size_t k, class... T>
GPO_WORD_FN auto &get(variant<T...> &of) {
  if (of.index() != k) GPO_NOT_THERE();
  return *of.template gpo_at<k>();
}
template <size_t k, class... T>
GPO_WORD_FN const auto &get(const variant<T...> &of) {
  if (of.index() != k) GPO_NOT_THERE();
  return *of.template gpo_at<k>();
}
template <class U, class... T>
GPO_WORD_FN U &get(variant<T...> &of) {
  return get<gpo_index_of<U, T...>()>(of);
}
template <class U, class... T>
GPO_WORD_FN const U &get(const variant<T...> &of) {
  return get<gpo_index_of<U, T...>()>(of);
}
template <class U, class... T>
GPO_WORD_FN constexpr bool holds_alternative(const variant<T...> &of) {
  return of.index() == gpo_index_of<U, T...>();
}
template <class V>
struct variant_size;
template <class... T>
struct variant_size<variant<T...>> : integral_constant<size_t, sizeof...(T)> {};
template <class V>
inline constexpr size_t variant_size_v = variant_size<V>::value;

// Visits one variant. All results have the type of the first.
template <size_t k = 0, class Visitor, class... T>
GPO_WORD_FN decltype(auto) visit(Visitor &&visitor, const variant<T...> &of) {
  if constexpr (k + 1 < sizeof...(T)) {
    if (of.index() != k) return visit<k + 1>(static_cast<Visitor &&>(visitor), of);
  }
  return visitor(get<k>(of));
}
template <size_t k = 0, class Visitor, class... T>
GPO_WORD_FN decltype(auto) visit(Visitor &&visitor, variant<T...> &of) {
  if constexpr (k + 1 < sizeof...(T)) {
    if (of.index() != k) return visit<k + 1>(static_cast<Visitor &&>(visitor), of);
  }
  return visitor(get<k>(of));
}

}  // namespace std

#undef GPO_NOT_THERE

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_OPTIONAL_H_
