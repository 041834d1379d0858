// tests/unit/core_text_files_test.cpp -- loadtxt and savetxt against NumPy's answers; what only the library reads;
// where errors are; files of several blocks.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>
#include <sstream>

#include "tests/unit/core_array_support.h"
#include "tests/unit/core_npy_support.h"

namespace {

struct LoadCase {
  const char *text, *delimiter, *comments, *quote, *dtype;
  std::vector<int64_t> usecols;
  int64_t skiprows, max_rows;
  int32_t ndmin;
  std::string answer;
};
struct SaveCase {
  const char *fmt;
  int values;
  std::string written;
};
#include "tests/unit/core_text_files_cases.h"

using support::Array;
using support::read_file;
using support::Result;
using support::Scratch;
using support::Shape;
using support::write_file;
using Complex = std::complex<double>;

gpuopt_dtype dtype_named(const std::string &name) {
  gpuopt_dtype dtype = 0;
  EXPECT_EQ(gpuopt_dtype_from_name(name.c_str(), &dtype, nullptr), GPUOPT_OK) << name;
  return dtype;
}

gpuopt_loadtxt_options load_options() {
  gpuopt_loadtxt_options options{};
  options.struct_size = sizeof options;
  return options;
}

gpuopt_loadtxt_options options_of(const LoadCase &c) {
  gpuopt_loadtxt_options options = load_options();
  options.delimiter = c.delimiter;
  options.comments = c.comments;
  options.quote = c.quote;
  options.dtype = dtype_named(c.dtype);
  options.usecols = c.usecols.empty() ? nullptr : c.usecols.data();
  options.nusecols = static_cast<int32_t>(c.usecols.size());
  options.skiprows = c.skiprows;
  options.has_max_rows = c.max_rows >= 0;
  options.max_rows = c.max_rows;
  options.ndmin = c.ndmin;
  return options;
}

// Reads a text of the memory, and gives what failed.
struct Loaded {
  Array x;
  gpuopt_status status;
  std::string message;

  explicit Loaded(const std::string &text, const gpuopt_loadtxt_options &options = load_options()) {
    gpuopt_error error = GPUOPT_ERROR_INIT;
    gpuopt_array result = nullptr;
    status = gpuopt_loadtxt_memory(support::cpu(), text.data(), text.size(), &options, &result, &error);
    message = error.message;
    x = Array(result);
  }
};

std::vector<Complex> complex_values(const Array &x) {
  Result r;
  const Array wide = r.take(gpuopt_astype(x.get(), GPUOPT_COMPLEX128, GPUOPT_COPY_IF_NEEDED, &r.array, &r.error));
  std::vector<Complex> got(static_cast<size_t>(gpuopt_array_size(wide.get())));
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_to_host(wide.get(), got.data(), got.size() * sizeof got[0], &error), GPUOPT_OK) << error.message;
  return got;
}

bool same(double a, double b) { return a == b ? std::signbit(a) == std::signbit(b) : std::isnan(a) && std::isnan(b); }

void expect_answer(const Array &x, const std::string &answer) {
  std::istringstream in(answer);
  std::string word;
  in >> word;
  const gpuopt_dtype dtype = dtype_named(word);
  EXPECT_EQ(gpuopt_array_dtype(x.get()), dtype);
  Shape shape;
  while (in >> word && word != "=") shape.push_back(std::stoll(word));
  ASSERT_EQ(support::shape_of(x), shape);
  for (const Complex got : complex_values(x)) {
    ASSERT_TRUE(in >> word);
    EXPECT_TRUE(same(got.real(), std::strtod(word.c_str(), nullptr))) << got << ", not " << word;
    if (gpuopt_dtype_kind(dtype) != 'c') continue;
    ASSERT_TRUE(in >> word);
    EXPECT_TRUE(same(got.imag(), std::strtod(word.c_str(), nullptr))) << got << ", not " << word;
  }
  EXPECT_FALSE(in >> word);
}

TEST(TextFiles, AreReadAsNumpyReads) {
  for (const LoadCase &c : kLoadCases) {
    SCOPED_TRACE(std::string(c.text) + " | " + c.delimiter + " | " + c.dtype + " | " + c.answer);
    const Loaded loaded(c.text, options_of(c));
    if (c.answer == "refused") {
      EXPECT_NE(loaded.status, GPUOPT_OK);
      EXPECT_NE(loaded.message, "");
    } else {
      ASSERT_EQ(loaded.status, GPUOPT_OK) << loaded.message;
      expect_answer(loaded.x, c.answer);
    }
  }
}

gpuopt_savetxt_options save_options() {
  gpuopt_savetxt_options options{};
  options.struct_size = sizeof options;
  return options;
}

// Returns what savetxt writes.
std::string saved(const Array &x, const gpuopt_savetxt_options &options) {
  const Scratch scratch;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_savetxt(x.get(), scratch("x.txt").c_str(), &options, &error), GPUOPT_OK) << error.message;
  return read_file(scratch("x.txt"));
}

TEST(TextFiles, AreWrittenAsNumpyWrites) {
  const std::vector<double> values[] = {{0, 1.0 / 7, -2.5, 1e10, -1e-5, 123456.789},
                                        {std::nan(""), HUGE_VAL, -HUGE_VAL, -0.0, 1e300}};
  const Complex complex[] = {{0.1, 2}, {-2.5, -1.0 / 7}, {std::nan(""), -HUGE_VAL}, {-0.0, -0.0}, {1e10, -1e-5}};
  for (const SaveCase &c : kSaveCases) {
    gpuopt_savetxt_options options = save_options();
    options.fmt = c.fmt;
    options.newline = ";";
    const Array x = c.values == 2 ? support::make_bytes(GPUOPT_COMPLEX128, {5}, complex)
                                  : support::make({static_cast<int64_t>(values[c.values].size())}, values[c.values]);
    EXPECT_EQ(saved(x, options), c.written) << c.fmt;
  }
}

TEST(TextFiles, HaveHeadersAndRows) {
  gpuopt_savetxt_options options = save_options();
  options.header = "a\nb";
  options.footer = "c";
  options.fmt = "%d: %.1f%%";
  const Array x = support::make({2, 2}, std::vector<double>{1, 2, 3, 4});
  EXPECT_EQ(saved(x, options), "# a\n# b\n1: 2.0%\n3: 4.0%\n# c\n");
  Result r;
  const Array turned = r.take(gpuopt_permute_dims(x.get(), nullptr, &r.array, &r.error));
  EXPECT_EQ(saved(turned, save_options()), "1 3\n2 4\n");
  const Complex complex[] = {{1, 2}, {3, -4}, {-5, 6}, {7, -0.0}};
  const Array z = support::make_bytes(GPUOPT_COMPLEX128, {2, 2}, complex);
  options = save_options();
  options.delimiter = ",";
  options.fmt = "%.0f";
  EXPECT_EQ(saved(z, options), " (1+2j), (3-4j)\n (-5+6j), (7-0j)\n");
  options.fmt = "%.0f+%.0fj|%g;%.1f";
  EXPECT_EQ(saved(z, options), "1+2j|3;-4.0\n-5+6j|7;-0.0\n");
}

TEST(TextFiles, RefuseOtherFormats) {
  const Array x = support::make({1, 2}, std::vector<double>{1, 2});
  const Array cube = support::make({1, 1, 1}, std::vector<double>{1});
  gpuopt_savetxt_options options = save_options();
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const Scratch scratch;
  for (const char *fmt :
       {"", "%", "%n", "%q", "%ld", "%*d", "%.3d", "%x", "%999f", "%.999f", "%d %d %d", "%%", "%2$d"}) {
    options.fmt = fmt;
    EXPECT_EQ(gpuopt_savetxt(x.get(), scratch("x").c_str(), &options, &error), GPUOPT_ERR_INVALID_ARGUMENT) << fmt;
  }
  const Complex complex[] = {{1, 2}, {3, -4}};
  const Array z = support::make_bytes(GPUOPT_COMPLEX128, {1, 2}, complex);
  for (const char *fmt : {"%g %g", "%g %g %g", "%g %g %g %g %g", "%d %d %d %x"}) {
    options.fmt = fmt;
    EXPECT_EQ(gpuopt_savetxt(z.get(), scratch("x").c_str(), &options, &error), GPUOPT_ERR_INVALID_ARGUMENT) << fmt;
  }
  EXPECT_EQ(gpuopt_savetxt(cube.get(), scratch("x").c_str(), nullptr, &error), GPUOPT_ERR_SHAPE);
  EXPECT_EQ(scratch.files(), 0U);
}

TEST(TextFiles, RoundTripInTheShortestWay) {
  const std::vector<Complex> numbers = {{0.1, -0.0}, {1e300, 5e-324}, {-1.0 / 3, 2}, {HUGE_VAL, std::nan("")}};
  const Array wide = support::make_bytes(GPUOPT_COMPLEX128, {4}, numbers.data());
  for (gpuopt_dtype dtype = 1; dtype < GPUOPT_DTYPE_COUNT; ++dtype) {
    SCOPED_TRACE(gpuopt_dtype_name(dtype));
    Result r, e;
    const Array x = r.take(gpuopt_astype(wide.get(), dtype, GPUOPT_COPY_IF_NEEDED, &r.array, &r.error));
    gpuopt_loadtxt_options options = load_options();
    options.dtype = dtype;
    const Loaded back(saved(x, save_options()), options);
    ASSERT_EQ(back.status, GPUOPT_OK) << back.message;
    const std::vector<Complex> got = complex_values(back.x), expected = complex_values(x);
    ASSERT_EQ(got.size(), expected.size());
    for (size_t k = 0; k < got.size(); ++k)
      EXPECT_TRUE(same(got[k].real(), expected[k].real()) && same(got[k].imag(), expected[k].imag())) << got[k];
  }
}

TEST(TextFiles, FillMissingValues) {
  gpuopt_loadtxt_options options = load_options();
  options.delimiter = ",";
  options.missing = "NA";
  EXPECT_EQ(Loaded("1,,3\n", options).status, GPUOPT_ERR_FORMAT);
  options.has_filling = 1;
  options.filling = gpuopt_scalar_real(-7);
  const Loaded loaded("1,,3\n NA ,5, \n", options);
  ASSERT_EQ(loaded.status, GPUOPT_OK) << loaded.message;
  EXPECT_EQ(support::values_of<double>(loaded.x), (std::vector<double>{1, -7, 3, -7, 5, -7}));
}

TEST(TextFiles, SayWhereTheyAreWrong) {
  gpuopt_loadtxt_options options = load_options();
  options.delimiter = ",";
  options.quote = "\"";
  const auto expect = [&](const std::string &text, gpuopt_status status, const std::string &said) {
    const Loaded loaded(text, options);
    EXPECT_EQ(loaded.status, status) << text;
    EXPECT_NE(loaded.message.find(said), std::string::npos) << loaded.message;
  };
  expect("1,2\n# c\n3,x\n", GPUOPT_ERR_FORMAT, "line 3, column 2: could not convert string 'x' to float64");
  expect("1,2\r\n3\r\n", GPUOPT_ERR_FORMAT, "line 2: the number of columns changed from 2 to 1");
  expect(std::string("1,2\n3\0,4\n", 9), GPUOPT_ERR_FORMAT, "line 2: there is a NUL byte");
  expect("1,2\n3,\"4\n", GPUOPT_ERR_FORMAT, "line 2: a quote is not closed");
  const int64_t column = 2;
  options.usecols = &column;
  options.nusecols = 1;
  expect("1,2,3\n1,2\n", GPUOPT_ERR_INDEX, "line 2: invalid column index 2 with 2 columns");
}

TEST(TextFiles, RefuseOtherOptions) {
  const auto expect_refused = [](auto change) {
    gpuopt_loadtxt_options options = load_options();
    change(options);
    EXPECT_EQ(Loaded("1\n", options).status, GPUOPT_ERR_INVALID_ARGUMENT);
  };
  expect_refused([](auto &o) { o.skiprows = -1; });
  expect_refused([](auto &o) { o.max_rows = -1, o.has_max_rows = 1; });
  expect_refused([](auto &o) { o.ndmin = 3; });
  expect_refused([](auto &o) { o.nusecols = 1; });
  expect_refused([](auto &o) { o.delimiter = "#"; });
  expect_refused([](auto &o) { o.delimiter = "\n"; });
  expect_refused([](auto &o) { o.quote = "''"; });
  expect_refused([](auto &o) { o.dtype = 99; });
}

// Rows whose ends, quotes and delimiters lie at every place around the ends of the reader's blocks.
TEST(TextFiles, MayHaveSeveralBlocks) {
  gpuopt_loadtxt_options options = load_options();
  options.delimiter = "::";
  options.quote = "'";
  std::string text;
  std::vector<double> expected;
  for (int64_t k = 0; text.size() < (size_t{5} << 19); ++k) {
    text += std::to_string(k) + "::'" + std::to_string(-k) + "'::" + std::string(static_cast<size_t>(k % 7), ' ') + "1";
    text += k % 3 == 0 ? "\r\n" : k % 3 == 1 ? "\r" : "\n";
    expected.insert(expected.end(), {static_cast<double>(k), static_cast<double>(-k), 1});
  }
  for (int shift = 0; shift < 12; ++shift) {
    const Loaded loaded("#" + std::string(static_cast<size_t>(shift), '-') + "\n" + text, options);
    ASSERT_EQ(loaded.status, GPUOPT_OK) << loaded.message;
    ASSERT_EQ(support::values_of<double>(loaded.x), expected) << shift;
  }
}

// Random lines, `bytes` long together: of one number of columns, with all ends of lines, comments, blank lines, missing
// numbers; and, if `wrong` is set, one line with another number of columns or a word.
std::string random_table(std::mt19937 &random, size_t bytes, bool wrong) {
  const char *const ends[] = {"\n", "\r\n", "\r", "\n\n", " # some words\n", "\n#, , x\r\n"};
  const size_t columns = 1 + random() % 5, place = wrong ? random() % bytes : bytes;
  std::string text;
  for (bool placed = false; text.size() < bytes;) {
    const bool here = !placed && text.size() >= place;
    placed = placed || here;
    for (size_t k = 0; k < columns; ++k)
      text += (k ? "," : "") + (random() % 8 ? std::to_string(static_cast<int>(random())) : std::string());
    if (here) text += random() % 2 ? ",1" : "x";
    text += ends[random() % (random() % 2 ? 6 : 1)];
  }
  return text;
}

// Texts of some megabytes are read in pieces by several threads, and those of which a number of rows is wanted by one.
TEST(TextFiles, AreReadInPiecesAsInOne) {
  std::mt19937 random(12);
  const int64_t columns[] = {0, -1};
  for (int k = 0; k < 12; ++k) {
    gpuopt_loadtxt_options options = load_options();
    options.delimiter = ",";
    options.ndmin = 2;
    options.has_filling = k % 4 != 3;  // otherwise a missing number is a failure
    options.filling = gpuopt_scalar_real(-1);
    options.skiprows = k % 5 * 1000;
    if (k % 3 == 0) options.usecols = columns, options.nusecols = 2;
    const std::string text = random_table(random, (size_t{8} << 20) + random() % (size_t{9} << 20), k % 2);
    const Loaded parallel(text, options);
    options.has_max_rows = 1;
    options.max_rows = INT64_MAX;
    const Loaded serial(text, options);
    ASSERT_EQ(parallel.status, serial.status) << k;
    ASSERT_EQ(parallel.message, serial.message) << k;
    if (serial.status != GPUOPT_OK) continue;
    ASSERT_EQ(support::shape_of(parallel.x), support::shape_of(serial.x));
    ASSERT_TRUE(support::values_of<double>(parallel.x) == support::values_of<double>(serial.x)) << k;
  }
}

// The byte order mark is one at the beginning of the text alone, wherever pieces end.
TEST(TextFiles, HaveOneByteOrderMark) {
  const std::string mark = "\xEF\xBB\xBF", line = "12345678\n";
  std::string text = mark;
  while (text.size() < (size_t{9} << 20)) text += line;
  EXPECT_EQ(Loaded(text).status, GPUOPT_OK);
  for (size_t lines : {582540u, 582541u, 582542u}) {  // around the end of the first 5 MiB, a piece
    std::string wrong = text;
    wrong.insert(3 + lines * line.size(), mark);
    EXPECT_NE(Loaded(wrong).message.find("line " + std::to_string(lines + 1) + ","), std::string::npos) << lines;
  }
}

// A CR that is the last byte of the first 5 MiB, a piece, is one line end with the LF behind it.
TEST(TextFiles, AreNotCutWithinALineEnd) {
  std::string text = "\n";
  while (text.size() < (size_t{9} << 20)) text += "12345678\r\n";
  ASSERT_EQ(text[(size_t{5} << 20) - 1], '\r');
  const Loaded loaded(text + "x");
  const size_t line = 2 + text.size() / 10;
  EXPECT_NE(loaded.message.find("line " + std::to_string(line) + ","), std::string::npos) << loaded.message << line;
}

// The first 5 MiB, a piece, have two columns, and the rest has three.
TEST(TextFiles, HaveAsManyColumnsInAllPieces) {
  std::string text;
  while (text.size() < (size_t{5} << 20)) text += "12,3456\n";
  const size_t lines = text.size() / 8;
  while (text.size() < (size_t{9} << 20)) text += "1,2,345\n";
  gpuopt_loadtxt_options options = load_options();
  options.delimiter = ",";
  const Loaded loaded(text, options);
  const std::string expected = "line " + std::to_string(lines + 1) + ": the number of columns changed from 2 to 3";
  EXPECT_NE(loaded.message.find(expected), std::string::npos) << loaded.message;
}

TEST(TextFiles, MayHaveLongLines) {
  std::string text;
  for (int k = 0; k < 700000; ++k) text += std::to_string(k) + " ";
  const Loaded loaded(text + "\n" + text);
  ASSERT_EQ(loaded.status, GPUOPT_OK) << loaded.message;
  EXPECT_EQ(support::shape_of(loaded.x), (Shape{2, 700000}));
  EXPECT_EQ(support::values_of<double>(loaded.x)[1399999], 699999);
}

TEST(TextFiles, AreReadFromTheDisk) {
  const Scratch scratch;
  write_file(scratch("x.csv"),
             "\xEF\xBB\xBF"
             "1;2\n3;4\n");
  gpuopt_loadtxt_options options = load_options();
  options.delimiter = ";";
  Result r;
  const Array x = r.take(gpuopt_loadtxt(support::cpu(), scratch("x.csv").c_str(), &options, &r.array, &r.error));
  EXPECT_EQ(support::values_of<double>(x), (std::vector<double>{1, 2, 3, 4}));
  gpuopt_array none = nullptr;
  EXPECT_EQ(gpuopt_loadtxt(support::cpu(), scratch("none").c_str(), nullptr, &none, nullptr), GPUOPT_ERR_IO);
}

}  // namespace
