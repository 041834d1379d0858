// samples/analyses_ranks/kmeans_ranks.cpp -- k-means of rows that are shared out among the processes of a job.
//
// usage: kmeans_ranks [ROWS [GROUPS]]          one process
//        gpuopt-run -n 4 kmeans_ranks          four of this machine; mpirun -n 4 kmeans_ranks: as many as MPI has
//
// Lloyd's algorithm (S. Lloyd, "Least squares quantization in PCM", 1982). Each rank has some rows and finds the
// nearest centre of each of them by itself; the sums of the groups are the one thing that ranks compute together. What
// is printed is the same, to the last bit, for any number of ranks.
#include <cstdlib>
#include <gpuopt/gpuopt.hpp>
#include <iomanip>
#include <iostream>

namespace gp = gpuopt;

// Rows around `groups` places that are drawn first: row i around place i % groups. Each rank draws its own part.
static gp::shard make_rows(const gp::comm &comm, int64_t rows, int64_t columns, int64_t groups) {
  const gp::device where;  // what GPUOPT_BACKEND says; each rank may have another
  gp::generator random(7, where);
  const gp::array places = random.normal(0, 1, {groups, columns});  // every rank draws the same
  const gp::shard noise = gp::shard::draw(comm, random, GPUOPT_DISTRIBUTION_NORMAL, {rows, columns}, 0.0, 1.0);
  const gp::array row = gp::arange(noise.end() - noise.begin(), gp::int64, where) + noise.begin();
  return noise.with(noise.part() + gp::take(places, row % groups, 0));
}

// A matrix with a column for each of `numbers`, with ones in the rows whose label is that number: the inner product
// with rows sums those up.
static gp::shard members(const gp::shard &x, const gp::array &labels, const gp::array &numbers) {
  return x.with((gp::expand_dims(labels, 1) == numbers).astype(gp::float64));
}

// The number of the nearest centre of each row.
static gp::array nearest(const gp::array &x, const gp::array &centres) {
  const gp::array lengths = gp::sum(gp::square(centres), 1);
  return gp::argmin(lengths - 2.0 * gp::matmul(x, centres.transpose()), 1);
}

static void run(int64_t rows, int64_t groups) {
  const gp::comm comm(nullptr);  // the job that a launcher has started, or this process alone
  const gp::shard x = make_rows(comm, rows, 5, groups);
  const gp::array numbers = gp::arange(groups, gp::int64, x.part().device());
  const gp::array row = gp::arange(x.end() - x.begin(), gp::int64, x.part().device()) + x.begin();
  gp::array centres = members(x, row, numbers).crossprod(x), sizes;  // the first rows
  gp::array labels = gp::full_like(nearest(x.part(), centres), -1.0);
  int steps = 0;
  for (;; steps++) {
    const gp::array found = nearest(x.part(), centres);
    if (!x.with(found != labels).any().item<bool>()) break;
    labels = found;
    const gp::shard of_group = members(x, labels, numbers);
    sizes = gp::expand_dims(of_group.sum(0), 1);
    centres = gp::where(sizes > 0.0, of_group.crossprod(x) / gp::maximum(sizes, 1.0), centres);
  }
  if (comm.rank() != 0) return;
  std::cout << rows << " rows in " << groups << " groups; steps: " << steps << "\n" << std::setprecision(17);
  for (int64_t g = 0; g < groups; g++)
    std::cout << sizes[g][0].item<double>() << " rows around " << centres[g][0].item<double>() << " "
              << centres[g][1].item<double>() << "\n";
}

int main(int argc, char **argv) {
  const int64_t rows = argc > 1 ? std::atoll(argv[1]) : 20000, groups = argc > 2 ? std::atoll(argv[2]) : 4;
  if (groups < 1 || rows < groups) {
    std::cerr << "usage: kmeans_ranks [ROWS [GROUPS]], with no more groups than rows\n";
    return 2;
  }
  try {
    run(rows, groups);
  } catch (const gp::error &e) {
    std::cerr << "kmeans_ranks: " << e.what() << "\n";
    return 1;
  }
  return 0;
}
