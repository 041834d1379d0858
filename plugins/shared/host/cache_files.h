// plugins/shared/host/cache_files.h -- the files of a cache directory; cache_files_posix.cpp and
// cache_files_windows.cpp implement them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuopt::plugin {

// Whether the text is that many hexadecimal digits, in lower case.
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

  // `owned` wants the directory and all in it to be this user's; otherwise anybody's that others may not write to.
  Opening open(const std::string &directory, bool owned, bool create, std::string &problem);

  // Nothing if there is none or it is not to be trusted. Reading notes the use, to the day.
  std::optional<std::string> read(const std::string &folder, const std::string &name);
  // False with the reason in `problem`. Whoever reads meanwhile sees the old file or the new one.
  bool write(const std::string &folder, const std::string &name, std::string_view contents, std::string &problem);
  void remove(const std::string &folder, const std::string &name);
  // What is named as entries are, or as files that were to become some. Whatever else lies in the directory, as in one
  // that is used for more than a cache, is not this cache's to count or to remove.
  std::vector<Entry> list();

  // Held by at most one caller of all processes, until it is destroyed or the process ends; NULL at once if taken.
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
