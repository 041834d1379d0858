// plugins/cpu/runtime/serial_scope.cpp -- see serial_scope.h.
#include "plugins/cpu/runtime/serial_scope.h"

#include <utility>

#include "plugins/shared/host/every_thread.h"

namespace gpuopt::cpu {
namespace {

GPUOPT_IN_EVERY_THREAD thread_local bool t_lives = false;

}  // namespace

SerialScope::SerialScope() noexcept : outer_(std::exchange(t_lives, true)) {}

SerialScope::~SerialScope() { t_lives = outer_; }

bool SerialScope::lives() noexcept { return t_lives; }

}  // namespace gpuopt::cpu
