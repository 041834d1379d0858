/* samples/analyses_c/kmeans.c -- k-means: puts the rows of a CSV file into groups of rows that lie close together, in
 * C.
 *
 * The program of samples/kmeans/kmeans.cpp, which explains the method; it prints and writes the same.
 *
 * usage: kmeans_c TABLE.csv GROUPS [LABELS.csv]    The device is what GPUOPT_BACKEND or ARRAY_MODULE say, else the
 * CPU. */
#include "analysis.h"

/* The squares of the distances of each row from each centre, (rows, centres), without a temporary of three
 * dimensions. */
static gpuopt_array distances(gpuopt_array x, gpuopt_array centres) {
  const size_t here = enter();
  const gpuopt_array lengths = NEW(gpuopt_sum, NEW(gpuopt_square, x), GPUOPT_AXES_KEEP(1));
  const gpuopt_array others = NEW(gpuopt_sum, NEW(gpuopt_square, centres), GPUOPT_AXES(1));
  const gpuopt_array twice = NEW(gpuopt_multiply, num(2), product(x, transposed(centres)));
  const gpuopt_array squares = NEW(gpuopt_add, NEW(gpuopt_subtract, lengths, twice), others);
  return leave(here, NEW(gpuopt_maximum, squares, num(0)));
}

/* One of the numbers, drawn with these probabilities; NULL: all alike. */
static gpuopt_array draw(gpuopt_random_state random, gpuopt_array numbers, gpuopt_array chance) {
  return NEW(gpuopt_random_state_choice, random, numbers, GPUOPT_SHAPE(1), 1, chance);
}

/* Rows that are likely to lie far from each other: each is drawn with a probability proportional to the square of its
 * distance from the nearest one before. */
static gpuopt_array first_centres(gpuopt_device device, gpuopt_array x, int64_t groups) {
  const size_t here = enter();
  gpuopt_random_state random = NULL;
  check(gpuopt_random_state_create(device, 1, &random, &error));
  const gpuopt_array numbers = counting(device, gpuopt_array_shape(x)[0]);
  gpuopt_array chosen = draw(random, numbers, NULL);
  while (gpuopt_array_size(chosen) < groups) {
    const size_t inside = enter();
    const gpuopt_array nearest = NEW(gpuopt_min, distances(x, NEW(gpuopt_take, x, chosen, 0)), GPUOPT_AXES(1));
    const gpuopt_array chance = NEW(gpuopt_divide, nearest, NEW(gpuopt_sum, nearest, NULL));
    const gpuopt_array both[] = {chosen, draw(random, numbers, chance)};
    chosen = leave(inside, NEW(gpuopt_concat_along, 0, 2, both));
  }
  gpuopt_random_state_release(random);
  return leave(here, NEW(gpuopt_take, x, chosen, 0));
}

/* The means of the rows of each group; where a group has none, its centre stays. */
static gpuopt_array means(gpuopt_array x, gpuopt_array labels, gpuopt_array numbers, gpuopt_array centres) {
  const size_t here = enter();
  /* A row of members for each group, with ones where its rows are: a product sums them up. */
  const gpuopt_array belongs = NEW(gpuopt_equal, NEW(gpuopt_expand_dims, numbers, 1), labels);
  const gpuopt_array members = NEW(gpuopt_astype, belongs, gpuopt_array_dtype(x), GPUOPT_COPY_IF_NEEDED);
  const gpuopt_array sizes = NEW(gpuopt_sum, members, GPUOPT_AXES_KEEP(1));
  const gpuopt_array mean = NEW(gpuopt_divide, product(members, x), NEW(gpuopt_maximum, sizes, num(1)));
  gpuopt_array result = NEW(gpuopt_where, NEW(gpuopt_greater, sizes, num(0)), mean, centres);
  check(gpuopt_eval(1, &result, &error));
  return leave(here, result);
}

/* Puts the rows into groups; gives the number of steps after which no row changes its group any more. */
static int group(gpuopt_device device, gpuopt_array x, int64_t count, gpuopt_array *labels, gpuopt_array *centres) {
  const gpuopt_array numbers = counting(device, count);
  const size_t here = enter();
  *labels = NULL;
  *centres = first_centres(device, x, count);
  for (int steps = 0;; ++steps) {
    const gpuopt_array next = NEW(gpuopt_argmin, distances(x, *centres), GPUOPT_AXES(1));
    int32_t equal = 0;
    if (steps) check(gpuopt_array_equal(next, *labels, 0, &equal, &error));
    if (equal) return steps;
    *labels = next;
    *centres = means(x, next, numbers, *centres);
    leave_with(here, *labels, *centres); /* so that any number of steps may come */
  }
}

static void run(const char *path, int64_t count, const char *output) {
  gpuopt_loadtxt_options csv = {0};
  gpuopt_device device = NULL;
  gpuopt_array labels = NULL, found = NULL;
  csv.struct_size = sizeof csv;
  csv.delimiter = ",";
  csv.ndmin = 2;
  check(gpuopt_device_open(NULL, NULL, &device, &error)); /* the environment's */
  const gpuopt_array table = NEW(gpuopt_loadtxt, device, path, &csv);
  const gpuopt_array mean = NEW(gpuopt_mean, table, GPUOPT_AXES(0)), spread = NEW(gpuopt_std, table, GPUOPT_AXES(0));
  const gpuopt_array x = NEW(gpuopt_divide, NEW(gpuopt_subtract, table, mean), spread);
  const int steps = group(device, x, count, &labels, &found);
  const gpuopt_array centres = NEW(gpuopt_add, NEW(gpuopt_multiply, found, spread), mean);
  const gpuopt_array sizes = NEW(gpuopt_bincount, labels, NULL, count);
  printf("%lld rows in %lld groups; steps: %d\n", (long long)gpuopt_array_shape(table)[0], (long long)count, steps);
  for (int64_t g = 0; g < count; ++g) {
    const size_t here = enter();
    printf("%.0f rows around ", number_in(row(sizes, g)));
    print_rounded("", row(centres, g), 10);
    leave(here, NULL);
  }
  if (output) {
    check(gpuopt_savetxt(labels, output, NULL, &error));
    printf("the group of each row is in %s\n", output);
  }
  leave(0, NULL);
  gpuopt_device_release(device);
}

int main(int argc, char **argv) {
  program = "kmeans_c";
  if (argc < 3 || atoll(argv[2]) < 1) {
    fprintf(stderr, "usage: kmeans_c TABLE.csv GROUPS [LABELS.csv]\n");
    return 2;
  }
  run(argv[1], atoll(argv[2]), argc > 3 ? argv[3] : NULL);
  return 0;
}
