// samples/analyses_ranks/gwas_ranks.cpp -- a genome-wide association study whose variants (SNPs) are shared out among
// the processes of a job.
//
// usage: gwas_ranks [PEOPLE SNPS]            one process
//        gpuopt-run -n 4 gwas_ranks          four of this machine; mpirun -n 4 gwas_ranks: as many as MPI has
//
// The model is that of samples/gwas: y = x b + g + e, where the covariance of g is proportional to the kinship K. Each
// rank has some SNPs, as rows, for all people. Standardizing them and testing each is its own work; the kinship is a
// sum over all SNPs, which ranks compute together, and what follows from it every rank computes for itself, with the
// same bits. What is printed is the same, to the last bit, for any number of ranks.
#include <cmath>
#include <cstdlib>
#include <gpuopt/gpuopt.hpp>
#include <iomanip>
#include <iostream>
#include <limits>
#include <vector>

namespace gp = gpuopt;

// Rows of mean 0 and standard deviation 1; missing values become 0.
static gp::array standardized(const gp::array &x) {
  const gp::axes over = gp::axes(1).keepdims();
  const gp::array deviation = gp::nanstd(x, over);
  const gp::array scaled = (x - gp::nanmean(x, over)) / gp::where(deviation == 0.0, 1.0, deviation);
  return gp::where(gp::isnan(x), 0.0, scaled);
}

// SNPs, standardized, of people of four villages, in each of which a variant has a frequency of its own; and a trait
// that three SNPs influence, and all others a little.
struct Study {
  gp::shard snps;
  gp::array trait;
};

static Study make_study(const gp::comm &comm, int64_t people, int64_t count, const gp::device &where) {
  constexpr int64_t villages = 4;
  gp::generator random(11, where);
  const auto uniform = [&](int64_t columns, double low, double high) {
    return gp::shard::draw(comm, random, GPUOPT_DISTRIBUTION_UNIFORM, {count, columns}, low, high);
  };
  const auto normal = [&](int64_t columns, double scale) {
    return gp::shard::draw(comm, random, GPUOPT_DISTRIBUTION_NORMAL, {count, columns}, 0.0, scale);
  };
  const gp::shard frequency = uniform(1, 0.1, 0.5);
  const gp::array local = gp::clip(frequency.part() + normal(villages, 0.08).part(), 0.02, 0.98);
  const gp::array chance = gp::take(local, gp::arange(people, gp::int64, where) % villages, 1);
  const gp::array one = uniform(people, 0, 1).part() < chance, other = uniform(people, 0, 1).part() < chance;
  const gp::array counts = one.astype(gp::float64) + other.astype(gp::float64);
  const gp::shard x = frequency.with(standardized(counts));

  // The influence of each SNP, as a matrix of one column.
  const gp::array number = gp::arange(x.end() - x.begin(), gp::int64, where) + x.begin();
  const gp::array causal = (number == count / 7) | (number == count / 2) | (number == count - count / 5);
  const gp::array small = normal(1, 1 / std::sqrt(static_cast<double>(count))).part();
  const gp::shard influence = x.with(small + 0.6 * gp::expand_dims(causal.astype(gp::float64), 1));
  const gp::array trait = gp::reshape(x.crossprod(influence), {people}) + random.normal(0, 1, {people});
  const gp::array missing = uniform(people, 0, 1).part() < 0.02;
  return {x.with(standardized(gp::where(missing, std::nan(""), counts))), trait};
}

// Twice the negative logarithm of the likelihood of traits y, without mean, whose variances are proportional to v.
static double unlikelihood(const gp::array &y, const gp::array &v) {
  const auto n = static_cast<double>(y.size());
  const double scale = gp::mean(gp::square(y) / v).item<double>();
  return n * std::log(scale) + gp::sum(gp::log(v)).item<double>();
}

static double best_delta(const gp::array &y, const gp::array &w) {
  double best = 1, least = std::numeric_limits<double>::infinity();
  // By the library's exp, whose bits are the same everywhere.
  const gp::array grid = gp::exp((gp::arange(41, gp::float64, y.device()) - 20.0) / 4.0);
  for (const double delta : grid.to_vector<double>()) {
    const double value = unlikelihood(y, w + delta);
    if (value < least) {
      least = value;
      best = delta;
    }
  }
  return best;
}

// The p-value of each row of x: how likely an influence at least that strong would be seen if there were none.
static gp::array p_values(const gp::array &x, const gp::array &y, const gp::array &v) {
  const gp::array weighted = x / v, xx = gp::sum(weighted * x, 1), xy = gp::matmul(weighted, y);
  const gp::array slope = xy / xx;
  const gp::array rest = gp::sum(gp::square(y) / v) - slope * xy;
  const gp::array error = gp::sqrt(rest / static_cast<double>(y.size() - 1) / xx);
  return gp::erfc(gp::abs(slope / error) / std::sqrt(2.0));
}

static void run(int64_t people, int64_t count) {
  const gp::comm comm(nullptr);  // the job that a launcher has started, or this process alone
  const gp::device where;        // what GPUOPT_BACKEND says; each rank may have another
  const Study study = make_study(comm, people, count, where);
  const gp::array y = study.trait - gp::mean(study.trait);

  const gp::array kinship = study.snps.crossprod(study.snps) / static_cast<double>(count);
  const auto [w, u] = gp::linalg::eigh(kinship);
  const gp::array rotated = gp::matmul(u.transpose(), y);
  const double delta = best_delta(rotated, w);
  const gp::shard p = study.snps.with(p_values(study.snps.matmul(u).part(), rotated, w + delta));

  const auto [sorted, positions] = p.sort_with_positions();
  const gp::array least = sorted.all_gather(), snps = positions.all_gather();
  const int64_t found = p.with(p.part() < 0.05 / static_cast<double>(count)).sum().item<int64_t>();
  if (comm.rank() != 0) return;
  std::cout << people << " people, " << count << " SNPs; delta " << std::setprecision(17) << delta << "\n";
  std::cout << "SNPs with influence: " << count / 7 << " " << count / 2 << " " << count - count / 5
            << "\nleast p-values:\n";
  for (int64_t k = 0; k < 5; k++)
    std::cout << "  SNP " << std::setw(5) << snps[k].item<int64_t>() << "  p " << least[k].item<double>() << "\n";
  std::cout << "SNPs below 0.05 / " << count << ": " << found << "\n";
}

int main(int argc, char **argv) {
  const int64_t people = argc == 3 ? std::atoll(argv[1]) : 200, count = argc == 3 ? std::atoll(argv[2]) : 3000;
  if (people < 2 || count < 7) {
    std::cerr << "usage: gwas_ranks [PEOPLE SNPS], at least 2 and 7\n";
    return 2;
  }
  try {
    run(people, count);
  } catch (const gp::error &e) {
    std::cerr << "gwas_ranks: " << e.what() << "\n";
    return 1;
  }
  return 0;
}
