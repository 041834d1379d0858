// core/exchange/npz.cpp -- .npz: a ZIP archive of .npy members.
#include <map>
#include <set>
#include <string_view>

#include "core/engine/engine.h"
#include "core/exchange/npy.h"
#include "core/exchange/zip.h"

namespace gpuopt {
namespace {

constexpr std::string_view kSuffix = ".npy";

bool is_npy(const std::string &name) {
  return name.size() >= kSuffix.size() && name.compare(name.size() - kSuffix.size(), kSuffix.size(), kSuffix) == 0;
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

// An open archive and its arrays. If several members have the same name, the last one is used, as by Python's zipfile.
// Members whose names do not end in .npy are ignored.
struct gpuopt_npz_s {
  explicit gpuopt_npz_s(const std::string &path) : zip(path) {
    for (const ZipEntry &entry : zip.entries()) {
      if (!is_npy(entry.name)) continue;
      const std::string name = entry.name.substr(0, entry.name.size() - kSuffix.size());
      if (members.insert_or_assign(name, &entry).second) names.push_back(name);
    }
  }
  ZipReader zip;
  std::vector<std::string> names;  // without ".npy", in the order of the archive
  std::map<std::string, const ZipEntry *> members;
};

namespace gpuopt {
namespace {

// Returns the first eight names, separated by commas, for error messages.
std::string listing(const std::vector<std::string> &names) {
  std::string text;
  for (size_t k = 0; k < names.size() && k < 8; ++k) text += (k ? ", " : "") + names[k];
  return text + (names.size() > 8 ? ", ..." : "");
}

ArrayRef read_member(gpuopt_npz npz, const std::string &name, gpuopt_device device) {
  const auto found = npz->members.find(name);
  if (found == npz->members.end())
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "npz_read: '%s' has no array '%s' (it has: %s)", npz->zip.path().c_str(),
         name.c_str(), listing(npz->names).c_str());
  ArrayRef x;
  npz->zip.read(*found->second, [&](Source &source) { x = read_npy(source, device, npz->zip.path() + ":" + name); });
  return x;
}

// Throws ERR_INVALID_ARGUMENT unless the names are given, distinct and short enough for a ZIP header, and the arrays
// are given and none is a weak scalar.
void check_members(int count, const char *const *names, const gpuopt_array *arrays) {
  if (count < 0 || (count && (!names || !arrays)))
    fail(GPUOPT_ERR_INVALID_ARGUMENT, "save_npz: %d arrays, names or arrays is NULL", count);
  std::set<std::string> seen;
  for (int k = 0; k < count; ++k) {
    if (!names[k]) fail(GPUOPT_ERR_INVALID_ARGUMENT, "save_npz: name %d is NULL", k);
    if (deref(arrays[k], names[k]).weak) fail(GPUOPT_ERR_INVALID_ARGUMENT, "save_npz: '%s' is a weak scalar", names[k]);
    const std::string name = names[k];
    if (name.size() + kSuffix.size() > 65535) fail(GPUOPT_ERR_INVALID_ARGUMENT, "save_npz: name %d is too long", k);
    if (!seen.insert(name).second)
      fail(GPUOPT_ERR_INVALID_ARGUMENT, "save_npz: the name '%s' comes twice", name.c_str());
  }
}

}  // namespace
}  // namespace gpuopt

extern "C" {

gpuopt_status gpuopt_save_npz(const char *path, int32_t count, const char *const *names, const gpuopt_array *arrays,
                              int32_t compress, gpuopt_error *error) {
  return guarded(error, [&] {
    if (!path) fail(GPUOPT_ERR_INVALID_ARGUMENT, "save_npz: path is NULL");
    check_members(count, names, arrays);
    if (count) evaluate(std::span(arrays, static_cast<size_t>(count)));
    save_atomically(path, [&](File &file) {
      ZipWriter zip(file);
      for (int k = 0; k < count; ++k)
        zip.add(std::string(names[k]).append(kSuffix), compress != 0, [&](Sink &sink) { write_npy(arrays[k], sink); });
      zip.finish();
    });
  });
}

gpuopt_status gpuopt_npz_open(const char *path, gpuopt_npz *npz, gpuopt_error *error) {
  if (npz) *npz = nullptr;
  return guarded(error, [&] {
    if (!path || !npz) fail(GPUOPT_ERR_INVALID_ARGUMENT, "npz_open: path or npz is NULL");
    *npz = new gpuopt_npz_s(path);
  });
}

int32_t gpuopt_npz_count(gpuopt_npz npz) { return npz ? static_cast<int32_t>(npz->names.size()) : 0; }

const char *gpuopt_npz_name(gpuopt_npz npz, int32_t index) {
  const bool there = npz && index >= 0 && static_cast<size_t>(index) < npz->names.size();
  return there ? npz->names[static_cast<size_t>(index)].c_str() : nullptr;
}

gpuopt_status gpuopt_npz_read(gpuopt_npz npz, const char *name, gpuopt_device device, gpuopt_array *result,
                              gpuopt_error *error) {
  return giving(result, error, [&] {
    if (!npz || !name || !device) fail(GPUOPT_ERR_INVALID_ARGUMENT, "npz_read: npz, name or device is NULL");
    return read_member(npz, name, device);
  });
}

void gpuopt_npz_close(gpuopt_npz npz) { delete npz; }

}  // extern "C"
