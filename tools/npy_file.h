// tools/npy_file.h -- .npy and .npz files for the npy commands, as collections of named arrays.
#pragma once
#include <functional>
#include <gpuopt/gpuopt.hpp>
#include <optional>
#include <string>
#include <vector>

namespace gpuopt::tools {

// How a text file is read.
struct TextTable {
  dtype numbers = float64;
  int64_t skipped_lines = 0;
};

// An open .npy or .npz file, or a table in a .csv, .tsv or .txt file. All but a .npz file have one member, whose name
// is
// "". Members are read on demand, so that only one at a time need be in memory. A large .npy file is mapped into memory
// instead, if map_npy() can do that.
class NpyFile {
 public:
  NpyFile(const std::string &path, const device &where, const TextTable &as_text = {});
  const std::string &path() const { return path_; }
  bool is_archive() const { return archive_.has_value(); }
  const std::vector<std::string> &names() const { return names_; }
  bool has(const std::string &name) const;
  array read(const std::string &name) const;  // throws gpuopt::error

 private:
  std::string path_;
  device where_;
  TextTable as_text_;
  std::optional<npz> archive_;
  std::vector<std::string> names_;
};

inline char kind_of(const array &x) { return gpuopt_dtype_kind(raw(x.dtype())); }

// Returns an array over a private mapping of the file; writing to the array does not change the file. Returns an empty
// array if the file has to be read instead: it is smaller than 64 MiB, big-endian, of dtype bool, not aligned, has an
// unusual header, or the system has no mappings.
array map_npy(const std::string &path, const device &cpu);

// Returns x as a one-dimensional array in C order or, if `any_order`, in the order in which the elements are in memory.
// It is a view if possible.
array flattened(const array &x, bool any_order);
// Calls `visit` for consecutive ranges [begin, end) of `size` elements, each small enough to stay in the processor's
// cache. Shows progress, with `what` as its text.
void each_piece(int64_t size, const std::string &what, const std::function<void(int64_t begin, int64_t end)> &visit);
// Returns a copy of the elements [begin, end) of a flattened array.
array piece(const array &flat, int64_t begin, int64_t end);

// Returns the name of a file without directory and extension: "data" for "/some/where/data.npy".
std::string stem(const std::string &path);
// Returns whether the name ends in .npz, in letters of any case, so that the file is written as an archive.
bool is_archive_name(const std::string &path);
// Returns what is between the columns of a text file, by its name: "," if it ends in .csv, a tab in .tsv, a space in
// .txt, and nothing if it is no text file.
std::optional<std::string> text_delimiter(const std::string &path);

}  // namespace gpuopt::tools
