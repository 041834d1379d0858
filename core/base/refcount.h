// core/base/refcount.h -- intrusive reference counting, which all public handles use.
#pragma once
#include <atomic>
#include <cstdint>
#include <utility>

#include "core/base/fork.h"

namespace gpuopt {

// The base of every handle, which starts with one reference. `T` must have a static function `destroy(T *)`, which is
// called when the last reference is released. All functions may be called from any thread.
template <class T>
struct RefCounted {
  // A count of this or more marks an object that lives as long as the process; its references are not counted.
  static constexpr int64_t kPermanent = int64_t{1} << 62;
  std::atomic<int64_t> references{1};
  bool is_permanent() const { return references.load(std::memory_order_relaxed) >= kPermanent; }
  void make_permanent() { references.store(kPermanent, std::memory_order_relaxed); }
  void retain() {
    if (!is_permanent()) references.fetch_add(1, std::memory_order_relaxed);
  }
  void release() {
    // The owner of the only reference needs no atomic read-modify-write: no other thread can add one (of streams,
    // living_streams() can; gpuopt_stream_s::destroy looks again).
    const int64_t count = references.load(std::memory_order_acquire);
    if (count >= kPermanent) return;
    if (count == 1 || references.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy_inside();
  }

 private:
  // destroy() may take locks, so the thread enters the library. After a fork that did not wait, the object leaks.
  void destroy_inside() {
    const InLibrary inside;
    if (inside.usable()) T::destroy(static_cast<T *>(this));
  }
};

// An owning pointer to a RefCounted; NULL if empty.
template <class T>
class Ref {
 public:
  Ref() = default;
  // Takes over a reference that the caller owns.
  static Ref adopt(T *p) {
    Ref r;
    r.p_ = p;
    return r;
  }
  // Adds a reference.
  static Ref share(T *p) {
    if (p) p->retain();
    return adopt(p);
  }
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
  T *leave() { return std::exchange(p_, nullptr); }  // the caller now owns the reference

 private:
  T *p_ = nullptr;
};

}  // namespace gpuopt
