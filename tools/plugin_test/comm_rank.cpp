// tools/plugin_test/comm_rank.cpp -- see comm_rank.h.
#include "tools/plugin_test/comm_rank.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "tools/plugin_test/comm_device.h"
#include "tools/plugin_test/loaded.h"

namespace gpuopt::plugin_test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kTimeout = 20;      // seconds, of what should succeed
constexpr double kShortTimeout = 1;  // of what should not
constexpr double kAtOnce = 10;       // within which the end of a peer should be noticed
constexpr uint32_t kHighestTag = 0x0ffeffff;
constexpr const char *kWhy = "the kit says so";

// A call of the plugin that failed where it should not: the rank takes no further part.
struct Ended {};

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Bytes that tell who has sent them to whom, and which message they are.
std::vector<unsigned char> pattern(int from, int to, uint32_t tag, size_t bytes) {
  std::vector<unsigned char> data(bytes);
  uint32_t state = static_cast<uint32_t>(from * 131 + to * 7 + 1) * 2654435761u + tag;
  for (unsigned char &byte : data) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<unsigned char>(state >> 24);
  }
  return data;
}

// "cuda" for "/some/where/libgpuopt_cuda.so", as main() has checked.
std::string backend_in(const std::string &path) {
  const size_t begin = path.rfind("libgpuopt_") + std::strlen("libgpuopt_");
  return path.substr(begin, path.rfind(".so") - begin);
}

class Rank {
 public:
  Rank(const Subject &subject, const std::string &folder)
      : file_(folder + "/rank-" + std::to_string(getpid()), std::ios::app) {
    begin("joins a job");
    std::string problem;
    const gpuopt_comm_api *const table = load_table<CommInterface>(subject.path, &problem);
    if (!table) fail_and_end("its table cannot be had again");
    std::memcpy(static_cast<void *>(&api_), table, std::min<size_t>(table->header.struct_size, sizeof api_));
    if (!subject.backend.empty()) device_ = std::make_unique<CommDevice>(subject.backend);
    if (device_ && !device_->problem().empty()) fail_and_end(device_->problem());
    open(subject);
  }

  int rank() const { return info_.rank; }
  int size() const { return info_.size; }
  int after(int steps) const { return (rank() + steps % size() + size()) % size(); }
  bool is_last() const { return rank() == size() - 1; }
  const gpuopt_comm_api &api() const { return api_; }
  gpuopt_comm_world *world() const { return world_; }
  CommDevice *device() const { return device_.get(); }  // NULL: arrays are in the host's memory

  void begin(const std::string &rule) { file_ << "B\t" << rule << std::endl; }
  void end(const std::string &problem) { file_ << "E\t" << problem << std::endl; }
  [[noreturn]] void fail_and_end(const std::string &problem) {
    end(problem);
    throw Ended{};
  }

  // Adds a message to the next exchange.
  void send(int to, uint32_t tag, size_t bytes) {
    outgoing_.push_back(pattern(rank(), to, tag, bytes));
    sends_.push_back({to, tag, outgoing_.back().data(), bytes});
  }
  void receive(int from, uint32_t tag, size_t bytes) {
    incoming_.push_back(std::vector<unsigned char>(bytes));
    expected_.push_back(pattern(from, rank(), tag, bytes));
    receives_.push_back({from, tag, incoming_.back().data(), bytes});
  }
  gpuopt_status try_exchange(double timeout, gpuopt_error *error) {
    std::string problem;
    const gpuopt_status status = call_slot(
        [&] {
          return api_.exchange(world_, static_cast<int32_t>(sends_.size()), sends_.data(),
                               static_cast<int32_t>(receives_.size()), receives_.data(), timeout, error);
        },
        &problem);
    if (problem.empty() && (status != GPUOPT_OK || error->code != GPUOPT_OK)) problem = error_problem(status, *error);
    if (!problem.empty()) fail_and_end(problem);
    return status;
  }
  // Exchanges what was added, and adds what is wrong to `problem`. A failure ends the rank.
  void exchange(std::string &problem) {
    gpuopt_error error = GPUOPT_ERROR_INIT;
    const gpuopt_status status = try_exchange(kTimeout, &error);
    if (status != GPUOPT_OK) fail_and_end(said(status, error));
    compare(problem);
  }
  // The same of what is copied to the device's memory before, and from there afterwards.
  void exchange_on_device(std::string &problem) {
    for (size_t i = 0; i < sends_.size(); ++i) sends_[i].data = device_->memory_with(outgoing_[i]);
    for (size_t i = 0; i < receives_.size(); ++i) receives_[i].data = device_->memory_with(incoming_[i]);
    gpuopt_error error = GPUOPT_ERROR_INIT;
    std::string thrown;
    const gpuopt_status status = call_slot(
        [&] {
          return api_.exchange_on_device(world_, static_cast<int32_t>(sends_.size()), sends_.data(),
                                         static_cast<int32_t>(receives_.size()), receives_.data(), kTimeout, &error);
        },
        &thrown);
    if (!thrown.empty() || status != GPUOPT_OK) fail_and_end(thrown.empty() ? said(status, error) : thrown);
    for (size_t i = 0; i < receives_.size(); ++i) device_->read(receives_[i].data, incoming_[i]);
    if (!device_->problem().empty()) fail_and_end(device_->problem());
    compare(problem);
  }
  void compare(std::string &problem) {
    for (size_t i = 0; i < receives_.size(); ++i)
      if (problem.empty() && incoming_[i] != expected_[i])
        problem = "of rank " + std::to_string(receives_[i].peer) + " and tag " + std::to_string(receives_[i].tag) +
                  " other bytes arrived than it has sent (" + std::to_string(receives_[i].bytes) + " bytes)";
    clear();
  }
  void clear() {
    for (auto *list : {&sends_, &receives_}) list->clear();
    for (auto *list : {&outgoing_, &incoming_, &expected_}) list->clear();
  }

  void close() {
    begin("world_close");
    api_.world_close(world_);
    end("");
  }
  void done() { file_ << "D\t" << std::endl; }

 private:
  void open(const Subject &subject) {
    gpuopt_comm_world_options options{};
    options.struct_size = sizeof options;
    options.timeout = kTimeout;
    const std::string backend = subject.backend.empty() ? "cpu" : backend_in(subject.backend);
    options.backend = backend.c_str();
    Guarded<gpuopt_comm_world_info> info;
    info.value.struct_size = sizeof info.value;
    gpuopt_error error = GPUOPT_ERROR_INIT;
    std::string problem;
    const gpuopt_status status =
        call_slot([&] { return api_.world_open(&options, &world_, &info.value, &error); }, &problem);
    if (problem.empty() && status != GPUOPT_OK) problem = said(status, error);
    if (problem.empty() && !world_) problem = "it gives no world";
    if (problem.empty() && !info.intact()) problem = "it wrote behind the information";
    info_ = info.value;
    if (problem.empty() && !std::memchr(info_.detail, 0, sizeof info_.detail)) problem = "its detail does not end";
    if (problem.empty() && (info_.size < 1 || info_.rank < 0 || info_.rank >= info_.size))
      problem = "it says that this is rank " + std::to_string(info_.rank) + " of " + std::to_string(info_.size);
    if (!problem.empty()) fail_and_end(problem);
    end("");
    file_ << "R\t" << info_.rank << " " << info_.size << std::endl;
  }

  std::ofstream file_;
  std::unique_ptr<CommDevice> device_;
  gpuopt_comm_api api_{};
  gpuopt_comm_world *world_ = nullptr;
  gpuopt_comm_world_info info_{};
  std::vector<gpuopt_comm_message> sends_, receives_;
  std::vector<std::vector<unsigned char>> outgoing_, incoming_, expected_;
};

template <class Body>
void rule(Rank &me, const std::string &name, Body body) {
  me.begin(name);
  std::string problem;
  body(problem);
  me.end(problem);
}

// ---- Messages that arrive

void try_messages(Rank &me) {
  rule(me, "exchange of nothing", [&](std::string &problem) { me.exchange(problem); });
  rule(me, "all ranks to all ranks", [&](std::string &problem) {
    for (const size_t bytes : {size_t{0}, size_t{1}, size_t{4099}, size_t{3} << 20}) {
      for (int i = 1; i < me.size(); ++i) me.send(me.after(i), 5, bytes);
      for (int i = 1; i < me.size(); ++i) me.receive(me.after(-i), 5, bytes);
      me.exchange(problem);
    }
  });
  if (me.size() == 1) return;
  const int next = me.after(1), before = me.after(-1);
  rule(me, "messages of one tag keep their order", [&](std::string &problem) {
    for (const size_t bytes : {9, 8, 7, 6}) me.send(next, 3, bytes);
    for (const size_t bytes : {9, 8, 7, 6}) me.receive(before, 3, bytes);
    me.exchange(problem);
  });
  rule(me, "tags are told apart", [&](std::string &problem) {
    for (const uint32_t tag : {0u, 1u, kHighestTag}) me.send(next, tag, 100);
    for (const uint32_t tag : {kHighestTag, 0u, 1u}) {
      me.receive(before, tag, 100);
      me.exchange(problem);
    }
  });
  rule(me, "all send before anybody receives", [&](std::string &problem) {
    me.send(next, 4, size_t{1} << 20);
    me.exchange(problem);
    me.receive(before, 4, size_t{1} << 20);
    me.exchange(problem);
  });
}

// The last rank receives late, when the others have left. With the header of the ring's frames, a message has exactly
// the size of the memory that two ranks share, so that nothing more can be sent before it is received.
void try_leaving(Rank &me) {
  if (me.size() == 1) return;
  constexpr size_t bytes = (size_t{1} << 19) - 16;
  rule(me, "what is sent before leaving arrives", [&](std::string &problem) {
    if (!me.is_last()) me.send(me.size() - 1, 6, bytes);
    for (int r = 0; me.is_last() && r < me.size() - 1; ++r) me.receive(r, 6, bytes);
    if (me.is_last()) usleep(200000);
    me.exchange(problem);
  });
}

// Messages between devices, which are taken in the order of the lists, whatever their tags are.
void try_device_messages(Rank &me) {
  rule(me, "messages between devices", [&](std::string &problem) {
    for (const size_t bytes : {size_t{0}, size_t{1}, size_t{4099}, size_t{3} << 20}) {
      for (int i = 1; i < me.size(); ++i) me.send(me.after(i), 5, bytes);
      for (int i = 1; i < me.size(); ++i) me.receive(me.after(-i), 5, bytes);
      me.exchange_on_device(problem);
    }
  });
  rule(me, "their order", [&](std::string &problem) {
    for (const size_t bytes : {9, 8, 7000, 6}) me.send(me.after(1), 3, bytes);
    for (const size_t bytes : {9, 8, 7000, 6}) me.receive(me.after(-1), 3, bytes);
    me.exchange_on_device(problem);
  });
  rule(me, "messages to some ranks alone", [&](std::string &problem) {
    if (me.rank() == 0) me.send(1, 2, 100);
    if (me.rank() == 1) me.receive(0, 2, 100);
    me.exchange_on_device(problem);
    me.send(me.after(1), 7, 50);  // and after it those of the host
    me.receive(me.after(-1), 7, 50);
    me.exchange(problem);
  });
}

// Sums of whole numbers, which every order of additions adds to the same.
void try_sum(Rank &me, bool on_device) {
  rule(me, on_device ? "sums of arrays on devices" : "sums of arrays", [&](std::string &problem) {
    std::vector<double> numbers(5000);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i) + me.rank();
    std::vector<unsigned char> bytes(numbers.size() * sizeof(double));
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    gpuopt_comm_reduction call{};
    call.struct_size = sizeof call;
    call.reduction = GPUOPT_REDUCTION_sum;
    call.dtype = GPUOPT_FLOAT64;
    call.on_device = on_device;
    call.data = on_device ? me.device()->memory_with(bytes) : bytes.data();
    call.count = numbers.size();
    gpuopt_error error = GPUOPT_ERROR_INIT;
    const gpuopt_status status =
        call_slot([&] { return me.api().all_reduce(me.world(), &call, kTimeout, &error); }, &problem);
    if (status == GPUOPT_ERR_UNSUPPORTED) return;  // the host does it, on all ranks
    if (problem.empty() && status != GPUOPT_OK) me.fail_and_end(said(status, error));
    if (on_device && !me.device()->read(call.data, bytes)) problem = me.device()->problem();
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
    for (size_t i = 0; i < numbers.size() && problem.empty(); ++i)
      if (numbers[i] != static_cast<double>(i) * me.size() + me.size() * (me.size() - 1) / 2)
        problem = "the sum of " + std::to_string(me.size()) + " arrays is wrong at " + std::to_string(i);
  });
}

void try_slots_of_devices(Rank &me) {
  if (me.size() == 1) return;
  if (me.device() && me.api().exchange_on_device) try_device_messages(me);
  if (!me.api().all_reduce) return;
  try_sum(me, false);
  if (me.device()) try_sum(me, true);
}

// ---- What the others are told of the last rank

// Waits for a message that the last rank never sends. That has to fail, within the time, and say why, unless another
// rank that has noticed it before has said so.
void expect_failure(Rank &me, const std::string &name, double timeout, const std::string &words) {
  rule(me, name, [&](std::string &problem) {
    const Clock::time_point begin = Clock::now();
    gpuopt_error error = GPUOPT_ERROR_INIT;
    me.receive(me.size() - 1, 9, 64);
    const gpuopt_status status = me.try_exchange(timeout, &error);
    const double seconds = seconds_since(begin);
    if (status != GPUOPT_ERR_COMM)
      problem = "a message that never comes gives status " + std::to_string(status) + ", not GPUOPT_ERR_COMM";
    else if (std::string(error.message).find(words) == std::string::npos && !std::strstr(error.message, kWhy))
      problem = "its message does not say \"" + words + "\": " + error.message;
    else if (seconds > std::min(timeout, kAtOnce) + kAtOnce / 2)
      problem = "it has noticed that only after " + std::to_string(seconds) + " seconds";
    me.clear();
  });
  if (me.api().give_up) me.api().give_up(me.world(), kWhy);
}

void try_fault(Rank &me, const std::string &job) {
  if (me.size() == 1) return;
  std::string problem;
  const std::string last = std::to_string(me.size() - 1);
  // The last rank hears from all others first: they have joined then.
  if (!me.is_last()) me.send(me.size() - 1, 8, 1);
  for (int r = 0; me.is_last() && r < me.size() - 1; ++r) me.receive(r, 8, 1);
  me.exchange(problem);
  if (!problem.empty()) me.fail_and_end(problem);
  if (!me.is_last()) {
    if (job == "gives_up") return expect_failure(me, "a rank that gives up", kTimeout, me.api().give_up ? kWhy : last);
    if (job == "leaves") return expect_failure(me, "a rank that leaves", kTimeout, last);
    if (job == "killed") return expect_failure(me, "a rank that is killed", kTimeout, "");
    return expect_failure(me, "a rank that is silent", kShortTimeout, "");
  }
  if (job == "gives_up" && me.api().give_up) me.api().give_up(me.world(), kWhy);
  if (job == "killed") {
    me.done();
    kill(getpid(), SIGKILL);
  }
  if (job == "silent") usleep(static_cast<useconds_t>(2e6 * kShortTimeout));
}

RankReport read_report(const std::filesystem::path &path) {
  RankReport report;
  std::ifstream file(path);
  std::string line;
  bool open = false, done = false;
  while (std::getline(file, line)) {
    const std::string rest = line.size() > 2 ? line.substr(2) : "";
    if (line[0] == 'B') report.findings.push_back({"", rest, Verdict::kFail, "it ended the process"}), open = true;
    if (line[0] == 'R') std::istringstream(rest) >> report.rank >> report.size;
    if (line[0] == 'D') done = true;
    if (line[0] != 'E' || report.findings.empty()) continue;
    report.findings.back().verdict = rest.empty() ? Verdict::kPass : Verdict::kFail;
    report.findings.back().detail = rest;
    open = false;
  }
  if (!open && !done && !report.findings.empty() && report.findings.back().verdict == Verdict::kPass)
    report.findings.push_back({"", "the process", Verdict::kFail, "it ended between two calls"});
  return report;
}

}  // namespace

void run_comm_rank(const Subject &subject, const std::string &job, const std::string &folder) try {
  Rank me(subject, folder);
  if (job == "messages") {
    try_messages(me);
    try_slots_of_devices(me);
    try_leaving(me);
  } else {
    try_fault(me, job);
  }
  me.close();
  me.done();
} catch (const Ended &) {  // what went wrong is written
}

std::vector<RankReport> read_ranks(const std::string &folder) {
  std::vector<RankReport> reports;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().rfind("rank-", 0) == 0) reports.push_back(read_report(entry.path()));
  return reports;
}

}  // namespace gpuopt::plugin_test
