// tests/fuzz/targets/shared_bundle_fuzzer.cpp -- bundles of code compiled ahead of time, as a backend reads them. The
// first byte says whether the pieces get right checksums, which no fuzzer guesses.
#include "plugins/shared/cache/bundle.h"
#include "plugins/shared/host/barrier.h"
#include "tests/fuzz/targets/fuzz.h"

namespace {

using gpuopt::plugin::BundlePiece;

// Pieces whose checksums are right, with fields that the input cuts.
std::string with_checksums(fuzz::Input &input) {
  std::string bytes;
  while (!input.empty()) {
    std::string_view fields[6];
    for (std::string_view &field : fields) field = input.bytes(input.number<uint8_t>());
    const std::string piece =
        gpuopt::plugin::sealed({fields[0], fields[1], fields[2], fields[3], fields[4], fields[5]});
    const uint64_t size = piece.size();
    bytes.append(reinterpret_cast<const char *>(&size), sizeof size).append(piece);
  }
  return bytes;
}

void require_inside(std::string_view part, std::string_view whole) {
  const bool inside =
      part.empty() || (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
  fuzz::require(inside, "every field lies inside the bundle");
}

void read(std::string_view bytes) {
  try {
    for (const BundlePiece &piece : gpuopt::plugin::read_pieces(bytes)) {
      for (const std::string_view field :
           {piece.backend, piece.build, piece.target, piece.kernel, piece.key, piece.code})
        require_inside(field, bytes);
    }
    gpuopt::plugin::Bundles bundles("cpu", "build");
    bundles.add(bytes);
    fuzz::require(!bundles.find({}) || !bundles.targets().empty(), "code that is found is for a processor");
    fuzz::note_outcome(true);
  } catch (const gpuopt::plugin::Failure &failure) {
    fuzz::note_outcome(false);
    fuzz::require(failure.code == GPUOPT_ERR_FORMAT, "a bundle is refused for its format");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::Input input(data, size);
  const bool right_checksums = input.number<uint8_t>() & 1;
  const std::string bytes = right_checksums ? with_checksums(input) : std::string(input.rest());
  read(bytes);
  return 0;
}
