#include <algorithm>

#include "verdict/track/track_kinds.h"

namespace rlctl {
namespace {

// The virtual scheduling of GCRA (ITU-T I.371, annex A): the instant at which the bucket would be
// full again is a node of its own.
class BucketTrack : public RuleTrack {
 public:
  BucketTrack(const Rule& rule, const JointFrame& frame)
      : RuleTrack(rule, frame),
        token_(scaled(rule.window_us) / std::max<std::int64_t>(1, rule.limit)) {
    if (!frame.from_us) return;
    unseen_.push_back(unseen_take());
    full_at_.push_back(unseen_.back().full_at);
  }

  std::optional<Wait> to_wait(const Step& denial, std::size_t entered) const override {
    const Instant missing = 1 - excess(denial.cost) - tolerance_;
    const std::vector<Span> spans = spans_before(denial, entered, missing);
    if (spans.empty()) return {};
    return Wait{entry(spans.front().first), at(denial) + spans.front().plus};
  }

 protected:
  void room(const Step& step, Ways& ways) const override {
    if (excess(step.cost) > tolerance_) return;
    Way way;
    if (!full_at_.empty())
      way.with(later(full_at_.back(), step.node, excess(step.cost) - tolerance_));
    way.change = Change::enter;
    ways.push_back(way);
  }

  // Some span that ends at the denial must have used so much that the cost does not fit.
  void full(const Step& step, std::size_t entered, Ways& ways) const override {
    const Instant missing = 1 - excess(step.cost) - tolerance_;  // at least this, for a denial
    if (missing <= 0) return add_denied(step, Way(), ways);
    for (const Span& span : spans_before(step, entered, missing))
      add_denied(step, Way().with(later(step.node, entry(span.first), span.plus)), ways);
    for (const UnseenTake& take : unseen_) {
      if (take.entered > entered) break;
      Way way;
      if (take.entered > 0) way.with(later(entry(take.entered - 1), log_begins_, 0));
      way.with(later(step.node, take.full_at, missing - token_ * sum(take.entered, entered)));
      add_denied(step, way, ways);
    }
  }

  void enter(const Step& step, const Way& way) override {
    RuleTrack::enter(step, way);
    Instants& instants = *frame_.instants;
    const Node full = instants.add(-kEver, kEver);
    const bool goes_on = !busiest_.empty() && instants.at(full_at_.back()) > instants.at(step.node);
    busiest_.push_back(goes_on ? busiest_.back() : entries() - 1);
    instants.require(later(step.node, full, token_ * step.cost));
    if (!full_at_.empty()) instants.require(later(full_at_.back(), full, token_ * step.cost));
    full_at_.push_back(full);
    if (log_begins_ != kNoNode && at(step) <= instants.high(log_begins_)) may_be_taken_from(full);
  }
  void leave() override {
    if (!unseen_.empty() && unseen_.back().entered == entries()) unseen_.pop_back();
    full_at_.pop_back();
    busiest_.pop_back();
    RuleTrack::leave();
  }

 private:
  // Requests that the log does not show may have taken from it after so many entries, so that it is
  // full at that instant at the earliest.
  struct UnseenTake {
    Node full_at;
    std::size_t entered;
  };
  UnseenTake unseen_take() const {
    // What was denied may have taken more than it holds.
    const Instant latest =
        rule_.counts_denied ? kEver : placed(*frame_.from_us) + token_ * rule_.capacity;
    return {frame_.instants->add(-kEver, latest), entries()};
  }
  void may_be_taken_from(Node full) {
    constexpr std::size_t kMost = 16;
    if (unseen_.size() == kMost) return frame_.instants->give_up();
    unseen_.push_back(unseen_take());
    frame_.instants->require(later(unseen_.back().full_at, full, 0));
  }

  // How long after a full bucket's last drop this cost fits: negative, if it fits at once.
  Instant excess(std::int64_t cost) const { return token_ * (cost - rule_.capacity); }
  // A span from an admission to a denial that may have used too much, if the admission is not
  // before the denial plus this.
  struct Span {
    std::size_t first;
    Instant plus;
    Instant shortfall;  // how far that moves the admission
  };

  // The spans that move their first admission least. One that surely used too much is enough.
  std::vector<Span> spans_before(const Step& step, std::size_t entered, Instant missing) const {
    std::vector<Span> spans;
    if (entered == 0) return spans;
    const Instants& instants = *frame_.instants;
    const std::size_t busiest = busiest_[entered - 1];
    const auto add = [&](std::size_t first) {
      const Instant plus = missing - token_ * sum(first, entered);
      const Instant least = instants.at(step.node) + plus;
      if (least <= instants.high(entry(first)))
        spans.push_back({first, plus, std::max<Instant>(0, least - instants.at(entry(first)))});
      return instants.high(step.node) + plus <= instants.at(entry(first));
    };
    if (add(busiest)) return spans;
    for (std::size_t first = entered; first-- > 0;) {
      if (scans_left_-- <= 0) {
        frame_.instants->give_up();
        break;
      }
      if (first != busiest && add(first)) return {spans.back()};
      if (is_full_before(first)) break;
    }
    std::ranges::stable_sort(spans, {}, &Span::shortfall);
    if (spans.size() > frame_.most_spans) {
      frame_.instants->give_up();
      spans.resize(frame_.most_spans);
    }
    return spans;
  }

  // Whether the bucket is full before this entry, wherever the others are: longer spans do not
  // matter.
  bool is_full_before(std::size_t first) const {
    if (first == 0) return true;
    const Instants& instants = *frame_.instants;
    const Instant full = instants.high(entry(first - 1)) + token_ * rule_.capacity + tolerance_;
    return full < instants.at(entry(first));
  }

  static constexpr std::int64_t kMostScanned = 20'000'000;

  Instant token_;
  std::vector<Node> full_at_;
  std::vector<UnseenTake> unseen_;
  // Of each entry: where the span begins that ends with it and has used most, as the instants were
  // when it entered.
  std::vector<std::size_t> busiest_;
  // Entries that may still be looked at for spans: a bucket that is never full has one for each
  // pair of a denial and an admission.
  mutable std::int64_t scans_left_ = kMostScanned;
};

}  // namespace

std::unique_ptr<RuleTrack> make_bucket_track(const Rule& rule, const JointFrame& frame) {
  return std::make_unique<BucketTrack>(rule, frame);
}

}  // namespace rlctl
