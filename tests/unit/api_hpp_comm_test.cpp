// tests/unit/api_hpp_comm_test.cpp -- groups of processes in C++: one alone. Jobs of several are in tests/comm/.
#include <gtest/gtest.h>

#include <atomic>
#include <gpuopt/gpuopt.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace gp = gpuopt;

const std::vector<double> kValues = {1.5, -2};

std::vector<double> elements(const gp::array &x) { return x.to_vector<double>(); }

TEST(Comm, AGroupOfOneCopies) {
  const gp::comm comm("self");
  EXPECT_EQ(comm.rank(), 0);
  EXPECT_EQ(comm.size(), 1);
  EXPECT_EQ(comm.name(), "self");
  const gp::array x(kValues);
  for (const gp::array &y :
       {comm.all_reduce(x), comm.reduce(x, GPUOPT_REDUCTION_max), comm.reduce_scatter(x), comm.broadcast(x),
        comm.all_gather(x), comm.gather(x), comm.scatter(x), comm.all_to_all(x), comm.send_recv(x, 0, 0)})
    EXPECT_EQ(elements(y), kValues);
  comm.send(x, 0, 3);
  EXPECT_EQ(elements(comm.recv(0, 3)), kValues);
  EXPECT_TRUE(comm.send_recv({}, 0, -1).empty());
  comm.barrier();
}

TEST(Comm, IntoAnArray) {
  const gp::comm comm("self");
  const gp::array x(kValues), out = gp::zeros({2});
  comm.all_reduce_into(x, out);
  EXPECT_EQ(elements(out), kValues);
  comm.broadcast_into(x, x);
  comm.all_gather_into(x, out);
  comm.send(x, 0);
  comm.recv_into(out, 0);
  EXPECT_EQ(elements(out), kValues);
  EXPECT_THROW(comm.all_gather_into(x, gp::zeros({3})), gp::error);
}

TEST(Comm, Groups) {
  const gp::comm comm("self");
  EXPECT_EQ(comm.split(0).size(), 1);
  EXPECT_TRUE(comm.split(-1).empty());
  const gp::comm copy = comm;
  EXPECT_EQ(copy.get(), comm.get());
  EXPECT_THROW(gp::comm("no request"), gp::error);
  gpuopt_comm_options options{};
  options.struct_size = sizeof options;
  options.timeout = -1;
  EXPECT_THROW(gp::comm("self", options), gp::error);
  EXPECT_NE(gp::comm_report().find("ring: "), std::string::npos);
}

TEST(Comm, Threads) {
  const gp::device cpu("cpu");
  std::atomic<int> right{0};
  gp::run_devices({cpu, cpu, cpu}, [&](const gp::comm &comm) {
    const gp::shard x = gp::shard::from_whole(comm, gp::arange(5000, gp::float64, cpu));
    right += comm.name() == "threads" && x.sum().item<double>() == 4999.0 * 2500 && comm.size() == 3;
  });
  EXPECT_EQ(right, 3);
}

TEST(Comm, ShardsAlongAnotherAxis) {
  const gp::comm alone("self");
  const gp::array x = gp::reshape(gp::arange(6, gp::float64), {2, 3});
  const gp::shard columns = gp::shard::from_parts(alone, x, -1), rows = columns.along(0);
  EXPECT_EQ(columns.axis(), 1);
  EXPECT_EQ(rows.axis(), 0);
  EXPECT_EQ(elements(columns.sum(gp::axes(1))), (std::vector<double>{3, 12}));
  EXPECT_EQ(elements(rows.all_gather()), elements(x));
}

TEST(Comm, AThreadThatThrows) {
  const gp::device cpu("cpu");
  const auto rank = [](const gp::comm &comm) {
    if (comm.rank() == 1) throw std::out_of_range("no such sample");
    try {
      comm.barrier();
    } catch (const gp::error &error) {
      EXPECT_EQ(error.code(), GPUOPT_ERR_COMM);
      EXPECT_NE(std::string(error.what()).find("rank 1 has given up: no such sample"), std::string::npos);
      throw;
    }
  };
  EXPECT_THROW(gp::run_devices({cpu, cpu, cpu}, rank), std::out_of_range);
  EXPECT_THROW(gp::run_devices({}, rank), gp::error);
  const std::vector<gp::comm> both = gp::comm::of_devices({cpu, cpu});
  both[1].give_up("too late");
  EXPECT_THROW(both[0].barrier(), gp::error);
}

}  // namespace
