/* packaging/recipes/conan/test_package/test_package.c -- adds up four numbers on the CPU, and prints the sum. */
#include <gpuopt/gpuopt.h>
#include <stdio.h>

int main(void) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_device device = NULL;
  gpuopt_array x = NULL, sum = NULL;
  gpuopt_scalar value = gpuopt_scalar_int(0);
  if (gpuopt_device_open("cpu", NULL, &device, &error) == GPUOPT_OK &&
      gpuopt_ones(device, GPUOPT_INT64, GPUOPT_SHAPE(4), &x, &error) == GPUOPT_OK &&
      gpuopt_sum(x, NULL, &sum, &error) == GPUOPT_OK && gpuopt_array_item(sum, NULL, &value, &error) == GPUOPT_OK) {
    printf("%d\n", (int)value.value.i);
  } else {
    fprintf(stderr, "%s\n", error.message);
  }
  gpuopt_array_release(sum);
  gpuopt_array_release(x);
  gpuopt_device_release(device);
  return value.value.i != 4;
}
