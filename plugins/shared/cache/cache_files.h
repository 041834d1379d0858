// plugins/shared/cache/cache_files.h -- the files of a cache directory; cache_files_posix.cpp and
// cache_files_windows.cpp implement them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuopt::plugin {

// Returns whether the text consists of that many hexadecimal digits, in lower case.
inline bool is_hexadecimal(std::string_view text, size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// A directory that was found trustworthy and is held open, with folders in it and files in these: nothing that happens
// to its path later leads elsewhere, and no link is followed. Safe from any thread.
class CacheFiles {
 public:
  // An entry is named by its key in hexadecimal digits: those of the first byte are its folder's name.
  static constexpr size_t kFolderDigits = 2, kNameDigits = 62;

  enum class Opening { done, absent, refused };

  struct Entry {
    std::string folder, name;
    uint64_t bytes;
    int64_t age;  // seconds since it was last used; negative where clocks disagree
    bool unfinished;
  };

  CacheFiles();
  ~CacheFiles();

  // Opens the directory, which is created first if `create` and it does not exist. With `owned`, it and all in it must
  // belong to this user; otherwise to anybody, if others may not write to it. If it is refused, `problem` says why.
  Opening open(const std::string &directory, bool owned, bool create, std::string &problem);

  // Returns the contents of a file; nothing if there is none, or it is not trusted. If `owned`, notes the use as the
  // file's time, at most once a day.
  std::optional<std::string> read(const std::string &folder, const std::string &name);
  // Writes a file at once: a reader sees the old contents or the new ones. On failure returns false, with the reason in
  // `problem`.
  bool write(const std::string &folder, const std::string &name, std::string_view contents, std::string &problem);
  void remove(const std::string &folder, const std::string &name);
  // Returns the files that are named as entries are, or as unfinished ones. Whatever else lies in the directory, which
  // may be used for more than a cache, is not this cache's to count or to remove.
  std::vector<Entry> list();

  // Tries to acquire the directory's lock, which at most one caller of all processes holds. Returns NULL at once if it
  // is taken. It is released when the returned object is destroyed, or the process ends.
  std::shared_ptr<void> try_lock();

 private:
  bool owned_ = true;
#if defined(_WIN32)
  std::shared_ptr<void> folder(const std::wstring &path, bool create);
  void note_use(const std::wstring &path);

  std::shared_ptr<void> root_;
  std::wstring path_;
#else
  int folder(const std::string &name, bool create);

  int root_ = -1;
#endif
};

}  // namespace gpuopt::plugin
