/* tests/unit/refusing_jit.c -- a libgpuopt_jit that nothing compiles with, for api_tier_up_posix_test.cpp. */
#include "plugins/jit/api/jit.h"

__attribute__((visibility("default"))) int refused; /* by one thread at a time */

static gpuopt_jit_result *refuse(const gpuopt_jit_source *source, const gpuopt_jit_watch *watch) {
  static gpuopt_jit_result result = {NULL, 0, "this compiler refuses everything"};
  (void)source;
  (void)watch;
  refused++;
  return &result;
}

static void release(gpuopt_jit_result *result) { (void)result; }

__attribute__((visibility("default"))) const gpuopt_jit_api *gpuopt_jit_query(const char *build) {
  static const gpuopt_jit_api api = {"refusing", refuse, release};
  (void)build;
  return &api;
}
