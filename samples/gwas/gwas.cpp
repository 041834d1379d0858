// samples/gwas/gwas.cpp -- which of many genetic variants (SNPs) influence a trait: a genome-wide association study
// with a linear mixed model.
//
// usage: gwas [PEOPLE SNPS]    The device is what GPUOPT_BACKEND or ARRAY_MODULE say, else the CPU.
//
// Each person has 0, 1 or 2 copies of each variant; some counts are missing. People are related, so that their traits
// resemble each other for other reasons than one variant. The model of FaST-LMM (C. Lippert et al., Nature Methods 8,
// 2011) is y = x b + g + e, where the covariance of g is proportional to the kinship K and that of e to the identity:
//   1. standardize the SNPs; K = X X^T / (number of SNPs)
//   2. K = U diag(w) U^T; in the coordinates U^T y all people are independent, with variances w + delta
//   3. choose the delta that makes the data most likely without any SNP, from a grid
//   4. for each SNP, a weighted least squares fit of U^T y by U^T x; p is erfc(|t| / sqrt(2))
#include <cmath>
#include <cstdlib>
#include <gpuopt/gpuopt.hpp>
#include <iomanip>
#include <iostream>
#include <limits>
#include <vector>

namespace gp = gpuopt;

// Counts of variants, of which one in fifty is missing (NaN), and traits that three of the SNPs influence.
struct Study {
  gp::array snps, trait;
  std::vector<int64_t> causal;
};

// Columns of mean 0 and standard deviation 1; missing values become 0.
static gp::array standardized(const gp::array &x) {
  const gp::array deviation = gp::nanstd(x, 0);
  const gp::array scaled = (x - gp::nanmean(x, 0)) / gp::where(deviation == 0.0, 1.0, deviation);
  return gp::where(gp::isnan(x), 0.0, scaled);
}

// People of four villages; in each a variant has a frequency of its own. All variants have a small influence, too.
static Study make_study(int64_t people, int64_t count, const gp::device &where) {
  constexpr int64_t villages = 4;
  gp::random_state random(11, where);
  const gp::array frequency = random.uniform(0.1, 0.5, {1, count});
  const gp::array local = gp::clip(frequency + random.normal(0, 0.08, {villages, count}), 0.02, 0.98);
  const gp::array village = gp::arange(people, gp::int64, where) % villages;
  const gp::array chance = gp::take(local, village, 0);
  const gp::array one = random.random_sample({people, count}) < chance;
  const gp::array other = random.random_sample({people, count}) < chance;
  gp::array snps = one.astype(gp::float64) + other.astype(gp::float64);

  const std::vector<int64_t> causal = {count / 7, count / 2, count - count / 5};
  const gp::array small = random.normal(0, 1, {count}) / std::sqrt(static_cast<double>(count));
  gp::array trait = random.normal(0, 1, {people}) + gp::matmul(standardized(snps), small);
  for (const int64_t snp : causal) trait = trait + 0.7 * snps(gp::all, snp);
  trait.eval();
  snps[random.random_sample({people, count}) < 0.02] = std::nan("");
  return {snps, trait, causal};
}

// Twice the negative logarithm of the likelihood of traits y, without mean, whose variances are proportional to v.
static double unlikelihood(const gp::array &y, const gp::array &v) {
  const auto n = static_cast<double>(y.size());
  const double scale = gp::mean(gp::square(y) / v).item<double>();
  return n * std::log(scale) + gp::sum(gp::log(v)).item<double>();
}

static double best_delta(const gp::array &y, const gp::array &w) {
  double best = 1, least = std::numeric_limits<double>::infinity();
  for (int k = -20; k <= 20; k++) {
    const double delta = std::exp(k / 4.0), value = unlikelihood(y, w + delta);
    if (value < least) {
      least = value;
      best = delta;
    }
  }
  return best;
}

// The p-value of each column of x: how likely an influence at least that strong would be seen if there were none.
static gp::array p_values(const gp::array &x, const gp::array &y, const gp::array &v) {
  const gp::array weighted = x / gp::expand_dims(v, 1);
  const gp::array xx = gp::sum(weighted * x, 0), xy = gp::matmul(y, weighted);
  const gp::array slope = xy / xx;
  const gp::array rest = gp::sum(gp::square(y) / v) - slope * xy;
  const gp::array error = gp::sqrt(rest / static_cast<double>(y.size() - 1) / xx);
  return gp::erfc(gp::abs(slope / error) / std::sqrt(2.0));
}

static void run(int64_t people, int64_t count) {
  const gp::device chosen;  // without a request: the environment's
  const Study study = make_study(people, count, chosen);
  const gp::array x = standardized(study.snps), y = study.trait - gp::mean(study.trait);

  const gp::array kinship = gp::matmul(x, x.transpose()) / static_cast<double>(count);
  const auto [w, u] = gp::linalg::eigh(kinship);
  const gp::array turned = u.transpose(), rotated = gp::matmul(turned, y);
  const double delta = best_delta(rotated, w);
  const gp::array p = p_values(gp::matmul(turned, x), rotated, w + delta);

  std::cout << people << " people, " << count << " SNPs; delta " << std::setprecision(4) << delta << "\n";
  std::cout << "SNPs with influence:";
  for (const int64_t snp : study.causal) std::cout << " " << snp;
  std::cout << "\nleast p-values:\n";
  const std::vector<int64_t> order = gp::argsort(p).copy()(gp::slice(5)).copy().to_vector<int64_t>();
  for (const int64_t snp : order)
    std::cout << "  SNP " << std::setw(5) << snp << "  p " << std::setprecision(3) << p[snp].item<double>() << "\n";
  std::cout << "SNPs below 0.05 / " << count << ": " << gp::sum(p < 0.05 / static_cast<double>(count)).item<int64_t>()
            << "\n";
}

int main(int argc, char **argv) {
  try {
    run(argc == 3 ? std::atoll(argv[1]) : 400, argc == 3 ? std::atoll(argv[2]) : 2000);
  } catch (const gp::error &e) {
    std::cerr << "gwas: " << e.what() << "\n";
    return 1;
  }
  return 0;
}
