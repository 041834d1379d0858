// core/exchange/npy.h -- the .npy format: its header, and reading and writing arrays as byte streams (files, members of
// .npz archives).
#pragma once
#include <string>

#include "core/array/view.h"
#include "core/base/file.h"

namespace gpuopt {

struct NpyHeader {
  gpuopt_dtype dtype = 0;
  bool swapped = false;  // the data is big-endian: the bytes of each element have to be reversed
  bool fortran = false;  // the data is in Fortran order
  Dims shape;
};

// Parses the Python dict literal of a header, without magic, version and length. Throws ERR_FORMAT if it is malformed
// or describes a dtype that is not supported. `where` names the file in error messages, here and below.
NpyHeader parse_npy_dict(const std::string &text, const std::string &where);
// Reads magic, version, length and dict; `source` is then at the first byte of the data. Throws ERR_FORMAT.
NpyHeader read_npy_header(Source &source, const std::string &where);
// Returns a complete header of format version 1.0, from the magic to the newline, padded so that the data begins at a
// multiple of 64 bytes. `header.swapped` is ignored: the library writes little-endian data.
std::string npy_header_text(const NpyHeader &header);

// Reads header and data into a new array on `device`. An array in Fortran order becomes a view with reversed axes.
// Throws ERR_FORMAT if the header is malformed or the data is incomplete.
ArrayRef read_npy(Source &source, gpuopt_device device, const std::string &where);
// Reads the rows from `begin` to `end` (along axis 0) of the array whose header was read from the file last.
ArrayRef read_npy_rows(File &file, NpyHeader header, int64_t begin, int64_t end, gpuopt_device device,
                       const std::string &where);
// Evaluates x and writes header and data, in Fortran order if x lies so in memory, else in C order.
void write_npy(gpuopt_array x, Sink &sink);

}  // namespace gpuopt
