// tools/npy_file.h -- .npy and .npz files as the npy commands see them: members with a name.
#pragma once
#include <functional>
#include <gpuopt/gpuopt.hpp>
#include <optional>
#include <string>
#include <vector>

namespace gpuopt::tools {

// A .npy file is one member without a name. Members are read when asked for, so that one at a time is in memory; the
// data of a large .npy file is not read at all, but mapped, where its bytes are as the array's.
class NpyFile {
 public:
  NpyFile(const std::string &path, const device &where);
  const std::string &path() const { return path_; }
  bool is_archive() const { return archive_.has_value(); }
  const std::vector<std::string> &names() const { return names_; }
  bool has(const std::string &name) const;
  array read(const std::string &name) const;

 private:
  std::string path_;
  device where_;
  std::optional<npz> archive_;
  std::vector<std::string> names_;
};

// The array over the file's own bytes, read-only by nature of the mapping being private: empty where the file must be
// read instead (another byte order, a header out of the ordinary, bools, data off its alignment, no mapping on this
// system).
array map_npy(const std::string &path, const device &cpu);

// All elements of x in one dimension: in C order, or, where `any_order` is enough, as they lie in memory. A view if
// possible.
array flattened(const array &x, bool any_order);
// Calls `visit` with the numbers of the first and past the last element of each piece: of a size that is worked on in
// the cache, whatever the size of the whole. `what`: for people who wait.
void each_piece(int64_t size, const std::string &what, const std::function<void(int64_t begin, int64_t end)> &visit);
// A copy of these elements of a flattened array.
array piece(const array &flat, int64_t begin, int64_t end);

// "data" of "/some/where/data.npy".
std::string stem(const std::string &path);
// Whether a file of this name is to be an archive: it ends in .npz, in letters of any case.
bool is_archive_name(const std::string &path);

}  // namespace gpuopt::tools
