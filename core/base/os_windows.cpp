// core/base/os_windows.cpp -- the operating system for the core: Windows. Paths are converted from UTF-8 to UTF-16.
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "core/base/os.h"

namespace gpuopt {

const char kPathListSeparator = ';';
const char kDirectorySeparator = '\\';

namespace {

std::string narrow(const std::wstring &text) {
  const int length =
      WideCharToMultiByte(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), nullptr, 0, nullptr, nullptr);
  std::string out(length, '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), out.data(), length, nullptr, nullptr);
  return out;
}

// Returns whether the process is elevated (an administrator's or the system's), and so has more privileges than the
// user who set its environment; true if that is unknown.
bool elevated() {
  HANDLE token = nullptr;
  if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) return true;
  TOKEN_ELEVATION facts{1};
  DWORD used = 0;
  const bool known = GetTokenInformation(token, TokenElevation, &facts, sizeof facts, &used);
  CloseHandle(token);
  return !known || facts.TokenIsElevated != 0;
}

std::string module_file(HMODULE module) {
  std::wstring path(32768, L'\0');
  path.resize(GetModuleFileNameW(module, path.data(), static_cast<DWORD>(path.size())));
  return narrow(path);
}

}  // namespace

std::wstring wide(const std::string &text) {
  const int length = MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), nullptr, 0);
  std::wstring out(length, L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), out.data(), length);
  return out;
}

std::string system_message(unsigned long code) {
  wchar_t *text = nullptr;
  const DWORD length =
      FormatMessageW(FORMAT_MESSAGE_ALLOCATE_BUFFER | FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS,
                     nullptr, code, 0, reinterpret_cast<wchar_t *>(&text), 0, nullptr);
  std::string message = length ? narrow(std::wstring(text, length)) : std::string("no text");
  LocalFree(text);
  while (!message.empty() && (message.back() == '\n' || message.back() == '\r' || message.back() == ' '))
    message.pop_back();
  return message + " (Windows error " + std::to_string(code) + ")";
}

// Returns whether the path is of the form "C:\dir" or "\\server\share"; "\dir" is relative to the current drive.
bool is_absolute(const std::string &path) {
  const auto slash = [&](size_t i) { return path.size() > i && (path[i] == '\\' || path[i] == '/'); };
  return (path.size() > 2 && path[1] == ':' && slash(2)) || (slash(0) && slash(1));
}

FileKind file_kind(const std::string &path, std::string *problem) {
  const DWORD attributes = GetFileAttributesW(wide(path).c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) {
    const DWORD code = GetLastError();
    if (code == ERROR_FILE_NOT_FOUND || code == ERROR_PATH_NOT_FOUND || code == ERROR_INVALID_NAME)
      return FileKind::kMissing;
    if (problem) *problem = system_message(code);
    return FileKind::kOther;
  }
  if (attributes & FILE_ATTRIBUTE_DIRECTORY) return FileKind::kDirectory;
  if (!(attributes & FILE_ATTRIBUTE_DEVICE)) return FileKind::kFile;
  if (problem) *problem = "a device, not a file";
  return FileKind::kOther;
}

std::string real_path(const std::string &path) {
  HANDLE file = CreateFileW(wide(path).c_str(), 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                            OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (file == INVALID_HANDLE_VALUE) return path;
  std::wstring real(32768, L'\0');
  real.resize(GetFinalPathNameByHandleW(file, real.data(), static_cast<DWORD>(real.size()), FILE_NAME_NORMALIZED));
  CloseHandle(file);
  // LoadLibraryEx cannot search the directory of a library whose path begins with \\?\ for the libraries it needs.
  if (real.starts_with(L"\\\\?\\UNC\\")) return narrow(L"\\" + real.substr(7));
  return real.starts_with(L"\\\\?\\") ? narrow(real.substr(4)) : real.empty() ? path : narrow(real);
}

std::string parent_directory(const std::string &path) {
  const size_t slash = path.find_last_of("\\/");
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::vector<std::string> list_directory(const std::string &path) {
  std::vector<std::string> names;
  WIN32_FIND_DATAW entry;
  HANDLE search = FindFirstFileW(wide(path + "\\*").c_str(), &entry);
  if (search == INVALID_HANDLE_VALUE) return names;
  do {
    names.push_back(narrow(entry.cFileName));
  } while (FindNextFileW(search, &entry));
  FindClose(search);
  std::sort(names.begin(), names.end());
  return names;
}

// Also pins the library in memory, since plugins are never unloaded and hold pointers into it. This is called before
// the first plugin is loaded.
std::string library_directory() {
  HMODULE own = nullptr;
  const auto here = reinterpret_cast<const wchar_t *>(&library_directory);
  if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN, here, &own))
    return {};
  return parent_directory(real_path(module_file(own)));
}

// Reads the variable as UTF-16, so that a path may contain any character.
const char *environment(const char *name) {
  // The returned value stays valid as long as the process. Equal values are stored once.
  static std::mutex *const mutex = new std::mutex;
  static std::vector<std::unique_ptr<std::string>> *const kept = new std::vector<std::unique_ptr<std::string>>;
  const DWORD length = GetEnvironmentVariableW(wide(name).c_str(), nullptr, 0);
  if (length == 0) return nullptr;
  std::wstring value(length, L'\0');
  value.resize(GetEnvironmentVariableW(wide(name).c_str(), value.data(), length));
  const std::string text = narrow(value);
  std::lock_guard lock(*mutex);
  for (const auto &known : *kept) {
    if (*known == text) return known->c_str();
  }
  kept->push_back(std::make_unique<std::string>(text));
  return kept->back()->c_str();
}

bool environment_ignored(const char *name) {
  return elevated() && GetEnvironmentVariableW(wide(name).c_str(), nullptr, 0) != 0;
}

void write_standard_error(std::string_view line) noexcept {
  DWORD written = 0;
  WriteFile(GetStdHandle(STD_ERROR_HANDLE), line.data(), static_cast<DWORD>(line.size()), &written, nullptr);
}

}  // namespace gpuopt
