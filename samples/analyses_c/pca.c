/* samples/analyses_c/pca.c -- principal components of measurements of birds, and a picture of them, in C.
 *
 * The program of samples/pca/pca.cpp, which explains the method; it prints and draws the same.
 *
 * usage: pca_c [PICTURE.svg]    The device is what GPUOPT_BACKEND or ARRAY_MODULE say, else the CPU. */
#include "analysis.h"

enum { EACH = 50, SPECIES = 3, MEASUREMENTS = 4, BIRDS = EACH * SPECIES };
static const char *const names[] = {"sparrow", "blackbird", "magpie"};
static const char *const colours[] = {"#b5651d", "#222222", "#1f6fb5"};

/* Wing, tail, bill and weight of birds, a row for each: the species' means, and what a large bird has more of all. */
static gpuopt_array measure(gpuopt_device device) {
  static const double of[] = {77, 57, 10, 28, 130, 105, 19, 100, 190, 240, 34, 210}, spreads[] = {3, 4, 0.8, 6};
  const size_t here = enter();
  gpuopt_array species[SPECIES];
  gpuopt_random_state random = NULL;
  check(gpuopt_random_state_create(device, 7, &random, &error));
  const gpuopt_array means = NEW(gpuopt_array_from, device, of, GPUOPT_FLOAT64, GPUOPT_SHAPE(SPECIES, MEASUREMENTS));
  const gpuopt_array spread = NEW(gpuopt_array_from, device, spreads, GPUOPT_FLOAT64, GPUOPT_SHAPE(MEASUREMENTS));
  for (int s = 0; s < SPECIES; ++s) {
    const gpuopt_array size = NEW(gpuopt_random_state_normal, random, 0, 1, GPUOPT_SHAPE(EACH, 1));
    const gpuopt_array rest = NEW(gpuopt_random_state_normal, random, 0, 1, GPUOPT_SHAPE(EACH, MEASUREMENTS));
    const gpuopt_array together = NEW(gpuopt_add, size, NEW(gpuopt_multiply, num(0.6), rest));
    species[s] = NEW(gpuopt_add, row(means, s), NEW(gpuopt_multiply, spread, together));
  }
  gpuopt_random_state_release(random);
  return leave(here, NEW(gpuopt_concat_along, 0, SPECIES, species));
}

/* Columns of mean 0 and standard deviation 1. */
static gpuopt_array standardized(gpuopt_array x) {
  const size_t here = enter();
  const gpuopt_array mean = NEW(gpuopt_mean, x, GPUOPT_AXES(0)), deviation = NEW(gpuopt_std, x, GPUOPT_AXES(0));
  return leave(here, NEW(gpuopt_divide, NEW(gpuopt_subtract, x, mean), deviation));
}

/* A drawing of 560 by 400 points: one circle for each bird. */
static void draw(const char *path, const double (*places)[2]) {
  FILE *svg = fopen(path, "w");
  if (!svg) stop("cannot write the picture");
  fprintf(svg,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-280 -200 560 400\" font-family=\"sans-serif\">\n"
          "<rect x=\"-280\" y=\"-200\" width=\"560\" height=\"400\" fill=\"white\"/>\n"
          "<path d=\"M-260 0H260M0 -180V180\" stroke=\"#bbb\"/>\n");
  for (int i = 0; i < BIRDS; ++i)
    fprintf(svg, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"4\" fill=\"%s\" fill-opacity=\"0.7\"/>\n", 90 * places[i][0],
            -90 * places[i][1], colours[i / EACH]);
  for (int s = 0; s < SPECIES; ++s)
    fprintf(svg, "<text x=\"-265\" y=\"%d\" fill=\"%s\">%s</text>\n", 20 * s - 175, colours[s], names[s]);
  fprintf(svg, "</svg>\n");
  const int failed = ferror(svg);
  if (fclose(svg) || failed) stop("cannot write the picture");
}

/* The two most important coordinates of each bird, (birds, 2). A direction and its opposite are the same component: let
 * the first measurement count positively. */
static gpuopt_array place(gpuopt_array u, gpuopt_array s, gpuopt_array vh) {
  const gpuopt_array sign = NEW(gpuopt_where, NEW(gpuopt_less, column(vh, 0), num(0)), num(-1), num(1));
  print_rounded("first component:    ", NEW(gpuopt_multiply, row(vh, 0), row(sign, 0)), 1000);
  const gpuopt_array all = NEW(gpuopt_multiply, u, NEW(gpuopt_multiply, s, sign));
  return NEW(gpuopt_slice, all, GPUOPT_ITEMS(gpuopt_slice_all(), gpuopt_slice_to(2)));
}

int main(int argc, char **argv) {
  const char *const path = argc > 1 ? argv[1] : "pca.svg";
  gpuopt_device device = NULL;
  gpuopt_array u = NULL, s = NULL, vh = NULL;
  program = "pca_c";
  check(gpuopt_device_open(NULL, NULL, &device, &error)); /* the environment's */
  check(gpuopt_svd(standardized(measure(device)), 0, &u, &s, &vh, &error));
  const gpuopt_array squares = NEW(gpuopt_square, keep(s));
  print_rounded("explained variance: ", NEW(gpuopt_divide, squares, NEW(gpuopt_sum, squares, NULL)), 1000);

  const gpuopt_array places = place(keep(u), s, keep(vh));
  for (int k = 0; k < SPECIES; ++k) {
    const gpuopt_array birds = NEW(gpuopt_slice, places, GPUOPT_ITEMS(gpuopt_slice_of(k * EACH, (k + 1) * EACH)));
    printf("%s: ", names[k]);
    print_rounded("", NEW(gpuopt_mean, birds, GPUOPT_AXES(0)), 100);
  }
  double host[BIRDS][2];
  check(gpuopt_to_host(places, host, sizeof host, &error));
  draw(path, (const double(*)[2])host);
  printf("the picture is in %s\n", path);
  leave(0, NULL);
  gpuopt_device_release(device);
  return 0;
}
