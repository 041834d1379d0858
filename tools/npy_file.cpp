// tools/npy_file.cpp -- see npy_file.h.
#include "tools/npy_file.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "plugins/shared/host/trusted_file.h"
#include "tools/command.h"
#include "tools/output.h"

#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace gpuopt::tools {
namespace {

bool begins_with_zip(std::ifstream &file) {
  char magic[2] = {};
  return file.read(magic, sizeof magic) && magic[0] == 'P' && magic[1] == 'K';
}

#if !defined(_WIN32)

constexpr uint64_t kWorthMapping = uint64_t{64} << 20;  // bytes from which on a file is mapped
constexpr size_t kPreamble = 10;                        // bytes of magic, version and header length in format version 1

// Mapped memory, unmapped with the object.
struct Mapping {
  Mapping(char *at, size_t size) : begin(at), bytes(size) {}
  Mapping(const Mapping &) = delete;
  Mapping &operator=(const Mapping &) = delete;
  ~Mapping() { munmap(begin, bytes); }

  char *const begin;
  const size_t bytes;
};

// Returns a private, writable mapping of the whole file, or NULL if it is no regular file, too small or cannot be
// mapped.
std::unique_ptr<Mapping> map_file(const std::string &path) {
  const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat facts {};
  std::unique_ptr<Mapping> mapping;
  if (file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) &&
      static_cast<uint64_t>(facts.st_size) >= kWorthMapping) {
    const size_t bytes = static_cast<size_t>(facts.st_size);
    void *begin = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file, 0);
    if (begin != MAP_FAILED) mapping = std::make_unique<Mapping>(static_cast<char *>(begin), bytes);
  }
  if (file >= 0) close(file);
  return mapping;
}

struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<int64_t> shape;
  size_t data = 0;  // offset of the data in the file
};

// Returns the text between `key` and the next character of `ends` in the header; "" if there is no such text.
std::string value_of(const std::string &header, const char *key, const char *ends) {
  const size_t at = header.find(key);
  if (at == std::string::npos) return "";
  const size_t begin = at + std::strlen(key), end = header.find_first_of(ends, begin);
  return end == std::string::npos ? "" : header.substr(begin, end - begin);
}

// Returns the text that NumPy writes for this header, without the padding.
std::string numpy_text(const Header &header) {
  std::string shape;
  for (const int64_t size : header.shape) shape += (shape.empty() ? "" : ", ") + std::to_string(size);
  if (header.shape.size() == 1) shape += ",";
  return "{'descr': '" + header.descr + "', 'fortran_order': " + (header.fortran ? "True" : "False") + ", 'shape': (" +
         shape + "), }";
}

// Returns whether the header consists of the text, spaces and a line feed.
bool is_padded(const std::string &header, const std::string &text) {
  return header.size() > text.size() && header.compare(0, text.size(), text) == 0 && header.back() == '\n' &&
         header.find_first_not_of(' ', text.size()) == header.size() - 1;
}

// Returns the header if it is exactly what NumPy writes. All other headers are left to the library's own parser
// (core/exchange/npy_header.cpp), which validates everything.
std::optional<Header> ordinary_header(const Mapping &file) {
  if (std::memcmp(file.begin, "\x93NUMPY\x01\x00", 8) != 0) return std::nullopt;
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(file.begin[i])); };
  Header header;
  header.data = kPreamble + byte(8) + 256 * byte(9);
  const std::string text(file.begin + kPreamble, header.data - kPreamble);
  header.descr = value_of(text, "'descr': '", "'");
  const std::string order = value_of(text, "'fortran_order': ", ",");
  header.fortran = order == "True";
  std::string sizes = value_of(text, "'shape': (", ")");
  for (char *at = sizes.data(), *end; *at; at = end) {
    header.shape.push_back(std::strtoll(at, &end, 10));
    if (end == at || header.shape.back() < 0) return std::nullopt;
    end += std::strspn(end, ", ");
  }
  if (!is_padded(text, numpy_text(header))) return std::nullopt;
  return header;
}

// Returns the size of the data in bytes and sets the strides, in bytes. Returns 0 if the size overflows.
uint64_t layout(const Header &header, int64_t item, std::vector<int64_t> &strides) {
  strides.resize(header.shape.size());
  int64_t bytes = item;
  for (size_t k = 0; k < header.shape.size(); ++k) {
    const size_t axis = header.fortran ? k : header.shape.size() - 1 - k;
    strides[axis] = bytes;
    if (__builtin_mul_overflow(bytes, header.shape[axis], &bytes)) return 0;
  }
  return static_cast<uint64_t>(bytes);
}

#endif

// Columns of a .txt file are between any white space.
array read_table(const std::string &path, const std::string &delimiter, const TextTable &as_text, const device &where) {
  loadtxt_options options;
  options.delimiter = delimiter == " " ? "" : delimiter;
  options.quote = "\"";
  options.skiprows = as_text.skipped_lines;
  options.dtype = as_text.numbers;
  return loadtxt(path, options, where);
}

// Returns the last four characters, in small letters.
std::string name_ending(const std::string &path) {
  std::string end = path.substr(path.size() - std::min<size_t>(path.size(), 4));
  for (char &c : end) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return end;
}

}  // namespace

#if defined(_WIN32)

array map_npy(const std::string &, const device &) { return {}; }

#else

array map_npy(const std::string &path, const device &cpu) {
  std::unique_ptr<Mapping> file = map_file(path);
  const std::optional<Header> header = file ? ordinary_header(*file) : std::nullopt;
  gpuopt_dtype dtype = 0;
  // Bools must be 0 or 1 in memory, but any byte in a file, so they cannot be mapped.
  if (!header || header->descr[0] == '>' || header->shape.size() > GPUOPT_MAX_NDIM ||
      gpuopt_dtype_from_name(header->descr.c_str(), &dtype, nullptr) != GPUOPT_OK || dtype == GPUOPT_BOOL)
    return {};
  const int64_t item = static_cast<int64_t>(gpuopt_dtype_size(dtype));
  std::vector<int64_t> strides;
  const uint64_t bytes = layout(*header, item, strides);
  if (bytes == 0 || header->data + bytes != file->bytes || header->data % static_cast<size_t>(item) != 0) return {};
  const auto release = [](void *mapping) { delete static_cast<Mapping *>(mapping); };
  gpuopt_array mapped = nullptr;
  detail::call(gpuopt_from_host, cpu.get(), static_cast<void *>(file->begin + header->data), dtype,
               static_cast<int32_t>(header->shape.size()), header->shape.data(),
               static_cast<const int64_t *>(strides.data()), gpuopt_copy{GPUOPT_COPY_NEVER},
               static_cast<void (*)(void *)>(release), static_cast<void *>(file.get()), &mapped);
  static_cast<void>(file.release());  // the array owns it and passes it to `release`
  return array(array::handle_type(mapped));
}

#endif

NpyFile::NpyFile(const std::string &path, const device &where, const TextTable &as_text)
    : path_(path), where_(where), as_text_(as_text) {
  if (text_delimiter(path)) {
    names_ = {""};
    return;
  }
  // Opening a FIFO would wait, so this first checks that the file is a regular one. If not, load_npy() throws.
  if (!trusted::File(path, trusted::Check::kKind).opened()) load_npy(path, where);
  std::ifstream file(std::filesystem::path(std::u8string(path.begin(), path.end())), std::ios::binary);
  if (!file.is_open()) load_npy(path, where);
  if (begins_with_zip(file)) archive_.emplace(path);
  names_ = archive_ ? archive_->names() : std::vector<std::string>{""};
}

bool NpyFile::has(const std::string &name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

array NpyFile::read(const std::string &name) const {
  if (archive_) return archive_->read(name, where_);
  if (const auto delimiter = text_delimiter(path_)) return read_table(path_, *delimiter, as_text_, where_);
  const array mapped = map_npy(path_, where_);
  return mapped.empty() ? load_npy(path_, where_) : mapped;
}

array flattened(const array &x, bool any_order) {
  const bool backwards = any_order && !x.is_contiguous() && x.transpose().is_contiguous();
  return backwards ? x.transpose().reshape(-1) : x.reshape(-1);
}

void each_piece(int64_t size, const std::string &what, const std::function<void(int64_t, int64_t)> &visit) {
  constexpr int64_t kPiece = 1 << 18;
  Progress progress(static_cast<size_t>((size + kPiece - 1) / kPiece));
  for (int64_t begin = 0; begin < size; begin += kPiece) {
    progress.step(what);
    visit(begin, std::min(size, begin + kPiece));
  }
}

array piece(const array &flat, int64_t begin, int64_t end) { return flat[slice(begin, end)].copy(); }

std::string stem(const std::string &path) {
  const size_t slash = path.find_last_of('/');
  const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
  return file.substr(0, file.rfind('.'));
}

bool is_archive_name(const std::string &path) { return name_ending(path) == ".npz"; }

std::optional<std::string> text_delimiter(const std::string &path) {
  const std::string end = name_ending(path);
  if (end == ".csv") return ",";
  if (end == ".tsv") return "\t";
  if (end == ".txt") return " ";
  return std::nullopt;
}

}  // namespace gpuopt::tools
