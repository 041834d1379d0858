// core/device/discovery.h -- where plugin files are looked for, and which of them are there.
#pragma once
#include <gpuopt/gpuopt.h>

#include <string>
#include <vector>

#include "core/device/loader.h"

namespace gpuopt {

// A directory (or one plugin file) of the search list.
struct SearchPlace {
  std::string path;
  const char *origin;                         // the setting or rule that put it on the list
  bool is_file = false;                       // `path` is a plugin file
  bool checked = false;                       // others must not be able to change it: not where the library itself lies
  gpuopt_reason reason = GPUOPT_REASON_NONE;  // NONE: it is searched
  std::string detail = {};
};

// A caller's options (NULL: the defaults), checked.
gpuopt_device_options read_device_options(const gpuopt_device_options *options, const char *what);

// The search list, in order: options->plugin_path, GPUOPT_PLUGIN_PATH, <library>/gpuopt/1, the directory compiled in,
// the directory of the library. Places that are not searched are listed too, with the reason. Each directory is listed
// once.
std::vector<SearchPlace> search_places(const gpuopt_device_options &options);

// The files for one backend that exist on the list, in order and each once. A reason other than NONE: not to be loaded.
std::vector<Candidate> find_candidates(const std::vector<SearchPlace> &places, const std::string &name);

// Names of all plugin files on the list, for messages only; opens none.
std::vector<std::string> names_on_list(const std::vector<SearchPlace> &places);

// "no libgpuopt_x.so in: /a, /b; not searched: ./c (not an absolute path)".
std::string not_found_text(const std::vector<SearchPlace> &places, const std::string &name);

// The items of a comma-separated text, blanks around them taken off; empty items are kept.
std::vector<std::string> split_list(const std::string &text, char separator = ',');

}  // namespace gpuopt
