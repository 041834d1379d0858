// tests/fuzz/programs/verbs_exchange.cpp -- the verbs that let arrays leave the library and come back: files and
// DLPack.
#include <fstream>
#include <iterator>

#include "tests/fuzz/programs/session.h"

namespace fuzz {
namespace {

gpuopt_array *out(Call &c) { return &c.outcome.result; }

// A file of the program's, removed again.
class File {
 public:
  explicit File(const Call &c, const char *ending) : path_(c.session.scratch + ending) {}
  ~File() { std::remove(path()); }
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  const char *path() const { return path_.c_str(); }
  std::vector<unsigned char> read() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void write(const std::vector<unsigned char> &bytes) const {
    std::ofstream file(path_, std::ios::binary);
    file.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }

 private:
  std::string path_;
};

gpuopt_status npy(Call &c) {  // X: saved and loaded
  const File file(c, ".npy");
  const gpuopt_status status = gpuopt_save_npy(c.array(0), file.path(), &c.error);
  return status == GPUOPT_OK ? gpuopt_load_npy(c.session.device, file.path(), out(c), &c.error) : status;
}
gpuopt_status save_npy(Call &c) {  // X: gives the bytes of the file
  const File file(c, ".npy");
  const gpuopt_status status = gpuopt_save_npy(c.array(0), file.path(), &c.error);
  if (status == GPUOPT_OK) c.outcome.payload = file.read();
  return status;
}
gpuopt_status load_npy(Call &c) {  // BYTES
  const File file(c, ".npy");
  file.write(c.bytes(0, c.word(0).size() / 2));
  return gpuopt_load_npy(c.session.device, file.path(), out(c), &c.error);
}

gpuopt_status read_member(Call &c, const File &file, const std::string &name) {
  gpuopt_npz npz = nullptr;
  gpuopt_status status = gpuopt_npz_open(file.path(), &npz, &c.error);
  if (status == GPUOPT_OK) status = gpuopt_npz_read(npz, name.c_str(), c.session.device, out(c), &c.error);
  gpuopt_npz_close(npz);
  return status;
}
// COMPRESS ... X...: saves the arrays from word `first` on under their names.
gpuopt_status save_npz(Call &c, const File &file, size_t first) {
  std::vector<gpuopt_array> arrays;
  std::vector<const char *> names;
  for (size_t i = first; i < c.count(); ++i) arrays.push_back(c.array(i)), names.push_back(c.word(i).c_str());
  return gpuopt_save_npz(file.path(), static_cast<int32_t>(arrays.size()), names.data(), arrays.data(),
                         static_cast<int32_t>(c.integer(0)), &c.error);
}
gpuopt_status npz_names(Call &c) {  // COMPRESS X...: saves them, and gives the names of the members, a line each
  const File file(c, ".npz");
  gpuopt_status status = save_npz(c, file, 1);
  gpuopt_npz npz = nullptr;
  if (status == GPUOPT_OK) status = gpuopt_npz_open(file.path(), &npz, &c.error);
  std::string names;
  for (int32_t i = 0; i < gpuopt_npz_count(npz); ++i) names += std::string(gpuopt_npz_name(npz, i)) + "\n";
  c.outcome.payload.assign(names.begin(), names.end());
  gpuopt_npz_close(npz);
  return status;
}
gpuopt_status npz(Call &c) {  // COMPRESS MEMBER X...: saves them, and loads the member of this number
  const File file(c, ".npz");
  const gpuopt_status status = save_npz(c, file, 2);
  return status == GPUOPT_OK ? read_member(c, file, c.word(2 + static_cast<size_t>(c.integer(1)))) : status;
}
gpuopt_status load_npz(Call &c) {  // NAME BYTES
  const File file(c, ".npz");
  file.write(c.bytes(1, c.word(1).size() / 2));
  return read_member(c, file, c.word(0));
}

// X COPY_OUT COPY_IN VERSIONED: exported and imported.
template <class Tensor>
gpuopt_status exchanged(Call &c, gpuopt_status (*give)(gpuopt_array, int64_t, gpuopt_copy, Tensor **, gpuopt_error *),
                        gpuopt_status (*take)(gpuopt_device, Tensor *, gpuopt_copy, gpuopt_array *, gpuopt_error *)) {
  Tensor *tensor = nullptr;
  const gpuopt_status status = give(c.array(0), 0, gpuopt_copy(c.integer(1)), &tensor, &c.error);
  return status == GPUOPT_OK ? take(c.session.device, tensor, gpuopt_copy(c.integer(2)), out(c), &c.error) : status;
}
gpuopt_status dlpack(Call &c) {
  return c.integer(3) ? exchanged(c, gpuopt_to_dlpack, gpuopt_from_dlpack)
                      : exchanged(c, gpuopt_to_dlpack_unversioned, gpuopt_from_dlpack_unversioned);
}

}  // namespace

const std::map<std::string, Verb> &exchange_verbs() {
  static const std::map<std::string, Verb> verbs = {
      {"npy", npy},           {"save_npy", save_npy}, {"load_npy", load_npy}, {"npz", npz}, {"npz_names", npz_names},
      {"load_npz", load_npz}, {"dlpack", dlpack},
  };
  return verbs;
}

}  // namespace fuzz
