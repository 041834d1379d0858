// core/text_files/text_format.h -- printf formats for the columns of a text file, checked before anything is written.
#pragma once
#include <gpuopt/gpuopt.h>

#include <string>
#include <vector>

namespace gpuopt {

// A conversion such as "%-10.3e".
struct Conversion {
  bool left = false, plus = false, space = false, zero = false;
  int width = 0, precision = -1;  // -1: none was given
  char type = 's';
};

// How the columns of a row are written: all by one conversion, or each by its own, or by two if it is complex.
class RowFormat {
 public:
  // `format` is gpuopt_savetxt_options::fmt. Throws ERR_INVALID_ARGUMENT for what savetxt does not offer.
  RowFormat(const char *format, int64_t columns, gpuopt_dtype dtype);
  // Returns whether the format is that of a whole row, which has its own text between the columns.
  bool is_row() const { return is_row_; }
  // Appends the element in this column with the text around it. Throws ERR_INVALID_ARGUMENT if it is a NaN or infinite,
  // and the conversion is one of integers.
  void append(std::string &text, int64_t column, gpuopt_dtype dtype, const void *element) const;

 private:
  void read(const char *format);
  // Appends a real number by conversion k with the text in front of it, and behind the last one.
  void append_part(std::string &text, size_t k, gpuopt_dtype dtype, const void *element) const;
  void append_complex(std::string &text, int64_t column, gpuopt_dtype part, const char *element) const;
  std::vector<Conversion> conversions_;
  std::vector<std::string> texts_;  // in front of each conversion, and behind the last
  size_t parts_ = 1;                // of a number: 2 of a complex one
  bool is_row_ = false, plain_ = false;
};

}  // namespace gpuopt
