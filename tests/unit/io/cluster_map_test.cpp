#include "io/redis/deployment/cluster_map.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "io/redis/deployment/redirection.h"
#include "tools/replies.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

Reply node(const std::string& host, int port) {
  return array({text(host), integer(port), text("id")});
}

Reply range(int first, int last, std::vector<Reply> nodes) {
  std::vector<Reply> parts{integer(first), integer(last)};
  parts.insert(parts.end(), nodes.begin(), nodes.end());
  return array(std::move(parts));
}

Redirection redirection(const std::string& error) {
  return redirection_in(text(error, Reply::Type::error), "10.0.0.9");
}

}  // namespace

TEST_CASE("a map joins the ranges of a master, and knows the slots that nobody serves") {
  const Reply reply = array({range(10, 20, {node("10.0.0.2", 7000)}),
                             range(0, 4, {node("", 7001), node("10.0.0.3", 7002)}),
                             range(30, 30, {node("10.0.0.2", 7000)})});
  const ClusterMap map = read_cluster_map(reply, "10.0.0.1");
  REQUIRE(map.shards.size() == 2);
  CHECK(map.shards[0].master == NodeAddress{"10.0.0.1", 7001});  // the host that was asked
  CHECK(map.shards[0].replicas == std::vector<NodeAddress>{{"10.0.0.3", 7002}});
  CHECK(map.shards[1].slots == 12);
  CHECK(map.owner[4] == 0);
  CHECK(map.owner[5] == ClusterMap::kNobody);
  CHECK(map.owner[30] == 1);
  CHECK(map.uncovered() == kSlots - 17);
  CHECK(map.find({"10.0.0.2", 7000}) == 1);
  CHECK(map.find({"10.0.0.2", 7001}) == ClusterMap::kNobody);
}

TEST_CASE("nodes that serve nothing yet are told by CLUSTER NODES, with the names they announce") {
  const auto nodes = read_cluster_nodes(
      "a1 10.0.0.1:7000@17000,a.example myself,master - 0 0 1 connected 0-5460\n"
      "a2 ::1:7001@17001,,tls-port=1 slave,fail? a1 0 0 1 connected\n"
      "a3 :0@0 master,noaddr - 0 0 1 disconnected\n"
      "a4 10.0.0.4:7004@17004 handshake - 0 0 0 connected\n"
      "a5 :7005@17005 myself,master - 0 0 1 connected\n"
      "a6 10.0.0.6:7006 master - 0 0 1 connected\n"
      "a7 10.0.0.7\n\n"
      "a8  master - 0 0 1 connected\n"
      "a9 , master - 0 0 1 connected\n");
  REQUIRE(nodes.size() == 3);
  CHECK(nodes[0].address == NodeAddress{"10.0.0.1", 7000});
  CHECK(nodes[0].hostname == "a.example");
  CHECK_FALSE(nodes[0].is_replica);
  CHECK(nodes[1].address == NodeAddress{"::1", 7001});
  CHECK(nodes[1].is_replica);
  CHECK(nodes[2].address == NodeAddress{"10.0.0.6", 7006});
}

TEST_CASE("a node's own slots are told by CLUSTER NODES, with those that are moving") {
  const OwnSlots own = read_own_slots(
      "a1 10.0.0.1:7000@17000 master - 0 0 1 connected 5461-10922 [7->-a3]\n"
      "a2 10.0.0.2:7001@17001 myself,master - 0 0 1 connected 0-5460 9000 [93->-a1] [77-<-a1] [x\n"
      "a3 10.0.0.3:7002@17002 master - 0 0 1 connected\n");
  CHECK(own.served == "0-5460 9000 ");
  CHECK(own.open == std::set<int>{77, 93});
  CHECK(read_own_slots("") == OwnSlots{});
}

TEST_CASE("a reply that is no map is refused, whatever is wrong in it") {
  const std::vector<Reply> wrong{
      text("OK"),
      array({text("x")}),
      array({range(5, 4, {node("h", 1)})}),
      array({range(0, 16384, {node("h", 1)})}),
      array({range(-1, 3, {node("h", 1)})}),
      array({range(0, 3, {node("h", 65536)})}),
      array({range(0, 3, {})}),
      array({range(0, 3, {array({text("h")})})}),
      array({range(0, 3, {array({text("h"), text("7000")})})}),
  };
  REQUIRE(wrong.size() == 9);
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    CAPTURE(i);
    CHECK_THROWS_AS(read_cluster_map(wrong[i], "h"), Error);
  }
}

TEST_CASE("redirections are read from errors, those without a host mean the same host") {
  using Kind = Redirection::Kind;
  CHECK(redirection("MOVED 3999 127.0.0.1:6381").kind == Kind::moved);
  CHECK(redirection("MOVED 3999 127.0.0.1:6381").node == NodeAddress{"127.0.0.1", 6381});
  CHECK(redirection("MOVED 3999 :6381").node == NodeAddress{"10.0.0.9", 6381});
  CHECK(redirection("MOVED 3999 [::1]:6381").node == NodeAddress{"::1", 6381});
  CHECK(redirection("ASK 3999 127.0.0.1:6381").kind == Kind::ask);
  CHECK(redirection("TRYAGAIN Multiple keys").kind == Kind::later);
  CHECK(redirection("CLUSTERDOWN Hash slot not served").kind == Kind::later);
  CHECK(redirection("MOVED").kind == Kind::none);
  CHECK(redirection("MOVED 3999 127.0.0.1:x").kind == Kind::none);
  CHECK(redirection("MOVED 3999 127.0.0.1:65536").kind == Kind::none);
  CHECK(redirection("MOVEDX 1 a:1").kind == Kind::none);
  CHECK(redirection("CROSSSLOT Keys").kind == Kind::none);
  CHECK(redirection_in(text("MOVED 1 a:1"), "h").kind == Kind::none);  // an answer, no error
}
