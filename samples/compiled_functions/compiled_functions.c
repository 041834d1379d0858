/* samples/compiled_functions/compiled_functions.c -- native functions that C calls back, and kernels compiled ahead of
 * time.
 *
 * usage: compiled_functions [BUNDLE]
 * Without a bundle, functions and kernels are compiled here. One is made by
 *   gpuopt-aot --output compiled.bundle compiled_functions
 * and where it is loaded, no compiler need be installed. */
#include <gpuopt/gpuopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define TRY(call)                             \
  do {                                        \
    gpuopt_error error = GPUOPT_ERROR_INIT;   \
    if (call) {                               \
      fprintf(stderr, "%s\n", error.message); \
      return 1;                               \
    }                                         \
  } while (0)

/* What a library of C is given: a function and its parameters (the trapezoid rule, as GSL and SciPy's LowLevelCallable
 * take theirs). */
typedef double (*integrand)(double x, const double *parameters);
static double integrate(integrand f, const double *parameters, double from, double to, int steps) {
  const double width = (to - from) / steps;
  double sum = (f(from, parameters) + f(to, parameters)) / 2;
  for (int k = 1; k < steps; k++) sum += f(from + k * width, parameters);
  return sum * width;
}

static int native_functions(void) {
  gpuopt_cfunc bell = NULL, by_digit = NULL;
  TRY(gpuopt_compile_cfunc("double bell(double x, const double *p) { return exp(-x * x / (2 * p[0] * p[0])); }", "bell",
                           "float64,const float64*->float64", &bell, &error));
  const double sigma[] = {0.5};
  integrand f = (integrand)gpuopt_cfunc_address(bell);
  printf("the area below a bell: %.6f\n", integrate(f, sigma, -8, 8, 4000));
  gpuopt_cfunc_release(bell);

  TRY(
      gpuopt_compile_cfunc("int32_t by_digit(const int32_t *a, const int32_t *b) {\n"
                           "  const int32_t x = *a % 10, y = *b % 10;\n"
                           "  return x != y ? x - y : *a - *b;\n"
                           "}",
                           "by_digit", "const int32*,const int32*->int32", &by_digit, &error));
  int32_t numbers[] = {91, 15, 42, 7, 30, 12, 77, 51};
  const size_t count = sizeof numbers / sizeof numbers[0];
  qsort(numbers, count, sizeof numbers[0], (int (*)(const void *, const void *))gpuopt_cfunc_address(by_digit));
  printf("sorted by their last digit:");
  for (size_t k = 0; k < count; k++) printf(" %d", (int)numbers[k]);
  printf("\n");
  gpuopt_cfunc_release(by_digit);
  return 0;
}

/* An ordinary kernel: nothing is different where its code is in a bundle. */
static int kernel(void) {
  gpuopt_device device = NULL;
  gpuopt_kernel square_sum = NULL;
  gpuopt_array x = NULL, y = NULL;
  gpuopt_scalar total;
  const int64_t shape[] = {1000};
  TRY(gpuopt_device_open("cpu", NULL, &device, &error));
  TRY(gpuopt_reduction_kernel("T x", "T y", "x * x", "a + b", "y = a", "0", "square_sum", NULL, &square_sum, &error));
  TRY(gpuopt_ones(device, GPUOPT_INT64, 1, shape, &x, &error));
  TRY(gpuopt_kernel_call(square_sum, 1, &x, NULL, &y, &error));
  TRY(gpuopt_array_item(y, NULL, &total, &error));
  printf("the sum of 1000 squares of 1: %d\n", (int)total.value.i);
  gpuopt_array_release(y);
  gpuopt_array_release(x);
  gpuopt_kernel_release(square_sum);
  gpuopt_device_release(device);
  return 0;
}

int main(int count, char **arguments) {
  if (count > 1) TRY(gpuopt_bundle_load(arguments[1], &error));
  return native_functions() || kernel();
}
