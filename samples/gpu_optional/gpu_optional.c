/* samples/gpu_optional/gpu_optional.c -- one program for machines with a GPU and without: standardizes columns.
 *
 * It asks for a device by name, makes (or reads) a matrix with missing values, brings every column to mean 0 and
 * standard deviation 1 with 0 for what was missing, and writes the result as .npy. Where the device cannot work here,
 * gpuopt says why in one line on stderr and the program computes the same numbers on the CPU. C99 and gpuopt.h;
 * `--help` says how to run it. */
#define _POSIX_C_SOURCE 199309L
#include <gpuopt/gpuopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Every call that can fail returns a status; on failure a function of this file releases what it holds and returns it.
 */
#define TRY(call)                       \
  do {                                  \
    status = (call);                    \
    if (status != GPUOPT_OK) goto done; \
  } while (0)

typedef struct options {
  const char *device, *input, *output;
  int64_t rows, columns;
} options;

/* A matrix of 0, 1, 2 and NaN, as numpy.random.RandomState(1).choice([0, 1, 2, nan], (rows, columns)) gives it. */
static gpuopt_status gen_data(gpuopt_device device, int64_t rows, int64_t columns, gpuopt_array *a,
                              gpuopt_error *error) {
  const double values[] = {0.0, 1.0, 2.0, NAN};
  const int64_t four = 4, shape[] = {rows, columns};
  gpuopt_random_state rng = NULL;
  gpuopt_array choices = NULL;
  gpuopt_status status;
  TRY(gpuopt_random_state_create(device, 1, &rng, error));
  TRY(gpuopt_array_from(device, values, GPUOPT_FLOAT64, 1, &four, &choices, error));
  TRY(gpuopt_random_state_choice(rng, choices, 2, shape, 1, NULL, a, error));
done:
  gpuopt_array_release(choices);
  gpuopt_random_state_release(rng);
  return status;
}

/* Brings each column of `a` to mean 0 and standard deviation 1, in place; missing values become 0. */
static gpuopt_status unit_standardize(gpuopt_array a, gpuopt_error *error) {
  gpuopt_array missing = NULL, std = NULL, mean = NULL, constant = NULL, zero = NULL, infinity = NULL;
  gpuopt_status status;
  if (gpuopt_array_dtype(a) != GPUOPT_FLOAT64 && gpuopt_array_dtype(a) != GPUOPT_FLOAT32) {
    snprintf(error->message, sizeof error->message, "a must be a float in order to standardize in place.");
    return GPUOPT_ERR_TYPE;
  }
  TRY(gpuopt_weak(gpuopt_scalar_real(0.0), &zero, error));
  TRY(gpuopt_weak(gpuopt_scalar_real(INFINITY), &infinity, error));
  TRY(gpuopt_isnan(a, &missing, error));                   /* missing = isnan(a)          */
  TRY(gpuopt_nanstd(a, GPUOPT_AXES(0), &std, error));      /* std = nanstd(a, axis=0)     */
  TRY(gpuopt_nanmean(a, GPUOPT_AXES(0), &mean, error));    /* mean = nanmean(a, axis=0)   */
  TRY(gpuopt_equal(std, zero, &constant, error));          /* avoid dividing by 0:        */
  TRY(gpuopt_mask_assign(std, constant, infinity, error)); /* std[std == 0] = inf         */
  TRY(gpuopt_subtract_into(a, mean, a, error));            /* a -= mean                   */
  TRY(gpuopt_divide_into(a, std, a, error));               /* a /= std                    */
  TRY(gpuopt_mask_assign(a, missing, zero, error));        /* a[missing] = 0              */
done:
  gpuopt_array_release(missing);
  gpuopt_array_release(std);
  gpuopt_array_release(mean);
  gpuopt_array_release(constant);
  gpuopt_array_release(zero);
  gpuopt_array_release(infinity);
  return status;
}

/* Where the array lives, what it is, and its first three rows and columns. */
static gpuopt_status print_corner(gpuopt_array a, gpuopt_error *error) {
  const gpuopt_index three = {GPUOPT_INDEX_SLICE, 0, 0, 3, 1}, corner_of[] = {three, three};
  const int64_t *shape = gpuopt_array_shape(a);
  gpuopt_array corner = NULL;
  char *text = NULL;
  gpuopt_status status;
  TRY(gpuopt_slice(a, 2, corner_of, &corner, error));
  TRY(gpuopt_array_to_string(corner, NULL, &text, error));
  printf("%s array of %lld x %lld on %s\n%s\n", gpuopt_dtype_name(gpuopt_array_dtype(a)), (long long)shape[0],
         (long long)shape[1], gpuopt_device_name(gpuopt_array_device(a)), text);
done:
  gpuopt_string_free(text);
  gpuopt_array_release(corner);
  return status;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Waits until the device is idle, so that what was asked for is also done, and prints the time since *start. */
static gpuopt_status print_time(const char *step, gpuopt_device device, double *start, gpuopt_error *error) {
  const gpuopt_status status = gpuopt_device_synchronize(device, error);
  printf("%-12s %8.3f s\n", step, seconds() - *start);
  *start = seconds();
  return status;
}

static gpuopt_status run(const options *o, gpuopt_error *error) {
  gpuopt_device device = NULL;
  gpuopt_array a = NULL;
  gpuopt_status status;
  double start = seconds();
  TRY(gpuopt_device_open(o->device, NULL, &device, error));
  printf("asked for %s, using %s\n", o->device, gpuopt_device_name(device));
  TRY(print_time("open", device, &start, error));
  if (o->input)
    TRY(gpuopt_load_npy(device, o->input, &a, error));
  else
    TRY(gen_data(device, o->rows, o->columns, &a, error));
  if (gpuopt_array_ndim(a) != 2) {
    snprintf(error->message, sizeof error->message, "a matrix is needed: rows and columns");
    status = GPUOPT_ERR_SHAPE;
    goto done;
  }
  TRY(print_time(o->input ? "read" : "generate", device, &start, error));
  TRY(print_corner(a, error));
  start = seconds();
  TRY(unit_standardize(a, error));
  TRY(gpuopt_eval(1, &a, error));
  TRY(print_time("standardize", device, &start, error));
  TRY(print_corner(a, error));
  start = seconds();
  TRY(gpuopt_save_npy(a, o->output, error));
  TRY(print_time("write", device, &start, error));
  printf("wrote %s\n", o->output);
done:
  gpuopt_array_release(a);
  gpuopt_device_release(device);
  return status;
}

static int usage(FILE *to, int exit_code) {
  fprintf(to,
          "usage: gpu_optional [DEVICE] [--size ROWSxCOLUMNS] [--input FILE.npy] [--output FILE.npy]\n"
          "  DEVICE    cuda (default), cpu, cuda:1, auto; cuda! insists: no fallback\n"
          "  --size    of the generated matrix (default 1000x100000)\n"
          "  --input   a float32 or float64 matrix of your own instead\n"
          "  --output  where the result goes (default standardized.npy)\n");
  return exit_code;
}

int main(int argc, char **argv) {
  options o = {"cuda", NULL, "standardized.npy", 1000, 100000};
  gpuopt_error error = GPUOPT_ERROR_INIT;
  int i;
  for (i = 1; i < argc; ++i) {
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    long long rows, columns;
    char x;
    if (strcmp(argv[i], "--help") == 0) return usage(stdout, 0);
    if (argv[i][0] != '-') {
      o.device = argv[i];
    } else if (strcmp(argv[i], "--input") == 0 && value) {
      o.input = argv[++i];
    } else if (strcmp(argv[i], "--output") == 0 && value) {
      o.output = argv[++i];
    } else if (strcmp(argv[i], "--size") == 0 && value && sscanf(value, "%lld%c%lld", &rows, &x, &columns) == 3 &&
               x == 'x') {
      o.rows = rows;
      o.columns = columns;
      ++i;
    } else {
      return usage(stderr, 2);
    }
  }
  const gpuopt_status status = run(&o, &error);
  if (status != GPUOPT_OK) {
    fprintf(stderr, "gpu_optional: %s (%s)\n", error.message, gpuopt_status_name(status));
    return 1;
  }
  return 0;
}
