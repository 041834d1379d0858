/* tests/cuda/stub_driver_rest.c -- every function a driver has, for nothing but being found; stub_driver.c has the
 * better ones. */
#define GPUOPT_CUDA_SYMBOL(need, name, exported, args) \
  __attribute__((weak)) int exported(void);            \
  int exported(void) { return 801; }
#include "plugins/cuda/driver_symbols.def"
