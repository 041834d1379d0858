// tests/comm/disk.cpp -- run as the ranks of a job, with a folder on a small file system of its own: disk FOLDER. A
// sharded file is written again and again while the file system has room for more and more blocks of it, from none at
// all on, so that it is full at each place at which it can be: every time that it does not suffice all ranks get an
// error with its reason, and the file that was there is there still, and no other one. With enough room it succeeds.
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/comm/rank.h"

using namespace rank_test;

namespace {

int me() { return gpuopt_comm_rank(world); }
int all() { return gpuopt_comm_size(world); }

struct statvfs disk_of(const std::string &folder) {
  struct statvfs disk {};
  REQUIRE(statvfs(folder.c_str(), &disk) == 0);
  return disk;
}

std::string content_of(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> names_in(const std::string &folder) {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

// Lets the file system have that many blocks left.
void leave_room(const std::string &folder, fsblkcnt_t blocks) {
  std::ofstream file(folder + "/filler", std::ios::binary);  // an old one is emptied
  struct statvfs disk = disk_of(folder);
  REQUIRE(disk.f_bfree > blocks);
  const std::string block(disk.f_bsize, 'f');
  for (fsblkcnt_t left = disk.f_bfree - blocks; left; --left) file << block;
  file.close();
  REQUIRE(file.good());
  disk = disk_of(folder);
  REQUIRE(disk.f_bfree == blocks);
}

// Uses up the file system's files, so that none can be made.
std::vector<std::string> use_up_files(const std::string &folder) {
  std::vector<std::string> made;
  for (fsfilcnt_t left = disk_of(folder).f_ffree; left; --left) {
    made.push_back(folder + "/used" + std::to_string(left));
    REQUIRE(std::ofstream(made.back()).good());
  }
  REQUIRE(disk_of(folder).f_ffree == 0);
  return made;
}

// The ranks' own numbers, of which the last rank has the most; `factor` tells two arrays from each other.
void make_shard(Shard &shard, int axis, double factor) {
  const int64_t mine = 400 * (me() + 1);
  std::vector<double> values(static_cast<size_t>(mine * 16));
  for (size_t i = 0; i < values.size(); ++i) values[i] = factor * (static_cast<double>(i) + 1e6 * me());
  const Array part = make(values, axis ? Shape{16, mine} : Shape{mine, 16});
  DONE(gpuopt_shard_from_parts_along, world, part.get(), axis, shard.out());
}

// Returns whether the file was written. If not every rank has the reason, and nothing has changed.
bool is_saved(const Shard &shard, const std::string &folder, const std::string &old,
              const std::vector<std::string> &names) {
  const std::string path = folder + "/kept.npy";
  gpuopt_error error = GPUOPT_ERROR_INIT;
  const gpuopt_status status = gpuopt_shard_save_npy(shard.get(), path.c_str(), &error);
  DONE(gpuopt_comm_barrier, world);  // the group goes on; and nothing is looked at before all are back
  if (status == GPUOPT_OK) return true;
  REQUIRE(status == GPUOPT_ERR_IO || status == GPUOPT_ERR_COMM);
  if (!std::strstr(error.message, "No space left on device") || !std::strstr(error.message, "kept.npy"))
    die(__FILE__, __LINE__, error.message);
  if (status == GPUOPT_ERR_COMM) REQUIRE(std::strstr(error.message, "rank "));
  REQUIRE(content_of(path) == old && names_in(folder) == names);
  DONE(gpuopt_comm_barrier, world);
  return false;
}

void check_creation(const std::string &folder, const Shard &shard) {
  std::vector<std::string> made;
  if (me() == 0) made = use_up_files(folder);
  DONE(gpuopt_comm_barrier, world);
  const std::string old = content_of(folder + "/kept.npy");
  REQUIRE(!is_saved(shard, folder, old, names_in(folder)));
  for (const std::string &path : made) REQUIRE(std::remove(path.c_str()) == 0);
}

void check_axis(const std::string &folder, int axis) {
  Shard first, second;
  make_shard(first, axis, 1);
  make_shard(second, axis, -1);
  const std::string path = folder + "/kept.npy", aside = folder + "/aside.npy";
  DONE(gpuopt_shard_save_npy, second.get(), aside.c_str());
  const std::string wanted = content_of(aside);
  DONE(gpuopt_comm_barrier, world);
  if (me() == 0) REQUIRE(std::remove(aside.c_str()) == 0);
  DONE(gpuopt_shard_save_npy, first.get(), path.c_str());
  const std::string old = content_of(path);
  REQUIRE(old.size() == wanted.size() && old != wanted);
  check_creation(folder, second);
  DONE(gpuopt_comm_barrier, world);
  const fsblkcnt_t block = disk_of(folder).f_bsize, needed = (wanted.size() + block - 1) / block;
  for (fsblkcnt_t room = 0;; ++room) {
    if (me() == 0) leave_room(folder, room);
    DONE(gpuopt_comm_barrier, world);
    const bool saved = is_saved(second, folder, old, names_in(folder));
    REQUIRE(saved == (room >= needed));
    if (saved) break;
  }
  REQUIRE(content_of(path) == wanted);
  DONE(gpuopt_comm_barrier, world);
  if (me() == 0) REQUIRE(std::remove((folder + "/filler").c_str()) == 0);
}

int run(int argc, char **argv) {
  begin();
  REQUIRE(argc == 2 && disk_of(argv[1]).f_blocks * disk_of(argv[1]).f_bsize <= 1 << 24);  // no other file system
  check_axis(argv[1], 0);
  check_axis(argv[1], 1);
  DONE(gpuopt_comm_barrier, world);
  if (me() == all() - 1) std::printf("all is well\n");
  gpuopt_comm_release(world);
  return 0;
}

}  // namespace

int main(int argc, char **argv) { return run_ranks(run, argc, argv); }
