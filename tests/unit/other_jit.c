/* tests/unit/other_jit.c -- a libgpuopt_jit of another build, for api_jit_posix_test.cpp. */
#include "plugins/jit/api/jit.h"

__attribute__((visibility("default"))) const gpuopt_jit_api *gpuopt_jit_query(const char *build) {
  (void)build;
  return NULL;
}
