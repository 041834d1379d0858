// core/text_files/text_number.h -- numbers from their text and to it, whatever the locale of the process is.
#pragma once
#include <gpuopt/gpuopt.h>

#include <string>
#include <string_view>

namespace gpuopt {

// Reads a number from the text, around which white space may be, to `element` (at most 16 bytes). Returns false if it
// is no number, or does not fit.
using ReadNumber = bool (*)(std::string_view text, void *element);
// Returns the function for a dtype. Floats are rounded to nearest, those beyond the range to infinity and 0; float16
// and bfloat16 are rounded from float64.
ReadNumber number_reader(gpuopt_dtype dtype);

// Appends an element as the shortest text that reads back as the same number. Bool is 0 or 1.
void append_shortest(std::string &text, gpuopt_dtype dtype, const void *element);

}  // namespace gpuopt
