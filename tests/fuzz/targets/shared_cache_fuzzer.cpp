// tests/fuzz/targets/shared_cache_fuzzer.cpp -- an entry of the cache of compiled kernels whose bytes are not what was
// stored: it is a miss, never other bytes.
#include <filesystem>

#include "plugins/shared/cache/cache.h"
#include "tests/fuzz/targets/fuzz.h"

namespace {

using gpuopt::plugin::CacheFiles;
using gpuopt::plugin::DiskCache;

struct Directory {
  Directory() {
    std::string pattern = std::filesystem::temp_directory_path() / "gpuopt-fuzz-XXXXXX";
    fuzz::require(mkdtemp(pattern.data()) != nullptr, "a directory could be made");
    path = pattern;
  }
  ~Directory() { std::filesystem::remove_all(path); }
  std::string path;
};

CacheFiles &files(const std::string &path) {
  static CacheFiles opened;
  static const bool done = [&] {
    std::string problem;
    return opened.open(path, true, true, problem) == CacheFiles::Opening::done;
  }();
  fuzz::require(done, "the cache could be opened");
  return opened;
}

std::string hexadecimal(const DiskCache::Key &key) {
  std::string text;
  for (const unsigned char byte : key) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    text += digits;
  }
  return text;
}

// The file that store() makes of `payload`, changed at places that the input chooses.
std::string damaged(std::string entry, fuzz::Input &input) {
  const uint8_t changes = input.number<uint8_t>() % 8;
  for (int k = 0; k < changes; k++) {
    const size_t at = entry.empty() ? 0 : input.number<uint16_t>() % entry.size();
    const auto kind = input.number<uint8_t>();
    if (kind % 3 == 0 && !entry.empty()) entry[at] = static_cast<char>(input.number<uint8_t>());
    if (kind % 3 == 1) entry.resize(at);
    if (kind % 3 == 2) entry.insert(at, std::string(input.bytes(input.number<uint8_t>())));
  }
  return entry;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Directory directory;
  static DiskCache cache(directory.path, DiskCache::Use::own, uint64_t{1} << 30);
  fuzz::Input input(data, size);
  DiskCache::Key key{};
  key[0] = input.number<uint8_t>() % 2;
  const std::string payload(input.bytes(input.number<uint8_t>()));
  const std::string name = hexadecimal(key), folder = name.substr(0, CacheFiles::kFolderDigits),
                    file = name.substr(CacheFiles::kFolderDigits);
  cache.store(key, payload);
  fuzz::require(cache.load(key) == payload, "what was stored is loaded");
  const auto stored = files(directory.path).read(folder, file);
  fuzz::require(stored.has_value(), "an entry is a file");
  const std::string changed = input.empty() ? *stored : damaged(*stored, input);
  std::string problem;
  fuzz::require(files(directory.path).write(folder, file, changed, problem), "an entry could be written");
  const auto loaded = cache.load(key);
  fuzz::note_outcome(loaded.has_value());
  fuzz::require(loaded ? *loaded == payload : changed != *stored, "what does not verify is a miss");
  return 0;
}
