/* tests/unit/fake_mkl.c -- a stand-in for MKL: the symbols by which the CPU backend knows it, and transforms that carry
 * the definition out literally. It refuses transforms of 13 elements, counts those that it did, and does not accept
 * imaginary parts where the numbers that come out are real. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int fake_mkl_transforms = 0;

EXPORTED void MKL_Get_Version(void *version) { (void)version; }

#define PRODUCT(name) \
  EXPORTED void name(void) { abort(); }
PRODUCT(sgemm_)
PRODUCT(dgemm_)
PRODUCT(cgemm_)
PRODUCT(zgemm_)
PRODUCT(sgemv_)
PRODUCT(dgemv_)
PRODUCT(cgemv_)
PRODUCT(zgemv_)

struct descriptor {
  int single, real, committed;
  long n, count, step[2], next[2];
  double scale[2]; /* of the forward and of the backward transform */
};

EXPORTED long DftiCreateDescriptor(void **made, int precision, int domain, long dimensions, ...) {
  va_list sizes;
  struct descriptor *const d = (struct descriptor *)calloc(1, sizeof *d);
  if (!d || dimensions != 1 || (precision != 35 && precision != 36) || (domain != 32 && domain != 33)) return 1;
  va_start(sizes, dimensions);
  d->n = va_arg(sizes, long);
  va_end(sizes);
  d->single = precision == 35;
  d->real = domain == 33;
  d->count = d->step[0] = d->step[1] = 1;
  d->scale[0] = d->scale[1] = 1;
  *made = d;
  return 0;
}

EXPORTED long DftiSetValue(void *made, int parameter, ...) {
  struct descriptor *const d = (struct descriptor *)made;
  long status = 0;
  va_list values;
  va_start(values, parameter);
  if (parameter == 4 || parameter == 5)
    d->scale[parameter - 4] = va_arg(values, double);
  else if (parameter == 7)
    d->count = va_arg(values, long);
  else if (parameter == 10)
    status = va_arg(values, int) != 39;
  else if (parameter == 11)
    status = va_arg(values, int) != 44;
  else if (parameter == 12 || parameter == 13)
    d->step[parameter - 12] = va_arg(values, const long *)[1];
  else if (parameter == 14 || parameter == 15)
    d->next[parameter - 14] = va_arg(values, long);
  else
    status = 1;
  va_end(values);
  return status;
}

EXPORTED long DftiCommitDescriptor(void *made) {
  struct descriptor *const d = (struct descriptor *)made;
  d->committed = d->n != 13;
  return !d->committed;
}

static double number_at(const struct descriptor *d, const void *x, long i) {
  return d->single ? ((const float *)x)[i] : ((const double *)x)[i];
}
static void put(const struct descriptor *d, void *y, long i, double value) {
  if (d->single)
    ((float *)y)[i] = (float)value;
  else
    ((double *)y)[i] = value;
}

/* Element j of the line at `first`: of a real input, a complex one, or of half of a Hermitian one. */
static void element(const struct descriptor *d, int backward, const void *x, long first, long j, double *re,
                    double *im) {
  const int mirrored = d->real && backward && j > d->n / 2;
  const long at = first + (mirrored ? d->n - j : j) * d->step[0];
  *re = number_at(d, x, d->real && !backward ? at : 2 * at);
  *im = d->real && !backward ? 0 : number_at(d, x, 2 * at + 1) * (mirrored ? -1 : 1);
}

static long compute(struct descriptor *d, int backward, void *x, void *y) {
  const double turn = (backward ? 2 : -2) * acos(-1.0) / (double)d->n;
  const long results = d->real && !backward ? d->n / 2 + 1 : d->n;
  long line, k, j;
  if (!d->committed) return 3;
  for (line = 0; line < d->count; ++line) {
    const long to = line * d->next[1];
    for (k = 0; k < results; ++k) {
      double re = 0, im = 0;
      for (j = 0; j < d->n; ++j) {
        const double angle = turn * (double)(j * k % d->n);
        double a, b;
        element(d, backward, x, line * d->next[0], j, &a, &b);
        if (d->real && backward && b != 0 && (j == 0 || 2 * j == d->n)) return 3;
        re += a * cos(angle) - b * sin(angle);
        im += a * sin(angle) + b * cos(angle);
      }
      if (d->real && backward) {
        put(d, y, to + k * d->step[1], re * d->scale[1]);
      } else {
        put(d, y, 2 * (to + k * d->step[1]), re * d->scale[backward]);
        put(d, y, 2 * (to + k * d->step[1]) + 1, im * d->scale[backward]);
      }
    }
  }
  ++fake_mkl_transforms;
  return 0;
}

EXPORTED long DftiComputeForward(void *made, void *x, ...) {
  va_list places;
  void *y;
  va_start(places, x);
  y = va_arg(places, void *);
  va_end(places);
  return compute((struct descriptor *)made, 0, x, y);
}

EXPORTED long DftiComputeBackward(void *made, void *x, ...) {
  va_list places;
  void *y;
  va_start(places, x);
  y = va_arg(places, void *);
  va_end(places);
  return compute((struct descriptor *)made, 1, x, y);
}

EXPORTED long DftiFreeDescriptor(void **made) {
  free(*made);
  *made = NULL;
  return 0;
}
