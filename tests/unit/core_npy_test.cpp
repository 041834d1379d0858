// tests/unit/core_npy_test.cpp -- .npy files: NumPy's own, malformed ones, and what saving leaves behind.
#if !defined(_WIN32)
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include <csignal>

#include "tests/not_here.h"
#include "tests/unit/core_npy_support.h"

using namespace support;

namespace {

gpuopt_status load_status(const std::string &path, std::string *message = nullptr) {
  Result r;
  const gpuopt_status status = gpuopt_load_npy(cpu(), path.c_str(), &r.array, &r.error);
  if (message) *message = r.error.message;
  gpuopt_array_release(r.array);
  return status;
}

Array load(const std::string &path) {
  Result r;
  return r.take(gpuopt_load_npy(cpu(), path.c_str(), &r.array, &r.error));
}

void save(const Array &x, const std::string &path) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_save_npy(x.get(), path.c_str(), &error), GPUOPT_OK) << error.message;
}

bool is_fortran_view(const Array &x) { return !gpuopt_array_is_contiguous(x.get()); }

TEST(Npy, LoadsWhatNumPyWrote) {
  for (const Listed &l : manifest("array")) {
    const Array x = load(kNpyData + l.file);
    expect_listed(x, l);
    EXPECT_EQ(is_fortran_view(x), l.fortran) << l.file;
  }
}

TEST(Npy, SavesTheBytesNumPyWrites) {
  const Scratch scratch;
  for (const Listed &l : manifest("array")) {
    const Array x = load(kNpyData + l.file);
    save(x, scratch("again.npy"));
    if (l.same) {
      EXPECT_EQ(read_file(scratch("again.npy")), read_file(kNpyData + l.file)) << l.file;
    }
    expect_listed(load(scratch("again.npy")), l);
  }
}

TEST(Npy, RejectsWithWords) {
  for (const Listed &l : manifest("reject")) {
    if (l.file.find(".npy") == std::string::npos) continue;
    std::string message;
    EXPECT_EQ(load_status(kNpyData + l.file, &message), GPUOPT_ERR_FORMAT) << l.file;
    EXPECT_NE(message.find(l.word), std::string::npos) << l.file << ": " << message;
    EXPECT_NE(message.find(l.file), std::string::npos) << message;
  }
}

TEST(Npy, RejectsHeadersThatLie) {
  const Scratch scratch;
  const auto expect = [&](const std::string &bytes, const char *word) {
    std::string message;
    write_file(scratch("lie.npy"), bytes);
    EXPECT_EQ(load_status(scratch("lie.npy"), &message), GPUOPT_ERR_FORMAT) << word;
    EXPECT_NE(message.find(word), std::string::npos) << message;
  };
  const auto with_dict = [](const std::string &dict) {
    return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(dict.size() % 256) +
           static_cast<char>(dict.size() / 256) + dict + std::string(8, '\0');
  };
  std::string later = read_file(std::string(kNpyData) + "version_3.npy"), many;
  later[6] = 4;
  for (int k = 0; k < 65; ++k) many += "1,";
  const auto with = [&](const std::string &descr, const std::string &shape) {
    return with_dict("{'descr': " + descr + ", 'fortran_order': False, 'shape': (" + shape + ")}");
  };
  Result r;
  write_file(scratch("truth.npy"), with("'<f8'", "1,"));
  EXPECT_TRUE(r.take(gpuopt_load_npy(cpu(), scratch("truth.npy").c_str(), &r.array, &r.error)));
  expect(later, "version 4.0");
  expect("\x93NUMPY\x01", "cut short");
  expect(with("'<f8'", "1,").substr(0, 40), "cut short");
  expect(with("[('x', '<f8')]", "1,"), "records");
  expect(with("8", "1,"), "a string expected");
  expect(with("'<f8'", many), "more than 64");
}

TEST(Npy, SurvivesAnyDamage) {
  const Scratch scratch;
  for (const char *file :
       {"c_f4.npy", "big_c16.npy", "fortran.npy", "zero_dim.npy", "empty_3d.npy", "version_3.npy", "c_b1.npy"})
    expect_survives(read_file(kNpyData + file), scratch, [](const std::string &path) { return load_status(path); });
}

TEST(Npy, AnyNonzeroByteIsTrue) {
  const Scratch scratch;
  std::string bytes = read_file(kNpyData + "c_b1.npy");
  bytes.replace(bytes.size() - 6, 6, "\x00\x01\x02\x80\xff\x00", 6);
  write_file(scratch("b.npy"), bytes);
  EXPECT_EQ(bytes_of(load(scratch("b.npy"))), (std::vector<unsigned char>{0, 1, 1, 1, 1, 0}));
}

// Larger than the pieces in which files are read and written, in every memory order.
TEST(Npy, LargeArraysInEveryOrder) {
  const Scratch scratch;
  const Shape shape{3, 1500, 1700};
  std::vector<int32_t> values(3 * 1500 * 1700);
  for (size_t k = 0; k < values.size(); ++k) values[k] = static_cast<int32_t>(k * 2654435761u);
  const Array x = make(shape, values);
  save(x, scratch("c.npy"));
  EXPECT_EQ(values_of<int32_t>(load(scratch("c.npy"))), values);
  const Array t = transposed(x);
  save(t, scratch("f.npy"));
  const Array f = load(scratch("f.npy"));
  EXPECT_TRUE(is_fortran_view(f));
  EXPECT_EQ(bytes_of(f), bytes_of(t));
  const Array every_other = sliced(x, GPUOPT_SLICE_ALL, GPUOPT_SLICE_ALL, -2);
  save(every_other, scratch("s.npy"));
  EXPECT_EQ(bytes_of(load(scratch("s.npy"))), bytes_of(every_other));
}

TEST(Npy, SavesRecordedArraysAndBroadcastViews) {
  const Scratch scratch;
  const Array x = make<double>({3}, {1, 2, 3});
  Result r;
  const Array doubled = r.take(gpuopt_add(x.get(), x.get(), &r.array, &r.error));
  save(doubled, scratch("a.npy"));
  EXPECT_EQ(values_of<double>(load(scratch("a.npy"))), (std::vector<double>{2, 4, 6}));
  const Shape wide{2, 3};
  const Array rows = r.take(gpuopt_broadcast_to(x.get(), 2, wide.data(), &r.array, &r.error));
  save(rows, scratch("b.npy"));
  EXPECT_EQ(values_of<double>(load(scratch("b.npy"))), (std::vector<double>{1, 2, 3, 1, 2, 3}));
}

TEST(Npy, PathsThatDoNotWork) {
  const Scratch scratch;
  const Array x = make<double>({1}, {1});
  std::string message;
  EXPECT_EQ(load_status(scratch("absent.npy"), &message), GPUOPT_ERR_IO);
  EXPECT_NE(message.find("absent.npy"), std::string::npos);
  EXPECT_EQ(load_status(scratch("")), GPUOPT_ERR_IO);
  EXPECT_EQ(gpuopt_save_npy(x.get(), scratch("absent/x.npy").c_str(), nullptr), GPUOPT_ERR_IO);
  EXPECT_EQ(gpuopt_save_npy(x.get(), nullptr, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_save_npy(weak(gpuopt_scalar_int(1)).get(), scratch("w.npy").c_str(), nullptr),
            GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(scratch.files(), 0u);
}

TEST(Npy, Utf8Paths) {
  const Scratch scratch;
  const Array x = make<double>({1}, {1});
  save(x, scratch("\xc3\xa4\xe6\x96\x87.npy"));
  EXPECT_EQ(values_of<double>(load(scratch("\xc3\xa4\xe6\x96\x87.npy"))), std::vector<double>{1});
}

#if defined(_WIN32)
NOT_HERE(NpyPosix, "limits on the size of files, special files, modes and links")
#else
// A full disk, played by a limit on the size of files: the old file stays, the new one leaves nothing.
TEST(Npy, FailedSaveLeavesNothing) {
  const Scratch scratch;
  save(make<double>({1}, {42}), scratch("x.npy"));
  const Array large = make(Shape{100000}, std::vector<double>(100000, 1.0));
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit small{100000, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_save_npy(large.get(), scratch("x.npy").c_str(), &error), GPUOPT_ERR_IO);
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(scratch.files(), 1u);
  EXPECT_EQ(values_of<double>(load(scratch("x.npy"))), std::vector<double>{42});
}

TEST(Npy, SpecialFilesAreWrittenInPlace) {
  const Array x = make<double>({1}, {1});
  EXPECT_EQ(gpuopt_save_npy(x.get(), "/dev/null", nullptr), GPUOPT_OK);
  struct stat status {};
  ASSERT_EQ(stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_save_npy(x.get(), "/dev/full", &error), GPUOPT_ERR_IO);
}

TEST(Npy, SavingKeepsModeAndFollowsLinks) {
  const Scratch scratch;
  save(make<double>({1}, {1}), scratch("target.npy"));
  ASSERT_EQ(chmod(scratch("target.npy").c_str(), 0640), 0);
  ASSERT_EQ(symlink(scratch("target.npy").c_str(), scratch("link.npy").c_str()), 0);
  save(make<double>({1}, {2}), scratch("link.npy"));
  struct stat status {};
  ASSERT_EQ(lstat(scratch("link.npy").c_str(), &status), 0);
  EXPECT_TRUE(S_ISLNK(status.st_mode));
  ASSERT_EQ(stat(scratch("target.npy").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  EXPECT_EQ(values_of<double>(load(scratch("target.npy"))), std::vector<double>{2});
}
#endif

TEST(Npy, NullArguments) {
  Result r;
  EXPECT_EQ(gpuopt_load_npy(nullptr, "x", &r.array, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_load_npy(cpu(), nullptr, &r.array, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_load_npy(cpu(), "x", nullptr, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_save_npy(nullptr, "x", nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
}

}  // namespace
