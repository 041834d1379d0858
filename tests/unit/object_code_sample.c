/* tests/unit/object_code_sample.c -- an object file with all a kernel has: see cpu_object_code_test.cpp. */
int outside(int x);

static const double weights[4] = {0.5, 0.25, 8, 16};
static const char *const words[] = {"one", "two", "three"};
static int counter = 5;

static __attribute__((noinline)) int hidden(int x) { return outside(x) + 1; }

double dot(const double *x) {
  double sum = 0;
  for (int k = 0; k < 4; k++) sum += x[k] * weights[k];
  return sum;
}
int through(int x) { return hidden(x); }
const char *word(int k) { return words[k]; }
int count(void) { return ++counter; }
