// tests/unit/core_comm_test.cpp -- the C functions of groups in a job of one, and tables of communication plugins. Jobs
// of several processes are in tests/comm/.
#include <gpuopt/gpuopt.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "core/comm/comm_plugin.h"
#include "core/comm/staging.h"

namespace {

struct Group {
  gpuopt_comm comm = nullptr;
  gpuopt_device cpu = nullptr;
  Group() {
    EXPECT_EQ(gpuopt_comm_init("self", nullptr, &comm, nullptr), GPUOPT_OK);
    EXPECT_EQ(gpuopt_device_open("cpu", nullptr, &cpu, nullptr), GPUOPT_OK);
  }
  ~Group() { gpuopt_comm_release(comm); }
  gpuopt_array numbers(std::vector<double> values, std::vector<int64_t> shape) const {
    gpuopt_array x = nullptr;
    EXPECT_EQ(gpuopt_array_from(cpu, values.data(), GPUOPT_FLOAT64, static_cast<int32_t>(shape.size()), shape.data(),
                                &x, nullptr),
              GPUOPT_OK);
    return x;
  }
};

std::vector<double> elements(gpuopt_array x) {
  std::vector<double> values(static_cast<size_t>(gpuopt_array_size(x)));
  EXPECT_EQ(gpuopt_to_host(x, values.data(), values.size() * sizeof(double), nullptr), GPUOPT_OK);
  return values;
}

TEST(Comm, AGroupOfOneCopies) {
  Group group;
  EXPECT_EQ(gpuopt_comm_rank(group.comm), 0);
  EXPECT_EQ(gpuopt_comm_size(group.comm), 1);
  EXPECT_STREQ(gpuopt_comm_name(group.comm), "self");
  gpuopt_comm_traffic traffic{};
  traffic.struct_size = sizeof traffic;
  EXPECT_EQ(gpuopt_comm_get_traffic(group.comm, &traffic, nullptr), GPUOPT_OK);
  EXPECT_EQ(traffic.rounds + traffic.messages_sent + traffic.bytes_received, 0u);
  EXPECT_EQ(gpuopt_comm_get_traffic(nullptr, &traffic, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  const std::vector<double> values = {1, 2, 3, -0.0, HUGE_VAL, 6};
  gpuopt_array x = group.numbers(values, {3, 2}), y[7] = {};
  EXPECT_EQ(gpuopt_comm_all_reduce(group.comm, x, GPUOPT_REDUCTION_sum, nullptr, &y[0], nullptr), GPUOPT_OK);
  EXPECT_EQ(gpuopt_comm_reduce(group.comm, x, GPUOPT_REDUCTION_prod, 0, nullptr, &y[1], nullptr), GPUOPT_OK);
  EXPECT_EQ(gpuopt_comm_reduce_scatter(group.comm, x, GPUOPT_REDUCTION_max, nullptr, &y[2], nullptr), GPUOPT_OK);
  EXPECT_EQ(gpuopt_comm_broadcast(group.comm, x, 0, nullptr, &y[3], nullptr), GPUOPT_OK);
  EXPECT_EQ(gpuopt_comm_all_gather(group.comm, x, nullptr, &y[4], nullptr), GPUOPT_OK);
  EXPECT_EQ(gpuopt_comm_scatter(group.comm, x, 0, nullptr, &y[5], nullptr), GPUOPT_OK);
  EXPECT_EQ(gpuopt_comm_all_to_all(group.comm, x, nullptr, &y[6], nullptr), GPUOPT_OK);
  // What is copied is not what is written to afterwards.
  EXPECT_EQ(gpuopt_fill(x, gpuopt_scalar_real(9), nullptr), GPUOPT_OK);
  for (gpuopt_array one : y) {
    EXPECT_EQ(std::memcmp(elements(one).data(), values.data(), sizeof(double) * values.size()), 0);
    EXPECT_EQ(gpuopt_array_ndim(one), 2);
    gpuopt_array_release(one);
  }
  gpuopt_array_release(x);
}

TEST(Comm, OutIsWrittenAndReferredTo) {
  Group group;
  gpuopt_array x = group.numbers({1, 2}, {2}), out = group.numbers({0, 0}, {2}), same = nullptr;
  EXPECT_EQ(gpuopt_comm_all_reduce(group.comm, x, GPUOPT_REDUCTION_sum, out, &same, nullptr), GPUOPT_OK);
  EXPECT_EQ(same, out);
  gpuopt_array_release(same);
  EXPECT_EQ(gpuopt_comm_all_reduce(group.comm, x, GPUOPT_REDUCTION_sum, x, nullptr, nullptr), GPUOPT_OK);
  EXPECT_EQ(elements(out), (std::vector<double>{1, 2}));
  EXPECT_EQ(elements(x), (std::vector<double>{1, 2}));
  gpuopt_array wrong = group.numbers({0, 0, 0}, {3});
  EXPECT_EQ(gpuopt_comm_broadcast(group.comm, x, 0, wrong, nullptr, nullptr), GPUOPT_ERR_SHAPE);
  for (gpuopt_array one : {x, out, wrong}) gpuopt_array_release(one);
}

TEST(Comm, MessagesToItself) {
  Group group;
  gpuopt_array x = group.numbers({4, 5}, {2}), y = nullptr, wrong = group.numbers({0}, {1});
  EXPECT_EQ(gpuopt_comm_recv(group.comm, 0, 1, nullptr, &y, nullptr), GPUOPT_ERR_COMM);
  EXPECT_EQ(gpuopt_comm_send(group.comm, x, 0, 1, nullptr), GPUOPT_OK);
  EXPECT_EQ(gpuopt_comm_recv(group.comm, 0, 2, nullptr, &y, nullptr), GPUOPT_ERR_COMM) << "another tag";
  EXPECT_EQ(gpuopt_comm_recv(group.comm, 0, 1, wrong, nullptr, nullptr), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(gpuopt_comm_recv(group.comm, 0, 1, nullptr, &y, nullptr), GPUOPT_OK) << "what did not fit is kept";
  EXPECT_EQ(elements(y), (std::vector<double>{4, 5}));
  for (gpuopt_array one : {x, y, wrong}) gpuopt_array_release(one);
}

TEST(Comm, Requests) {
  gpuopt_comm comm = nullptr;
  for (const char *bad : {"", "Ring", "ring!", "mpi,ring", "../ring", "a b"})
    EXPECT_EQ(gpuopt_comm_init(bad, nullptr, &comm, nullptr), GPUOPT_ERR_INVALID_ARGUMENT) << bad;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_comm_init("nowhere", nullptr, &comm, &error), GPUOPT_ERR_UNAVAILABLE);
  EXPECT_EQ(error.reason, GPUOPT_REASON_NOT_FOUND);
  EXPECT_EQ(gpuopt_comm_init("cpu", nullptr, &comm, &error), GPUOPT_ERR_UNAVAILABLE);
  EXPECT_EQ(error.reason, GPUOPT_REASON_NO_ENTRY);
  EXPECT_EQ(comm, nullptr);
}

TEST(Comm, GroupsOfAGroup) {
  Group group;
  for (int i = 0; i < 5000; ++i) {  // more than there can be at a time
    gpuopt_comm part = nullptr;
    ASSERT_EQ(gpuopt_comm_split(group.comm, 1, 0, &part, nullptr), GPUOPT_OK) << i;
    ASSERT_EQ(gpuopt_comm_size(part), 1);
    gpuopt_comm_release(part);
  }
  std::vector<gpuopt_comm> all;
  gpuopt_comm part = nullptr;
  while (gpuopt_comm_split(group.comm, 0, 0, &part, nullptr) == GPUOPT_OK && all.size() < 5000) all.push_back(part);
  EXPECT_EQ(all.size(), 4094u) << "with the group itself 4095";
  for (gpuopt_comm one : all) gpuopt_comm_release(one);
}

TEST(CommPlugin, TablesAreChecked) {
  gpuopt_comm_api ours{}, theirs{};
  theirs.header = {sizeof theirs, GPUOPT_COMM_ABI_MAJOR, 0, 0, 0, nullptr};
  EXPECT_EQ(gpuopt::copy_comm_table(theirs, &ours),
            "its function table lacks probe, world_open, world_close, exchange");
  theirs.probe = [](gpuopt_comm_probe *, gpuopt_error *) { return gpuopt_status{GPUOPT_OK}; };
  theirs.world_open = [](const gpuopt_comm_world_options *, gpuopt_comm_world **, gpuopt_comm_world_info *,
                         gpuopt_error *) { return gpuopt_status{GPUOPT_OK}; };
  theirs.world_close = [](gpuopt_comm_world *) {};
  theirs.exchange = [](gpuopt_comm_world *, int32_t, const gpuopt_comm_message *, int32_t, const gpuopt_comm_message *,
                       double, gpuopt_error *) { return gpuopt_status{GPUOPT_OK}; };
  EXPECT_EQ(gpuopt::copy_comm_table(theirs, &ours), "");
  EXPECT_TRUE(ours.give_up) << "an absent slot is a stub";
  EXPECT_EQ(ours.probe, theirs.probe);
  theirs.header.abi_major = 2;
  EXPECT_NE(gpuopt::copy_comm_table(theirs, &ours), "");
  theirs.header = {7, GPUOPT_COMM_ABI_MAJOR, 0, 0, 0, nullptr};
  EXPECT_NE(gpuopt::copy_comm_table(theirs, &ours), "");
}

TEST(Comm, PartsAreThoseOfArraySplit) {
  EXPECT_EQ(gpuopt::part_bounds(10, 4), (std::vector<int64_t>{0, 3, 6, 8, 10}));
  EXPECT_EQ(gpuopt::part_bounds(2, 3), (std::vector<int64_t>{0, 1, 2, 2}));
  EXPECT_EQ(gpuopt::part_bounds(0, 2), (std::vector<int64_t>{0, 0, 0}));
}

// ---- Ranks that are threads

using RankBody = std::function<gpuopt_status(gpuopt_comm comm, gpuopt_error *error)>;

gpuopt_status call_body(gpuopt_comm comm, void *body, gpuopt_error *error) {
  return (*static_cast<RankBody *>(body))(comm, error);
}

// Runs the body as so many ranks, which have the CPU. `seconds`: the time-out, 0: the default.
gpuopt_status run_threads(int32_t count, RankBody body, gpuopt_error *error = nullptr, double seconds = 0) {
  gpuopt_comm_options options{};
  options.struct_size = sizeof options;
  options.timeout = seconds;
  return gpuopt_comm_run_devices(count, nullptr, &options, call_body, &body, error);
}

gpuopt_array numbers_from(const std::vector<double> &values) {
  gpuopt_device cpu = nullptr;
  gpuopt_array x = nullptr;
  const auto size = static_cast<int64_t>(values.size());
  EXPECT_EQ(gpuopt_device_open("cpu", nullptr, &cpu, nullptr), GPUOPT_OK);
  EXPECT_EQ(gpuopt_array_from(cpu, values.data(), GPUOPT_FLOAT64, 1, &size, &x, nullptr), GPUOPT_OK);
  return x;
}

TEST(CommThreads, RanksSumInTheirOrder) {
  std::atomic<int> ended{0};
  const double expected = (0.1 + 0.2) + (0.3 + 0.4);
  const gpuopt_status done = run_threads(4, [&](gpuopt_comm comm, gpuopt_error *error) {
    EXPECT_STREQ(gpuopt_comm_name(comm), "threads");
    EXPECT_EQ(gpuopt_comm_size(comm), 4);
    const double own[] = {0.1, 0.2, 0.3, 0.4};
    gpuopt_array x = numbers_from({own[gpuopt_comm_rank(comm)]}), y = nullptr;
    const gpuopt_status status = gpuopt_comm_all_reduce(comm, x, GPUOPT_REDUCTION_sum, nullptr, &y, error);
    EXPECT_EQ(elements(y)[0], expected);
    gpuopt_array_release(x);
    gpuopt_array_release(y);
    ++ended;
    return status;
  });
  EXPECT_EQ(done, GPUOPT_OK);
  EXPECT_EQ(ended, 4);
}

TEST(CommThreads, OneWithTwoJobsAtOnce) {
  EXPECT_EQ(run_threads(2,
                        [&](gpuopt_comm outer, gpuopt_error *error) {
                          const gpuopt_status inner = run_threads(
                              3, [](gpuopt_comm comm, gpuopt_error *e) { return gpuopt_comm_barrier(comm, e); }, error);
                          return inner ? inner : gpuopt_comm_barrier(outer, error);
                        }),
            GPUOPT_OK);
}

TEST(CommThreads, AFailureIsToldToThoseWhoWait) {
  std::atomic<int> told{0};
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const gpuopt_status status = run_threads(
      3,
      [&](gpuopt_comm comm, gpuopt_error *e) {
        if (gpuopt_comm_rank(comm) == 1) {
          std::snprintf(e->message, sizeof e->message, "no such file");
          return gpuopt_status{GPUOPT_ERR_IO};
        }
        const gpuopt_status barrier = gpuopt_comm_barrier(comm, e);
        EXPECT_STREQ(e->message, "barrier: rank 1 has given up: no such file");
        EXPECT_EQ(gpuopt_comm_barrier(comm, nullptr), GPUOPT_ERR_COMM) << "and so it stays";
        ++told;
        return barrier;
      },
      &error);
  EXPECT_EQ(status, GPUOPT_ERR_IO);
  EXPECT_STREQ(error.message, "rank 1: no such file");
  EXPECT_EQ(told, 2);
}

TEST(CommThreads, GivingUpEndsTheRankItself) {
  gpuopt_comm comms[2] = {};
  ASSERT_EQ(gpuopt_comm_init_devices(2, nullptr, nullptr, comms, nullptr), GPUOPT_OK);
  EXPECT_EQ(gpuopt_comm_give_up(comms[0], nullptr, nullptr), GPUOPT_OK);
  EXPECT_EQ(gpuopt_comm_give_up(comms[0], "again", nullptr), GPUOPT_OK);
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_comm_barrier(comms[0], &error), GPUOPT_ERR_COMM);
  EXPECT_NE(std::strstr(error.message, "it says no reason"), nullptr) << error.message;
  EXPECT_EQ(gpuopt_comm_barrier(comms[1], &error), GPUOPT_ERR_COMM);
  EXPECT_NE(std::strstr(error.message, "rank 0 has given up: it says no reason"), nullptr) << error.message;
  for (gpuopt_comm comm : comms) gpuopt_comm_release(comm);
  Group alone;
  EXPECT_EQ(gpuopt_comm_give_up(alone.comm, "there is nobody to tell", nullptr), GPUOPT_OK);
  EXPECT_EQ(gpuopt_comm_barrier(alone.comm, nullptr), GPUOPT_OK);
  EXPECT_EQ(gpuopt_comm_give_up(nullptr, "", nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
}

TEST(CommThreads, ARankThatLeavesOrNeverComes) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_comm comms[2] = {};
  gpuopt_comm_options options{};
  options.struct_size = sizeof options;
  options.timeout = 0.05;
  ASSERT_EQ(gpuopt_comm_init_devices(2, nullptr, &options, comms, nullptr), GPUOPT_OK);
  EXPECT_EQ(gpuopt_comm_barrier(comms[1], &error), GPUOPT_ERR_COMM);
  EXPECT_NE(std::strstr(error.message, "rank 0 (cpu:0) has not sent what is waited for for 0.05 seconds"), nullptr)
      << error.message;
  EXPECT_EQ(gpuopt_comm_barrier(comms[0], &error), GPUOPT_ERR_COMM) << "the other one has given up by now";
  EXPECT_NE(std::strstr(error.message, "rank 1 has given up"), nullptr) << error.message;
  for (gpuopt_comm comm : comms) gpuopt_comm_release(comm);

  ASSERT_EQ(gpuopt_comm_init_devices(2, nullptr, nullptr, comms, nullptr), GPUOPT_OK);
  gpuopt_comm_release(comms[0]);
  EXPECT_EQ(gpuopt_comm_barrier(comms[1], &error), GPUOPT_ERR_COMM);
  EXPECT_NE(std::strstr(error.message, "rank 0 (cpu:0) has left the job"), nullptr) << error.message;
  gpuopt_comm_release(comms[1]);
}

// A large array is not kept for a rank that is in no call: its sender waits, gives up, and has its memory back.
TEST(CommThreads, WhatNobodyReceives) {
  gpuopt_comm comms[2] = {};
  gpuopt_comm_options options{};
  options.struct_size = sizeof options;
  options.timeout = 0.05;
  ASSERT_EQ(gpuopt_comm_init_devices(2, nullptr, &options, comms, nullptr), GPUOPT_OK);
  gpuopt_array x = numbers_from(std::vector<double>(10000, 2.5)), small = numbers_from({1}), y = nullptr;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(gpuopt_comm_send(comms[0], small, 1, i, nullptr), GPUOPT_OK) << "these are";
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_comm_send(comms[0], x, 1, 200, &error), GPUOPT_ERR_COMM);
  EXPECT_NE(std::strstr(error.message, "rank 1 (cpu:0) has not received what is sent to it"), nullptr) << error.message;
  gpuopt_array_release(x);
  // What had been sent before arrives, out of order by its tags; what was not received is not there.
  EXPECT_EQ(gpuopt_comm_recv(comms[1], 0, 99, nullptr, &y, nullptr), GPUOPT_OK);
  EXPECT_EQ(elements(y)[0], 1);
  gpuopt_array_release(y);
  EXPECT_EQ(gpuopt_comm_recv(comms[1], 0, 200, nullptr, &y, nullptr), GPUOPT_ERR_COMM);
  gpuopt_array_release(small);
  for (gpuopt_comm comm : comms) gpuopt_comm_release(comm);
}

// Sends an array of so many numbers to every rank, with each tag below `tags`, before it receives any.
gpuopt_status send_then_receive(gpuopt_comm comm, size_t size, int32_t tags, gpuopt_error *error) {
  const int32_t ranks = gpuopt_comm_size(comm);
  gpuopt_array x = numbers_from(std::vector<double>(size, gpuopt_comm_rank(comm) + 0.5));
  gpuopt_status status = GPUOPT_OK;
  for (int32_t tag = 0; !status && tag < tags; ++tag)
    for (int32_t to = 0; !status && to < ranks; ++to) status = gpuopt_comm_send(comm, x, to, tag, error);
  for (int32_t tag = 0; !status && tag < tags; ++tag) {
    for (int32_t from = ranks - 1; !status && from >= 0; --from) {
      gpuopt_array y = nullptr;
      status = gpuopt_comm_recv(comm, from, tag, nullptr, &y, error);
      EXPECT_TRUE(status || elements(y) == std::vector<double>(size, from + 0.5));
      gpuopt_array_release(y);
    }
  }
  gpuopt_array_release(x);
  return status;
}

TEST(CommThreads, AllSendBeforeTheyReceive) {
  gpuopt_error failure = GPUOPT_ERROR_INIT;
  const gpuopt_status done = run_threads(
      4,
      [](gpuopt_comm comm, gpuopt_error *error) {
        const gpuopt_status few = send_then_receive(comm, 3, 150, error);  // more than are kept without waiting
        return few ? few : send_then_receive(comm, 100000, 2, error);
      },
      &failure);
  EXPECT_EQ(done, GPUOPT_OK) << failure.message;
}

TEST(CommThreads, Arguments) {
  gpuopt_comm comms[2] = {};
  Group group;
  gpuopt_device devices[] = {group.cpu, nullptr};
  gpuopt_comm_options options{};
  options.struct_size = sizeof options;
  EXPECT_EQ(gpuopt_comm_init_devices(0, nullptr, nullptr, comms, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_comm_init_devices(-1, nullptr, nullptr, comms, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_comm_init_devices(2, devices, nullptr, comms, nullptr), GPUOPT_ERR_INVALID_ARGUMENT)
      << "one is NULL";
  EXPECT_EQ(gpuopt_comm_init_devices(2, nullptr, nullptr, nullptr, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  options.device = group.cpu;
  EXPECT_EQ(gpuopt_comm_init_devices(1, devices, &options, comms, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(comms[0], nullptr);
  EXPECT_EQ(gpuopt_comm_run_devices(1, devices, nullptr, nullptr, nullptr, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(run_threads(1025, [](gpuopt_comm, gpuopt_error *) { return gpuopt_status{GPUOPT_OK}; }),
            GPUOPT_ERR_UNSUPPORTED);
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_comm_init("threads", nullptr, comms, &error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_NE(std::strstr(error.message, "gpuopt_comm_init_devices"), nullptr) << error.message;
  EXPECT_EQ(run_threads(1, [](gpuopt_comm comm, gpuopt_error *e) { return gpuopt_comm_barrier(comm, e); }), GPUOPT_OK);
  EXPECT_EQ(run_threads(
                2, [](gpuopt_comm, gpuopt_error *) -> gpuopt_status { throw 1; }, &error),
            GPUOPT_ERR_INTERNAL);
  EXPECT_NE(std::strstr(error.message, "C++ exception"), nullptr) << error.message;
}

}  // namespace
