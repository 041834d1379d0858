// tests/conformance/kernel_fixture.h -- what tests of users' kernels share: the device under test, values on the host,
// errors with their words.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <gpuopt/gpuopt.hpp>
#include <initializer_list>
#include <string>
#include <vector>

namespace gpuopt::test {

// Makes arrays on the device of GPUOPT_TEST_DEVICE, which is the CPU unless it is set.
class KernelTest : public testing::Test {
 protected:
  static gpuopt::device tested() {
    const char *const request = std::getenv("GPUOPT_TEST_DEVICE");
    return gpuopt::device(request ? request : "cpu");
  }
  const gpuopt::device device = tested();
  const with_device scope{device};
};

// Runs the same kernels in each form that libgpuopt_jit gives them on the CPU. On other devices there is one form.
class KernelFormsTest : public KernelTest {
 protected:
  void SetUp() override { on_cpu = device.name().substr(0, 3) == "cpu"; }
  void TearDown() override {
#if !defined(_WIN32)
    unsetenv("GPUOPT_CPU_FISSION");
    unsetenv("GPUOPT_CPU_CHECK");
#endif
  }
  // Calls body() for kernels in loops, in coroutines, and for checked ones.
  template <class Body>
  void in_all_forms(Body body) {
    in_unchecked_forms(body);
    in_form("GPUOPT_CPU_CHECK", "1", body);
  }
  // Calls body() for kernels in loops and in coroutines.
  template <class Body>
  void in_unchecked_forms(Body body) {
    body();
    in_form("GPUOPT_CPU_FISSION", "0", body);
  }
  // Calls body() for kernels in the form that a setting gives them, if there is more than one.
  template <class Body>
  void in_form(const char *setting, const char *value, Body body) {
#if defined(_WIN32)
    (void)setting, (void)value, (void)body;
#else
    if (!on_cpu) return;
    setenv(setting, value, 1);
    body();
    TearDown();
#endif
  }
  bool on_cpu = true;
};

template <class T>
std::vector<T> values(const array &x) {
  std::vector<T> out(static_cast<size_t>(x.nbytes()) / sizeof(T));
  detail::call(gpuopt_to_host, x.get(), static_cast<void *>(out.data()), static_cast<size_t>(x.nbytes()));
  return out;
}

// Whether a message has this word. The place in a text, "name:2", is "name(2)" in the words of NVIDIA's compiler.
inline bool says(const std::string &message, std::string word) {
  if (message.find(word) != std::string::npos) return true;
  const size_t colon = word.find(':');
  const size_t end = colon == std::string::npos ? colon : word.find_first_not_of("0123456789", colon + 1);
  if (colon == std::string::npos || end == colon + 1) return false;
  word.insert(std::min(end, word.size()), ")");
  word[colon] = '(';
  return message.find(word) != std::string::npos;
}

// Runs `call`, which must fail with `code` and say each of `words`.
template <class Call>
void expect_error(gpuopt_status code, std::initializer_list<const char *> words, Call call) {
  try {
    call();
    ADD_FAILURE() << "did not fail: " << *words.begin();
  } catch (const error &e) {
    EXPECT_EQ(e.code(), code) << e.what();
    for (const char *word : words) EXPECT_TRUE(says(e.what(), word)) << word << ": " << e.what();
  }
}

template <class Call>
void expect_error(gpuopt_status code, const char *word, Call call) {
  expect_error(code, {word}, call);
}

}  // namespace gpuopt::test
