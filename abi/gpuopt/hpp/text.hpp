// abi/gpuopt/hpp/text.hpp -- part of gpuopt.hpp: tables of numbers in text files.
#ifndef GPUOPT_HPP_TEXT_HPP
#define GPUOPT_HPP_TEXT_HPP

#include "array.hpp"

namespace gpuopt {
inline namespace v1 {

// How gpuopt::loadtxt() reads a file. See gpuopt_loadtxt_options.
struct loadtxt_options {
  std::string delimiter{};         // empty: white space
  std::string comments = "#";      // empty: there are none
  std::string quote{};             // empty: there are none
  std::string missing{};           // a text that stands for a missing value, as an empty column does
  std::vector<int64_t> usecols{};  // empty: all columns
  int64_t skiprows = 0;
  int64_t max_rows = -1;  // -1: all rows
  int ndmin = 0;
  gpuopt::dtype dtype = float64;
  const scalar *filling = nullptr;  // of missing values; NULL: these are errors

  // The options as C has them; this object must live as long.
  gpuopt_loadtxt_options raw() const {
    gpuopt_loadtxt_options options{};
    options.struct_size = sizeof options;
    options.delimiter = delimiter.c_str();
    options.comments = comments.c_str();
    options.quote = quote.c_str();
    options.missing = missing.c_str();
    options.usecols = usecols.empty() ? nullptr : usecols.data();
    options.nusecols = static_cast<int32_t>(usecols.size());
    options.skiprows = skiprows;
    options.has_max_rows = max_rows >= 0;
    options.max_rows = max_rows >= 0 ? max_rows : 0;
    options.ndmin = int32_t{ndmin};
    options.dtype = gpuopt::raw(dtype);
    options.has_filling = filling != nullptr;
    if (filling) options.filling = filling->raw();
    return options;
  }
};

// The numbers of a text file. See gpuopt_loadtxt().
inline array loadtxt(const std::string &path, const loadtxt_options &how = {}, const device &where = current_device()) {
  const gpuopt_loadtxt_options options = how.raw();
  return detail::created(detail::make<array>(gpuopt_loadtxt, where.get(), path.c_str(), &options));
}
// The same of a text in memory. See gpuopt_loadtxt_memory().
inline array loadtxt_memory(const std::string &text, const loadtxt_options &how = {},
                            const device &where = current_device()) {
  const gpuopt_loadtxt_options options = how.raw();
  return detail::created(
      detail::make<array>(gpuopt_loadtxt_memory, where.get(), text.data(), uint64_t{text.size()}, &options));
}

// How gpuopt::savetxt() writes a file. See gpuopt_savetxt_options.
struct savetxt_options {
  std::string fmt{};  // empty: the shortest text of each number
  std::string delimiter = " ", newline = "\n", header{}, footer{}, comments = "# ";
};
// Writes an array of one or two dimensions as text. See gpuopt_savetxt().
inline void savetxt(const array &x, const std::string &path, const savetxt_options &how = {}) {
  gpuopt_savetxt_options options{};
  options.struct_size = sizeof options;
  options.fmt = how.fmt.empty() ? nullptr : how.fmt.c_str();
  options.delimiter = how.delimiter.c_str();
  options.newline = how.newline.c_str();
  options.header = how.header.c_str();
  options.footer = how.footer.c_str();
  options.comments = how.comments.c_str();
  const gpuopt_savetxt_options *const given = &options;
  detail::call(gpuopt_savetxt, x.get(), path.c_str(), given);
}

}  // namespace v1
}  // namespace gpuopt

#endif
