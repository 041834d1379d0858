// samples/heat/heat.cpp -- the heat equation on a plate whose rows are shared out among the processes of a job.
//
// usage: heat [ROWS [STEPS]]         one process
//        gpuopt-run -n 4 heat        four of this machine; mpirun -n 4 heat: as many as MPI has
//
// Each rank has some rows, and in each step gets the rows next to them from its neighbours. The numbers, and what is
// printed, are the same for any number of ranks. The plate's edges are kept at 0.
#include <algorithm>
#include <cstdlib>
#include <gpuopt/gpuopt.hpp>
#include <iomanip>
#include <iostream>
#include <stdexcept>
#include <string>

namespace gp = gpuopt;

// A warm spot, seen by its rows from `first` on: each element follows from its place on the whole plate.
static gp::array spot(int64_t rows, int64_t columns, int64_t first, int64_t count, const gp::device &where) {
  const gp::array i = gp::expand_dims(gp::arange(count, gp::float64, where) + static_cast<double>(first), 1);
  const gp::array j = gp::arange(columns, gp::float64, where);
  const gp::array down = i - static_cast<double>(rows) / 3, across = j - static_cast<double>(columns) / 2;
  return 100.0 * gp::exp(-(down * down + across * across) / 50.0);
}

// This rank's rows between those of its neighbours; at the ends of the plate there are zeros.
static gp::array with_neighbours(const gp::comm &comm, const gp::array &u) {
  const int above = comm.rank() - 1, below = comm.rank() + 1 < comm.size() ? comm.rank() + 1 : -1;
  const gp::array first = u[gp::slice(0, 1)], last = u[gp::slice(u.shape(0) - 1, u.shape(0))];
  gp::array from_above = comm.send_recv(below < 0 ? gp::array() : last, below < 0 ? 0 : below, above, 1);
  gp::array from_below = comm.send_recv(above < 0 ? gp::array() : first, above < 0 ? 0 : above, below, 2);
  if (from_above.empty()) from_above = gp::zeros_like(first);
  if (from_below.empty()) from_below = gp::zeros_like(first);
  return gp::pad(gp::concat({from_above, u, from_below}), {0, 0, 1, 1});
}

static gp::array step(const gp::comm &comm, const gp::array &u) {
  const gp::array x = with_neighbours(comm, u);
  const int64_t m = u.shape(0) + 1, n = u.shape(1) + 1;
  const auto at = [&](int64_t i, int64_t j) { return x(gp::slice(i, m + i - 1), gp::slice(j, n + j - 1)); };
  return u + 0.2 * (at(0, 1) + at(2, 1) + at(1, 0) + at(1, 2) - 4.0 * u);
}

static void run(int64_t rows, int steps) {
  const gp::device where;               // what GPUOPT_BACKEND says; each rank may have another
  const gp::comm comm(nullptr, where);  // the job that a launcher has started, or this process alone
  if (rows < comm.size()) throw std::runtime_error("there are fewer rows than processes");
  const int64_t n = comm.size(), r = comm.rank(), columns = 64;
  const int64_t first = r * (rows / n) + std::min(r, rows % n), count = rows / n + (r < rows % n ? 1 : 0);
  gp::array u = spot(rows, columns, first, count, where);
  for (int i = 1; i <= steps; i++) {
    const gp::array next = step(comm, u);
    // What changed most, on any rank: the same number on all of them.
    const double change = comm.all_reduce(gp::max(gp::abs(next - u)), GPUOPT_REDUCTION_max).item<double>();
    u = next;
    if (comm.rank() == 0 && i % (steps / 4 > 0 ? steps / 4 : 1) == 0)
      std::cout << "step " << i << ": the largest change is " << change << "\n";
  }
  const gp::array plate = comm.gather(u);
  if (comm.rank() == 0)
    std::cout << "heat on the plate: " << gp::sum(plate).item<double>() << ", at most " << gp::max(plate).item<double>()
              << "\n";
}

int main(int argc, char **argv) {
  std::cout << std::setprecision(17);
  try {
    run(argc > 1 ? std::atoll(argv[1]) : 96, argc > 2 ? std::atoi(argv[2]) : 40);
    return 0;
  } catch (const std::exception &error) {
    std::cerr << "heat: " << error.what() << "\n";
    return 1;
  }
}
