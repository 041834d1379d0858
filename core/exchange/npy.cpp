// core/exchange/npy.cpp -- reads .npy data of versions 1.0, 2.0 and 3.0 and writes version 1.0, for files and members
// of archives.
#include "core/exchange/npy.h"

#include <algorithm>

#include "core/engine/engine.h"
#include "core/exchange/host.h"

namespace gpuopt {
namespace {

void reverse_bytes(char *data, size_t bytes, size_t width) {
  for (char *p = data; p < data + bytes; p += width) std::reverse(p, p + width);
}

// Replaces nonzero bytes by 1. In a file any nonzero byte means true, but backends require bools to be 0 or 1.
void normalise_bools(char *data, size_t bytes) {
  for (size_t k = 0; k < bytes; ++k) data[k] = data[k] != 0;
}

// Throws ERR_FORMAT if the source has fewer than `needed` bytes left, as far as it knows, before memory is allocated.
void check_enough(Source &source, const NpyHeader &header, uint64_t needed, const std::string &where) {
  const uint64_t there = source.remaining();
  if (there < needed)
    fail(GPUOPT_ERR_FORMAT, "%s: the data is cut short: shape %s of %s needs %llu bytes, %llu are there", where.c_str(),
         shape_text(static_cast<int>(header.shape.size()), header.shape.data()).c_str(), dtype_name(header.dtype),
         static_cast<unsigned long long>(needed), static_cast<unsigned long long>(there));
}

// Returns the number of elements. Throws ERR_FORMAT for a shape that no array can have.
int64_t size_in_file(const NpyHeader &header, const std::string &where) {
  try {
    return checked_size(static_cast<int>(header.shape.size()), header.shape.data(), dtype_size(header.dtype));
  } catch (const Failure &failure) {
    fail(GPUOPT_ERR_FORMAT, "%s: %s", where.c_str(), failure.message.c_str());
  }
}

void read_bytes(Source &source, char *piece, size_t bytes, const std::string &where) {
  const size_t got = source.read(piece, bytes);
  if (got < bytes)
    fail(GPUOPT_ERR_FORMAT, "%s: the data is cut short by %zu bytes or more", where.c_str(), bytes - got);
}

// Fills x with what `read` gives, piece by piece.
void read_elements(const NpyHeader &header, gpuopt_array x,
                   const std::function<void(char *piece, size_t bytes)> &read) {
  const size_t width = static_cast<size_t>(dtype_size(real_component(header.dtype)));
  produce_elements(x, [&](char *piece, size_t bytes) {
    read(piece, bytes);
    if (header.swapped) reverse_bytes(piece, bytes, width);
    if (header.dtype == GPUOPT_BOOL) normalise_bools(piece, bytes);
  });
}

}  // namespace

ArrayRef read_npy(Source &source, gpuopt_device device, const std::string &where) {
  NpyHeader header = read_npy_header(source, where);
  const int64_t size = size_in_file(header, where);
  check_enough(source, header, static_cast<uint64_t>(size) * static_cast<uint64_t>(dtype_size(header.dtype)), where);
  if (header.fortran) std::reverse(header.shape.begin(), header.shape.end());
  ArrayRef x =
      make_array(device->default_stream, header.dtype, static_cast<int>(header.shape.size()), header.shape.data());
  if (size) read_elements(header, x.get(), [&](char *piece, size_t bytes) { read_bytes(source, piece, bytes, where); });
  return header.fortran ? reversed_axes(*x) : x;
}

// The data are lines, one in C order, and in Fortran order one for each element of a row; of each line the bytes of the
// rows are read.
ArrayRef read_npy_rows(File &file, NpyHeader header, int64_t begin, int64_t end, gpuopt_device device,
                       const std::string &where) {
  const int64_t size = size_in_file(header, where), rows = header.shape[0], item = dtype_size(header.dtype);
  check_enough(file, header, static_cast<uint64_t>(size * item), where);
  const int64_t unit = header.fortran || !rows ? item : size / rows * item;  // the bytes of a row in a line
  const auto line = static_cast<uint64_t>(rows * unit), data = file.position();
  const auto from = static_cast<uint64_t>(begin * unit), part = static_cast<uint64_t>((end - begin) * unit);
  header.shape[0] = end - begin;
  if (header.fortran) std::reverse(header.shape.begin(), header.shape.end());
  ArrayRef x =
      make_array(device->default_stream, header.dtype, static_cast<int>(header.shape.size()), header.shape.data());
  uint64_t at = 0;  // in what is read
  const auto read = [&](char *piece, size_t bytes) {
    while (bytes) {
      const uint64_t within = at % part, some = std::min<uint64_t>(bytes, part - within);
      file.seek(data + at / part * line + from + within);
      read_bytes(file, piece, some, where);
      at += some;
      piece += some;
      bytes -= some;
    }
  };
  if (x->size) read_elements(header, x.get(), read);
  return header.fortran ? reversed_axes(*x) : x;
}

void write_npy(gpuopt_array x, Sink &sink) {
  evaluate(x);
  const bool fortran = is_fortran_contiguous(*x);
  const std::string header = npy_header_text({x->dtype, false, fortran, Dims(x->shape, x->shape + x->ndim)});
  sink.write(header.data(), header.size());
  const ArrayRef in_file_order = fortran ? reversed_axes(*x) : ArrayRef::share(x);
  consume_elements(in_file_order.get(), [&](const char *piece, size_t bytes) { sink.write(piece, bytes); });
}

}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_load_npy(gpuopt_device device, const char *path, gpuopt_array *result, gpuopt_error *error) {
  return giving(result, error, [&] {
    if (!device || !path) fail(GPUOPT_ERR_INVALID_ARGUMENT, "load_npy: device or path is NULL");
    File file = File::open_to_read(path);
    return read_npy(file, device, path);
  });
}

gpuopt_status gpuopt_save_npy(gpuopt_array x, const char *path, gpuopt_error *error) {
  return guarded(error, [&] {
    if (deref(x, "x").weak) fail(GPUOPT_ERR_INVALID_ARGUMENT, "save_npy: a weak scalar has no dtype to save");
    if (!path) fail(GPUOPT_ERR_INVALID_ARGUMENT, "save_npy: path is NULL");
    save_atomically(path, [&](File &file) { write_npy(x, file); });
  });
}

}  // extern "C"
