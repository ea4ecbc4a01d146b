#include "io/redis/deployment/redirection.h"

#include "base/text.h"

namespace rlctl {

Redirection redirection_in(const Reply& reply, const std::string& here) {
  using Kind = Redirection::Kind;
  if (!reply.is_error()) return {};
  std::string_view rest = reply.text;
  const std::string_view code = take_until(rest, ' ');
  if (code == "TRYAGAIN" || code == "CLUSTERDOWN" || code == "MASTERDOWN" || code == "LOADING")
    return {Kind::later, {}};
  if (code != "MOVED" && code != "ASK") return {};
  take_until(rest, ' ');  // the slot
  const NodeAddress node = read_node_address(take_until(rest, ' '), here);
  if (node.port == 0) return {};
  return {code == "MOVED" ? Kind::moved : Kind::ask, node};
}

}  // namespace rlctl
