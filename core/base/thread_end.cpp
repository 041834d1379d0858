// core/base/thread_end.cpp -- see thread_end.h. thread_exit.h has room for one function of each library.
#include "core/base/thread_end.h"

#include <utility>

#include "plugins/shared/host/every_thread.h"
#include "plugins/shared/host/thread_exit.h"

namespace gpuopt {
namespace {

using Body = void (*)() noexcept;
struct Bodies {
  Body all[2] = {};
};
GPUOPT_IN_EVERY_THREAD constinit thread_local Bodies t_bodies;

void call_bodies(void *) noexcept {
  for (Body &body : t_bodies.all) {
    if (const Body registered = std::exchange(body, nullptr)) registered();
  }
}

}  // namespace

void at_end_of_thread(void (*body)() noexcept) noexcept {
  for (Body &place : t_bodies.all) {
    if (place == body) return;
    if (place) continue;
    place = body;
    (void)at_thread_exit(&call_bodies, &t_bodies);
    return;
  }
}

}  // namespace gpuopt
