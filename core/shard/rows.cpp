// core/shard/rows.cpp -- see rows.h.
#include "core/shard/rows.h"

#include <algorithm>
#include <map>

#include "core/ops/join.h"

namespace gpuopt {
namespace {

Range common(Range a, Range b) { return {std::max(a.begin, b.begin), std::min(a.end, b.end)}; }
bool is_empty(Range range) { return range.begin >= range.end; }

// One call of fetch_rows().
class Fetch {
 public:
  Fetch(Call &call, gpuopt_array part, std::span<const int64_t> bounds, const Wanted &wanted)
      : call_(call), part_(part), bounds_(bounds), wanted_(wanted), own_(rows_of(call.rank())) {
    row_ = dtype_size(part->dtype);
    for (int axis = 1; axis < part->ndim; ++axis) row_ *= part->shape[axis];
  }

  ArrayRef run() {
    for (int32_t i = 1; i < call_.size(); ++i) send_to((call_.rank() + i) % call_.size());
    for (const Range &wish : wishes(call_.rank())) take(wish);
    for (int32_t i = 1; i < call_.size(); ++i) receive_from((call_.rank() - i + call_.size()) % call_.size());
    call_.flush();
    return assembled();
  }

 private:
  struct Piece {
    int32_t source;
    ArrayRef here;                     // of this rank itself
    std::unique_ptr<Incoming> coming;  // of another rank
  };

  Range rows_of(int32_t rank) const {
    return {bounds_[static_cast<size_t>(rank)], bounds_[static_cast<size_t>(rank) + 1]};
  }
  const std::vector<Range> &wishes(int32_t rank) const { return wanted_[static_cast<size_t>(rank)]; }
  ArrayRef view(Range range) const { return part_view(part_, 0, range.begin - own_.begin, range.end - range.begin); }

  // Adds a message for each range that a rank wants of this one. Elements that several ranks want are staged once.
  void send_to(int32_t rank) {
    for (const Range &wish : wishes(rank)) {
      const Range range = common(wish, own_);
      if (is_empty(range) || !row_) continue;
      auto [place, is_new] = staged_.try_emplace({range.begin, range.end});
      if (is_new) place->second = Outgoing(view(range).get(), place_of(call_));
      call_.send(rank, place->second.data(), (range.end - range.begin) * row_);
    }
  }

  // Cuts a range that this rank wants into what each rank has of it.
  void take(Range wish) {
    for (int32_t rank = 0; rank < call_.size(); ++rank) {
      const Range range = common(wish, rows_of(rank));
      if (is_empty(range)) continue;
      Piece piece{rank, {}, {}};
      if (rank == call_.rank())
        piece.here = view(range);
      else
        piece.coming = std::make_unique<Incoming>(part_->stream.get(), part_->dtype,
                                                  with_rows(*part_, range.end - range.begin), place_of(call_));
      pieces_.push_back(std::move(piece));
      sizes_.push_back(range.end - range.begin);
    }
  }

  void receive_from(int32_t rank) {
    for (size_t k = 0; row_ && k < pieces_.size(); ++k)
      if (pieces_[k].source == rank) call_.receive(rank, pieces_[k].coming->data(), sizes_[k] * row_);
  }

  ArrayRef assembled() {
    std::vector<ArrayRef> arrays;
    for (Piece &piece : pieces_) arrays.push_back(piece.coming ? piece.coming->finish() : std::move(piece.here));
    if (arrays.empty()) return part_view(part_, 0, 0, 0);
    if (arrays.size() == 1) return arrays[0];
    std::vector<gpuopt_array> handles;
    for (const ArrayRef &x : arrays) handles.push_back(x.get());
    return joined(handles, 0, part_->dtype, call_.name());
  }

  Call &call_;
  const gpuopt_array part_;
  const std::span<const int64_t> bounds_;
  const Wanted &wanted_;
  const Range own_;
  int64_t row_;  // the bytes of a row
  std::map<std::pair<int64_t, int64_t>, Outgoing> staged_;
  std::vector<Piece> pieces_;
  std::vector<int64_t> sizes_;  // the rows of each piece
};

}  // namespace

Wanted all_wanted(int32_t ranks, int64_t rows, int32_t root) {
  Wanted wanted(static_cast<size_t>(ranks));
  for (int32_t r = 0; r < ranks; ++r)
    if (root < 0 || r == root) wanted[static_cast<size_t>(r)] = {{0, rows}};
  return wanted;
}

Wanted wanted_between(std::span<const int64_t> bounds) {
  Wanted wanted;
  for (size_t r = 0; r + 1 < bounds.size(); ++r) wanted.push_back({{bounds[r], bounds[r + 1]}});
  return wanted;
}

ArrayRef fetch_rows(Call &call, gpuopt_array part, std::span<const int64_t> bounds, const Wanted &wanted) {
  return Fetch(call, part, bounds, wanted).run();
}

}  // namespace gpuopt
