// tests/unit/api_hpp_device_test.cpp -- gpuopt.hpp: devices, streams, events, scopes, errors.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <gpuopt/gpuopt.hpp>
#include <thread>

#include "tests/set_variable.h"

namespace gp = gpuopt;
using gp::array;

// An environment variable for the life of the object.
class Environment {
 public:
  Environment(const char *name, const char *value) : name_(name) {
    const char *before = std::getenv(name);
    had_ = before != nullptr;
    if (had_) before_ = before;
    setenv(name, value, 1);
  }
  ~Environment() {
    if (had_)
      setenv(name_, before_.c_str(), 1);
    else
      unsetenv(name_);
  }

 private:
  const char *name_;
  bool had_;
  std::string before_;
};

TEST(Device, AnswersByName) {
  const gp::device cpu("cpu");
  EXPECT_EQ(cpu.name(), "cpu:0");
  EXPECT_EQ(cpu.backend(), "cpu");
  EXPECT_EQ(cpu.info().index, 0);
  EXPECT_EQ(cpu.info().host_memory, 1);
  EXPECT_GT(cpu.info().processors, 0);
  EXPECT_EQ(gp::device(std::string("numpy")), cpu);
  gpuopt_reason reason = -1;
  EXPECT_EQ(gp::device::open("cpu", reason), cpu);
  EXPECT_EQ(reason, GPUOPT_REASON_NONE);
}

TEST(Device, FallsBackOrInsists) {
  const Environment disabled("GPUOPT_DISABLE", "cuda");
  gpuopt_log_set_callback([](const gpuopt_log_record *, void *) {}, nullptr);
  gpuopt_reason reason = GPUOPT_REASON_NONE;
  EXPECT_EQ(gp::device::open("cuda", reason).backend(), "cpu");
  EXPECT_EQ(reason, GPUOPT_REASON_DISABLED);
  gpuopt_log_set_callback(nullptr, nullptr);
  try {
    const gp::device cuda("cuda!");
    FAIL() << "cuda! must not fall back";
  } catch (const gp::error &e) {
    EXPECT_EQ(e.code(), GPUOPT_ERR_UNAVAILABLE);
    EXPECT_EQ(e.reason(), GPUOPT_REASON_DISABLED);
    EXPECT_EQ(e.raw().code, e.code());
  }
}

TEST(Device, TheEnvironmentIsReadAtEachCall) {
  {
    const Environment backend("GPUOPT_BACKEND", "no such backend");
    EXPECT_THROW(gp::device(), gp::error);
    EXPECT_THROW(gp::zeros(1), gp::error);
  }
  EXPECT_EQ(gp::device().backend(), "cpu");
  EXPECT_EQ(gp::zeros(1).device().backend(), "cpu");
}

TEST(Device, CountsMemoryAndPrograms) {
  const gp::device cpu("cpu");
  const uint64_t before = cpu.memory().in_use;
  array x = gp::ones(1 << 20, gp::float64, cpu);
  x.eval();
  cpu.synchronize();
  EXPECT_GE(cpu.memory().in_use, before + (uint64_t{8} << 20));
  const gpuopt_engine_stats start = cpu.engine();
  x += 1;
  x *= 2;
  EXPECT_EQ(cpu.engine().operations - start.operations, 2u);
  x = array();
  cpu.trim_memory();
  EXPECT_EQ(cpu.memory().cached, 0u);
}

TEST(Scopes, SetTheDeviceOfNewArrays) {
  const gp::device cpu("cpu");
  const Environment backend("GPUOPT_BACKEND", "no such backend");  // so that only the scope can make this work
  {
    const gp::with_device scope(cpu);
    EXPECT_EQ(gp::current_device(), cpu);
    EXPECT_EQ(gp::arange(3).device(), cpu);
    {
      const gp::with_device inner("cpu:0");
      EXPECT_EQ(gp::current_device(), cpu);
    }
    EXPECT_EQ(gp::current_device(), cpu);
    bool other_thread_has_none = false;
    std::thread([&] {
      try {
        (void)gp::current_device();
      } catch (const gp::error &) {
        other_thread_has_none = true;
      }
    }).join();
    EXPECT_TRUE(other_thread_has_none);
  }
  EXPECT_THROW((void)gp::current_device(), gp::error);
}

TEST(Scopes, EndWhenAnExceptionPasses) {
  const gp::device cpu("cpu");
  try {
    const gp::with_device scope(cpu);
    (void)gp::zeros({-1});
    FAIL();
  } catch (const gp::error &e) {
    EXPECT_EQ(e.code(), GPUOPT_ERR_SHAPE);
  }
  const Environment backend("GPUOPT_BACKEND", "no such backend");
  EXPECT_THROW((void)gp::current_device(), gp::error);
}

TEST(Streams, AreOrderedByEvents) {
  const gp::device cpu("cpu");
  const gp::stream one(cpu), two(cpu);
  EXPECT_EQ(one.device(), cpu);
  array x;
  {
    const gp::with_stream scope(one);
    EXPECT_EQ(gp::current_device(), cpu);
    x = gp::arange(1000, gp::float64);
  }
  const gp::event start = one.record();
  x += 1;
  const gp::event done = one.record();
  two.wait(done);
  const array y = x.on(two) * 2;
  two.synchronize();
  one.synchronize();
  done.synchronize();
  EXPECT_GE(done.milliseconds_since(start), 0);
  EXPECT_EQ(y.item<double>(999), 2000);
  EXPECT_EQ(gp::sum(y + x).item<double>(), 3 * 500500.0);  // two streams of one device meet by themselves
  cpu.default_stream().synchronize();
}

TEST(Transfers, AreNoOperationOnOneDevice) {
  const gp::device cpu("cpu");
  const array x({1, 2, 3}, gp::default_dtype, cpu);
  EXPECT_EQ(gp::asarray(x, cpu).get(), x.get());  // x itself
  EXPECT_EQ(gp::asnumpy(x).get(), x.get());
  EXPECT_NE(x.to(cpu, GPUOPT_COPY_ALWAYS).get(), x.get());
  const gp::allow_transfers scope;
  EXPECT_EQ((x + 1 + x).str(), "[3 5 7]");
}

TEST(Eval, RunsArraysTogether) {
  const array x = gp::arange(4) + 1, y = x * x;
  gp::eval(x, y);
  EXPECT_EQ(gp::device().engine().pending, 0u);
  EXPECT_EQ(y.eval().str(), "[ 1  4  9 16]");
}

TEST(Errors, CarryTheLibrarysMessage) {
  try {
    (void)(gp::ones({3, 3}) + gp::ones({2, 2}));
    FAIL();
  } catch (const gp::error &e) {
    EXPECT_EQ(e.code(), GPUOPT_ERR_SHAPE);
    EXPECT_NE(std::strstr(e.what(), "add"), nullptr) << e.what();
    EXPECT_NE(std::strstr(e.what(), "(3, 3)"), nullptr) << e.what();
    EXPECT_NE(std::strstr(e.what(), "(2, 2)"), nullptr) << e.what();
  }
  gpuopt_error bare = GPUOPT_ERROR_INIT;
  bare.code = GPUOPT_ERR_IO;
  EXPECT_STREQ(gp::error(bare).what(), gpuopt_status_message(GPUOPT_ERR_IO));
}

TEST(Device, ReportsWhatWasTried) {
  EXPECT_NE(gp::discovery_report().find("cpu"), std::string::npos);
  EXPECT_EQ(gp::discovery_report(true).front(), '{');
}
