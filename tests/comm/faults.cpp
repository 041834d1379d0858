// tests/comm/faults.cpp -- run as the ranks of a job: faults CALL RANK HOW. After some calls that succeed, one rank is
// killed, or stopped, or leaves; every other rank has to get an error that names it, and the same again at once.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <map>
#include <thread>

#include "tests/comm/rank.h"

using namespace rank_test;

namespace {

using Try = std::function<gpuopt_status(const Array &, gpuopt_array *, gpuopt_error *)>;

gpuopt_shard shard = nullptr;  // of all ranks' arrays

int last() { return gpuopt_comm_size(world) - 1; }

const std::map<std::string, Try> &calls() {
  static const std::map<std::string, Try> table = {
      {"barrier", [](const Array &, gpuopt_array *, gpuopt_error *e) { return gpuopt_comm_barrier(world, e); }},
      {"all_reduce",
       [](const Array &x, gpuopt_array *y, gpuopt_error *e) {
         return gpuopt_comm_all_reduce(world, x.get(), GPUOPT_REDUCTION_sum, nullptr, y, e);
       }},
      {"reduce",
       [](const Array &x, gpuopt_array *y, gpuopt_error *e) {
         return gpuopt_comm_reduce(world, x.get(), GPUOPT_REDUCTION_sum, 0, nullptr, y, e);
       }},
      {"reduce_scatter",
       [](const Array &x, gpuopt_array *y, gpuopt_error *e) {
         return gpuopt_comm_reduce_scatter(world, x.get(), GPUOPT_REDUCTION_max, nullptr, y, e);
       }},
      {"broadcast", [](const Array &x, gpuopt_array *y,
                       gpuopt_error *e) { return gpuopt_comm_broadcast(world, x.get(), last(), nullptr, y, e); }},
      {"all_gather", [](const Array &x, gpuopt_array *y,
                        gpuopt_error *e) { return gpuopt_comm_all_gather(world, x.get(), nullptr, y, e); }},
      {"gather", [](const Array &x, gpuopt_array *y,
                    gpuopt_error *e) { return gpuopt_comm_gather(world, x.get(), 0, nullptr, y, e); }},
      {"scatter", [](const Array &x, gpuopt_array *y,
                     gpuopt_error *e) { return gpuopt_comm_scatter(world, x.get(), last(), nullptr, y, e); }},
      {"all_to_all", [](const Array &x, gpuopt_array *y,
                        gpuopt_error *e) { return gpuopt_comm_all_to_all(world, x.get(), nullptr, y, e); }},
      {"send_recv",
       [](const Array &x, gpuopt_array *y, gpuopt_error *e) {
         const int n = gpuopt_comm_size(world), me = gpuopt_comm_rank(world);
         return gpuopt_comm_send_recv(world, x.get(), (me + 1) % n, (me + n - 1) % n, 0, nullptr, y, e);
       }},
      {"shard_reduce", [](const Array &, gpuopt_array *y,
                          gpuopt_error *e) { return gpuopt_shard_reduce(shard, GPUOPT_REDUCTION_sum, nullptr, y, e); }},
      {"shard_sort",
       [](const Array &, gpuopt_array *, gpuopt_error *e) {
         gpuopt_shard sorted = nullptr;
         const gpuopt_status status = gpuopt_shard_sort(shard, &sorted, nullptr, e);
         gpuopt_shard_release(sorted);
         return status;
       }},
      {"shard_gather",
       [](const Array &, gpuopt_array *y, gpuopt_error *e) { return gpuopt_shard_gather(shard, last(), y, e); }},
      {"shard_halo",
       [](const Array &, gpuopt_array *y, gpuopt_error *e) { return gpuopt_shard_halo(shard, 2, 2, 1, y, e); }},
      {"split", [](const Array &, gpuopt_array *, gpuopt_error *e) {
         gpuopt_comm made = nullptr;
         const gpuopt_status status = gpuopt_comm_split(world, 0, 0, &made, e);
         gpuopt_comm_release(made);
         return status;
       }}};
  return table;
}

void end_after(std::chrono::milliseconds time, int how) {
  std::thread([=] {
    std::this_thread::sleep_for(time);
    kill(getpid(), how);
  }).detach();
}

[[noreturn]] void leave() {
  gpuopt_shard_release(shard);
  gpuopt_comm_release(world);
  _exit(0);
}

}  // namespace

int main(int argc, char **argv) {
  begin();
  REQUIRE(argc == 4 && calls().count(argv[1]));
  const Try &call = calls().at(argv[1]);
  const int victim = std::atoi(argv[2]);
  const std::string how = argv[3];  // "killed", "during", "stopped", "left"
  const Array x = make(std::vector<double>(how == "during" ? 400000 : 500, 1.5));
  DONE(gpuopt_shard_from_parts, world, x.get(), &shard);
  Array y;
  if (gpuopt_comm_rank(world) == victim) {
    for (int i = 0; i < 3; ++i) REQUIRE(call(x, y.out(), nullptr) == GPUOPT_OK);
    if (how == "during") end_after(std::chrono::milliseconds(30), SIGKILL);
    if (how == "killed") kill(getpid(), SIGKILL);
    if (how == "stopped") kill(getpid(), SIGSTOP);
    if (how == "left") leave();
  }
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_status status;
  do status = call(x, y.out(), &error);
  while (status == GPUOPT_OK);
  const std::string first = error.message, name = "rank " + std::to_string(victim);
  REQUIRE(status == GPUOPT_ERR_COMM && y.get() == nullptr);
  if (first.find(name) == std::string::npos) die(__FILE__, __LINE__, first);
  const auto begin = std::chrono::steady_clock::now();
  FAILS(GPUOPT_ERR_COMM, "has failed before", gpuopt_comm_barrier, world);
  REQUIRE(std::chrono::steady_clock::now() - begin < std::chrono::seconds(1));
  // What the failure has to do with no other rank works: this one's arrays.
  REQUIRE(read<double>(x)[0] == 1.5);
  std::printf("%s\n", first.c_str());
  gpuopt_shard_release(shard);
  gpuopt_comm_release(world);
  return 0;
}
