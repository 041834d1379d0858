/* tests/bindings/compiler.c -- whether kernels can be compiled here: exits with 0; with 1 and the reason on stdout
 * where there is no compiler; with 2 where anything else fails. */
#include <gpuopt/gpuopt.h>
#include <stdio.h>

int main(void) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_device device = NULL;
  gpuopt_kernel kernel = NULL;
  gpuopt_array x = NULL, y = NULL;
  const int64_t shape[] = {1};
  const int missing = gpuopt_device_open("cpu", NULL, &device, &error) ||
                      gpuopt_ones(device, GPUOPT_FLOAT64, 1, shape, &x, &error) ||
                      gpuopt_elementwise_kernel("T x", "T y", "y = x", "probe", NULL, &kernel, &error);
  const gpuopt_status ran = missing ? error.code : gpuopt_kernel_call(kernel, 1, &x, NULL, &y, &error);
  if (ran) printf("%s\n", error.message);
  gpuopt_array_release(y);
  gpuopt_array_release(x);
  gpuopt_kernel_release(kernel);
  gpuopt_device_release(device);
  return ran == GPUOPT_OK ? 0 : ran == GPUOPT_ERR_JIT_UNAVAILABLE ? 1 : 2;
}
