// tests/unit/core_comm_test.cpp -- the C functions of groups in a job of one, and tables of communication plugins. Jobs
// of several processes are in tests/comm/.
#include <gpuopt/gpuopt.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
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

}  // namespace
