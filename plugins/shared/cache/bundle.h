// plugins/shared/cache/bundle.h -- bundles of code compiled ahead of time, as backends see them: pieces, each with its
// own checksum, that say what they are code of.
//
// A piece is a SHA-256, and the bytes of which it is the checksum: six strings, each with its size (8 bytes) in front.
// They are the backend, that backend's build, the processor, the kernel, its key as in a cache (cache.h), and the code.
// The core puts pieces together, with a head in front of them (core/kernels/bundle_format.h).
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/shared/cache/sha256.h"

namespace gpuopt::plugin {

struct BundlePiece {
  std::string_view backend, build, target, kernel, key, code;
};
// Returns the bytes of a piece.
std::string sealed(const BundlePiece &piece);
// Reads pieces that follow one another, each with its size in front. They refer to `bytes`. Throws Failure, ERR_FORMAT,
// if one is damaged or cut short.
std::vector<BundlePiece> read_pieces(std::string_view bytes);

// The text of a kernel is a piece of its own, for whoever looks into a bundle. Returns that piece.
inline constexpr std::string_view kSourcePiece = "source";
std::string source_piece(std::string_view kernel, std::string_view text);

using BundleSink = std::function<void(const std::string &piece)>;

// The code in the bundles that were loaded, of one backend and one build of it. Safe from any threads.
class Bundles {
 public:
  using Key = Sha256::Digest;
  Bundles(std::string backend, std::string build) : backend_(std::move(backend)), build_(std::move(build)) {}

  // Adds pieces. `bytes` must stay valid as long as the process lives. Throws Failure, ERR_FORMAT, as read_pieces(),
  // and for pieces of this backend but another build; then none is added.
  void add(std::string_view bytes);
  // Returns the code for a key; nothing if there is none.
  std::optional<std::string_view> find(const Key &key);
  // Returns the processors for which there is code.
  std::vector<std::string> targets();

  // Returns the bytes of a piece of this backend and build.
  std::string piece(std::string_view target, std::string_view kernel, const Key &key, std::string_view code) const;

 private:
  const std::string backend_, build_;
  std::mutex mutex_;
  std::map<Key, std::string_view> code_;
  std::set<std::string> targets_;
};

}  // namespace gpuopt::plugin
