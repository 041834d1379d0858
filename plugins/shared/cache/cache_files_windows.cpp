// plugins/shared/cache/cache_files_windows.cpp -- cache_files.h on Windows: everything below a directory that is held
// open without the right to rename it.
#if defined(_WIN32)
#include <aclapi.h>
#include <sddl.h>

#include <atomic>
#include <cwchar>
#include <string>
#include <string_view>

#include "plugins/shared/cache/cache_files.h"
#include "plugins/shared/host/text_windows.h"

namespace gpuopt::plugin {
namespace {

constexpr wchar_t kUnfinished[] = L".new-";  // begins the name of a file that is being written
constexpr int64_t kTicks = 10000000;         // of a FILETIME per second
constexpr int64_t kDay = 86400 * kTicks;
constexpr uint64_t kLargest = uint64_t{1} << 30;  // no entry is larger, so larger files are not read
constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
// The rights that somebody needs to change a file, or what is in a directory.
constexpr DWORD kChanging = FILE_WRITE_DATA | FILE_APPEND_DATA | FILE_DELETE_CHILD | DELETE | WRITE_DAC | WRITE_OWNER |
                            GENERIC_WRITE | GENERIC_ALL;

class Handle {
 public:
  explicit Handle(HANDLE handle) : handle_(handle) {}
  ~Handle() { close(); }
  Handle(const Handle &) = delete;
  operator HANDLE() const { return handle_; }
  bool valid() const { return handle_ != INVALID_HANDLE_VALUE; }
  bool close() {
    const HANDLE handle = handle_;
    handle_ = INVALID_HANDLE_VALUE;
    return handle != INVALID_HANDLE_VALUE && CloseHandle(handle);
  }

 private:
  HANDLE handle_;
};

struct LocalMemory {
  void *pointer = nullptr;
  ~LocalMemory() { LocalFree(pointer); }
};

// The security identifier (SID) of this user, which lives as long as the object.
class CurrentUser {
 public:
  CurrentUser() {
    HANDLE token = nullptr;
    DWORD used = 0;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) return;
    if (GetTokenInformation(token, TokenUser, buffer_, sizeof buffer_, &used))
      sid_ = reinterpret_cast<TOKEN_USER *>(buffer_)->User.Sid;
    CloseHandle(token);
  }
  PSID sid() const { return sid_; }

 private:
  alignas(TOKEN_USER) unsigned char buffer_[256];
  PSID sid_ = nullptr;
};

bool is_text(PSID sid, const wchar_t *text) {
  LocalMemory known;
  return ConvertStringSidToSidW(text, &known.pointer) && EqualSid(sid, known.pointer);
}

// Returns whether a SID is one that may change every file anyway: the system, administrators, the installer of Windows'
// own files.
bool rules_the_machine(PSID sid) {
  return IsWellKnownSid(sid, WinLocalSystemSid) || IsWellKnownSid(sid, WinBuiltinAdministratorsSid) ||
         is_text(sid, L"S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464");
}

// Returns whether a SID stands for the owner. Entries for the creator concern what is created later; those for the
// owner's rights (S-1-3-4), the owner.
bool is_the_owner(PSID sid, PSID owner) {
  return EqualSid(sid, owner) || IsWellKnownSid(sid, WinCreatorOwnerSid) || is_text(sid, L"S-1-3-4");
}

// Returns whether an access list lets others than `user`, `owner` and the machine's administrators change the file.
bool others_may_change(PACL list, PSID user, PSID owner) {
  if (!list) return true;  // everybody may do everything
  for (DWORD k = 0; k < list->AceCount; ++k) {
    void *entry = nullptr;
    if (!GetAce(list, k, &entry)) return true;
    const auto *allowed = static_cast<ACCESS_ALLOWED_ACE *>(entry);
    if (allowed->Header.AceType == ACCESS_DENIED_ACE_TYPE || (allowed->Header.AceFlags & INHERIT_ONLY_ACE)) continue;
    if (allowed->Header.AceType != ACCESS_ALLOWED_ACE_TYPE) return true;  // conditional entries are not evaluated
    PSID who = const_cast<DWORD *>(&allowed->SidStart);
    if ((allowed->Mask & kChanging) && !EqualSid(who, user) && !is_the_owner(who, owner) && !rules_the_machine(who))
      return true;
  }
  return false;
}

// Returns why other users could change the file or the directory; "" if they cannot.
std::string distrust(HANDLE file, bool owned) {
  FILE_ATTRIBUTE_TAG_INFO facts{};
  if (!GetFileInformationByHandleEx(file, FileAttributeTagInfo, &facts, sizeof facts))
    return system_message(GetLastError());
  if (facts.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) return "it is a link";
  PSID owner = nullptr;
  PACL list = nullptr;
  LocalMemory descriptor;
  const DWORD failed =
      GetSecurityInfo(file, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner, nullptr,
                      &list, nullptr, reinterpret_cast<PSECURITY_DESCRIPTOR *>(&descriptor.pointer));
  if (failed) return system_message(failed);
  const CurrentUser user;
  if (!user.sid() || !owner) return "its owner is unknown";
  if (owned && !EqualSid(owner, user.sid()) && !rules_the_machine(owner)) return "it belongs to another user";
  return others_may_change(list, user.sid(), owner) ? "other users may write to it" : "";
}

// Opens a directory without FILE_SHARE_DELETE, so that nobody can rename or remove it while the handle is open.
HANDLE open_directory(const std::wstring &path) {
  HANDLE directory =
      CreateFileW(path.c_str(), FILE_READ_ATTRIBUTES | READ_CONTROL, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                  OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr);
  BY_HANDLE_FILE_INFORMATION facts;
  if (directory == INVALID_HANDLE_VALUE) return directory;
  if (GetFileInformationByHandle(directory, &facts) && (facts.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY))
    return directory;
  CloseHandle(directory);
  SetLastError(ERROR_DIRECTORY);
  return INVALID_HANDLE_VALUE;
}

// An access list that lets only this user, the system and administrators in, also to what is made below.
struct PrivateAccess {
  PrivateAccess() {
    const CurrentUser user;
    LocalMemory text;
    if (!user.sid() || !ConvertSidToStringSidW(user.sid(), reinterpret_cast<wchar_t **>(&text.pointer))) return;
    const std::wstring list =
        L"D:P(A;OICI;FA;;;" + std::wstring(static_cast<wchar_t *>(text.pointer)) + L")(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)";
    ConvertStringSecurityDescriptorToSecurityDescriptorW(list.c_str(), SDDL_REVISION_1, &descriptor.pointer, nullptr);
    attributes.lpSecurityDescriptor = descriptor.pointer;
  }
  LocalMemory descriptor;
  SECURITY_ATTRIBUTES attributes{sizeof(SECURITY_ATTRIBUTES), nullptr, FALSE};
};

bool make_directory(const std::wstring &path) {
  PrivateAccess access;
  if (!access.descriptor.pointer) return false;
  return CreateDirectoryW(path.c_str(), &access.attributes) || GetLastError() == ERROR_ALREADY_EXISTS;
}

// Makes the directory and those above it that are missing, for this user alone.
bool make_directories(const std::wstring &path) {
  if (GetFileAttributesW(path.c_str()) != INVALID_FILE_ATTRIBUTES) return true;
  const size_t slash = path.find_last_of(L"\\/");
  if (slash != std::wstring::npos && slash > 2 && !make_directories(path.substr(0, slash))) return false;
  return make_directory(path);
}

// Returns the path of a directory in the form that has no limit of length and does not depend on the current directory;
// empty on failure.
std::wstring full_path(HANDLE directory) {
  std::wstring path(32768, L'\0');
  const DWORD length =
      GetFinalPathNameByHandleW(directory, path.data(), static_cast<DWORD>(path.size()), FILE_NAME_NORMALIZED);
  path.resize(length < path.size() ? length : 0);
  return path;
}

int64_t ticks(const FILETIME &time) { return int64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime; }

int64_t now() {
  FILETIME time;
  GetSystemTimeAsFileTime(&time);
  return ticks(time);
}

bool write_all(HANDLE file, std::string_view bytes) {
  while (!bytes.empty()) {
    const DWORD part = static_cast<DWORD>(bytes.size() < (1u << 30) ? bytes.size() : 1u << 30);
    DWORD written = 0;
    if (!WriteFile(file, bytes.data(), part, &written, nullptr) || written == 0) return false;
    bytes.remove_prefix(written);
  }
  return true;
}

bool read_all(HANDLE file, std::string &bytes) {
  for (size_t at = 0; at < bytes.size();) {
    DWORD got = 0;
    if (!ReadFile(file, bytes.data() + at, static_cast<DWORD>(bytes.size() - at), &got, nullptr) || got == 0)
      return false;
    at += got;
  }
  return true;
}

// Returns a name that no other writer has: other processes differ by their id, calls in this one by a count, processes
// of the past by the time.
std::wstring unfinished_name() {
  static std::atomic<unsigned> count{0};
  return kUnfinished + std::to_wstring(GetCurrentProcessId()) + L"-" + std::to_wstring(now()) + L"-" +
         std::to_wstring(count++);
}

// Renames a finished file to its name. Waits for readers that have the old file open, for a second in all.
bool move_over(const std::wstring &from, const std::wstring &to) {
  for (int attempt = 0;; ++attempt) {
    if (MoveFileExW(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING)) return true;
    const DWORD code = GetLastError();
    if ((code != ERROR_ACCESS_DENIED && code != ERROR_SHARING_VIOLATION) || attempt == 100) return false;
    Sleep(10);
  }
}

template <typename Visit>
void each_entry(const std::wstring &directory, Visit visit) {
  struct Search {
    HANDLE handle;
    ~Search() {
      if (handle != INVALID_HANDLE_VALUE) FindClose(handle);
    }
  };
  WIN32_FIND_DATAW entry;
  const Search search{FindFirstFileW((directory + L"\\*").c_str(), &entry)};
  if (search.handle == INVALID_HANDLE_VALUE) return;
  do {
    visit(entry);
  } while (FindNextFileW(search.handle, &entry));
}

}  // namespace

CacheFiles::CacheFiles() = default;
CacheFiles::~CacheFiles() = default;

CacheFiles::Opening CacheFiles::open(const std::string &directory, bool owned, bool create, std::string &problem) {
  owned_ = owned;
  const std::wstring path = wide(directory.substr(0, directory.find_last_not_of("\\/") + 1));
  HANDLE opened = open_directory(path);
  if (opened == INVALID_HANDLE_VALUE &&
      (GetLastError() == ERROR_FILE_NOT_FOUND || GetLastError() == ERROR_PATH_NOT_FOUND)) {
    if (!create) return Opening::absent;
    if (make_directories(path)) opened = open_directory(path);
  }
  if (opened == INVALID_HANDLE_VALUE) return problem = system_message(GetLastError()), Opening::refused;
  root_ = std::shared_ptr<void>(opened, CloseHandle);
  problem = distrust(opened, owned);
  path_ = full_path(opened);
  if (path_.empty()) problem = "its path is unknown";
  return problem.empty() ? Opening::done : Opening::refused;
}

// Opens a folder, which is created first if `create` and it does not exist. Returns NULL, with the reason as the last
// error, if it cannot be opened or is not trusted.
std::shared_ptr<void> CacheFiles::folder(const std::wstring &path, bool create) {
  HANDLE opened = open_directory(path);
  if (opened == INVALID_HANDLE_VALUE && GetLastError() == ERROR_FILE_NOT_FOUND && create && make_directory(path))
    opened = open_directory(path);
  if (opened == INVALID_HANDLE_VALUE) return nullptr;
  std::shared_ptr<void> held(opened, CloseHandle);
  if (distrust(opened, owned_).empty()) return held;
  held.reset();
  SetLastError(ERROR_ACCESS_DENIED);
  return nullptr;
}

std::optional<std::string> CacheFiles::read(const std::string &folder_name, const std::string &name) {
  const std::wstring path = path_ + L"\\" + wide(folder_name);
  const auto held = folder(path, false);
  if (!held) return std::nullopt;
  const std::wstring file_path = path + L"\\" + wide(name);
  const Handle file(CreateFileW(file_path.c_str(), GENERIC_READ, kShareAll, nullptr, OPEN_EXISTING,
                                FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  LARGE_INTEGER size;
  FILETIME used;
  if (!file.valid() || GetFileType(file) != FILE_TYPE_DISK || !GetFileSizeEx(file, &size) ||
      static_cast<uint64_t>(size.QuadPart) > kLargest || !distrust(file, owned_).empty())
    return std::nullopt;
  std::string bytes(static_cast<size_t>(size.QuadPart), '\0');
  if (!read_all(file, bytes)) return std::nullopt;
  if (owned_ && GetFileTime(file, nullptr, nullptr, &used) && now() - ticks(used) > kDay) note_use(file_path);
  return bytes;
}

void CacheFiles::note_use(const std::wstring &path) {
  const Handle file(CreateFileW(path.c_str(), FILE_WRITE_ATTRIBUTES, kShareAll, nullptr, OPEN_EXISTING,
                                FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  FILETIME time;
  GetSystemTimeAsFileTime(&time);
  if (file.valid()) SetFileTime(file, nullptr, nullptr, &time);
}

bool CacheFiles::write(const std::string &folder_name, const std::string &name, std::string_view contents,
                       std::string &problem) {
  const std::wstring path = path_ + L"\\" + wide(folder_name);
  const auto held = folder(path, true);
  if (!held) return problem = system_message(GetLastError()), false;
  const std::wstring unfinished = path + L"\\" + unfinished_name();
  Handle file(CreateFileW(unfinished.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW, 0, nullptr));
  if (!file.valid()) return problem = system_message(GetLastError()), false;
  if (write_all(file, contents) && file.close() && move_over(unfinished, path + L"\\" + wide(name))) return true;
  problem = system_message(GetLastError());
  file.close();
  DeleteFileW(unfinished.c_str());
  return false;
}

void CacheFiles::remove(const std::string &folder_name, const std::string &name) {
  const std::wstring path = path_ + L"\\" + wide(folder_name);
  if (const auto held = folder(path, false)) DeleteFileW((path + L"\\" + wide(name)).c_str());
}

std::vector<CacheFiles::Entry> CacheFiles::list() {
  std::vector<Entry> entries;
  const int64_t moment = now();
  each_entry(path_, [&](const WIN32_FIND_DATAW &one) {
    const std::string name = narrow(one.cFileName);
    const std::wstring path = path_ + L"\\" + one.cFileName;
    if (!is_hexadecimal(name, kFolderDigits)) return;
    const auto held = folder(path, false);
    if (!held) return;
    each_entry(path, [&](const WIN32_FIND_DATAW &file) {
      if (file.dwFileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT)) return;
      const std::string file_name = narrow(file.cFileName);
      const bool unfinished = std::wstring_view(file.cFileName).substr(0, std::wcslen(kUnfinished)) == kUnfinished;
      if (!unfinished && !is_hexadecimal(file_name, kNameDigits)) return;
      entries.push_back({name, file_name, uint64_t{file.nFileSizeHigh} << 32 | file.nFileSizeLow,
                         (moment - ticks(file.ftLastWriteTime)) / kTicks, unfinished});
    });
  });
  return entries;
}

// The lock is a file that is opened without sharing, which the system allows to one process, until that ends.
std::shared_ptr<void> CacheFiles::try_lock() {
  HANDLE file = CreateFileW((path_ + L"\\lock").c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr, OPEN_ALWAYS,
                            FILE_FLAG_OPEN_REPARSE_POINT, nullptr);
  return file == INVALID_HANDLE_VALUE ? nullptr : std::shared_ptr<void>(file, CloseHandle);
}

}  // namespace gpuopt::plugin
#endif
