/* tests/cuda/stub_driver_rest.c -- every function a driver has, for nothing but being found; stub_driver.c has the
 * better ones. */
#if defined(_WIN32) /* which does not export weak functions: those of stub_driver.c get other names here */
#define cuInit weak_cuInit
#define cuDriverGetVersion weak_cuDriverGetVersion
#define cuGetErrorName weak_cuGetErrorName
#define cuGetErrorString weak_cuGetErrorString
#define cuDeviceGetCount weak_cuDeviceGetCount
#define WEAK
#else
#define WEAK __attribute__((weak))
#endif
#define GPUOPT_CUDA_SYMBOL(need, name, exported, args) \
  WEAK int exported(void);                             \
  int exported(void) { return 801; }
#include "plugins/cuda/driver/driver_symbols.def"
