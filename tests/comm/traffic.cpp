// tests/comm/traffic.cpp -- a rank that makes each call once, and prints what it has sent and received for it.
//
// usage: traffic N: arrays of N float64 on each rank; the root is rank 1, or 0 where it is alone
#include <functional>
#include <utility>

#include "tests/comm/rank.h"

using namespace rank_test;

namespace {

gpuopt_comm_traffic traffic() {
  gpuopt_comm_traffic now{};
  now.struct_size = sizeof now;
  DONE(gpuopt_comm_get_traffic, world, &now);
  return now;
}

void print_for(const char *name, const std::function<void()> &call) {
  const gpuopt_comm_traffic a = traffic();
  call();
  const gpuopt_comm_traffic b = traffic();
  const auto since = [](uint64_t from, uint64_t to) { return static_cast<unsigned long long>(to - from); };
  std::printf("%s %llu %llu %llu %llu %llu\n", name, since(a.rounds, b.rounds), since(a.messages_sent, b.messages_sent),
              since(a.messages_received, b.messages_received), since(a.bytes_sent, b.bytes_sent),
              since(a.bytes_received, b.bytes_received));
}

int run(int argc, char **argv) {
  begin();
  REQUIRE(argc == 2);
  const int32_t rank = gpuopt_comm_rank(world), size = gpuopt_comm_size(world), root = size > 1;
  const Array x = make(std::vector<double>(std::strtoul(argv[1], nullptr, 10), rank + 0.5));
  const gpuopt_array mine = rank == root ? x.get() : nullptr;
  const gpuopt_reduction sum = GPUOPT_REDUCTION_sum;
  Array y;
  print_for("barrier", [&] { DONE(gpuopt_comm_barrier, world); });
  print_for("all_reduce", [&] { DONE(gpuopt_comm_all_reduce, world, x.get(), sum, nullptr, y.out()); });
  print_for("reduce", [&] { DONE(gpuopt_comm_reduce, world, x.get(), sum, root, nullptr, y.out()); });
  print_for("reduce_scatter", [&] { DONE(gpuopt_comm_reduce_scatter, world, x.get(), sum, nullptr, y.out()); });
  print_for("broadcast", [&] { DONE(gpuopt_comm_broadcast, world, mine, root, nullptr, y.out()); });
  print_for("all_gather", [&] { DONE(gpuopt_comm_all_gather, world, x.get(), nullptr, y.out()); });
  print_for("gather", [&] { DONE(gpuopt_comm_gather, world, x.get(), root, nullptr, y.out()); });
  print_for("scatter", [&] { DONE(gpuopt_comm_scatter, world, mine, root, nullptr, y.out()); });
  print_for("all_to_all", [&] { DONE(gpuopt_comm_all_to_all, world, x.get(), nullptr, y.out()); });
  print_for("send_recv", [&] {
    DONE(gpuopt_comm_send_recv, world, x.get(), (rank + 1) % size, (rank + size - 1) % size, 0, nullptr, y.out());
  });
  gpuopt_comm_release(world);
  return 0;
}

}  // namespace

int main(int argc, char **argv) { return run_ranks(run, argc, argv); }
