// tests/loader/child.h -- runs a program with a clean gpuopt environment and collects what it prints; scratch
// directories.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace child {

using Environment = std::map<std::string, std::string>;

struct Result {
  int exit = -1;   // exit status; -1 if it did not start
  int signal = 0;  // that killed it
  std::string out, err;
  std::vector<std::string> out_lines() const { return lines(out); }
  std::vector<std::string> err_lines() const { return lines(err); }
  static std::vector<std::string> lines(const std::string &text) {
    std::vector<std::string> found;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) found.push_back(line);
    return found;
  }
};

// Whether a variable would steer gpuopt.
inline bool steers(const std::string &name) { return name.rfind("GPUOPT_", 0) == 0 || name == "ARRAY_MODULE"; }

// The text without the lines that LeakSanitizer writes in a child of fork() about the threads that its parent had.
inline std::string without_notes_of_leak_sanitizer(const std::string &text) {
  static const std::string kNote = "was not suspended. False leaks are possible.\n";
  std::string kept;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
    const std::string line = text.substr(start, end - start);
    if (line.find(kNote) == std::string::npos) kept += line;
    start = end;
  }
  return kept;
}

// What a program wrote into a file, with lines as this system's programs end them.
inline std::string slurp(FILE *file) {
  std::string text;
  std::rewind(file);
  for (int c; (c = std::fgetc(file)) != EOF;) {
    if (c != '\r') text += static_cast<char>(c);
  }
  std::fclose(file);
  return without_notes_of_leak_sanitizer(text);
}

}  // namespace child

// Result run(command, extra, directory, rights): runs a program with this process's environment, without what steers
// gpuopt, and with `extra`; from `directory` ("": here).
// New directories of one's own: std::string new_directory().
// kSlash, kListSeparator, kNowhere, and plugin_file("cuda"), the name of a plugin's file.
#if defined(_WIN32)
#include "tests/loader/child_windows.h"
#else
#include "tests/loader/child_posix.h"
#endif

namespace child {

// A path as this system writes it.
inline std::string native(std::string path) {
  for (char &c : path) c = c == '/' ? kSlash : c;
  return path;
}

// A path inside a quoted text of a log line, and as a value of its own, which is quoted only if it has to be.
inline std::string escaped(const std::string &path) {
  std::string out;
  for (const char c : path) out += c == '\\' ? "\\\\" : std::string(1, c);
  return out;
}
inline std::string logged(const std::string &path) {
  return escaped(path) == path ? path : "\"" + escaped(path) + "\"";
}

// Entries of GPUOPT_PLUGIN_PATH.
inline std::string path_list(const std::vector<std::string> &entries) {
  std::string list;
  for (const std::string &entry : entries) list += (list.empty() ? "" : kListSeparator) + entry;
  return list;
}

#if defined(PLUGIN_ROOT)
// The directory of a case of bad_plugin.cpp, and its file.
inline std::string plugin_directory(const std::string &name) { return native(PLUGIN_ROOT "/" + name); }
inline std::string plugin(const std::string &name, const std::string &backend = "cuda") {
  return plugin_directory(name) + kSlash + plugin_file(backend);
}
#endif

// One line of loader_probe.
struct Opened {
  std::string request, status, reason, device, fallback, message;
};

inline Opened parse_opened(const std::string &line) {
  std::istringstream stream(line);
  Opened opened;
  for (std::string *part : {&opened.request, &opened.status, &opened.reason, &opened.device, &opened.fallback})
    std::getline(stream, *part, '|');
  std::getline(stream, opened.message);
  return opened;
}

inline std::filesystem::path file_path(const std::string &utf8) { return std::u8string(utf8.begin(), utf8.end()); }

// A directory that goes away with the object, in the system's temporary directory. Its name is not all ASCII.
class Scratch {
 public:
  Scratch() : path_(new_directory()) {}
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::permissions(file_path(path_), std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(file_path(path_), ignored);
  }
  Scratch(const Scratch &) = delete;
  const std::string &path() const { return path_; }
  std::string operator/(const std::string &name) const { return path_ + kSlash + native(name); }
  std::string directory(const std::string &name) const {
    std::filesystem::create_directories(file_path(*this / name));
    return *this / name;
  }

 private:
  std::string path_;
};

inline std::string read_file(const std::string &path) {
  std::ifstream file(file_path(path), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::string &path, const std::string &bytes) {
  std::ofstream file(file_path(path), std::ios::binary);
  file << bytes;
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace child
