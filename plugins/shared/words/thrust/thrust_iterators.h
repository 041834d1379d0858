// plugins/shared/words/thrust/thrust_iterators.h -- thrust's iterators for kernels: counting, constant, transform,
// permutation, zip, reverse, discard and device_ptr
#ifndef GPUOPT_PLUGINS_SHARED_WORDS_THRUST_ITERATORS_H_
#define GPUOPT_PLUGINS_SHARED_WORDS_THRUST_ITERATORS_H_

#include "plugins/shared/words/thrust/thrust_functions.h"
#include "plugins/shared/words/words.h"

namespace thrust {

// What keeps the value of an expression: of a tuple of references, as zip_iterator has them, a tuple of values.
template <class T>
struct gpo_stored {
  using type = T;
};
template <class... T>
struct gpo_stored<::std::tuple<T...>> {
  using type = ::std::tuple<::std::remove_cvref_t<T>...>;
};
template <class Place>
using gpo_value = typename gpo_stored<::std::remove_cvref_t<decltype(*::std::declval<const Place &>())>>::type;

// The arithmetic of an iterator that has operator*, step(n) and steps_to(other).
template <class Self>
struct gpo_iterator {
  GPO_WORD_FN constexpr const Self &self() const { return static_cast<const Self &>(*this); }
  GPO_WORD_FN constexpr Self &self() { return static_cast<Self &>(*this); }
  GPO_WORD_FN constexpr Self &operator+=(::std::ptrdiff_t n) {
    self().step(n);
    return self();
  }
  GPO_WORD_FN constexpr Self &operator-=(::std::ptrdiff_t n) { return *this += -n; }
  GPO_WORD_FN constexpr Self &operator++() { return *this += 1; }
  GPO_WORD_FN constexpr Self &operator--() { return *this += -1; }
  GPO_WORD_FN constexpr Self operator++(int) {
    const Self kept = self();
    *this += 1;
    return kept;
  }
  GPO_WORD_FN constexpr Self operator--(int) {
    const Self kept = self();
    *this += -1;
    return kept;
  }
  GPO_WORD_FN constexpr Self operator+(::std::ptrdiff_t n) const {
    Self moved = self();
    moved.step(n);
    return moved;
  }
  GPO_WORD_FN constexpr Self operator-(::std::ptrdiff_t n) const { return *this + -n; }
  GPO_WORD_FN friend constexpr ::std::ptrdiff_t operator-(const Self &a, const Self &b) { return b.steps_to(a); }
  GPO_WORD_FN friend constexpr Self operator+(::std::ptrdiff_t n, const Self &a) { return a + n; }
  GPO_WORD_FN constexpr decltype(auto) operator[](::std::ptrdiff_t n) const { return *(*this + n); }
  GPO_WORD_FN friend constexpr bool operator==(const Self &a, const Self &b) { return a.steps_to(b) == 0; }
  GPO_WORD_FN friend constexpr bool operator!=(const Self &a, const Self &b) { return a.steps_to(b) != 0; }
  GPO_WORD_FN friend constexpr bool operator<(const Self &a, const Self &b) { return a.steps_to(b) > 0; }
  GPO_WORD_FN friend constexpr bool operator>(const Self &a, const Self &b) { return a.steps_to(b) < 0; }
  GPO_WORD_FN friend constexpr bool operator<=(const Self &a, const Self &b) { return a.steps_to(b) >= 0; }
  GPO_WORD_FN friend constexpr bool operator>=(const Self &a, const Self &b) { return a.steps_to(b) <= 0; }
};

template <class T>
struct counting_iterator : gpo_iterator<counting_iterator<T>> {
  using value_type = T;
  T at;
  GPO_WORD_FN constexpr explicit counting_iterator(T first = T(0)) : at(first) {}
  GPO_WORD_FN constexpr T operator*() const { return at; }
  GPO_WORD_FN constexpr void step(::std::ptrdiff_t n) { at = T(at + T(n)); }
  GPO_WORD_FN constexpr ::std::ptrdiff_t steps_to(const counting_iterator &other) const {
    return ::std::ptrdiff_t(other.at) - ::std::ptrdiff_t(at);
  }
};
template <class T>
GPO_WORD_FN constexpr counting_iterator<T> make_counting_iterator(T first) {
  return counting_iterator<T>(first);
}

// A pointer to memory of the device; as a kernel's parameter the same as a pointer.
template <class T>
struct device_ptr : gpo_iterator<device_ptr<T>> {
  using value_type = ::std::remove_cv_t<T>;
  T *at;
  device_ptr() = default;
  GPO_WORD_FN constexpr explicit device_ptr(T *first) : at(first) {}
  template <class U, class = ::std::enable_if_t<::std::is_convertible_v<U *, T *>>>
  GPO_WORD_FN constexpr device_ptr(const device_ptr<U> &other) : at(other.at) {}
  GPO_WORD_FN constexpr T *get() const { return at; }
  GPO_WORD_FN constexpr T &operator*() const { return *at; }
  GPO_WORD_FN constexpr T *operator->() const { return at; }
  GPO_WORD_FN constexpr explicit operator bool() const { return at != nullptr; }
  GPO_WORD_FN constexpr void step(::std::ptrdiff_t n) { at += n; }
  GPO_WORD_FN constexpr ::std::ptrdiff_t steps_to(const device_ptr &other) const { return other.at - at; }
};
template <class T>
GPO_WORD_FN constexpr device_ptr<T> device_pointer_cast(T *pointer) {
  return device_ptr<T>(pointer);
}
template <class T>
GPO_WORD_FN constexpr device_ptr<T> device_pointer_cast(const device_ptr<T> &pointer) {
  return pointer;
}
template <class T>
GPO_WORD_FN constexpr T *raw_pointer_cast(T *pointer) {
  return pointer;
}
template <class T>
GPO_WORD_FN constexpr T *raw_pointer_cast(const device_ptr<T> &pointer) {
  return pointer.at;
}

template <class T>
struct constant_iterator : gpo_iterator<constant_iterator<T>> {
  using value_type = T;
  T value;
  ::std::ptrdiff_t at;
  GPO_WORD_FN constexpr explicit constant_iterator(const T &x, ::std::ptrdiff_t first = 0) : value(x), at(first) {}
  GPO_WORD_FN constexpr const T &operator*() const { return value; }
  GPO_WORD_FN constexpr T operator[](::std::ptrdiff_t) const { return value; }
  GPO_WORD_FN constexpr void step(::std::ptrdiff_t n) { at += n; }
  GPO_WORD_FN constexpr ::std::ptrdiff_t steps_to(const constant_iterator &other) const { return other.at - at; }
};
template <class T>
GPO_WORD_FN constexpr constant_iterator<T> make_constant_iterator(T value) {
  return constant_iterator<T>(value);
}

// function(*place). A place that is behind another iterator.
template <class Function, class Place>
struct transform_iterator : gpo_iterator<transform_iterator<Function, Place>> {
  Place place;
  Function function;
  GPO_WORD_FN constexpr transform_iterator(Place where, Function f = Function()) : place(where), function(f) {}
  GPO_WORD_FN constexpr auto operator*() const { return function(*place); }
  GPO_WORD_FN constexpr const Place &base() const { return place; }
  GPO_WORD_FN constexpr void step(::std::ptrdiff_t n) { place += n; }
  GPO_WORD_FN constexpr ::std::ptrdiff_t steps_to(const transform_iterator &other) const { return other.place - place; }
  GPO_WORD_FN constexpr transform_iterator &operator=(const transform_iterator &other) {
    place = other.place;  // a lambda cannot be assigned
    return *this;
  }
  transform_iterator(const transform_iterator &) = default;
};
template <class Place, class Function>
GPO_WORD_FN constexpr transform_iterator<Function, Place> make_transform_iterator(Place place, Function function) {
  return {place, function};
}

// elements[*indices]
template <class Elements, class Indices>
struct permutation_iterator : gpo_iterator<permutation_iterator<Elements, Indices>> {
  Elements elements;
  Indices indices;
  GPO_WORD_FN constexpr permutation_iterator(Elements of, Indices by) : elements(of), indices(by) {}
  GPO_WORD_FN constexpr decltype(auto) operator*() const { return elements[*indices]; }
  GPO_WORD_FN constexpr void step(::std::ptrdiff_t n) { indices += n; }
  GPO_WORD_FN constexpr ::std::ptrdiff_t steps_to(const permutation_iterator &other) const {
    return other.indices - indices;
  }
};
template <class Elements, class Indices>
GPO_WORD_FN constexpr permutation_iterator<Elements, Indices> make_permutation_iterator(Elements of, Indices by) {
  return {of, by};
}

template <class Place>
struct reverse_iterator : gpo_iterator<reverse_iterator<Place>> {
  Place behind;
  GPO_WORD_FN constexpr explicit reverse_iterator(Place place) : behind(place) {}
  GPO_WORD_FN constexpr decltype(auto) operator*() const { return *(behind - 1); }
  GPO_WORD_FN constexpr const Place &base() const { return behind; }
  GPO_WORD_FN constexpr void step(::std::ptrdiff_t n) { behind -= n; }
  GPO_WORD_FN constexpr ::std::ptrdiff_t steps_to(const reverse_iterator &other) const { return behind - other.behind; }
};
template <class Place>
GPO_WORD_FN constexpr reverse_iterator<Place> make_reverse_iterator(Place place) {
  return reverse_iterator<Place>(place);
}

// Forgets what is written to it.
struct gpo_discarded {
  template <class T>
  GPO_WORD_FN constexpr const gpo_discarded &operator=(const T &) const {
    return *this;
  }
};
template <class T = void>
struct discard_iterator : gpo_iterator<discard_iterator<T>> {
  ::std::ptrdiff_t at;
  GPO_WORD_FN constexpr explicit discard_iterator(::std::ptrdiff_t first = 0) : at(first) {}
  GPO_WORD_FN constexpr gpo_discarded operator*() const { return {}; }
  GPO_WORD_FN constexpr void step(::std::ptrdiff_t n) { at += n; }
  GPO_WORD_FN constexpr ::std::ptrdiff_t steps_to(const discard_iterator &other) const { return other.at - at; }
};
GPO_WORD_FN constexpr discard_iterator<> make_discard_iterator(::std::ptrdiff_t first = 0) {
  return discard_iterator<>(first);
}

// A tuple of what several iterators refer to.
template <class Places>
struct zip_iterator;
template <class... Place>
struct zip_iterator<::std::tuple<Place...>> : gpo_iterator<zip_iterator<::std::tuple<Place...>>> {
  using Indices = ::std::make_index_sequence<sizeof...(Place)>;
  ::std::tuple<Place...> places;
  GPO_WORD_FN constexpr zip_iterator(const ::std::tuple<Place...> &of) : places(of) {}
  GPO_WORD_FN constexpr auto operator*() const { return read(Indices()); }
  GPO_WORD_FN constexpr const ::std::tuple<Place...> &get_iterator_tuple() const { return places; }
  GPO_WORD_FN constexpr void step(::std::ptrdiff_t n) { step_all(n, Indices()); }
  GPO_WORD_FN constexpr ::std::ptrdiff_t steps_to(const zip_iterator &other) const {
    return ::std::get<0>(other.places) - ::std::get<0>(places);
  }

 private:
  template <::std::size_t... k>
  GPO_WORD_FN constexpr auto read(::std::index_sequence<k...>) const {
    return ::std::tuple<decltype(*::std::get<k>(places))...>(*::std::get<k>(places)...);
  }
  template <::std::size_t... k>
  GPO_WORD_FN constexpr void step_all(::std::ptrdiff_t n, ::std::index_sequence<k...>) {
    ((::std::get<k>(places) += n), ...);
  }
};
template <class... Place>
GPO_WORD_FN constexpr zip_iterator<::std::tuple<Place...>> make_zip_iterator(const ::std::tuple<Place...> &places) {
  return places;
}
template <class First, class Second, class... More>
GPO_WORD_FN constexpr auto make_zip_iterator(First first, Second second, More... more) {
  return zip_iterator<::std::tuple<First, Second, More...>>(
      ::std::tuple<First, Second, More...>(first, second, more...));
}

template <class Place>
GPO_WORD_FN constexpr auto distance(Place begin, Place end) {
  return end - begin;
}
template <class Place, class Count>
GPO_WORD_FN constexpr void advance(Place &place, Count n) {
  place += n;
}
template <class Place>
GPO_WORD_FN constexpr Place next(Place place) {
  return place + 1;
}

}  // namespace thrust

namespace gpo {
namespace signature {
template <class gpo_T>
struct parameter;  // of plugins/shared/user/signature.h, which only raw kernels see
template <class gpo_T>
struct parameter<thrust::device_ptr<gpo_T>> : parameter<gpo_T *> {};
}  // namespace signature
}  // namespace gpo

#endif  // GPUOPT_PLUGINS_SHARED_WORDS_THRUST_ITERATORS_H_
