// tests/unit/shared_cache_posix_test.cpp -- the cache on disk under everything that POSIX lets happen to files: other
// processes, other users, links, full disks.
//
// POSIX only: fork, modes, owners, links and limits, of which shared_cache_windows_test has what corresponds
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <set>

#include "tests/unit/shared_cache_support.h"

namespace {

// Runs `work` in a process of its own and gives its process id; it exits with what `work` returns.
pid_t start(const std::function<int()> &work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  return child;
}

int finish(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST_F(Cache, IsPrivate) {
  const mode_t before = umask(0);
  open()->store(key_of("k"), "payload");
  umask(before);
  struct stat info;
  for (const fs::path &directory : {root, root.parent_path(), file_of(key_of("k")).parent_path()}) {
    ASSERT_EQ(stat(directory.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0700u) << directory;
  }
  ASSERT_EQ(stat(file_of(key_of("k")).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
}

TEST_F(Cache, ProcessesRaceForTheSameKeys) {
  std::vector<pid_t> children;
  for (int process = 0; process < 8; ++process) {
    children.push_back(start([&] {
      const auto cache = open();
      int wrong = 0;
      for (int round = 0; round < 40; ++round) {
        const int number = (round + process) % 5;
        const auto found = cache->load(key_of(number));
        wrong += found && *found != payload_of(number);
        cache->store(key_of(number), payload_of(number));
        wrong += cache->load(key_of(number)) != payload_of(number);
        wrong += TestHost::get().logged("cache.damaged") || warnings();
      }
      return std::min(wrong, 100);
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(finish(child), 0);
  EXPECT_EQ(files().size(), 5u);
}

TEST_F(Cache, KilledWritersLeaveNoEntryThatIsWrong) {
  const size_t bytes = 1000000;
  for (int round = 0; round < 20; ++round) {
    const pid_t child = start([&] {
      const auto cache = open();
      for (int number = 0;; number = (number + 1) % 4) cache->store(key_of(number), payload_of(number, bytes));
      return 0;
    });
    usleep(3000 + 1700 * round);
    kill(child, SIGKILL);
    EXPECT_EQ(finish(child), 1000 + SIGKILL);
    for (int number = 0; number < 4; ++number) {
      const auto found = open()->load(key_of(number));
      EXPECT_TRUE(!found || *found == payload_of(number, bytes));
    }
  }
  EXPECT_FALSE(TestHost::get().logged("cache.damaged"));
}

TEST_F(Cache, AFullDiskLosesNothing) {
  open()->store(key_of(1), payload_of(1));
  EXPECT_EQ(finish(start([&] {
              signal(SIGXFSZ, SIG_IGN);
              const rlimit limit = {2000, 2000};  // writing more fails, as on a full disk
              setrlimit(RLIMIT_FSIZE, &limit);
              const auto cache = open();
              cache->store(key_of(2), payload_of(2));
              cache->store(key_of(1), payload_of(1));
              if (warnings() != 1 || !TestHost::get().logged("cache.write")) return 1;
              if (cache->load(key_of(2)) || cache->load(key_of(1)) != payload_of(1)) return 2;
              cache->store(key_of(3), "small");
              return cache->load(key_of(3)) == "small" ? 0 : 3;
            })),
            0);
  EXPECT_EQ(files().size(), 2u) << "what could not be written was removed";
}

TEST_F(Cache, ADirectoryThatCannotBeWrittenToIsStillRead) {
  open()->store(key_of(1), payload_of(1));
  const auto make_readable = [&](const fs::path &path) {
    EXPECT_EQ(getuid() == 0 ? chown(path.c_str(), 65534, 65534) : 0, 0);
  };
  make_readable(base), make_readable(base / "a");
  for (const auto &entry : fs::recursive_directory_iterator(root)) make_readable(entry.path());
  make_readable(root);
  chmod(root.c_str(), 0500);
  const int status = finish(start([&] {
    if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return 9;
    const auto cache = open();
    if (cache->load(key_of(1)) != payload_of(1)) return 1;
    for (int number = 2; number < 10; ++number) cache->store(key_of(number), "x");
    return warnings() == 1 && TestHost::get().logged("cache.write") ? 0 : 2;
  }));
  chmod(root.c_str(), 0700);
  EXPECT_EQ(status, 0);
}

TEST_F(Cache, ADirectoryOthersMayWriteToIsRefused) {
  fs::create_directories(root);
  for (const mode_t mode : {0777, 0770, 0720, 0702, 01777}) {
    ASSERT_EQ(chmod(root.c_str(), mode), 0);
    const auto cache = open();
    expect_refused(*cache, "other users may write to it");
  }
  EXPECT_TRUE(files().empty());
}

TEST_F(Cache, ALinkIsRefused) {
  fs::create_directories(base / "elsewhere");
  fs::create_directories(root.parent_path());
  chmod((base / "elsewhere").c_str(), 0700);
  fs::create_symlink(base / "elsewhere", root);
  const auto cache = open();
  expect_refused(*cache, "is not used as a cache");
  DiskCache with_slash(root.string() + "/", DiskCache::Use::own, kMuch);
  with_slash.store(key_of(1), "payload");
  EXPECT_TRUE(fs::is_empty(base / "elsewhere"));
}

TEST_F(Cache, AnotherUsersDirectoryIsRefused) {
  if (getuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  fs::create_directories(root);
  chmod(root.c_str(), 0755);
  ASSERT_EQ(chown(root.c_str(), 65534, 65534), 0);
  const auto cache = open();
  expect_refused(*cache, "it belongs to another user");
}

TEST_F(Cache, EntriesOfUntrustedKindsAreMissesAndReplaced) {
  const auto key = key_of(1);
  open()->store(key, payload_of(1));
  fs::rename(file_of(key), base / "kept");
  const std::vector<std::function<void()>> kinds = {
      [&] { fs::create_symlink(base / "kept", file_of(key)); },
      [&] { ASSERT_EQ(mkfifo(file_of(key).c_str(), 0600), 0); },
      [&] {
        fs::copy_file(base / "kept", file_of(key));
        chmod(file_of(key).c_str(), 0666);
      },
  };
  for (const auto &make : kinds) {
    make();
    EXPECT_EQ(open()->load(key), std::nullopt);
    open()->store(key, payload_of(1));
    EXPECT_EQ(open()->load(key), payload_of(1));
    fs::remove(file_of(key));
  }
  EXPECT_EQ(contents(base / "kept").size(), payload_of(1).size() + 88) << "what the link led to is as it was";
}

TEST_F(Cache, OneEvictsAtATime) {
  const auto cache = open(10000);
  for (int number = 0; number < 4; ++number) cache->store(key_of(number), payload_of(number, 2400));
  const int other = ::open((root / "lock").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  const auto smaller = open(4000);
  smaller->evict();
  EXPECT_EQ(files().size(), 4u);
  close(other);
  smaller->evict();
  EXPECT_EQ(files().size(), 1u);
}

// The directory may hold other things: only what is named as entries are is counted, and removed.
TEST_F(Cache, OtherFilesStay) {
  open()->store(key_of(1), "payload");
  const std::string name = file_of(key_of(1)).filename(), folder = file_of(key_of(1)).parent_path().filename();
  std::string capital = name;
  capital[5] = 'A';
  const std::vector<std::string> others = {"go/main.go",
                                           "go/" + name,
                                           "AB/" + name,
                                           "abc/" + name,
                                           "a/" + name,
                                           "go/.new-1-1-1",
                                           ".new-1-1-1",
                                           name,
                                           folder + "/notes",
                                           folder + "/.new",
                                           folder + "/new-1-1-1",
                                           folder + "/" + capital,
                                           folder + "/" + name + "0",
                                           folder + "/" + name.substr(1)};
  for (const std::string &other : others) {
    fs::create_directories((root / other).parent_path());
    replace(root / other, "mine");
    set_age(root / other, 1000000);
  }
  EXPECT_TRUE(open()->shrink(0));
  open(1)->evict();
  EXPECT_FALSE(fs::exists(file_of(key_of(1))));
  for (const std::string &other : others) EXPECT_TRUE(fs::exists(root / other)) << other;
}

// What `gpuopt cache verify` asks, while other processes go on.
TEST_F(Cache, OnlyWhatIsStillThereIsDamaged) {
  std::string problem;
  gpuopt::plugin::CacheFiles files;
  for (int number = 0; number < 6; ++number) open()->store(key_of(number), payload_of(number));
  ASSERT_EQ(files.open(root.string(), true, false, problem), gpuopt::plugin::CacheFiles::Opening::done) << problem;
  const auto listed = files.list();
  ASSERT_EQ(listed.size(), 6u);
  int steps = 0;
  const auto damaged = [&] {
    std::set<std::string> keys;
    steps = 0;
    for (const auto &one : gpuopt::plugin::damaged_entries(files, listed, [&](const auto &) { ++steps; }))
      keys.insert(one.folder + one.name);
    return keys;
  };
  EXPECT_TRUE(damaged().empty());
  EXPECT_EQ(steps, 6);
  open()->remove(key_of(0));
  EXPECT_TRUE(damaged().empty()) << "it was evicted";
  replace(file_of(key_of(1)), contents(file_of(key_of(1))) + "x");
  chmod(file_of(key_of(2)).c_str(), 0666);  // not to be trusted, hence not read
  EXPECT_EQ(damaged(), (std::set<std::string>{Sha256::hex(key_of(1)), Sha256::hex(key_of(2))}));
}

TEST_F(Cache, EvictionRacesWithEverything) {
  std::vector<pid_t> children;
  for (int process = 0; process < 6; ++process) {
    children.push_back(start([&] {
      const auto cache = open(30000);
      int wrong = 0;
      for (int round = 0; round < 60; ++round) {
        const int number = (round * 7 + process) % 20;
        cache->store(key_of(number), payload_of(number));
        const auto found = cache->load(key_of((number + 3) % 20));
        wrong += found && *found != payload_of((number + 3) % 20);
        if (round % 3 == process % 3) cache->evict();
      }
      return wrong + warnings();
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(finish(child), 0);
}

TEST_F(Cache, ASeedIsOnlyRead) {
  store_seed();
  chmod(root.c_str(), 0755);
  expect_seed_is_only_read();
  chmod(root.c_str(), 0777);
  EXPECT_EQ(open(kMuch, DiskCache::Use::seed)->load(key_of(1)), std::nullopt) << "others may write to it";
}

TEST_F(Cache, PlaceAndBoundComeFromSettings) {
  using namespace gpuopt::plugin;
  auto &settings = TestHost::get().settings;
  EXPECT_EQ(cache_directory(), "") << "no environment, or one that is not to be trusted: no place";
  EXPECT_EQ(cache_max_bytes(), kMuch);
  settings["HOME"] = "/home/u";
  EXPECT_EQ(cache_directory(), "/home/u/.cache/gpuopt");
  settings["XDG_CACHE_HOME"] = "relative";
  EXPECT_EQ(cache_directory(), "/home/u/.cache/gpuopt");
  settings["XDG_CACHE_HOME"] = "/xdg";
  EXPECT_EQ(cache_directory(), "/xdg/gpuopt");
  settings["GPUOPT_CACHE_DIR"] = "/mine";
  EXPECT_EQ(cache_directory(), "/mine");
  EXPECT_EQ(warnings(), 0);
  settings["GPUOPT_CACHE_DIR"] = "mine";
  EXPECT_EQ(cache_directory(), "");
  EXPECT_EQ(warnings(), 1);
  settings["GPUOPT_CACHE_MAX_BYTES"] = "5000";
  EXPECT_EQ(cache_max_bytes(), 5000u);
  settings["GPUOPT_CACHE_MAX_BYTES"] = "5G";
  EXPECT_EQ(cache_max_bytes(), kMuch);
  EXPECT_EQ(warnings(), 2);
  settings["GPUOPT_CACHE_SEED"] = "/a::relative:/b/c";
  EXPECT_EQ(cache_seed_directories(), (std::vector<std::string>{"/a", "/b/c"}));
}

TEST_F(Cache, SeedsThatOthersCouldChangeAreLeftOut) {
  using namespace gpuopt::plugin;
  const std::filesystem::path above = std::filesystem::path(root) / "above", seed = above / "seed";
  std::filesystem::create_directories(seed);
  TestHost::get().settings["GPUOPT_CACHE_SEED"] = seed.string();
  EXPECT_EQ(cache_seed_directories(), std::vector<std::string>{seed.string()});
  chmod(above.c_str(), 0777);
  EXPECT_EQ(cache_seed_directories(), std::vector<std::string>());
  EXPECT_EQ(warnings(), 1);
}

}  // namespace
