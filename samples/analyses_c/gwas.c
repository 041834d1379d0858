/* samples/analyses_c/gwas.c -- which of many genetic variants influence a trait: a genome-wide association study with a
 * linear mixed model, in C.
 *
 * The program of samples/gwas/gwas.cpp, which explains the method; it prints the same.
 *
 * usage: gwas_c [PEOPLE SNPS]    The device is what GPUOPT_BACKEND or ARRAY_MODULE say, else the CPU. */
#include <math.h>

#include "analysis.h"

#define CAUSAL 3

/* Columns of mean 0 and standard deviation 1; missing values become 0. */
static gpuopt_array standardized(gpuopt_array x) {
  const size_t here = enter();
  const gpuopt_array deviation = NEW(gpuopt_nanstd, x, GPUOPT_AXES(0));
  const gpuopt_array divisor = NEW(gpuopt_where, NEW(gpuopt_equal, deviation, num(0)), num(1), deviation);
  const gpuopt_array centred = NEW(gpuopt_subtract, x, NEW(gpuopt_nanmean, x, GPUOPT_AXES(0)));
  const gpuopt_array scaled = NEW(gpuopt_divide, centred, divisor);
  return leave(here, NEW(gpuopt_where, NEW(gpuopt_isnan, x), num(0), scaled));
}

/* Which of the people have a variant once: 1 with this chance, else 0. */
static gpuopt_array copies(gpuopt_random_state random, gpuopt_array chance) {
  const size_t here = enter();
  const gpuopt_array drawn =
      NEW(gpuopt_random_state_random_sample, random, gpuopt_array_ndim(chance), gpuopt_array_shape(chance));
  return leave(here, NEW(gpuopt_astype, NEW(gpuopt_less, drawn, chance), GPUOPT_FLOAT64, GPUOPT_COPY_IF_NEEDED));
}

/* How likely each of the people is to have each of the variants: four villages, in each of which a variant has a
 * frequency of its own. */
static gpuopt_array chances(gpuopt_random_state random, gpuopt_device device, int64_t people, int64_t count) {
  const size_t here = enter();
  const int64_t villages = 4;
  const gpuopt_array frequency = NEW(gpuopt_random_state_uniform, random, 0.1, 0.5, GPUOPT_SHAPE(1, count));
  const gpuopt_array differences = NEW(gpuopt_random_state_normal, random, 0, 0.08, GPUOPT_SHAPE(villages, count));
  const gpuopt_array local = NEW(gpuopt_clip, NEW(gpuopt_add, frequency, differences), num(0.02), num(0.98));
  const gpuopt_array divisor = NEW(gpuopt_weak, gpuopt_scalar_int(villages));
  const gpuopt_array village = NEW(gpuopt_remainder, counting(device, people), divisor);
  return leave(here, NEW(gpuopt_take, local, village, 0));
}

/* Traits that the variants in `causal` influence much, and all others a little. */
static gpuopt_array traits(gpuopt_random_state random, gpuopt_array snps, const int64_t *causal) {
  const size_t here = enter();
  const int64_t people = gpuopt_array_shape(snps)[0], count = gpuopt_array_shape(snps)[1];
  const gpuopt_array drawn = NEW(gpuopt_random_state_normal, random, 0, 1, GPUOPT_SHAPE(count));
  const gpuopt_array small = NEW(gpuopt_divide, drawn, num(sqrt((double)count)));
  gpuopt_array trait = NEW(gpuopt_random_state_normal, random, 0, 1, GPUOPT_SHAPE(people));
  trait = NEW(gpuopt_add, trait, product(standardized(snps), small));
  for (int i = 0; i < CAUSAL; ++i)
    trait = NEW(gpuopt_add, trait, NEW(gpuopt_multiply, num(0.7), column(snps, causal[i])));
  check(gpuopt_eval(1, &trait, &error));
  return leave(here, trait);
}

/* Counts of variants, of which one in fifty is missing (NaN), and the traits. */
static void make_study(gpuopt_device device, int64_t people, int64_t count, const int64_t *causal, gpuopt_array *snps,
                       gpuopt_array *trait) {
  gpuopt_random_state random = NULL;
  check(gpuopt_random_state_create(device, 11, &random, &error));
  const gpuopt_array chance = chances(random, device, people, count);
  const gpuopt_array one = copies(random, chance), other = copies(random, chance);
  *snps = NEW(gpuopt_add, one, other);
  *trait = traits(random, *snps, causal);
  const gpuopt_array drawn = NEW(gpuopt_random_state_random_sample, random, GPUOPT_SHAPE(people, count));
  check(gpuopt_mask_assign(*snps, NEW(gpuopt_less, drawn, num(0.02)), num(NAN), &error));
  gpuopt_random_state_release(random);
}

/* Twice the negative logarithm of the likelihood of traits y, without mean, whose variances are proportional to v. */
static double unlikelihood(gpuopt_array y, gpuopt_array v) {
  const size_t here = enter();
  const gpuopt_array scaled = NEW(gpuopt_divide, NEW(gpuopt_square, y), v);
  const double scale = number_in(NEW(gpuopt_mean, scaled, NULL));
  const double logarithms = number_in(NEW(gpuopt_sum, NEW(gpuopt_log, v), NULL));
  leave(here, NULL);
  return (double)gpuopt_array_size(y) * log(scale) + logarithms;
}

static double best_delta(gpuopt_array y, gpuopt_array w) {
  double best = 1, least = INFINITY;
  for (int k = -20; k <= 20; ++k) {
    const size_t here = enter();
    const double delta = exp(k / 4.0), value = unlikelihood(y, NEW(gpuopt_add, w, num(delta)));
    leave(here, NULL);
    if (value < least) {
      least = value;
      best = delta;
    }
  }
  return best;
}

/* The p-value of each column of x: how likely an influence at least that strong would be seen if there were none. */
static gpuopt_array p_values(gpuopt_array x, gpuopt_array y, gpuopt_array v) {
  const size_t here = enter();
  const gpuopt_array weighted = NEW(gpuopt_divide, x, NEW(gpuopt_expand_dims, v, 1));
  const gpuopt_array xx = NEW(gpuopt_sum, NEW(gpuopt_multiply, weighted, x), GPUOPT_AXES(0));
  const gpuopt_array xy = product(y, weighted), slope = NEW(gpuopt_divide, xy, xx);
  const gpuopt_array yy = NEW(gpuopt_sum, NEW(gpuopt_divide, NEW(gpuopt_square, y), v), NULL);
  const gpuopt_array rest = NEW(gpuopt_subtract, yy, NEW(gpuopt_multiply, slope, xy));
  const gpuopt_array mean = NEW(gpuopt_divide, rest, num((double)(gpuopt_array_size(y) - 1)));
  const gpuopt_array deviation = NEW(gpuopt_sqrt, NEW(gpuopt_divide, mean, xx));
  const gpuopt_array size = NEW(gpuopt_abs, NEW(gpuopt_divide, slope, deviation));
  return leave(here, NEW(gpuopt_erfc, NEW(gpuopt_divide, size, num(sqrt(2.0)))));
}

static void print_least(gpuopt_array p, int64_t most) {
  const gpuopt_array order = NEW(gpuopt_argsort, p, NULL, 0);
  const gpuopt_array first = NEW(gpuopt_slice, order, GPUOPT_ITEMS(gpuopt_slice_to(most)));
  printf("least p-values:\n");
  for (int64_t i = 0; i < gpuopt_array_size(first); ++i) {
    const int64_t snp = (int64_t)number_in(row(first, i));
    printf("  SNP %5lld  p %.3g\n", (long long)snp, number_in(row(p, snp)));
  }
}

static void run(int64_t people, int64_t count) {
  const int64_t causal[CAUSAL] = {count / 7, count / 2, count - count / 5};
  gpuopt_device device = NULL;
  gpuopt_array snps = NULL, trait = NULL, w = NULL, u = NULL;
  check(gpuopt_device_open(NULL, NULL, &device, &error)); /* the environment's */
  make_study(device, people, count, causal, &snps, &trait);
  const gpuopt_array x = standardized(snps), y = NEW(gpuopt_subtract, trait, NEW(gpuopt_mean, trait, NULL));

  const gpuopt_array kinship = NEW(gpuopt_divide, product(x, transposed(x)), num((double)count));
  check(gpuopt_eigh(kinship, 0, &w, &u, &error));
  keep(w);
  const gpuopt_array turned = transposed(keep(u)), rotated = product(turned, y);
  const double delta = best_delta(rotated, w);
  const gpuopt_array p = p_values(product(turned, x), rotated, NEW(gpuopt_add, w, num(delta)));

  printf("%lld people, %lld SNPs; delta %.4g\nSNPs with influence:", (long long)people, (long long)count, delta);
  for (int i = 0; i < CAUSAL; ++i) printf(" %lld", (long long)causal[i]);
  printf("\n");
  print_least(p, 5);
  const gpuopt_array found = NEW(gpuopt_sum, NEW(gpuopt_less, p, num(0.05 / (double)count)), NULL);
  printf("SNPs below 0.05 / %lld: %.0f\n", (long long)count, number_in(found));
  leave(0, NULL);
  gpuopt_device_release(device);
}

int main(int argc, char **argv) {
  program = "gwas_c";
  run(argc == 3 ? atoll(argv[1]) : 400, argc == 3 ? atoll(argv[2]) : 2000);
  return 0;
}
