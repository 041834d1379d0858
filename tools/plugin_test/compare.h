// tools/plugin_test/compare.h -- runs one computation on two devices, with the same numbers in any layout, and compares
// the results bit by bit.
#pragma once
#include <functional>
#include <gpuopt/gpuopt.hpp>
#include <set>

#include "tools/plugin_test/rules.h"

namespace gpuopt::plugin_test {

// The layout of an operand in memory. All layouts hold the same numbers, except that all rows of a broadcast operand
// are equal to the first row.
enum Layout { kContiguous, kTransposed, kStrided, kReversed, kOffset, kBroadcast, kLayouts };
const char *layout_name(int layout);

// Which numbers an operand holds. kAll: any, including infinities, NaN and extremes. kTame: small ones, so that none
// dominates a sum. kPositive: small ones greater than zero.
enum class Range { kAll, kTame, kPositive };

// The contents of an operand: a matrix of pseudorandom numbers, determined by dtype and `number`.
struct Numbers {
  gpuopt_dtype dtype;
  int64_t rows, columns;
  Range range = Range::kAll;
  int number = 0;  // the seed: different operands have different ones
};

// One of the two devices. On the one under test operands have the layout that is asked for; on the reference, for which
// `plain` is true, they are contiguous.
class Side {
 public:
  Side(device where, bool plain) : where_(std::move(where)), plain_(plain) {}
  const device &where() const { return where_; }
  array operand(const Numbers &numbers, int layout = kContiguous) const;

 private:
  device where_;
  bool plain_;
};

// Thrown if a device is lost (GPUOPT_ERR_DEVICE_LOST), so that no further comparison is possible.
struct Hopeless : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The comparisons of one rule. The constructor begins the rule and the destructor ends it with its verdict.
class Comparison {
 public:
  Comparison(const Side &tested, const Side &reference, Recorder &recorder, const std::string &rule);
  ~Comparison();
  Comparison(const Comparison &) = delete;

  using Work = std::function<array(const Side &)>;
  // Runs `work` on both devices and compares the results bit by bit. `what` is the dtype for messages ("not offered for
  // int8") and `place` the case. Returns false if other cases of `what` need not be tried. Throws Hopeless.
  bool same(const std::string &what, const std::string &place, const Work &work);

 private:
  // Calls body(), which computes on both devices, unless an earlier result makes that pointless, and records how it
  // fails. Returns false if other cases of `what` need not be tried.
  bool run(const std::string &what, const std::string &place, const std::function<void()> &body);

  const Side &tested_, &reference_;
  Recorder &recorder_;
  int compared_ = 0;
  std::set<std::string> unsupported_;  // each `what` that the device under test does not offer
  std::string problem_, unjudged_;     // what is wrong with the device under test, and with the reference
};

}  // namespace gpuopt::plugin_test
