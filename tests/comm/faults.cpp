// tests/comm/faults.cpp -- run as the ranks of a job: faults CALL RANK HOW. After some calls that succeed, one rank is
// killed, or stopped, or leaves, or comes late; every other rank has to get an error that names it, and the same again
// at once. A rank that is slow, but not too slow, is no error. With "chain" as CALL, ranks wait for one another, in the
// end for that one.
//
// GPUOPT_RANK_FOLDER has the file that shard_save and shard_load write and read. Where GPUOPT_RANK_SAYS is set each
// rank also writes there what it prints, in the file said-RANK, and ends when all others but the failing one have done
// so: launchers of MPI end the ranks that are left when one ends.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <map>
#include <thread>

#include "tests/comm/rank.h"

using namespace rank_test;

namespace {

using Try = std::function<gpuopt_status(const Array &, gpuopt_array *, gpuopt_error *)>;

thread_local gpuopt_shard shard = nullptr;    // of all ranks' arrays
thread_local gpuopt_shard columns = nullptr;  // the same numbers, of which each rank has two columns
thread_local gpuopt_array factor = nullptr;   // one number for each column
thread_local gpuopt_array matrix = nullptr;   // this rank's columns

std::string in_folder(const std::string &name) {
  const char *const folder = std::getenv("GPUOPT_RANK_FOLDER");
  return std::string(folder ? folder : ".") + "/" + name;
}
std::string file() { return in_folder("kept.npy"); }

// The call gives a shard out, of which nothing is wanted.
template <class Call>
gpuopt_status give_shard(Call call) {
  gpuopt_shard made = nullptr;
  const gpuopt_status status = call(&made);
  gpuopt_shard_release(made);
  return status;
}

int last() { return gpuopt_comm_size(world) - 1; }

// Sends to the next rank and receives from the one before, in this order or, but for rank 0, in the other.
gpuopt_status pass_on(const Array &x, bool send_first, gpuopt_array *y, gpuopt_error *e) {
  const int n = gpuopt_comm_size(world), me = gpuopt_comm_rank(world);
  const auto send = [&] { return gpuopt_comm_send(world, x.get(), (me + 1) % n, 5, e); };
  const auto receive = [&] { return gpuopt_comm_recv(world, (me + n - 1) % n, 5, nullptr, y, e); };
  const bool sends = send_first || me == 0;
  gpuopt_status status = sends ? send() : receive();
  if (status != GPUOPT_OK) return status;
  status = sends ? receive() : send();
  if (status == GPUOPT_OK) return status;
  gpuopt_array_release(*y);  // what was received before the send has failed
  *y = nullptr;
  return status;
}

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
      {"send", [](const Array &x, gpuopt_array *y, gpuopt_error *e) { return pass_on(x, true, y, e); }},
      {"recv", [](const Array &x, gpuopt_array *y, gpuopt_error *e) { return pass_on(x, false, y, e); }},
      {"shard_reduce", [](const Array &, gpuopt_array *y,
                          gpuopt_error *e) { return gpuopt_shard_reduce(shard, GPUOPT_REDUCTION_sum, nullptr, y, e); }},
      {"shard_sort",
       [](const Array &, gpuopt_array *, gpuopt_error *e) {
         return give_shard([&](gpuopt_shard *made) { return gpuopt_shard_sort(shard, made, nullptr, e); });
       }},
      {"shard_recut",
       [](const Array &, gpuopt_array *, gpuopt_error *e) {
         std::vector<int64_t> bounds(static_cast<size_t>(gpuopt_comm_size(world)) + 1, gpuopt_shard_rows(shard));
         bounds[0] = 0;  // the first rank gets everything
         return give_shard([&](gpuopt_shard *made) { return gpuopt_shard_recut(shard, bounds.data(), made, e); });
       }},
      {"shard_from_array",
       [](const Array &x, gpuopt_array *, gpuopt_error *e) {
         return give_shard([&](gpuopt_shard *made) { return gpuopt_shard_from_array(world, x.get(), 0, made, e); });
       }},
      {"shard_from_parts",
       [](const Array &x, gpuopt_array *, gpuopt_error *e) {
         return give_shard([&](gpuopt_shard *made) { return gpuopt_shard_from_parts(world, x.get(), made, e); });
       }},
      {"shard_from_whole",
       [](const Array &x, gpuopt_array *, gpuopt_error *e) {
         return give_shard([&](gpuopt_shard *made) { return gpuopt_shard_from_whole(world, x.get(), made, e); });
       }},
      {"shard_from_parts_along",
       [](const Array &, gpuopt_array *, gpuopt_error *e) {
         return give_shard(
             [&](gpuopt_shard *made) { return gpuopt_shard_from_parts_along(world, matrix, 1, made, e); });
       }},
      {"shard_load",
       [](const Array &, gpuopt_array *, gpuopt_error *e) {
         return give_shard(
             [&](gpuopt_shard *made) { return gpuopt_shard_load_npy(world, nullptr, file().c_str(), made, e); });
       }},
      {"shard_save",
       [](const Array &, gpuopt_array *, gpuopt_error *e) { return gpuopt_shard_save_npy(shard, file().c_str(), e); }},
      {"shard_save_columns",
       [](const Array &, gpuopt_array *, gpuopt_error *e) {
         return gpuopt_shard_save_npy(columns, file().c_str(), e);
       }},
      {"shard_matmul",
       [](const Array &, gpuopt_array *, gpuopt_error *e) {
         return give_shard([&](gpuopt_shard *made) { return gpuopt_shard_matmul(columns, factor, made, e); });
       }},
      {"shard_crossprod",
       [](const Array &, gpuopt_array *y, gpuopt_error *e) {
         return gpuopt_shard_crossprod(columns, columns, y, e);
       }},
      {"shard_along",
       [](const Array &, gpuopt_array *, gpuopt_error *e) {
         return give_shard([&](gpuopt_shard *made) { return gpuopt_shard_along(columns, 0, made, e); });
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

// The columns have as many numbers as the rows, so that their files are alike to check_file().
void make_shards(const Array &x) {
  const int64_t two_columns[] = {gpuopt_array_size(x.get()) / 2, 2};
  DONE(gpuopt_reshape, x.get(), 2, two_columns, GPUOPT_COPY_IF_NEEDED, &matrix);
  DONE(gpuopt_shard_from_parts, world, x.get(), &shard);
  DONE(gpuopt_shard_from_parts_along, world, matrix, 1, &columns);
  Array ones = make(std::vector<double>(2 * static_cast<size_t>(gpuopt_comm_size(world)), 1.0));
  factor = ones.get();
  gpuopt_array_retain(factor);
}

void end_after(std::chrono::milliseconds time, int how) {
  std::thread([=] {
    std::this_thread::sleep_for(time);
    kill(getpid(), how);
  }).detach();
}

void release_shards() {
  gpuopt_shard_release(shard);
  gpuopt_shard_release(columns);
  gpuopt_array_release(factor);
  gpuopt_array_release(matrix);
}

int leave() {
  release_shards();
  const bool is_thread = are_threads();
  gpuopt_comm_release(world);
  if (!is_thread) _exit(0);
  return 0;
}

// What was saved is there as a whole, whatever has become of what was being saved.
void check_file() {
  Array whole;
  DONE(gpuopt_load_npy, device, file().c_str(), whole.out());
  REQUIRE(read<double>(whole) == std::vector<double>(static_cast<size_t>(gpuopt_shard_rows(shard)), 1.5));
}

void sleep_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

// Prints the error of this rank, for the test.
void say(const std::string &what, int victim) {
  std::printf("%s\n", what.c_str());
  std::fflush(stdout);
  if (!std::getenv("GPUOPT_RANK_SAYS")) return;
  const auto name_of = [](int rank) { return in_folder("said-" + std::to_string(rank)); };
  const int me = gpuopt_comm_rank(world);
  const std::string own = in_folder("saying-" + std::to_string(me));
  std::ofstream(own) << what << '\n';
  REQUIRE(std::rename(own.c_str(), name_of(me).c_str()) == 0);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (int r = 0; r < gpuopt_comm_size(world); ++r)
    while (r != victim && !std::ifstream(name_of(r)) && std::chrono::steady_clock::now() < end) sleep_for(0.01);
}

// The failure of one rank. Returns whether it has ended.
bool fail_as(const std::string &how) {
  if (how == "during") end_after(std::chrono::milliseconds(30), SIGKILL);
  if (how == "killed") kill(getpid(), SIGKILL);
  if (how == "stopped") kill(getpid(), SIGSTOP);
  if (how == "left") return true;
  if (how == "late") sleep_for(3);  // longer than the time-out: the others have given up meanwhile
  return false;
}

// Each rank receives from the next. Those between the first and the last come when the first has waited for more than
// half of its time; yet it knows at the end that they wait themselves.
int run_chain(int victim, const std::string &how) {
  const char *const timeout = std::getenv("GPUOPT_COMM_TIMEOUT");
  const int me = gpuopt_comm_rank(world);
  REQUIRE(timeout && victim == last() && victim > 1);
  if (me == victim) {
    if (how == "late") sleep_for(2 * std::atof(timeout));
    fail_as(how);
  } else if (me) {
    sleep_for((0.65 - 0.05 * me) * std::atof(timeout));
  }
  Array y;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  REQUIRE(gpuopt_comm_recv(world, (me + 1) % (victim + 1), 0, nullptr, y.out(), &error) == GPUOPT_ERR_COMM);
  say(error.message, victim);
  gpuopt_comm_release(world);
  return 0;
}

// One rank is slow, but not slower than the time-out allows: nobody notices. If it takes more than half of that
// ("half") the others tell each other that they wait, and go on.
int run_slow(const Try &call, const Array &x, int victim, bool half) {
  Array y;
  for (int i = 0; i < (half ? 2 : 4); ++i) {
    const double slowness = half ? 0.6 * std::atof(std::getenv("GPUOPT_COMM_TIMEOUT")) : 0.3;
    if (gpuopt_comm_rank(world) == victim) sleep_for(slowness);
    gpuopt_error error = GPUOPT_ERROR_INIT;
    if (call(x, y.out(), &error) != GPUOPT_OK) die(__FILE__, __LINE__, error.message);
  }
  DONE(gpuopt_comm_barrier, world);
  std::printf("all is well\n");
  release_shards();
  gpuopt_comm_release(world);
  return 0;
}

int run(int argc, char **argv) {
  begin();
  REQUIRE(argc == 4);
  const int victim = std::atoi(argv[2]);
  const std::string how = argv[3];  // "killed", "during", "stopped", "left", "late", "slow", "half"
  if (std::string(argv[1]) == "chain") return run_chain(victim, how);
  REQUIRE(calls().count(argv[1]));
  const Try &call = calls().at(argv[1]);
  const Array x = make(std::vector<double>(how == "during" ? 400000 : 500, 1.5));
  make_shards(x);
  DONE(gpuopt_shard_save_npy, shard, file().c_str());
  if (how == "slow" || how == "half") return run_slow(call, x, victim, how == "half");
  Array y;
  if (gpuopt_comm_rank(world) == victim) {
    for (int i = 0; i < 3; ++i) REQUIRE(call(x, y.out(), nullptr) == GPUOPT_OK);
    if (fail_as(how)) return leave();
  }
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_status status;
  do status = call(x, y.out(), &error);
  while (status == GPUOPT_OK);
  const std::string first = error.message, name = "rank " + std::to_string(victim);
  REQUIRE(status == GPUOPT_ERR_COMM && y.get() == nullptr);
  if (gpuopt_comm_rank(world) != victim && first.find(name) == std::string::npos) die(__FILE__, __LINE__, first);
  check_file();
  const auto begin = std::chrono::steady_clock::now();
  FAILS(GPUOPT_ERR_COMM, "has failed before", gpuopt_comm_barrier, world);
  REQUIRE(std::chrono::steady_clock::now() - begin < std::chrono::seconds(1));
  // What the failure has to do with no other rank works: this one's arrays.
  REQUIRE(read<double>(x)[0] == 1.5);
  say(first, victim);
  release_shards();
  gpuopt_comm_release(world);
  return 0;
}

}  // namespace

int main(int argc, char **argv) { return run_ranks(run, argc, argv); }
