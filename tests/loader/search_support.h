// tests/loader/search_support.h -- what the tests of the search list share.
#pragma once
#include "tests/loader/child.h"

using child::Opened;
using child::plugin_directory;
using child::Result;
using Names = std::vector<std::string>;

inline Opened opened(const Result &result, size_t line = 0) { return child::parse_opened(result.out_lines().at(line)); }

// Which plugins of bad_plugin.cpp were opened by a child: each writes its name into a file.
struct Marker : child::Scratch {
  const std::string file = *this / "marker";
  Names seen() const { return Result::lines(child::read_file(file)); }
};

inline void copy_file(const std::string &from, const std::string &to) {
  std::filesystem::copy_file(child::file_path(from), child::file_path(to));
}
