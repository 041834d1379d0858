// tools/plugin_test/compare.h -- one computation on two devices: the same numbers in any layout, results to the
// bit.
#pragma once
#include <functional>
#include <gpuopt/gpuopt.hpp>
#include <set>

#include "tools/plugin_test/rules.h"

namespace gpuopt::plugin_test {

// How an operand lies in memory. All hold the same numbers, but that of a broadcast one all rows are the first.
enum Layout { kContiguous, kTransposed, kStrided, kReversed, kOffset, kBroadcast, kLayouts };
const char *layout_name(int layout);

// Which numbers an operand holds: kAll also infinities, NaN, extremes; kTame none whose sums drown the others;
// kPositive also no zero.
enum class Range { kAll, kTame, kPositive };

struct Numbers {
  gpuopt_dtype dtype;
  int64_t rows, columns;
  Range range = Range::kAll;
  int number = 0;  // different ones for different operands
};

// One of the two devices. Only on the tested one operands lie as asked; on the other they are contiguous.
class Side {
 public:
  Side(device where, bool plain) : where_(std::move(where)), plain_(plain) {}
  const device &where() const { return where_; }
  array operand(const Numbers &numbers, int layout = kContiguous) const;

 private:
  device where_;
  bool plain_;
};

// A device that is lost, or memory that was: there is nothing to be found out any more.
struct Hopeless : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The comparisons that one rule is made of.
class Comparison {
 public:
  Comparison(const Side &tested, const Side &reference, Recorder &recorder, const std::string &rule);
  ~Comparison();  // ends the rule
  Comparison(const Comparison &) = delete;

  using Work = std::function<array(const Side &)>;
  // Runs `work` on both. `what` says which dtype it is about ("not offered for int8"), `place` which case of it. False
  // if it makes no sense to go on with other cases of `what`.
  bool same(const std::string &what, const std::string &place, const Work &work);
  // The same where bits may differ: each number within `tolerance` times that of `scale`, computed by the reference.
  bool close(const std::string &what, const std::string &place, const Work &work, const Work &scale, double tolerance);

 private:
  // Calls body(), which computes on both; false if it makes no sense to go on, which is noted.
  bool run(const std::string &what, const std::string &place, const std::function<void()> &body);

  const Side &tested_, &reference_;
  Recorder &recorder_;
  int compared_ = 0;
  std::set<std::string> unsupported_;
  std::string problem_, unjudged_;  // what is wrong with the tested one, and with the reference
};

}  // namespace gpuopt::plugin_test
