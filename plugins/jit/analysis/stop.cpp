// plugins/jit/analysis/stop.cpp -- see stop.h.
#include "plugins/jit/analysis/stop.h"

namespace gpuopt::jit {
namespace {

thread_local const gpuopt_jit_watch *watched = nullptr;

}  // namespace

WatchScope::WatchScope(const gpuopt_jit_watch *watch) : before_(watched) { watched = watch; }
WatchScope::~WatchScope() { watched = before_; }

bool is_stopped() { return watched && watched->is_over(watched->context); }

}  // namespace gpuopt::jit
