// tests/unit/shared_cache_windows_test.cpp -- the cache on disk under what Windows lets happen to files: files that are
// open elsewhere, other processes, access lists.
#include <aclapi.h>
#include <sddl.h>
#include <windows.h>

#include "tests/set_variable.h"
#include "tests/unit/shared_cache_support.h"

namespace {

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

struct OpenFile {
  OpenFile(const fs::path &path, DWORD share, DWORD how = OPEN_EXISTING)
      : handle(CreateFileW(path.c_str(), GENERIC_READ, share, nullptr, how, 0, nullptr)) {}
  ~OpenFile() { CloseHandle(handle); }
  const HANDLE handle;
};

// Replaces a file's access list by one in the system's notation.
void set_access(const fs::path &path, const wchar_t *list) {
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  ASSERT_TRUE(ConvertStringSecurityDescriptorToSecurityDescriptorW(list, SDDL_REVISION_1, &descriptor, nullptr));
  ASSERT_TRUE(SetFileSecurityW(path.c_str(), DACL_SECURITY_INFORMATION, descriptor)) << GetLastError();
  LocalFree(descriptor);
}

constexpr wchar_t kEverybody[] = L"D:P(A;OICI;FA;;;WD)";

// Whether the access list of a file names everybody, or users in general.
bool open_to_others(const fs::path &path) {
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  PACL list = nullptr;
  EXPECT_EQ(GetNamedSecurityInfoW(path.c_str(), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, nullptr, nullptr, &list,
                                  nullptr, &descriptor),
            0u);
  bool open = list == nullptr;
  for (DWORD k = 0; list && k < list->AceCount; ++k) {
    void *entry = nullptr;
    GetAce(list, k, &entry);
    PSID who = &static_cast<ACCESS_ALLOWED_ACE *>(entry)->SidStart;
    open = open || IsWellKnownSid(who, WinWorldSid) || IsWellKnownSid(who, WinBuiltinUsersSid) ||
           IsWellKnownSid(who, WinAuthenticatedUserSid);
  }
  LocalFree(descriptor);
  return open;
}

TEST_F(Cache, DirectoriesArePrivate) {
  fs::create_directories(base);
  ASSERT_TRUE(open_to_others(base)) << "what is made without care is not";
  open()->store(key_of("k"), "payload");
  for (const fs::path &directory : {root, root.parent_path(), file_of(key_of("k")).parent_path()})
    EXPECT_FALSE(open_to_others(directory)) << directory;
}

TEST_F(Cache, ADirectoryOthersMayWriteToIsRefused) {
  fs::create_directories(root);
  set_access(root, kEverybody);
  const auto cache = open();
  expect_refused(*cache, "other users may write to it");
  EXPECT_TRUE(files().empty());
}

TEST_F(Cache, AnEntryOthersMayWriteToIsAMiss) {
  open()->store(key_of(1), payload_of(1));
  set_access(file_of(key_of(1)), kEverybody);
  EXPECT_EQ(open()->load(key_of(1)), std::nullopt);
  open()->store(key_of(1), payload_of(1));
  EXPECT_EQ(open()->load(key_of(1)), payload_of(1));
}

TEST_F(Cache, AReaderElsewhereDoesNotKeepAnEntryFromBeingReplacedOrRead) {
  open()->store(key_of(1), payload_of(1));
  {
    const OpenFile reader(file_of(key_of(1)), kShareAll);
    ASSERT_NE(reader.handle, INVALID_HANDLE_VALUE);
    EXPECT_EQ(open()->load(key_of(1)), payload_of(1));
  }
  open()->store(key_of(1), payload_of(2));
  EXPECT_EQ(open()->load(key_of(1)), payload_of(2));
}

// A virus scanner, say, that shares nothing: what cannot be opened is a miss, what cannot be replaced a warning.
TEST_F(Cache, AFileThatIsNotSharedIsAMissAndStaysWhole) {
  open()->store(key_of(1), payload_of(1));
  {
    const OpenFile other(file_of(key_of(1)), 0);
    ASSERT_NE(other.handle, INVALID_HANDLE_VALUE);
    EXPECT_EQ(open()->load(key_of(1)), std::nullopt);
    open()->store(key_of(1), payload_of(2));
    EXPECT_EQ(warnings(), 1);
    EXPECT_TRUE(TestHost::get().logged("cache.write"));
  }
  EXPECT_EQ(open()->load(key_of(1)), payload_of(1));
  EXPECT_EQ(files().size(), 1u) << "what could not be put in place was removed";
}

TEST_F(Cache, OneEvictsAtATime) {
  const auto cache = open(10000);
  for (int number = 0; number < 4; ++number) cache->store(key_of(number), payload_of(number, 2400));
  const auto smaller = open(4000);
  {
    const OpenFile other(root / "lock", 0, OPEN_ALWAYS);
    smaller->evict();
    EXPECT_EQ(files().size(), 4u);
  }
  smaller->evict();
  EXPECT_EQ(files().size(), 1u);
}

// ---- Other processes: this program again, which then runs one case below on the same directory.

constexpr char kDirectory[] = "GPUOPT_CACHE_TEST_DIRECTORY", kNumber[] = "GPUOPT_CACHE_TEST_NUMBER";

int work_of_a_child(DiskCache &cache, int process) {
  int wrong = 0;
  for (int round = 0; round < 60; ++round) {
    const int number = (round * 7 + process) % 20;
    cache.store(key_of(number), payload_of(number));
    for (const int other : {number, (number + 3) % 20}) {
      const auto found = cache.load(key_of(other));
      wrong += found && *found != payload_of(other);
    }
    if (round % 3 == process % 3) cache.evict();
  }
  return wrong;
}

TEST_F(Cache, DISABLED_ChildOfARace) {
  const char *const directory = std::getenv(kDirectory), *const number = std::getenv(kNumber);
  ASSERT_TRUE(directory && number);
  DiskCache cache(directory, DiskCache::Use::own, 30000);
  EXPECT_EQ(work_of_a_child(cache, std::atoi(number)), 0);
  EXPECT_EQ(warnings(), 0) << TestHost::get().lines[0].detail;
  EXPECT_FALSE(TestHost::get().logged("cache.damaged"));
}

HANDLE start_child(int number) {
  wchar_t program[1024];
  GetModuleFileNameW(nullptr, program, 1024);
  setenv(kNumber, std::to_string(number).c_str(), 1);
  std::wstring line = L"child --gtest_also_run_disabled_tests --gtest_filter=Cache.DISABLED_ChildOfARace";
  STARTUPINFOW start{};
  start.cb = sizeof start;
  PROCESS_INFORMATION process{};
  if (!CreateProcessW(program, line.data(), nullptr, nullptr, FALSE, 0, nullptr, nullptr, &start, &process))
    return nullptr;
  CloseHandle(process.hThread);
  return process.hProcess;
}

TEST_F(Cache, ProcessesAndTheirEvictionsRace) {
  setenv(kDirectory, root.string().c_str(), 1);
  std::vector<HANDLE> children;
  for (int number = 0; number < 6; ++number) children.push_back(start_child(number));
  for (const HANDLE child : children) {
    ASSERT_NE(child, nullptr);
    DWORD status = 1;
    WaitForSingleObject(child, INFINITE);
    GetExitCodeProcess(child, &status);
    CloseHandle(child);
    EXPECT_EQ(status, 0u);
  }
  for (const fs::path &file : files()) EXPECT_EQ(file.filename().string().find(".new-"), std::string::npos) << file;
}

TEST_F(Cache, AWriterThatIsKilledLeavesNoEntryThatIsWrong) {
  setenv(kDirectory, root.string().c_str(), 1);
  for (int round = 0; round < 5; ++round) {
    fs::remove_all(root);
    const HANDLE child = start_child(round);
    ASSERT_NE(child, nullptr);
    for (int waited = 0; waited < 2000 && files().empty(); ++waited) Sleep(5);
    EXPECT_FALSE(files().empty()) << "it has begun";
    Sleep(7 * round);
    TerminateProcess(child, 7);
    WaitForSingleObject(child, INFINITE);
    CloseHandle(child);
    for (int number = 0; number < 20; ++number) {
      const auto found = open()->load(key_of(number));
      EXPECT_TRUE(!found || *found == payload_of(number));
    }
  }
  EXPECT_FALSE(TestHost::get().logged("cache.damaged"));
}

// ---- Seeds and settings

TEST_F(Cache, ASeedIsOnlyRead) {
  store_seed();
  expect_seed_is_only_read();
  set_access(root, kEverybody);
  EXPECT_EQ(open(kMuch, DiskCache::Use::seed)->load(key_of(1)), std::nullopt) << "others may write to it";
}

TEST_F(Cache, PlaceComesFromSettings) {
  using namespace gpuopt::plugin;
  auto &settings = TestHost::get().settings;
  EXPECT_EQ(cache_directory(), "") << "no environment, or one that is not to be trusted: no place";
  settings["HOME"] = "/home/u";
  EXPECT_EQ(cache_directory(), "");
  settings["LOCALAPPDATA"] = "C:\\Users\\u\\AppData\\Local";
  EXPECT_EQ(cache_directory(), "C:\\Users\\u\\AppData\\Local\\gpuopt\\cache");
  settings["GPUOPT_CACHE_DIR"] = "D:\\mine";
  EXPECT_EQ(cache_directory(), "D:\\mine");
  EXPECT_EQ(warnings(), 0);
  for (const char *relative : {"mine", "\\mine", "D:mine"}) {
    settings["GPUOPT_CACHE_DIR"] = relative;
    EXPECT_EQ(cache_directory(), "") << relative;
  }
  settings["GPUOPT_CACHE_SEED"] = "C:\\a;;relative;D:\\b c";
  EXPECT_EQ(cache_seed_directories(), (std::vector<std::string>{"C:\\a", "D:\\b c"}));
}

}  // namespace
