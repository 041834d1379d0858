// core/shard/file_shard.cpp -- gpuopt_shard_load_npy and gpuopt_shard_save_npy: files of which each rank reads, or
// writes, its own rows.
#include <algorithm>
#include <cstring>
#include <filesystem>

#include "core/exchange/host.h"
#include "core/exchange/npy.h"
#include "core/shard/axis_shard.h"

namespace gpuopt {
namespace {

ShardRef load_shard(Call &call, gpuopt_device device, const char *path, bool has_place) {
  Intent own;
  own.call = kShardLoad;
  std::vector<int64_t> bounds;
  ArrayRef part;
  prepare_intent(own, [&] {
    if (!has_place || !path) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: path or result pointer is NULL", call.name());
    File file = File::open_to_read(path);
    const NpyHeader header = read_npy_header(file, path);
    if (header.shape.empty())
      fail(GPUOPT_ERR_SHAPE, "%s: %s: an array without dimensions has no rows", call.name(), path);
    bounds = shard_bounds(header.shape[0], call.size());
    const auto me = static_cast<size_t>(call.rank());
    part = read_npy_rows(file, header, bounds[me], bounds[me + 1],
                         device ? &deref(device, call.name()) : call.world().device, path);
    evaluate(part.get());
    own.dtype = header.dtype;
    own.ndim = static_cast<int32_t>(header.shape.size());
    std::copy(header.shape.begin(), header.shape.end(), own.shape);
  });
  const Intents all = call.agree(own);
  for (int32_t r = 1; r < call.size(); ++r) {
    const Intent &one = all[r];
    if (one.dtype != all[0].dtype || !std::ranges::equal(one.sizes(), all[0].sizes()))
      call.disagree(r, "it has read " + described(one) + ", rank 0 " + described(all[0]));
  }
  call.finish();
  return make_shard(call.comm(), std::move(bounds), std::move(part));
}

// What a rank says after each step of writing a file.
struct FileRecord {
  int32_t status = GPUOPT_OK, reserved = 0;
  char why[256] = {};
  char name[4096] = {};  // of the file that rank 0 writes
};

// The steps of writing a file. All ranks take the same ones, each by exchanging records, until one of them fails.
class Steps {
 public:
  explicit Steps(Call &call) : call_(call) {}
  // Returns rank 0's record. Throws, on all ranks, if one of them has failed.
  FileRecord take(const FileRecord &own) {
    over_ = true;
    const std::vector<char> bytes = call_.gather_records(&own, sizeof own);
    if (own.status != GPUOPT_OK) {
      call_.finish();  // the others know
      throw Failure{own.status, GPUOPT_REASON_NONE, 0, own.why};
    }
    FileRecord first, one;
    for (int32_t r = 0; r < call_.size(); ++r) {
      std::memcpy(static_cast<void *>(&one), bytes.data() + static_cast<size_t>(r) * sizeof one, sizeof one);
      one.why[sizeof one.why - 1] = one.name[sizeof one.name - 1] = '\0';
      if (one.status != GPUOPT_OK) call_.disagree(r, one.why);
      if (r == 0) first = one;
    }
    over_ = false;
    return first;
  }
  // Does something and then takes a step, in which a failure is told. Failures that all ranks know of pass through.
  template <class Body>
  FileRecord take_after(Body body) {
    Intent failed;
    FileRecord own;
    try {
      body(own);
    } catch (const Failure &failure) {
      if (over_) throw;
      store_failure(failed, failure);
    } catch (const std::bad_alloc &) {
      if (over_) throw;
      store_failure(failed, {GPUOPT_ERR_OUT_OF_MEMORY, GPUOPT_REASON_NONE, 0, "the host has no memory left"});
    }
    own.status = failed.status;
    std::memcpy(own.why, failed.why, sizeof own.why);
    return take(own);
  }

 private:
  Call &call_;
  bool over_ = false;  // a step has failed, on all ranks
};

// Returns the axis along which the array is cut while it is written: of that along which it is cut now and those before
// it the first one that has a place for each rank, else the one that has the most. So a rank writes few runs of bytes,
// and has no more of the array meanwhile than about its share.
int axis_to_write(const gpuopt_shard_s &s) {
  const Dims shape = whole_shape(s);
  int best = 0;
  for (int axis = 0; axis <= s.axis; ++axis) {
    const int64_t places = shape[static_cast<size_t>(axis)];
    if (places >= s.comm->size()) return axis;
    if (places > shape[static_cast<size_t>(best)]) best = axis;
  }
  return best;
}

// Writes the part behind a header of this size: for each place of the axes before the cut one, a run of bytes.
void write_part(File &file, const gpuopt_shard_s &s, size_t header) {
  if (!s.part->size) return;
  int64_t place = dtype_size(s.part->dtype);  // the bytes behind one place of the cut axis
  for (int axis = s.axis + 1; axis < s.part->ndim; ++axis) place *= s.part->shape[axis];
  const auto run = static_cast<size_t>((s.end() - s.begin()) * place);
  uint64_t at = header + static_cast<uint64_t>(s.begin() * place);
  size_t left = 0;  // of the run that is being written
  consume_elements(s.part.get(), [&](const char *piece, size_t bytes) {
    while (bytes) {
      if (!left) {
        file.seek(at);
        at += static_cast<uint64_t>(s.rows() * place);
        left = run;
      }
      const size_t some = std::min(left, bytes);
      file.write(piece, some);
      piece += some;
      bytes -= some;
      left -= some;
    }
  });
}

void check_replaceable(const char *path) {
  std::error_code failed;
  const std::filesystem::path place(std::u8string(path, path + std::strlen(path)));
  const std::filesystem::file_status status = std::filesystem::status(place, failed);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    fail(GPUOPT_ERR_IO, "cannot write '%s': it is no regular file", path);
}

// Stores the file's name as one that does not depend on the directory that a process is in.
void store_name(FileRecord &record, const std::string &name) {
  const std::filesystem::path whole =
      std::filesystem::absolute(std::filesystem::path(std::u8string(name.begin(), name.end())));
  const std::u8string text = whole.u8string();
  if (text.size() >= sizeof record.name) fail(GPUOPT_ERR_IO, "cannot write '%s': the path is too long", name.c_str());
  std::memcpy(record.name, text.data(), text.size());
}

// Rank 0 makes the file, and gives it its name when all ranks have written their rows.
void write_as_first(Steps &steps, const gpuopt_shard_s &s, const std::string &header, const char *path) {
  steps.take_after([&](FileRecord &) {
    save_atomically(path, [&](File &file) {
      steps.take_after([&](FileRecord &record) {
        file.write(header.data(), header.size());
        file.flush();
        store_name(record, file.name());
      });
      steps.take_after([&](FileRecord &) {
        write_part(file, s, header.size());
        file.flush();
      });
    });
  });
}

void write_as_other(Steps &steps, const gpuopt_shard_s &s, const std::string &header, const char *path) {
  const FileRecord first = steps.take({});
  steps.take_after([&](FileRecord &) {
    if (!s.part->size) return;
    File file = File::open_to_write_into(first.name, path);
    write_part(file, s, header.size());
    file.close();
  });
  steps.take({});
}

void save_shard(Call &call, gpuopt_shard_s &given, const char *path) {
  std::string header;
  agree_on_shard(call, kShardSave, given, true, [&](Intent &) {
    if (!path) fail(GPUOPT_ERR_INVALID_ARGUMENT, "%s: path is NULL", call.name());
    if (call.rank() == 0) check_replaceable(path);
    header = npy_header_text({given.part->dtype, false, false, whole_shape(given)});
  });
  const int axis = axis_to_write(given);
  const ShardRef cut = axis == given.axis
                           ? ShardRef::share(&given)
                           : turned(call, given, axis, shard_bounds(given.part->shape[axis], call.size()));
  const gpuopt_shard_s &s = *cut;
  Steps steps(call);
  if (call.rank() == 0)
    write_as_first(steps, s, header, path);
  else
    write_as_other(steps, s, header, path);
  call.finish();
}

}  // namespace
}  // namespace gpuopt

using namespace gpuopt;

extern "C" {

gpuopt_status gpuopt_shard_load_npy(gpuopt_comm comm, gpuopt_device device, const char *path, gpuopt_shard *result,
                                    gpuopt_error *error) {
  if (result) *result = nullptr;
  return guarded(error, [&] {
    Call call(deref(comm, "shard_load_npy"), "shard_load_npy");
    ShardRef made = told(call, [&] { return load_shard(call, device, path, result != nullptr); });
    if (result) *result = made.leave();
  });
}

gpuopt_status gpuopt_shard_save_npy(gpuopt_shard shard, const char *path, gpuopt_error *error) {
  return guarded(error, [&] {
    gpuopt_shard_s &s = deref(shard, "shard_save_npy");
    Call call(*s.comm, "shard_save_npy");
    told(call, [&] { save_shard(call, s, path); });
  });
}

}  // extern "C"
