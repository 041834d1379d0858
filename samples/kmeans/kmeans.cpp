// samples/kmeans/kmeans.cpp -- k-means: puts the rows of a CSV file into groups of rows that lie close together.
//
// usage: kmeans TABLE.csv GROUPS [LABELS.csv]    The device is what GPUOPT_BACKEND or ARRAY_MODULE say, else the CPU.
//
// Lloyd's algorithm (S. Lloyd, "Least squares quantization in PCM", 1982) on columns of equal spread, from centres that
// k-means++ chooses (D. Arthur and S. Vassilvitskii, 2007): each row goes to the nearest centre, each centre to the
// mean of its rows, until no row changes its group.
#include <cstdlib>
#include <gpuopt/gpuopt.hpp>
#include <iostream>
#include <string>
#include <vector>

namespace gp = gpuopt;

// The squares of the distances of each row from each centre, (rows, centres), without a temporary of three dimensions.
static gp::array distances(const gp::array &x, const gp::array &centres) {
  const gp::array lengths = gp::sum(gp::square(x), gp::axes(1).keepdims()), others = gp::sum(gp::square(centres), 1);
  return gp::maximum(lengths - 2.0 * gp::matmul(x, centres.transpose()) + others, 0.0);
}

// Rows that are likely to lie far from each other: each is drawn with a probability proportional to the square of its
// distance from the nearest one before.
static gp::array first_centres(const gp::array &x, int64_t groups) {
  gp::random_state random(1, x.device());
  const gp::array rows = gp::arange(x.shape(0), gp::int64, x.device());
  gp::array chosen = random.choice(rows, {1});
  while (chosen.size() < groups) {
    const gp::array nearest = gp::min(distances(x, gp::take(x, chosen)), 1);
    chosen = gp::concat({chosen, random.choice(rows, {1}, true, nearest / gp::sum(nearest))});
  }
  return gp::take(x, chosen);
}

struct Groups {
  gp::array labels, centres;
  int steps;
};

static Groups group(const gp::array &x, int64_t count) {
  Groups found{{}, first_centres(x, count), 0};
  const gp::array numbers = gp::arange(count, gp::int64, x.device());
  for (;; found.steps++) {
    const gp::array labels = gp::argmin(distances(x, found.centres), 1);
    if (found.steps && gp::all(labels == found.labels).item<bool>()) return found;
    found.labels = labels;
    // A row of `members` for each group, with ones where its rows are: a product sums them up.
    const gp::array members = (gp::expand_dims(numbers, 1) == labels).astype(x.dtype());
    const gp::array sizes = gp::sum(members, gp::axes(1).keepdims());
    found.centres = gp::where(sizes > 0.0, gp::matmul(members, x) / gp::maximum(sizes, 1.0), found.centres);
  }
}

static void run(const std::string &path, int64_t count, const char *output) {
  const gp::device chosen;  // without a request: the environment's
  gp::loadtxt_options csv;
  csv.delimiter = ",";
  csv.ndmin = 2;
  const gp::array table = gp::loadtxt(path, csv, chosen);
  const gp::array mean = gp::mean(table, 0), spread = gp::std(table, 0);
  const Groups found = group((table - mean) / spread, count);
  const gp::array centres = found.centres * spread + mean;
  const gp::array sizes = gp::bincount(found.labels, count);
  std::cout << table.shape(0) << " rows in " << count << " groups; steps: " << found.steps << "\n";
  for (int64_t g = 0; g < count; g++)
    std::cout << sizes[g] << " rows around " << gp::round(centres[g] * 10.0) / 10.0 << "\n";
  if (output) {
    gp::savetxt(found.labels, output);
    std::cout << "the group of each row is in " << output << "\n";
  }
}

int main(int argc, char **argv) {
  if (argc < 3 || std::atoll(argv[2]) < 1) {
    std::cerr << "usage: kmeans TABLE.csv GROUPS [LABELS.csv]\n";
    return 2;
  }
  try {
    run(argv[1], std::atoll(argv[2]), argc > 3 ? argv[3] : nullptr);
  } catch (const gp::error &e) {
    std::cerr << "kmeans: " << e.what() << "\n";
    return 1;
  }
  return 0;
}
