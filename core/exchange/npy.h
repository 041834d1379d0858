// core/exchange/npy.h -- the .npy format: its header, and arrays to and from streams of bytes (files, members of .npz).
#pragma once
#include <string>

#include "core/array/view.h"
#include "core/base/file.h"

namespace gpuopt {

struct NpyHeader {
  gpuopt_dtype dtype = 0;
  bool swapped = false;  // the data is big-endian
  bool fortran = false;
  Dims shape;
};

// The dict literal of a header, without the bytes in front of it. Throws ERR_FORMAT; `where` names the file in
// messages.
NpyHeader parse_npy_dict(const std::string &text, const std::string &where);
// Reads magic, version, length and dict.
NpyHeader read_npy_header(Source &source, const std::string &where);
// Magic to newline, padded so that the data begins at a multiple of 64.
std::string npy_header_text(const NpyHeader &header);

ArrayRef read_npy(Source &source, gpuopt_device device, const std::string &where);
void write_npy(gpuopt_array x, Sink &sink);

}  // namespace gpuopt
