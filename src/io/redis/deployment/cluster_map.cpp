#include "io/redis/deployment/cluster_map.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace rlctl {
namespace {

[[noreturn]] void refuse() {
  throw Error(
      Exit::target, "the reply to CLUSTER SLOTS can't be read",
      "is something between rlctl and Redis that changes it? compare: redis-cli CLUSTER SLOTS");
}

std::int64_t number_in(const Reply& reply, std::int64_t most) {
  if (!reply.is_integer() || reply.integer < 0 || reply.integer > most) refuse();
  return reply.integer;
}

NodeAddress address_in(const Reply& node, const std::string& here) {
  if (node.elements.size() < 2) refuse();
  const std::string& host = node.elements[0].text;
  return {host.empty() ? here : host,
          static_cast<std::uint16_t>(number_in(node.elements[1], 65535))};
}

// [first slot, last slot, master, replica …]
struct SlotRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  ClusterShard shard;
};

SlotRange range_in(const Reply& reply, const std::string& here) {
  if (reply.elements.size() < 3) refuse();
  SlotRange range;
  range.first = number_in(reply.elements[0], kSlots - 1);
  range.last = number_in(reply.elements[1], kSlots - 1);
  if (range.last < range.first) refuse();
  range.shard.master = address_in(reply.elements[2], here);
  for (std::size_t i = 3; i < reply.elements.size(); ++i)
    range.shard.replicas.push_back(address_in(reply.elements[i], here));
  std::ranges::sort(range.shard.replicas);
  return range;
}

// The words of the lines: "ID 10.0.0.5:7000@17000,name,more FLAG,FLAG master …", and from the ninth
// word on the slots: "0-5460", "7000", "[93->-ID]" or "[93-<-ID]".
std::vector<std::vector<std::string>> node_lines(std::string_view text) {
  std::vector<std::vector<std::string>> lines;
  for (const std::string& line : split(text, '\n'))
    if (std::vector<std::string> words = split(line, ' '); words.size() >= 3)
      lines.push_back(std::move(words));
  return lines;
}

bool has_flag(const std::vector<std::string>& node, std::string_view flag) {
  return std::ranges::count(split(node[2], ','), flag) > 0;
}

}  // namespace

NodeAddress read_node_address(std::string_view text, const std::string& here) {
  const auto colon = text.rfind(':');
  if (colon == text.npos) return {};
  const auto port = parse_whole<std::uint16_t>(text.substr(colon + 1));
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {host.empty() ? here : std::string(host), port.value_or(0)};
}

int ClusterMap::uncovered() const { return static_cast<int>(std::ranges::count(owner, kNobody)); }

std::uint16_t ClusterMap::find(const NodeAddress& master) const {
  const auto found = std::ranges::lower_bound(
      shards, master, {}, [](const ClusterShard& shard) { return shard.master; });
  if (found == shards.end() || found->master != master) return kNobody;
  return static_cast<std::uint16_t>(found - shards.begin());
}

ClusterMap read_cluster_map(const Reply& slots, const std::string& here) {
  if (!slots.is_array()) refuse();
  std::vector<SlotRange> ranges;
  for (const Reply& reply : slots.elements) ranges.push_back(range_in(reply, here));
  std::ranges::sort(ranges, {}, [](const SlotRange& range) { return range.shard.master; });
  ClusterMap map;
  for (const SlotRange& range : ranges) {
    if (map.shards.empty() || map.shards.back().master != range.shard.master)
      map.shards.push_back(range.shard);
    map.shards.back().slots += static_cast<int>(range.last - range.first + 1);
    for (std::int64_t slot = range.first; slot <= range.last; ++slot) {
      std::uint16_t& owner = map.owner[static_cast<std::size_t>(slot)];
      if (owner != ClusterMap::kNobody) refuse();
      owner = static_cast<std::uint16_t>(map.shards.size() - 1);
    }
  }
  return map;
}

std::vector<ClusterNode> read_cluster_nodes(std::string_view text) {
  std::vector<ClusterNode> nodes;
  for (const std::vector<std::string>& words : node_lines(text)) {
    const auto has = [&](std::string_view flag) { return has_flag(words, flag); };
    const std::vector<std::string> names = split(words[1], ',');
    if (names.empty()) continue;
    ClusterNode node;
    node.address = read_node_address(names[0].substr(0, names[0].find('@')), "");
    if (names.size() > 1) node.hostname = names[1];
    node.is_replica = has("slave");
    if (!node.address.host.empty() && node.address.port != 0 && !has("noaddr") && !has("handshake"))
      nodes.push_back(std::move(node));
  }
  return nodes;
}

OwnSlots read_own_slots(std::string_view text) {
  constexpr std::size_t kFirstSlots = 8;
  OwnSlots own;
  for (const std::vector<std::string>& words : node_lines(text))
    for (std::size_t i = kFirstSlots; i < words.size() && has_flag(words, "myself"); ++i) {
      std::string_view slots = words[i];
      if (!slots.starts_with('[')) {
        own.served += words[i] + ' ';
        continue;
      }
      slots.remove_prefix(1);
      const auto slot = parse_whole<int>(take_until(slots, '-'));
      if (slot && *slot >= 0 && *slot < kSlots) own.open.insert(*slot);
    }
  return own;
}

}  // namespace rlctl
