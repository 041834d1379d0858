// tests/fuzz/targets/core_npy_fuzzer.cpp -- .npy files: what is read is written and read again.
#include "core/exchange/npy.h"
#include "tests/fuzz/targets/core_fuzz.h"
#include "tests/fuzz/targets/device_fuzz.h"

namespace {

class MemorySource : public gpuopt::Source {
 public:
  explicit MemorySource(std::string_view bytes) : left_(bytes) {}
  size_t read(void *to, size_t bytes) override {
    const std::string_view taken = left_.substr(0, bytes);
    taken.copy(static_cast<char *>(to), taken.size());
    left_.remove_prefix(taken.size());
    return taken.size();
  }
  uint64_t remaining() override { return left_.size(); }

 private:
  std::string_view left_;
};

struct MemorySink : gpuopt::Sink {
  void write(const void *from, size_t bytes) override { text.append(static_cast<const char *>(from), bytes); }
  std::string text;
};

gpuopt::ArrayRef read(std::string_view bytes) {
  MemorySource source(bytes);
  return gpuopt::read_npy(source, fuzz::device(), "input");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  gpuopt::ArrayRef x;
  if (!fuzz::accepts([&] { x = read({reinterpret_cast<const char *>(data), size}); })) return 0;
  MemorySink first, second;
  fuzz::require(fuzz::accepts([&] { gpuopt::write_npy(x.get(), first); }), "what was read can be written");
  gpuopt::ArrayRef again;
  fuzz::require(fuzz::accepts([&] { again = read(first.text); }), "what was written can be read");
  fuzz::require(fuzz::accepts([&] { gpuopt::write_npy(again.get(), second); }), "what was read again can be written");
  fuzz::require(first.text == second.text, "what was written and read is the same");
  return 0;
}
