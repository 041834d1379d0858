// plugins/shared/cache/bundle.cpp -- see bundle.h.
#include "plugins/shared/cache/bundle.h"

#include <algorithm>
#include <cstring>

#include "plugins/shared/host/barrier.h"

namespace gpuopt::plugin {
namespace {

constexpr size_t kSum = 32;  // bytes of a checksum

[[noreturn]] void refuse(const std::string &why) { throw Failure{GPUOPT_ERR_FORMAT, GPUOPT_REASON_NONE, 0, why}; }

// Appends a part, with its size in front.
void put(std::string &out, std::string_view part) {
  const uint64_t size = part.size();
  out.append(reinterpret_cast<const char *>(&size), sizeof size).append(part);
}

// Takes such a part from the front of `rest`. Throws if it is cut short.
std::string_view take(std::string_view &rest) {
  uint64_t size = 0;
  if (rest.size() >= sizeof size) std::memcpy(&size, rest.data(), sizeof size);
  if (rest.size() < sizeof size || rest.size() - sizeof size < size) refuse("a bundle of kernels is cut short");
  const std::string_view part = rest.substr(sizeof size, size);
  rest.remove_prefix(sizeof size + size);
  return part;
}

BundlePiece read_piece(std::string_view bytes) {
  if (bytes.size() < kSum || bytes.substr(0, kSum) != bytes_of(Sha256::of(bytes.substr(kSum))))
    refuse("a bundle of kernels is damaged: a checksum is not that of its bytes");
  bytes.remove_prefix(kSum);
  BundlePiece piece;
  for (std::string_view *part : {&piece.backend, &piece.build, &piece.target, &piece.kernel, &piece.key, &piece.code})
    *part = take(bytes);
  return piece;
}

}  // namespace

std::string sealed(const BundlePiece &piece) {
  std::string rest;
  for (const std::string_view part : {piece.backend, piece.build, piece.target, piece.kernel, piece.key, piece.code})
    put(rest, part);
  return std::string(bytes_of(Sha256::of(rest))) + rest;
}

std::string source_piece(std::string_view kernel, std::string_view text) {
  return sealed({kSourcePiece, "", "", kernel, "", text});
}

std::vector<BundlePiece> read_pieces(std::string_view bytes) {
  std::vector<BundlePiece> pieces;
  while (!bytes.empty()) pieces.push_back(read_piece(take(bytes)));
  return pieces;
}

void Bundles::add(std::string_view bytes) {
  std::vector<BundlePiece> pieces = read_pieces(bytes);
  std::erase_if(pieces, [&](const BundlePiece &piece) { return piece.backend != backend_; });
  for (const BundlePiece &piece : pieces) {
    if (piece.build != build_)
      refuse("a bundle of kernels was made by another release: its code for " + std::string(piece.target) + " is of " +
             std::string(piece.build) + ", this is " + build_ + "; make it again with this release's gpuopt-aot");
    if (piece.key.size() != sizeof(Key)) refuse("a bundle of kernels has a key of a wrong size");
  }
  const std::lock_guard lock(mutex_);
  for (const BundlePiece &piece : pieces) {
    Key key;
    std::memcpy(key.data(), piece.key.data(), key.size());
    code_.insert_or_assign(key, piece.code);
    targets_.emplace(piece.target);
  }
}

std::optional<std::string_view> Bundles::find(const Key &key) {
  const std::lock_guard lock(mutex_);
  const auto place = code_.find(key);
  return place == code_.end() ? std::nullopt : std::optional(place->second);
}

std::vector<std::string> Bundles::targets() {
  const std::lock_guard lock(mutex_);
  return {targets_.begin(), targets_.end()};
}

std::string Bundles::piece(std::string_view target, std::string_view kernel, const Key &key,
                           std::string_view code) const {
  return sealed({backend_, build_, target, kernel, bytes_of(key), code});
}

}  // namespace gpuopt::plugin
