// tests/fuzz/targets/replay_main.cpp -- runs a fuzz target on files that are kept, as an ordinary test: the arguments
// are files, and directories all of whose files are run.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/fuzz/targets/fuzz.h"

namespace {

namespace fs = std::filesystem;

int run(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) {
    std::fprintf(stderr, "%s cannot be read\n", path.c_str());
    std::exit(1);
  }
  std::fprintf(stderr, "%s\n", path.c_str());  // the last line names the file that ended the program
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  return 1;
}

}  // namespace

int main(int count, char **arguments) {
  int ran = 0;
  for (int k = 1; k < count; k++) {
    if (!fs::is_directory(arguments[k])) {
      ran += run(arguments[k]);
      continue;
    }
    for (const fs::directory_entry &entry : fs::directory_iterator(arguments[k])) ran += run(entry.path());
  }
  std::printf("%d inputs\n", ran);
  if (fuzz::outcomes.accepted == 0 || fuzz::outcomes.refused == 0) {
    std::fprintf(stderr, "the library accepted %d inputs and refused %d: there must be some of either kind\n",
                 fuzz::outcomes.accepted, fuzz::outcomes.refused);
    return 1;
  }
  return 0;
}
