// tests/loader/child_windows.h -- child.h on Windows.
#pragma once
#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <atomic>

namespace child {

constexpr char kSlash = '\\';
constexpr const char *kListSeparator = ";";
constexpr const char *kNowhere = "C:\\nonexistent";  // a place that is not there

inline std::string plugin_file(const std::string &backend) { return "gpuopt_" + backend + ".dll"; }

inline std::wstring wide(const std::string &utf8) {
  return std::filesystem::path(std::u8string(utf8.begin(), utf8.end())).wstring();
}

// Variables one after the other, each ended by a zero, and a zero at the end of all.
inline std::wstring environment_with(const Environment &extra) {
  std::wstring all;
  wchar_t *const mine = GetEnvironmentStringsW();
  for (const wchar_t *entry = mine; *entry; entry += std::wcslen(entry) + 1) {
    const std::wstring text = entry;
    const std::wstring wide_name = text.substr(0, text.find(L'=', 1));
    const std::string name(wide_name.begin(), wide_name.end());
    if (!steers(name) && !extra.count(name)) all += text + L'\0';
  }
  FreeEnvironmentStringsW(mine);
  for (const auto &[name, value] : extra) all += wide(name) + L"=" + wide(value) + L'\0';
  return all + L'\0';
}

// One argument as the C runtime takes a command line apart again.
inline std::wstring quoted(const std::string &argument) {
  std::wstring out = L"\"";
  size_t slashes = 0;
  for (const wchar_t c : wide(argument)) {
    if (c == L'"') out += std::wstring(slashes + 1, L'\\');
    out += c;
    slashes = c == L'\\' ? slashes + 1 : 0;
  }
  return out + std::wstring(slashes, L'\\') + L"\"";
}

// A token of this user without an administrator's rights, for a child that is to believe its environment; NULL where
// this process has no more than those.
inline HANDLE ordinary_rights() {
  HANDLE own = nullptr, ordinary = nullptr;
  TOKEN_ELEVATION elevation{};
  TOKEN_LINKED_TOKEN linked{};
  DWORD used = 0;
  OpenProcessToken(GetCurrentProcess(), TOKEN_ALL_ACCESS, &own);
  GetTokenInformation(own, TokenElevation, &elevation, sizeof elevation, &used);
  if (elevation.TokenIsElevated && GetTokenInformation(own, TokenLinkedToken, &linked, sizeof linked, &used)) {
    DuplicateTokenEx(linked.LinkedToken, MAXIMUM_ALLOWED, nullptr, SecurityImpersonation, TokenPrimary, &ordinary);
    CloseHandle(linked.LinkedToken);
  }
  CloseHandle(own);
  return ordinary;
}

inline HANDLE inherited(FILE *file) {
  const HANDLE handle = reinterpret_cast<HANDLE>(_get_osfhandle(_fileno(file)));
  SetHandleInformation(handle, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
  return handle;
}

inline std::filesystem::path temporary_file() {
  static std::atomic<int> count{0};
  const std::string name = "gpuopt-output-" + std::to_string(GetCurrentProcessId()) + "-" + std::to_string(count++);
  return std::filesystem::temp_directory_path() / name;
}

// Read and written by nobody else, and gone when it is closed.
inline FILE *temporary() {
  FILE *const file = _wfopen(temporary_file().c_str(), L"w+bTD");
  if (!file) throw std::runtime_error("no temporary file");
  return file;
}

enum class Rights { ordinary, own };  // what the child may do: an ordinary user's things, or all this process may

inline Result run(const std::vector<std::string> &command, const Environment &extra = {},
                  const std::string &directory = "", Rights rights = Rights::ordinary) {
  FILE *out = temporary(), *err = temporary();
  std::wstring line, variables = environment_with(extra), place = wide(directory);
  for (const std::string &argument : command) line += (line.empty() ? L"" : L" ") + quoted(argument);
  STARTUPINFOW start{};
  start.cb = sizeof start;
  start.dwFlags = STARTF_USESTDHANDLES;
  start.hStdOutput = inherited(out);
  start.hStdError = inherited(err);
  PROCESS_INFORMATION process{};
  const HANDLE token = rights == Rights::ordinary ? ordinary_rights() : nullptr;
  const wchar_t *const from = directory.empty() ? nullptr : place.c_str();
  const std::wstring program = wide(command[0]);
  const bool started = token
                           ? CreateProcessAsUserW(token, program.c_str(), line.data(), nullptr, nullptr, TRUE,
                                                  CREATE_UNICODE_ENVIRONMENT, variables.data(), from, &start, &process)
                           : CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, TRUE,
                                            CREATE_UNICODE_ENVIRONMENT, variables.data(), from, &start, &process);
  Result result;
  if (started) {
    DWORD code = 0;
    WaitForSingleObject(process.hProcess, INFINITE);
    GetExitCodeProcess(process.hProcess, &code);
    result.exit = static_cast<int>(code);
    CloseHandle(process.hThread);
    CloseHandle(process.hProcess);
  }
  if (token) CloseHandle(token);
  result.out = slurp(out);
  result.err = slurp(err);
  return result;
}

inline std::string new_directory() {
  static std::atomic<int> count{0};
  const std::wstring name = L"gpuopt-t\u00EBst-\u65E5-" + std::to_wstring(GetCurrentProcessId()) + L"-" +
                            std::to_wstring(GetTickCount64()) + L"-" + std::to_wstring(count++);
  const std::filesystem::path path = std::filesystem::temp_directory_path() / name;
  if (!std::filesystem::create_directory(path)) throw std::runtime_error("no temporary directory");
  const std::u8string text = path.u8string();
  return {text.begin(), text.end()};
}

}  // namespace child
