// core/base/refcount.h -- intrusive reference counting, the form every public handle has.
#pragma once
#include <atomic>
#include <cstdint>
#include <utility>

#include "core/base/fork.h"

namespace gpuopt {

// Base of every handle. `T` must have a static `destroy(T *)`, called with the last reference.
template <class T>
struct RefCounted {
  // At least this many references: an object that lives as long as the process and is not counted.
  static constexpr int64_t kPermanent = int64_t{1} << 62;
  std::atomic<int64_t> references{1};
  bool is_permanent() const { return references.load(std::memory_order_relaxed) >= kPermanent; }
  void make_permanent() { references.store(kPermanent, std::memory_order_relaxed); }
  void retain() {
    if (!is_permanent()) references.fetch_add(1, std::memory_order_relaxed);
  }
  void release() {
    // With the last reference nobody else can count: no locked instruction is needed to know that it is the last.
    const int64_t count = references.load(std::memory_order_acquire);
    if (count >= kPermanent) return;
    if (count == 1 || references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy_inside();
  }

 private:
  // What goes may take locks, wherever the last reference was dropped.
  void destroy_inside() {
    const InLibrary inside;
    if (inside.usable()) T::destroy(static_cast<T *>(this));
  }
};

// Owning pointer to a RefCounted.
template <class T>
class Ref {
 public:
  Ref() = default;
  static Ref adopt(T *p) {
    Ref r;
    r.p_ = p;
    return r;
  }  // takes over one reference
  static Ref share(T *p) {
    if (p) p->retain();
    return adopt(p);
  }  // adds one
  Ref(const Ref &o) : p_(o.p_) {
    if (p_) p_->retain();
  }
  Ref(Ref &&o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Ref &operator=(Ref o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~Ref() {
    if (p_) p_->release();
  }
  T *get() const { return p_; }
  T *operator->() const { return p_; }
  T &operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  T *leave() { return std::exchange(p_, nullptr); }  // gives the reference to the caller

 private:
  T *p_ = nullptr;
};

}  // namespace gpuopt
