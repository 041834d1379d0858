// tests/unit/core_npz_test.cpp -- .npz archives: NumPy's own, ours read by another reader, and malformed ones.
#include <zlib.h>

#include <cstdlib>

#include "core/exchange/zip.h"
#include "core/exchange/zip_format.h"
#include "tests/unit/core_npy_support.h"

using namespace support;

namespace {

struct Closer {
  void operator()(gpuopt_npz npz) const { gpuopt_npz_close(npz); }
};
using Npz = std::unique_ptr<gpuopt_npz_s, Closer>;

Npz open(const std::string &path) {
  gpuopt_npz npz = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(gpuopt_npz_open(path.c_str(), &npz, &error), GPUOPT_OK) << error.message;
  return Npz(npz);
}

Array read(const Npz &npz, const std::string &name) {
  Result r;
  return r.take(gpuopt_npz_read(npz.get(), name.c_str(), cpu(), &r.array, &r.error));
}

std::vector<std::string> names(const Npz &npz) {
  std::vector<std::string> list;
  for (int32_t k = 0; k < gpuopt_npz_count(npz.get()); ++k) list.push_back(gpuopt_npz_name(npz.get(), k));
  return list;
}

// Opens an archive and reads all its arrays: the first failure, or success.
gpuopt_status read_all(const std::string &path, std::string *message = nullptr) {
  gpuopt_npz npz = nullptr;
  gpuopt_error error = GPUOPT_ERROR_INIT;
  gpuopt_status status = gpuopt_npz_open(path.c_str(), &npz, &error);
  for (int32_t k = 0; status == GPUOPT_OK && k < gpuopt_npz_count(npz); ++k) {
    gpuopt_array x = nullptr;
    status = gpuopt_npz_read(npz, gpuopt_npz_name(npz, k), cpu(), &x, &error);
    gpuopt_array_release(x);
  }
  gpuopt_npz_close(npz);
  if (message) *message = error.message;
  return status;
}

void save(const std::string &path, const std::vector<const char *> &keys, const std::vector<gpuopt_array> &arrays,
          int compress) {
  gpuopt_error error = GPUOPT_ERROR_INIT;
  EXPECT_EQ(
      gpuopt_save_npz(path.c_str(), static_cast<int32_t>(keys.size()), keys.data(), arrays.data(), compress, &error),
      GPUOPT_OK)
      << error.message;
}

TEST(Npz, LoadsWhatNumPyWrote) {
  for (const Listed &l : manifest("member")) expect_listed(read(open(kNpyData + l.file), l.name), l);
  EXPECT_EQ(names(open(kNpyData + "stored.npz")), (std::vector<std::string>{"x", "arr_0", "fortran", "zero"}));
  EXPECT_EQ(names(open(kNpyData + "mixed.npz")), std::vector<std::string>{"wert/\u00e4"});
  EXPECT_EQ(gpuopt_npz_name(open(kNpyData + "stored.npz").get(), 4), nullptr);
}

TEST(Npz, RoundTrip) {
  const Scratch scratch;
  const Array x = make<double>({2, 2}, {1, -0.0, 3, 4}), n = make<int64_t>({3}, {1, 2, 3}), t = transposed(x),
              e = make<float>({0}, {});
  for (int compress : {0, 1}) {
    save(scratch("a.npz"), {"x", "n", "t", "e", "\u00fc"}, {x.get(), n.get(), t.get(), e.get(), n.get()}, compress);
    const Npz npz = open(scratch("a.npz"));
    EXPECT_EQ(names(npz), (std::vector<std::string>{"x", "n", "t", "e", "\u00fc"}));
    EXPECT_EQ(bytes_of(read(npz, "x")), bytes_of(x));
    EXPECT_EQ(bytes_of(read(npz, "t")), bytes_of(t));
    EXPECT_EQ(values_of<int64_t>(read(npz, "\u00fc")), (std::vector<int64_t>{1, 2, 3}));
    EXPECT_EQ(shape_of(read(npz, "e")), Shape{0});
  }
}

TEST(Npz, EmptyArchives) {
  const Scratch scratch;
  save(scratch("none.npz"), {}, {}, 0);
  EXPECT_EQ(gpuopt_npz_count(open(scratch("none.npz")).get()), 0);
}

TEST(Npz, CompressionCompresses) {
  const Scratch scratch;
  const Array zeros = make(Shape{3000000}, std::vector<double>(3000000, 0.5));
  save(scratch("z.npz"), {"z"}, {zeros.get()}, 1);
  EXPECT_LT(std::filesystem::file_size(scratch("z.npz")), 100000u);
  EXPECT_EQ(bytes_of(read(open(scratch("z.npz")), "z")), bytes_of(zeros));
}

// Python's zipfile checks the structure and every CRC of what we write.
TEST(Npz, PythonReadsWhatWeWrite) {
  if (std::system("python3 -c 'import zipfile' >/dev/null 2>&1") != 0) GTEST_SKIP() << "no python3";
  const Scratch scratch;
  const Array x = make<double>({2}, {1, 2});
  for (int compress : {0, 1}) {
    save(scratch("a.npz"), {"x", "\u00e4"}, {x.get(), x.get()}, compress);
    const std::string check =
        "import zipfile, sys; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; "
        "assert z.namelist() == ['x.npy', '\\u00e4.npy'], z.namelist(); "
        "assert z.read('x.npy')[-16:].hex() == '000000000000f03f0000000000000040'";
    EXPECT_EQ(std::system(("python3 -c \"" + check + "\" " + scratch("a.npz")).c_str()), 0);
  }
}

TEST(Npz, SurvivesAnyDamage) {
  const Scratch scratch;
  const Array x = make<int16_t>({3}, {1, 2, 3});
  save(scratch("s.npz"), {"x"}, {x.get()}, 0);
  save(scratch("d.npz"), {"x"}, {x.get()}, 1);
  for (const char *file : {"s.npz", "d.npz"}) {
    const std::string bytes = read_file(scratch(file));
    expect_survives(bytes, scratch, [](const std::string &path) { return read_all(path); });
  }
}

// Damage to the data of a member does not go unnoticed.
TEST(Npz, ChecksumsAreChecked) {
  const Scratch scratch;
  std::string bytes = read_file(kNpyData + "stored.npz");
  const size_t place = bytes.find("NUMPY") + 128 - 1;
  bytes[place] = static_cast<char>(bytes[place] ^ 1);
  write_file(scratch("c.npz"), bytes);
  std::string message;
  EXPECT_EQ(read_all(scratch("c.npz"), &message), GPUOPT_ERR_FORMAT);
  EXPECT_NE(message.find("checksum"), std::string::npos) << message;
}

// An archive with one member, built here from the format's records so that any field can lie.
struct Forged {
  std::string name = "x.npy", data, local_name = "x.npy";
  uint64_t size = 0, offset = 0;
  uint16_t method = 0, flags = 0, count = 1;
  bool zip64 = false;

  std::string bytes() const {
    using namespace gpuopt::zip;
    const uint32_t crc =
        static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef *>(data.data()), static_cast<uInt>(data.size())));
    Record r;
    r.put32(kLocalSignature).put16(20).put16(flags).put16(method).put32(0).put32(crc).put32(data.size()).put32(size);
    r.put16(local_name.size()).put16(0);
    r.bytes += local_name + data;
    const uint64_t directory = r.bytes.size();
    r.put32(kCentralSignature).put16(20).put16(20).put16(flags).put16(method).put32(0).put32(crc);
    r.put32(zip64 ? kSaturated32 : data.size()).put32(zip64 ? kSaturated32 : size);
    r.put16(name.size()).put16(zip64 ? 28 : 0).put16(0).put16(0).put16(0).put32(0).put32(zip64 ? kSaturated32 : offset);
    r.bytes += name;
    if (zip64) r.put16(kExtraZip64).put16(24).put64(size).put64(data.size()).put64(offset);
    const uint64_t end = r.bytes.size();
    if (zip64) {
      r.put32(kEnd64Signature)
          .put64(44)
          .put16(45)
          .put16(45)
          .put32(0)
          .put32(0)
          .put64(1)
          .put64(1)
          .put64(end - directory)
          .put64(directory);
      r.put32(kLocator64Signature).put32(0).put64(end).put32(1);
    }
    r.put32(kEndSignature).put16(0).put16(0).put16(zip64 ? kSaturated16 : count).put16(zip64 ? kSaturated16 : count);
    r.put32(zip64 ? kSaturated32 : end - directory).put32(zip64 ? kSaturated32 : directory).put16(0);
    return r.bytes;
  }
};

Forged honest() {
  Forged f;
  f.data = read_file(kNpyData + "c_i4.npy");
  f.size = f.data.size();
  return f;
}

gpuopt_status read_forged(const Forged &f, const Scratch &scratch, std::string *message = nullptr) {
  write_file(scratch("forged.npz"), f.bytes());
  return read_all(scratch("forged.npz"), message);
}

TEST(Npz, ForgedArchives) {
  const Scratch scratch;
  const auto expect = [&](const Forged &f, const char *word) {
    std::string message;
    EXPECT_EQ(read_forged(f, scratch, &message), GPUOPT_ERR_FORMAT) << word;
    EXPECT_NE(message.find(word), std::string::npos) << message;
  };
  ASSERT_EQ(read_forged(honest(), scratch), GPUOPT_OK);
  Forged f = honest();
  f.zip64 = true;
  ASSERT_EQ(read_forged(f, scratch), GPUOPT_OK);
  expect_survives(f.bytes(), scratch, [](const std::string &path) { return read_all(path); });
  f = honest(), f.method = 12;
  expect(f, "method 12");
  f = honest(), f.flags = 1;
  expect(f, "encrypted");
  f = honest(), f.offset = 1000000;
  expect(f, "outside");
  f = honest(), f.offset = 4;
  expect(f, "not where");
  f = honest(), f.size += 1;
  expect(f, "impossible size");
  f = honest(), f.count = 7;
  expect(f, "too small");
  f = honest(), f.method = 8;
  expect(f, "");
  f = honest(), f.method = 8, f.size = uint64_t{1} << 31;  // a bomb claims what deflate cannot do
  expect(f, "impossible size");
}

// One field of an honest archive changed, found from its end: 22 bytes of end record, 20 of locator and 56 of zip64 end
// before it.
TEST(Npz, PatchedArchives) {
  const Scratch scratch;
  const auto expect = [&](bool zip64, size_t from_end, char byte, const char *word) {
    Forged f = honest();
    f.zip64 = zip64;
    std::string bytes = f.bytes(), message;
    bytes[bytes.size() - from_end] = byte;
    write_file(scratch("patched.npz"), bytes);
    EXPECT_EQ(read_all(scratch("patched.npz"), &message), GPUOPT_ERR_FORMAT) << word;
    EXPECT_NE(message.find(word), std::string::npos) << message;
  };
  const size_t entry = 22 + 46 + 5, entry64 = 22 + 20 + 56 + 46 + 5 + 28;  // the directory's only entry, name "x.npy"
  expect(false, 22 - 4, 1, "volumes");
  expect(false, 22 - 18, 1, "outside the file");
  expect(true, 22 + 20 + 56, 0, "zip64 end record");
  expect(false, entry, 0, "damaged");
  expect(false, entry - 28, 9, "cut short");
  expect(true, entry64 - 46 - 5 - 2, 16, "zip64 field");
}

// A member that inflates to more, or less, than the directory says.
TEST(Npz, DeflatedSizeMustAgree) {
  const Scratch scratch;
  const std::string npy = read_file(kNpyData + "c_i4.npy");
  std::string packed(npy.size() + 100, '\0');
  z_stream z{};
  ASSERT_EQ(deflateInit2(&z, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(npy.data()));
  z.avail_in = static_cast<uInt>(npy.size());
  z.next_out = reinterpret_cast<Bytef *>(packed.data());
  z.avail_out = static_cast<uInt>(packed.size());
  ASSERT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
  packed.resize(z.total_out);
  deflateEnd(&z);
  for (int64_t lie : {-8, -1, 1, 8}) {
    Forged f;
    f.method = 8;
    f.data = packed;
    f.size = npy.size() + static_cast<uint64_t>(lie);
    EXPECT_EQ(read_forged(f, scratch), GPUOPT_ERR_FORMAT) << lie;
  }
}

// Of two members with one name the last counts, as for Python.
TEST(Npz, DuplicateNames) {
  const Scratch scratch;
  gpuopt::save_atomically(scratch("d.npz"), [](gpuopt::File &file) {
    gpuopt::ZipWriter zip(file);
    for (const char *source : {"c_i4.npy", "one.npy"})
      zip.add("x.npy", false, [&](gpuopt::Sink &sink) {
        const std::string bytes = read_file(kNpyData + source);
        sink.write(bytes.data(), bytes.size());
      });
    zip.finish();
  });
  const Npz npz = open(scratch("d.npz"));
  EXPECT_EQ(gpuopt_npz_count(npz.get()), 1);
  EXPECT_EQ(shape_of(read(npz, "x")), Shape{5});
}

TEST(Npz, Arguments) {
  const Scratch scratch;
  const Array x = make<double>({1}, {1});
  const char *const twice[] = {"x", "x"};
  const gpuopt_array arrays[] = {x.get(), x.get()};
  const std::string path = scratch("a.npz");
  EXPECT_EQ(gpuopt_save_npz(path.c_str(), 2, twice, arrays, 0, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_save_npz(path.c_str(), -1, twice, arrays, 0, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(gpuopt_save_npz(path.c_str(), 1, nullptr, arrays, 0, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(scratch.files(), 0u);
  gpuopt_npz npz = nullptr;
  EXPECT_EQ(gpuopt_npz_open(path.c_str(), &npz, nullptr), GPUOPT_ERR_IO);
  EXPECT_EQ(npz, nullptr);
  EXPECT_EQ(gpuopt_npz_open(nullptr, &npz, nullptr), GPUOPT_ERR_INVALID_ARGUMENT);
  const Npz stored = open(kNpyData + "stored.npz");
  Result r;
  EXPECT_EQ(gpuopt_npz_read(stored.get(), "absent", cpu(), &r.array, &r.error), GPUOPT_ERR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(r.error.message).find("arr_0"), std::string::npos) << r.error.message;
  gpuopt_npz_close(nullptr);
}

}  // namespace
