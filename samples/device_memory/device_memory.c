/* samples/device_memory/device_memory.c -- host memory to the device and back: whole arrays, and single elements.
 *
 * usage: device_memory [DEVICE]    (default: cuda, which is the CPU, with one warning, where CUDA cannot work) */
#include <gpuopt/gpuopt.h>
#include <stdio.h>
#include <stdlib.h>

/* Every call that can fail returns a status; on failure a function of this file releases what it holds and returns it.
 */
#define TRY(call)                       \
  do {                                  \
    status = (call);                    \
    if (status != GPUOPT_OK) goto done; \
  } while (0)

/* Four int32 there and back. */
static gpuopt_status round_trip(gpuopt_device device, gpuopt_error *error) {
  const int32_t numbers[] = {1, 2, 3, 4};
  const int64_t four = 4;
  int32_t back[4] = {0, 0, 0, 0};
  gpuopt_array on_device = NULL;
  gpuopt_status status;
  TRY(gpuopt_array_from(device, numbers, GPUOPT_INT32, 1, &four, &on_device, error));
  TRY(gpuopt_device_synchronize(device, error)); /* not needed: reading waits. It marks when the copy is done. */
  TRY(gpuopt_to_host(on_device, back, sizeof back, error));
  printf("round trip: [%d %d %d %d]\n", back[0], back[1], back[2], back[3]);
done:
  gpuopt_array_release(on_device); /* its memory goes back to the pool */
  return status;
}

/* x[i] = i and y[i] = 2 i, one element at a time; z = x + y. Fine for a few: each write is a call. */
static gpuopt_status single_elements(gpuopt_device device, gpuopt_error *error) {
  enum { n = 256 };
  const int64_t size = n;
  int32_t sums[n];
  gpuopt_array x = NULL, y = NULL, z = NULL;
  gpuopt_status status;
  int64_t i, wrong = 0;
  TRY(gpuopt_empty(device, GPUOPT_INT32, 1, &size, &x, error));
  TRY(gpuopt_empty_like(x, GPUOPT_DTYPE_DEFAULT, &y, error));
  for (i = 0; i < n; ++i) {
    TRY(gpuopt_array_set_item(x, &i, gpuopt_scalar_int(i), error));
    TRY(gpuopt_array_set_item(y, &i, gpuopt_scalar_int(2 * i), error));
  }
  TRY(gpuopt_add(x, y, &z, error));
  TRY(gpuopt_to_host(z, sums, sizeof sums, error));
  for (i = 0; i < n; ++i) wrong += sums[i] != 3 * i;
  printf("z[255] = %d, wrong elements: %lld\n", sums[255], (long long)wrong);
done:
  gpuopt_array_release(x);
  gpuopt_array_release(y);
  gpuopt_array_release(z);
  return status;
}

/* C = A + B of float32 matrices that are no multiple of any block: no edge is left out. */
static gpuopt_status matrix_add(gpuopt_device device, int64_t rows, int64_t columns, gpuopt_error *error) {
  const int64_t shape[] = {rows, columns};
  const size_t bytes = (size_t)(rows * columns) * sizeof(float);
  float *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
  gpuopt_array on_a = NULL, on_b = NULL, on_c = NULL;
  gpuopt_status status = GPUOPT_ERR_OUT_OF_MEMORY;
  int64_t i, wrong = 0;
  if (!a || !b || !c) goto done;
  for (i = 0; i < rows * columns; ++i) {
    a[i] = (float)(i % 1009);
    b[i] = 0.5f * (float)(i % 97);
  }
  TRY(gpuopt_array_from(device, a, GPUOPT_FLOAT32, 2, shape, &on_a, error));
  TRY(gpuopt_array_from(device, b, GPUOPT_FLOAT32, 2, shape, &on_b, error));
  TRY(gpuopt_add(on_a, on_b, &on_c, error));
  TRY(gpuopt_to_host(on_c, c, bytes, error));
  for (i = 0; i < rows * columns; ++i) wrong += c[i] != a[i] + b[i];
  printf("%lld x %lld: wrong elements: %lld\n", (long long)rows, (long long)columns, (long long)wrong);
done:
  free(a);
  free(b);
  free(c);
  gpuopt_array_release(on_a);
  gpuopt_array_release(on_b);
  gpuopt_array_release(on_c);
  return status;
}

int main(int argc, char **argv) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_device device = NULL;
  gpuopt_status status = gpuopt_device_open(argc > 1 ? argv[1] : "cuda", NULL, &device, &error);
  if (status == GPUOPT_OK) status = round_trip(device, &error);
  if (status == GPUOPT_OK) status = single_elements(device, &error);
  if (status == GPUOPT_OK) status = matrix_add(device, 1024, 1024, &error);
  if (status == GPUOPT_OK) status = matrix_add(device, 1000, 1023, &error);
  if (status != GPUOPT_OK) fprintf(stderr, "device_memory: %s (%s)\n", error.message, gpuopt_status_name(status));
  gpuopt_device_release(device);
  return status != GPUOPT_OK;
}
