// Tests by ranks whether two samples differ. It assumes no distribution, and one outlier counts
// only by its rank. Pure; an empty sample is no evidence (p = 1).
//
// H. B. Mann, D. R. Whitney: On a test of whether one of two random variables is stochastically
//   larger than the other. Annals of Mathematical Statistics 18 (1947), 50-60.
// J. L. Hodges, E. L. Lehmann: Estimates of location based on rank tests. Annals of Mathematical
//   Statistics 34 (1963), 598-611.
// S. Holm: A simple sequentially rejective multiple test procedure. Scandinavian Journal of
//   Statistics 6 (1979), 65-70.
#pragma once

#include <span>
#include <vector>

namespace rlctl {

// The probability of ranks at least this different if both samples come from one source.
struct RankTest {
  double u = 0;          // pairs in which `second` is above `first`; a tie is a half
  double p_greater = 1;  // of a `second` as high as this, or higher
  double p_less = 1;
  double p_either = 1;  // two-sided
  bool exact = true;    // counts all orders, with ties; false above 60 samples: normal curve
};
RankTest mann_whitney(std::span<const double> first, std::span<const double> second);

// The ratio of `second` to `first`: the median of all quotients, and the interval of the quotients
// that the rank test does not reject at 1 - confidence. All samples must be positive.
struct RatioEstimate {
  double ratio = 1;
  double low = 1;
  double high = 1;
};
RatioEstimate estimate_ratio(std::span<const double> first, std::span<const double> second,
                             double confidence);

// Each p, adjusted for testing the whole family at once: for any number of tests, the probability
// of one or more false alarms stays at the chosen level. The order is unchanged.
std::vector<double> holm_adjusted(std::span<const double> p);

}  // namespace rlctl
