#include "run/explore/local_states.h"

#include <algorithm>

namespace rlctl {
namespace {

constexpr int kTriesOfAWaiter = 3;

}  // namespace

std::string fingerprint(const Reply& reply) {
  std::string bytes(1, static_cast<char>(reply.type));
  put_number(bytes, reply.integer);
  put_text(bytes, reply.text);
  put_number(bytes, static_cast<std::int64_t>(reply.elements.size()));
  for (const Reply& element : reply.elements) bytes += fingerprint(element);
  return bytes;
}

LocalStates::Id LocalStates::start(const ProgramStart& start) {
  const auto [place, is_new] = starts_.try_emplace({start.client, start.now_us}, kNone);
  if (is_new) place->second = add({start, kNone, {}, {}});
  return place->second;
}

LocalStates::Id LocalStates::after(Id state, const Reply& reply) {
  const auto [place, is_new] = children_.try_emplace({state, fingerprint(reply)}, kNone);
  if (is_new) place->second = add({nodes_[state].start, state, reply, {}});
  return place->second;
}

LocalStates::Id LocalStates::add(Node node) {
  node.step = program_.next(node.start, replies_of(node));
  nodes_.push_back(std::move(node));
  return static_cast<Id>(nodes_.size() - 1);
}

std::vector<Reply> LocalStates::replies_of(const Node& node) const {
  std::vector<Reply> replies;
  for (const Node* at = &node; at->parent != kNone; at = &nodes_[at->parent])
    replies.push_back(at->reply);
  std::reverse(replies.begin(), replies.end());
  return replies;
}

bool LocalStates::waits_for_another(Id state, const Reply& reply) {
  const Words command = nodes_[state].step.command;
  for (int i = 0; i < kTriesOfAWaiter; ++i) {
    state = after(state, reply);
    if (nodes_[state].step.command != command) return false;
  }
  return true;
}

}  // namespace rlctl
