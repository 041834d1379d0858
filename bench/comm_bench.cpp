// bench/comm_bench.cpp -- what calls on a group of processes cost, beside the MPI library's own where there is one.
//
// usage: gpuopt-run -n 4 gpuopt_comm_bench [LARGEST [SECONDS]]     sockets
//        mpirun -n 4 gpuopt_comm_bench_mpi [LARGEST [SECONDS]]     MPI, and MPI's own calls in turn with ours
//
// For 1000 bytes of float64 of a rank, and ten times as many each, up to LARGEST (1e8): the least time of a call, over
// at least SECONDS (0.3) for each size, as the slowest rank has it, and by how much a call raises the peak of a rank's
// memory, its result included. Both sides write into arrays that are there; sums are in the order of ranks on our side,
// and in MPI's order on its. An all_gather that would take more than half of the memory that is free is left out.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <gpuopt/gpuopt.hpp>
#include <string>
#include <vector>

#ifdef GPUOPT_BENCH_MPI
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#endif

namespace gp = gpuopt;

namespace {

using Clock = std::chrono::steady_clock;

double largest_of_all(const gp::comm &comm, double value) {
  return comm.all_reduce(gp::full({1}, value), GPUOPT_REDUCTION_max).item<double>();
}

// Kilobytes of this process's memory at its peak since the last call of forget_peak().
long peak() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::strtol(line.c_str() + 6, nullptr, 10);
  return 0;
}
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

// Bytes that this machine has left, on which all ranks run.
double free_memory() {
  std::ifstream lines("/proc/meminfo");
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("MemAvailable:", 0) == 0) return 1024 * std::strtod(line.c_str() + 13, nullptr);
  return 0;
}

struct Side {
  std::function<void()> call;
  double least = 1e30;  // seconds
  double memory = 0;    // megabytes
};

// Runs the sides in turn, so that both meet the same disturbances.
void measure(const gp::comm &comm, std::vector<Side> &sides, double seconds) {
  for (Side &side : sides) {
    comm.barrier();
    forget_peak();
    const long before = peak();
    side.call();
    side.memory = largest_of_all(comm, static_cast<double>(peak() - before) / 1000);
  }
  const auto begin = Clock::now();
  bool again = true;
  while (again) {
    for (Side &side : sides) {
      comm.barrier();
      const auto start = Clock::now();
      side.call();
      const double taken = std::chrono::duration<double>(Clock::now() - start).count();
      side.least = std::min(side.least, largest_of_all(comm, taken));
    }
    again = largest_of_all(comm, Clock::now() - begin < std::chrono::duration<double>(seconds)) > 0;
  }
}

void print_row(const gp::comm &comm, const char *name, double bytes, const std::vector<Side> &sides) {
  if (comm.rank()) return;
  const Side &own = sides.front(), &other = sides.back();  // the same one where there is no other to compare with
  std::printf("| %s | %g | %d | %.4f | %.1f |", name, bytes, comm.size(), own.least * 1e3, own.memory);
  if (sides.size() > 1) std::printf(" %.4f | %.1f | %.2f |", other.least * 1e3, other.memory, own.least / other.least);
  std::printf("\n");
  std::fflush(stdout);
}

// The three calls for n elements of a rank.
class Size {
 public:
  Size(const gp::comm &comm, int64_t n) : comm_(comm), x_(gp::full({n}, comm.rank() + 0.5)), same_(gp::zeros({n})) {
    gp::eval(x_, same_);
#ifdef GPUOPT_BENCH_MPI
    count_ = static_cast<int>(n);
    own_x_.assign(static_cast<size_t>(n), comm.rank() + 0.5);
    own_same_.resize(static_cast<size_t>(n));
#endif
  }

  // Makes room for what all ranks have, if the machine has it: our result, what it is copied from, and MPI's.
  bool make_room() {
    const double bytes = 3.0 * comm_.size() * comm_.size() * static_cast<double>(x_.size()) * sizeof(double);
    if (largest_of_all(comm_, 2 * bytes > free_memory()) > 0) return false;
    all_ = gp::zeros({x_.size() * comm_.size()});
    gp::eval(all_);
#ifdef GPUOPT_BENCH_MPI
    own_all_.resize(static_cast<size_t>(all_.size()));
#endif
    return true;
  }

  void run(const char *name, double seconds) {
    std::vector<Side> sides{{ours(name)}};
#ifdef GPUOPT_BENCH_MPI
    sides.push_back({theirs(name)});
#endif
    measure(comm_, sides, seconds);
    print_row(comm_, name, static_cast<double>(x_.size()) * sizeof(double), sides);
  }

 private:
  std::function<void()> ours(const std::string &name) {
    const auto check = [](gpuopt_status status) {
      if (status != GPUOPT_OK) std::exit(std::fprintf(stderr, "%s\n", gpuopt_status_name(status)) ? 1 : 1);
    };
    gpuopt_comm comm = comm_.get();
    gpuopt_array x = x_.get(), same = same_.get(), all = all_.get();
    if (name == "all_reduce")
      return [=] { check(gpuopt_comm_all_reduce(comm, x, GPUOPT_REDUCTION_sum, same, nullptr, nullptr)); };
    if (name == "all_gather") return [=] { check(gpuopt_comm_all_gather(comm, x, all, nullptr, nullptr)); };
    return [=] { check(gpuopt_comm_all_to_all(comm, x, same, nullptr, nullptr)); };
  }

#ifdef GPUOPT_BENCH_MPI
  std::function<void()> theirs(const std::string &name) {
    if (name == "all_reduce")
      return [this] { MPI_Allreduce(own_x_.data(), own_same_.data(), count_, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); };
    if (name == "all_gather")
      return [this] {
        MPI_Allgather(own_x_.data(), count_, MPI_DOUBLE, own_all_.data(), count_, MPI_DOUBLE, MPI_COMM_WORLD);
      };
    const int part = count_ / comm_.size();
    return [this, part] {
      MPI_Alltoall(own_x_.data(), part, MPI_DOUBLE, own_same_.data(), part, MPI_DOUBLE, MPI_COMM_WORLD);
    };
  }
  int count_ = 0;
  std::vector<double> own_x_, own_same_, own_all_;
#endif

  const gp::comm &comm_;
  gp::array x_, same_, all_;
};

void run_all(const gp::comm &comm, double largest, double seconds) {
  if (!comm.rank())
    std::printf(
        "| call, by %s | bytes of a rank | ranks | ms | MB of a rank | MPI's own ms | MB | ours / MPI's |\n"
        "|---|---|---|---|---|---|---|---|\n",
        comm.name().c_str());
  for (double bytes = 1000; bytes <= largest; bytes *= 10) {
    // The number of elements is rounded down so that every rank gets equally many.
    Size size(comm, static_cast<int64_t>(bytes) / 8 / comm.size() * comm.size());
    for (const char *name : {"all_reduce", "all_to_all"}) size.run(name, seconds);
    if (size.make_room())
      size.run("all_gather", seconds);
    else if (!comm.rank())
      std::fprintf(stderr, "not run: all_gather of %g bytes: the machine has too little memory\n", bytes);
  }
}

}  // namespace

int main(int argc, char **argv) {
#ifdef GPUOPT_BENCH_MPI
  MPI_Init(&argc, &argv);
#endif
  try {
    const double largest = argc > 1 ? std::atof(argv[1]) : 1e8, seconds = argc > 2 ? std::atof(argv[2]) : 0.3;
#ifdef GPUOPT_BENCH_MPI
    run_all(gp::comm("mpi"), largest, seconds);
#else
    run_all(gp::comm(nullptr), largest, seconds);
#endif
  } catch (const gp::error &failure) {
    std::fprintf(stderr, "gpuopt_comm_bench: %s\n", failure.what());
    return 1;
  }
#ifdef GPUOPT_BENCH_MPI
  MPI_Finalize();
#endif
  return 0;
}
