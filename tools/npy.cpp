// tools/npy.cpp -- gpuopt npy show and gpuopt npy convert: print the arrays of a file, or write them in another form.
#include <cmath>
#include <optional>

#include "tools/command.h"
#include "tools/devices.h"
#include "tools/npy_file.h"
#include "tools/output.h"

namespace gpuopt::tools {
namespace {

using Members = std::vector<std::pair<const char *, std::string>>;

std::string shape_text(const array &x) {
  std::string text = "(";
  for (const int64_t size : x.shape()) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + (x.ndim() == 1 ? ",)" : ")");
}

std::string shape_json(const array &x) {
  std::vector<std::string> sizes;
  for (const int64_t size : x.shape()) sizes.push_back(json::number(size));
  return json::array(sizes);
}

// Returns the names of the members to use: the one that --member names, or all. Throws Failed if it does not exist.
std::vector<std::string> chosen(const NpyFile &file, const Arguments &arguments) {
  const std::string name = arguments.text("--member", "");
  if (!arguments.has("--member")) return file.names();
  if (!file.has(name)) throw Failed(file.path() + " has no member \"" + name + "\"");
  return {name};
}

// ---- show

struct Statistics {
  double minimum = std::nan(""), maximum = std::nan(""), mean = 0, deviation = 0;
  int64_t nans = 0, infinities = 0, zeros = 0;
};

double number(const array &x) { return x.astype(float64).item<double>(); }

// Returns the numbers that statistics are computed from: magnitudes of complex numbers, and 0 and 1 for bools.
array values_of(const array &x) { return kind_of(x) == 'c' ? abs(x) : kind_of(x) == '?' ? x.astype(uint8) : x; }

// Adds a piece of the array to `s`, in which `mean` is a sum for now.
void count_in(const array &x, Statistics &s) {
  const array values = values_of(x), low = nanmin(values), high = nanmax(values), total = sum(values.astype(float64)),
              zeros = count_nonzero(equal(x, 0)), nans = count_nonzero(isnan(x)), infinities = count_nonzero(isinf(x));
  eval(low, high, total, zeros, nans, infinities);
  s.minimum = std::fmin(s.minimum, number(low));
  s.maximum = std::fmax(s.maximum, number(high));
  s.mean += number(total);
  s.zeros += zeros.item<int64_t>();
  s.nans += nans.item<int64_t>();
  s.infinities += infinities.item<int64_t>();
}

// Computes the statistics in two passes over the data, the second for the standard deviation.
Statistics statistics(const array &x) {
  const array flat = flattened(x, true);
  Statistics s;
  each_piece(x.size(), "looking at the numbers",
             [&](int64_t begin, int64_t end) { count_in(piece(flat, begin, end), s); });
  const double count = static_cast<double>(x.size());
  s.mean /= count;
  each_piece(x.size(), "looking at the spread", [&](int64_t begin, int64_t end) {
    s.deviation += number(sum(square(values_of(piece(flat, begin, end)).astype(float64) - s.mean)));
  });
  s.deviation = std::sqrt(s.deviation / count);
  return s;
}

// Returns the number as text, also if it is not finite.
std::string digits(double value) {
  return json_real(value) == "null" ? (value != value ? "nan" : value < 0 ? "-inf" : "inf") : json_real(value);
}

std::string statistics_text(const Statistics &s, bool magnitudes) {
  const std::string of = magnitudes ? " (of magnitudes)" : "";
  return "  min " + digits(s.minimum) + ", max " + digits(s.maximum) + ", mean " + digits(s.mean) + ", std " +
         digits(s.deviation) + of + "\n  " + std::to_string(s.nans) + " NaN, " + std::to_string(s.infinities) +
         " infinite, " + std::to_string(s.zeros) + " zero\n";
}

std::string statistics_json(const Statistics &s) {
  return json::object({{"min", json_real(s.minimum)},
                       {"max", json_real(s.maximum)},
                       {"mean", json_real(s.mean)},
                       {"std", json_real(s.deviation)},
                       {"nan", json::number(s.nans)},
                       {"inf", json::number(s.infinities)},
                       {"zero", json::number(s.zeros)}});
}

std::string member_json(const std::string &name, const array &x, const std::optional<Statistics> &stats) {
  return json::object({{"name", name.empty() ? "null" : json::string(name)},
                       {"dtype", json::string(gpuopt::name(x.dtype()))},
                       {"shape", shape_json(x)},
                       {"size", json::number(x.size())},
                       {"bytes", json::number(x.nbytes())},
                       {"order", json::string(x.is_contiguous() ? "C" : "F")},
                       {"text", json::string(x.str())},
                       {"stats", stats ? statistics_json(*stats) : "null"}});
}

std::string member_text(const std::string &name, const array &x, const std::optional<Statistics> &stats) {
  std::string text = strong(name.empty() ? "array" : name) + "  " + gpuopt::name(x.dtype()) + "  " + shape_text(x) +
                     "  " + bytes_text(static_cast<uint64_t>(x.nbytes())) + "\n";
  if (stats) text += statistics_text(*stats, kind_of(x) == 'c');
  return text + x.str() + "\n";
}

int show(const Arguments &arguments) {
  const device cpu("cpu!");
  const NpyFile file(arguments.words[0], cpu);
  const std::vector<std::string> names = chosen(file, arguments);
  std::vector<std::string> members;
  std::string text;
  for (const std::string &name : names) {
    const array x = file.read(name);
    std::optional<Statistics> stats;
    if (arguments.has("--stats") && x.size() > 0) stats = statistics(x);
    if (arguments.json())
      members.push_back(member_json(name, x, stats));
    else
      text += member_text(name, x, stats);
  }
  if (arguments.json())
    text = json::object({{"file", json::string(file.path())},
                         {"archive", json::boolean(file.is_archive())},
                         {"members", json::array(members)}}) +
           "\n";
  print(text);
  return kFine;
}

// ---- convert

// An array and the name that it gets in an archive.
struct Named {
  std::string name;
  array x;
};

// Returns the dtype that --dtype names, default_dtype without that option.
dtype wanted_dtype(const Arguments &arguments) {
  gpuopt_dtype wanted = GPUOPT_DTYPE_DEFAULT;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  if (arguments.has("--dtype") &&
      gpuopt_dtype_from_name(arguments.text("--dtype", "").c_str(), &wanted, &error) != GPUOPT_OK)
    throw UsageError(std::string("--dtype: ") + error.message);
  return dtype{wanted};
}

// Returns how many lines --skip-lines leaves out at the beginning of text files.
int64_t skipped_lines(const Arguments &arguments) {
  const std::string text = arguments.text("--skip-lines", "0");
  if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos)
    throw UsageError("--skip-lines: " + text + " is no number of lines");
  return std::stoll(text);
}

// An input file and the names of its members that are converted.
struct Input {
  NpyFile file;
  std::vector<std::string> names;
};

std::vector<Input> open_inputs(const Arguments &arguments, const device &cpu, dtype wanted, size_t *members) {
  const TextTable as_text{wanted == default_dtype ? float64 : wanted, skipped_lines(arguments)};
  std::vector<Input> inputs;
  for (size_t i = 0; i + 1 < arguments.words.size(); ++i) {
    NpyFile file(arguments.words[i], cpu, as_text);
    std::vector<std::string> names = file.is_archive() ? chosen(file, arguments) : file.names();
    *members += names.size();
    inputs.push_back({std::move(file), std::move(names)});
  }
  return inputs;
}

// Reads and converts all members. Members of an archive keep their names; an array from a .npy file gets the file's.
std::vector<Named> read_inputs(const std::vector<Input> &inputs, dtype wanted, Progress &progress) {
  std::vector<Named> members;
  for (const Input &input : inputs) {
    for (const std::string &name : input.names) {
      progress.step("reading " + (name.empty() ? input.file.path() : name));
      const array x = input.file.read(name);
      members.push_back(
          {name.empty() ? stem(input.file.path()) : name, wanted == default_dtype ? x : x.astype(wanted).eval()});
    }
  }
  return members;
}

void write(const std::string &path, const std::vector<Named> &members, bool compress) {
  if (!is_archive_name(path)) {
    if (compress) throw UsageError("--compress: only .npz files are compressed");
    if (members.size() != 1)
      throw Failed(path + " can hold one array, and there are " + std::to_string(members.size()) +
                   ": choose one with --member, or write a .npz file");
    const std::optional<std::string> delimiter = text_delimiter(path);
    if (!delimiter) return save_npy(members[0].x, path);
    savetxt_options options;
    options.delimiter = *delimiter;
    return savetxt(members[0].x, path, options);
  }
  std::vector<std::pair<std::string, array>> list;
  for (const Named &member : members) list.emplace_back(member.name, member.x);
  save_npz(path, list, compress);
}

// Converts the input files to the output file, which is the last operand. Returns what was written.
std::vector<Named> convert_files(const Arguments &arguments, dtype wanted) {
  const device cpu("cpu!");
  size_t count = 0;
  const std::vector<Input> inputs = open_inputs(arguments, cpu, wanted, &count);
  Progress progress(count + 1);
  std::vector<Named> members = read_inputs(inputs, wanted, progress);
  progress.step("writing " + arguments.words.back());
  write(arguments.words.back(), members, arguments.has("--compress"));
  return members;
}

int convert(const Arguments &arguments) {
  const dtype wanted = wanted_dtype(arguments);
  const std::string &target = arguments.words.back();
  const std::vector<Named> members = convert_files(arguments, wanted);
  std::vector<std::string> list;
  std::string text = target + ":";
  for (const Named &member : members) {
    text += " " + member.name + " " + gpuopt::name(member.x.dtype()) + " " + shape_text(member.x);
    list.push_back(json::object({{"name", json::string(member.name)},
                                 {"dtype", json::string(gpuopt::name(member.x.dtype()))},
                                 {"shape", shape_json(member.x)}}));
  }
  print(arguments.json() ? json::object({{"file", json::string(target)}, {"members", json::array(list)}}) + "\n"
                         : text + "\n");
  return kFine;
}

}  // namespace

const Command kNpyShow = {"npy show",
                          "FILE",
                          1,
                          1,
                          "what is in a .npy or .npz file: dtype, shape, the numbers as NumPy prints them",
                          "JSON keys: file, archive, members [{name, dtype, shape, size, bytes, order, text,\n"
                          "stats {min, max, mean, std, nan, inf, zero}}]; numbers that are not finite are null.\n",
                          {kJson,
                           {"--stats", nullptr, "smallest, largest, mean, standard deviation, NaN, infinities, zeros"},
                           {"--member", "NAME", "only this array of a .npz file"}},
                          show};

const Command kNpyConvert = {
    "npy convert",
    "IN [IN...] OUT",
    2,
    1024,
    "writes arrays to a .npz file, or one to a .npy or text file, in another dtype if wanted",
    "A name that ends in .npz makes an archive, in which an array from a .npy file is called as\n"
    "the file. Names that end in .csv, .tsv and .txt are those of text files, with commas, tabs and\n"
    "spaces between columns. OUT appears whole or not at all. JSON keys: file, members [{name, dtype, shape}].\n",
    {kJson,
     {"--dtype", "DTYPE", "convert to this dtype: float32, <f4, int64, ..."},
     {"--member", "NAME", "only this array of the .npz files"},
     {"--skip-lines", "N", "leave out the first N lines of text files"},
     {"--compress", nullptr, "deflate the members of the .npz file"}},
    convert};

}  // namespace gpuopt::tools
