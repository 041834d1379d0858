// tests/unit/core_bare_device.h -- a test on two devices: the CPU one, and one without host memory and library
// operations.
#pragma once
#include "core/device/stream.h"
#include "tests/unit/core_array_support.h"
#include "tests/unit/core_fake_device.h"

namespace support {

// The fake device as a far one: its memory is reached by copies only, and it offers none of the slots that take a
// gpuopt_call.
class BareDevice : public gpuopt::test::FakeDevice {
 public:
  BareDevice() {
    get()->info.flags = 0;
    auto &api = backend().api;
    api.matmul = api.linalg = api.fft = api.sort = api.gather = api.scatter = api.random = absent;
  }

 private:
  static gpuopt_status absent(gpuopt_plugin_device *, gpuopt_plugin_stream *, const gpuopt_call *, gpuopt_error *) {
    return GPUOPT_ERR_UNSUPPORTED;
  }
};

// Parameter: whether the device is the bare one.
class OnBothDevices : public ::testing::TestWithParam<bool> {
 protected:
  OnBothDevices() : bare_(GetParam() ? std::make_unique<BareDevice>() : nullptr) {}
  ~OnBothDevices() override {
    if (bare_) {
      EXPECT_EQ(bare_->violation, "");
    }
  }
  gpuopt_device device() const { return bare_ ? bare_->get() : cpu(); }
  template <class T>
  Array make(const Shape &shape, const std::vector<T> &values) const {
    return support::make(shape, values, device());
  }
  Array make_bytes(gpuopt_dtype dtype, const Shape &shape, const void *data) const {
    return support::make_bytes(dtype, shape, data, device());
  }
  std::unique_ptr<BareDevice> bare_;
};

inline std::string device_title(const ::testing::TestParamInfo<bool> &info) { return info.param ? "Bare" : "Cpu"; }

// 0, 1, 2, ... as T.
template <class T>
std::vector<T> counting(size_t count) {
  std::vector<T> values(count);
  for (size_t k = 0; k < count; ++k) values[k] = static_cast<T>(k);
  return values;
}

}  // namespace support
