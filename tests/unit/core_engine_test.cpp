// tests/unit/core_engine_test.cpp -- the recorder.
#include "tests/unit/core_fake_device.h"

namespace gpuopt::test {

TEST(Smoke, AddsAndReads) {
  FakeDevice fake;
  const int64_t shape[] = {2, 3};
  const double data[] = {1, 2, 3, 4, 5, 6};
  ArrayRef x = make_array(fake.get()->default_stream, GPUOPT_FLOAT64, 2, shape);
  copy_from_host(x.get(), data);
  gpuopt_array y = nullptr, s = nullptr;
  gpuopt_error e = GPUOPT_ERROR_INIT;
  ASSERT_EQ(gpuopt_add(x.get(), x.get(), &y, &e), GPUOPT_OK) << e.message;
  ASSERT_EQ(gpuopt_sum(y, nullptr, &s, &e), GPUOPT_OK) << e.message;
  double out[6];
  copy_to_host(y, out);
  EXPECT_EQ(out[5], 12);
  copy_to_host(s, out);
  EXPECT_EQ(out[0], 42);
  gpuopt_array_release(s);
  gpuopt_array_release(y);
  gpuopt_array r = nullptr;
  ASSERT_EQ(gpuopt_arange(fake.get(), GPUOPT_INT32, gpuopt_scalar_int(5), gpuopt_scalar_int(0), gpuopt_scalar_int(-2),
                          &r, &e),
            GPUOPT_OK)
      << e.message;
  int32_t ints[3];
  ASSERT_EQ(gpuopt_array_size(r), 3);
  copy_to_host(r, ints);
  EXPECT_EQ(ints[0], 5);
  EXPECT_EQ(ints[2], 1);
  gpuopt_array_release(r);
  EXPECT_EQ(fake.violation, "");
}

}  // namespace gpuopt::test
