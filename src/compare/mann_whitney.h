// Whether two samples differ, by their ranks alone: no shape of distribution is assumed, and one
// wild round weighs no more than its place. Pure; no samples on a side is no evidence (p = 1).
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

// How likely ranks as far apart as these are when both samples come from one source.
struct RankTest {
  double u = 0;          // pairs in which `second` is above `first`; a tie is a half
  double p_greater = 1;  // `second` is as high as this, or higher
  double p_less = 1;
  double p_either = 1;  // two-sided
  bool exact = true;    // every order counted, ties included; above 60 samples the normal curve
};
RankTest mann_whitney(std::span<const double> first, std::span<const double> second);

// How many times `second` is `first`: the median of all quotients, and the interval of the
// quotients that the rank test does not reject at 1 - confidence. All samples must be positive.
struct RatioEstimate {
  double ratio = 1;
  double low = 1;
  double high = 1;
};
RatioEstimate estimate_ratio(std::span<const double> first, std::span<const double> second,
                             double confidence);

// Each p as it counts when the whole family was tested at once: however many tests there are, the
// chance of even one false alarm stays at the level. In the order given.
std::vector<double> holm_adjusted(std::span<const double> p);

}  // namespace rlctl
