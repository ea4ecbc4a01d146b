#include "entry_points.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/timestamp.h"
#include "base/units.h"
#include "handshake.h"
#include "io/http/h2_session.h"
#include "io/http/http_body.h"
#include "io/http/http_head.h"
#include "io/http/response_reader.h"
#include "io/redis/deployment/cluster_map.h"
#include "io/redis/deployment/redirection.h"
#include "io/redis/deployment/sentinel.h"
#include "io/redis/reply_reader.h"
#include "limiter/manifest.h"
#include "log/log_parser.h"
#include "plan/plan.h"
#include "policy/rate_limit_fields.h"
#include "policy/rls_message.h"
#include "report/documents.h"
#include "report/page/of_plan.h"
#include "report/plan_text.h"
#include "report/verify_text.h"
#include "result/codec.h"
#include "scenario/read/scenario_reader.h"
#include "verdict/outcome/verify_result.h"

using namespace rlctl;

namespace {

void expect(bool right, const char* what) {
  if (!right) throw std::logic_error(what);
}

// Reads as `read` does; empty where the input was at fault.
template <class Read>
auto unless_refused(Read read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const Error& error) {
    expect(error.exit() == Exit::usage, "an input that is wrong is exit 2");
    return std::nullopt;
  }
}

// Takes one byte, which chooses among `count`.
std::size_t choice(std::string_view& bytes, std::size_t count) {
  if (bytes.empty()) return 0;
  const auto chosen = static_cast<unsigned char>(bytes.front());
  bytes.remove_prefix(1);
  return chosen % count;
}

LogReadOptions read_options(std::size_t which) {
  static constexpr std::array kFormats{
      "",
      "json",
      "csv",
      "nginx",
      "apache",
      "haproxy",
      "$remote_addr $msec $request_time $status",
      R"($remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent)"};
  LogReadOptions options;
  options.format = kFormats.at(which % kFormats.size());
  options.bad_lines = 1;
  if (which >= kFormats.size())
    options.columns = LogColumns(parse_column_name("t:ms"), parse_column_name("-"),
                                 parse_column_name("s"), parse_column_name("d:ms"));
  return options;
}

Rule contract_of(std::size_t which) {
  Rule contract;
  contract.kind = kRuleRows[which % std::size(kRuleRows)].meaning;
  contract.limit = 3;
  contract.window_us = 1'000'000;
  contract.capacity = 2;
  if (which >= 5) contract.phase_us.reset();
  contract.counts_denied = which % 2 == 1;
  return contract;
}

// Takes every outcome as admitted: a copy.
void plan_for(Log log, const Rule& rule) {
  const PlanOptions options;
  Arrivals arrivals(log, {}, options);
  const ClientBy by = parse_client_by("key");
  arrivals.tell_apart(by);
  Plan plan = begin_plan(arrivals);
  plan.policies = plan_policies(arrivals, by, {{rule}}, options);
  for (const PolicyPlan& policy : plan.policies)
    expect(policy.certain <= policy.possible, "what is certain is possible");
  plan_text(report_of_plan(plan, 10));
  clients_csv(plan);
  to_json(document_of(plan, 10)).dump(-1, ' ', true);
}

void judge_all(ParsedLogs logs, std::size_t which) {
  VerifyResult result;
  result.source = std::move(logs);
  for (ParsedHistory& parsed : std::exchange(result.source.histories, {})) {
    JudgedHistory history;
    history.parsed = std::move(parsed);
    Log& log = history.parsed.log;
    if (log.policy.rules.empty()) {
      log.policy = policy_of({Rule{.limit = 3, .window_us = 1'000'000}});
      log.contract = {contract_of(which)};
    }
    history.verdict = unless_refused([&] { return judge(log, {}); });
    history.inference = infer(log, {});
    plan_for(log, contract_of(which));
    result.histories.push_back(std::move(history));
  }
  verify_text(result);
  to_json(document_of(result)).dump(-1, ' ', true);
}

void read_log(std::string_view bytes) {
  const std::size_t which = choice(bytes, 80);
  auto logs = unless_refused([&] {
    LogParser parser(read_options(which / 5));
    parser.begin_file("fuzzed", bytes.size());
    // In two pieces, because a file is read in pieces.
    parser.feed(bytes.substr(0, bytes.size() / 2));
    parser.feed(bytes.substr(bytes.size() / 2));
    parser.end_file();
    return parser.finish();
  });
  if (logs) judge_all(std::move(*logs), which % 10);
}

void read_units(std::string_view bytes) {
  if (const auto us = unless_refused([&] { return parse_duration_us(bytes, "d"); }))
    expect(parse_duration_us(format_duration(*us), "d") == *us,
           "a duration reads as it is written");
  unless_refused([&] { return parse_positive_duration_us(bytes, "d"); });
  if (const auto count = unless_refused([&] { return parse_count(bytes, "n"); }))
    expect(*count >= 1 && !format_count(*count).empty(), "a count is 1 or more");
  if (const auto rate = unless_refused([&] { return parse_rate(bytes, "r"); }))
    expect(rate->count >= 1 && rate->per_us >= 1, "a rate is above 0");
  unless_refused([&] { return StatusSet(bytes, "s").has(429); });
  for (const TimeUnit unit :
       {TimeUnit::seconds, TimeUnit::milliseconds, TimeUnit::microseconds, TimeUnit::nanoseconds}) {
    const auto time = parse_number_of(bytes, unit);
    expect(!time || (time->us >= 0 && time->us <= kLastInstantUs), "an instant is in range");
  }
  const auto time = parse_calendar_time(bytes);
  expect(!time || (time->us >= 0 && time->us <= kLastInstantUs), "a time is in range");
}

void read_manifest(std::string_view bytes) {
  const std::size_t which = choice(bytes, 3);
  const std::string text(bytes);
  unless_refused([&] {
    if (which == 0) return parse_manifest({"fuzzed.lua", text});
    if (which == 1) return parse_manifest({"fuzzed.lua", ""}, {"fuzzed.manifest", text});
    return parse_manifest({"fuzzed.lua", ""}, {}, {"--manifest", text});
  });
}

class FuzzedFiles final : public ScenarioFiles {
 public:
  std::optional<std::string> variable(std::string_view) override { return "x"; }
  std::string resolve(std::string_view path) override { return "/" + std::string(path); }
  std::string read(const std::string&) override { return "ip,user\n10.0.0.1,ann\n::1,bob\n"; }
};

void read_scenario(std::string_view bytes) {
  FuzzedFiles files;
  const ParsedScenario parsed = parse_scenario("fuzzed.json", std::string(bytes), files);
  expect(parsed.scenario.has_value() == parsed.mistakes.empty(), "a scenario, or its mistakes");
}

// The whole input and its pieces must give the same replies.
void read_reply(std::string_view bytes) {
  const auto count = [&](std::size_t piece) {
    ReplyReader reader;
    Reply reply;
    std::size_t replies = 0;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      const std::string_view part = bytes.substr(at, piece);
      reader.feed(part.data(), part.size());
      ReplyReader::Next next = reader.next(reply);
      for (; next == ReplyReader::Next::reply; next = reader.next(reply)) ++replies;
      if (next == ReplyReader::Next::protocol_error) {
        expect(!reader.error().empty(), "an error has words");
        return replies;
      }
    }
    return replies;
  };
  expect(count(1) == count(bytes.size() + 1), "replies do not depend on how they arrive");
}

// What a cluster or a Sentinel says of where the keys are.
void read_topology(std::string_view bytes) {
  ReplyReader reader;
  reader.feed(bytes.data(), bytes.size());
  for (Reply reply; reader.next(reply) == ReplyReader::Next::reply;) {
    if (const auto master = read_named_master(reply))
      expect(!master->address.host.empty() && master->epoch >= 0, "a named master has an address");
    for (const ClusterNode& node : read_cluster_nodes(reply.text))
      expect(!node.address.host.empty() && node.address.port != 0, "a node can be reached");
    for (const int slot : read_own_slots(reply.text).open)
      expect(slot >= 0 && slot < kSlots, "a slot that moves is one of the cluster");
    const Redirection redirection = redirection_in(reply, "here");
    if (redirection.kind == Redirection::Kind::moved)
      expect(redirection.node.port != 0, "a redirection leads somewhere");
    try {
      const ClusterMap map = read_cluster_map(reply, "here");
      int slots = map.uncovered();
      for (const ClusterShard& shard : map.shards) slots += shard.slots;
      expect(slots == kSlots, "each slot has one owner or none");
    } catch (const Error& error) {
      expect(error.exit() == Exit::target, "a reply that is wrong is exit 3");
    }
  }
}

void read_response_fields(std::string_view bytes) {
  static constexpr std::array kNames{"Retry-After",      "RateLimit",
                                     "RateLimit-Policy", "X-RateLimit-Reset",
                                     "RateLimit-Limit",  "X-RateLimit-Remaining",
                                     "RateLimit-Reset",  "Date"};
  std::vector<HeaderField> fields;
  for (std::size_t at = 0; at <= bytes.size() && fields.size() < 2 * kNames.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    fields.push_back(
        {kNames[fields.size() % kNames.size()], std::string(bytes.substr(at, end - at))});
    at = end + 1;
  }
  const RateLimitFields read = read_rate_limit_fields(fields, 1'700'000'000'000'000);
  expect(read.remaining() >= -1, "remaining is no less than nothing");
  expect(read.malformed.size() <= fields.size(), "a field is malformed once");
}

void read_http(std::string_view bytes) {
  read_response_fields(bytes);
  const std::size_t end = find_head_end(bytes);
  if (end == std::string_view::npos || end > kMostHeadBytes) return;
  HttpHead head;
  if (parse_http_head(bytes.substr(0, end), head) != 0) return;
  HttpBody body;
  if (body.start(head.framing) != 0) return;
  for (std::string_view rest = bytes.substr(end); !rest.empty() && !body.done();) {
    const std::size_t taken = body.take(rest.substr(0, 7));
    if (body.status() != 0) return;
    expect(taken > 0, "a body that wants more takes some");
    rest.remove_prefix(taken);
  }
}

// The whole input and its pieces must give the same response.
void read_response(std::string_view bytes) {
  const bool head_only = choice(bytes, 2) == 1;
  ResponseWishes wishes;
  wishes.kept_body_bytes = 100;
  wishes.keeps_field = [](std::string_view name) { return name.size() > 5; };
  const auto told = [&](std::size_t step) {
    HttpExchange exchange;
    ResponseReader reader;
    reader.begin(exchange, head_only);
    std::size_t taken = 0;
    while (taken < bytes.size() && !reader.done() && reader.problem().empty()) {
      const std::size_t more = reader.take(bytes.substr(taken, step), wishes);
      expect(more > 0, "a response that wants more takes some");
      taken += more;
    }
    if (reader.problem().empty() && !reader.done()) reader.end_stream();
    std::string text = std::to_string(exchange.status) + (reader.done() ? " done " : " not ") +
                       (reader.problem().empty() ? "right " : "wrong ") + exchange.body;
    for (const HeaderField& field : exchange.fields) text += "|" + field.name + ":" + field.value;
    expect(exchange.body.size() <= wishes.kept_body_bytes, "a body is cut");
    return text;
  };
  expect(told(1) == told(bytes.size() + 1), "a response does not depend on how it arrives");
}

// Cut anywhere: what libnghttp2 makes of a fault depends on what we could send in between.
void read_h2(std::string_view bytes) {
  const std::size_t step = 1 + choice(bytes, 60);
  const ResponseWishes wishes{100, [](std::string_view name) { return name.size() > 5; }};
  RenderedRequest rendered;
  rendered.render({"http://a/", "POST", std::string(100'000, 'b')});
  H2Session session(wishes);
  session.take(std::string_view("\0\0\0\4\0\0\0\0\0", 9), 1);  // the server's settings
  std::array<HttpExchange, 2> exchanges;
  std::array<H2Stream, 2> streams;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    streams.at(i).exchange = &exchanges.at(i);
    streams.at(i).request = std::make_shared<const H2Request>(rendered);
    session.ask(streams.at(i));
  }
  std::size_t ended = 0;
  for (std::size_t at = 0; at < bytes.size() && !session.is_over(); at += step) {
    session.written(session.output(2).size());
    session.take(bytes.substr(at, step), 3);
    ended += session.take_ended().size();
  }
  expect(ended + session.in_flight() == streams.size(), "a request ends once");
  for (const HttpExchange& exchange : exchanges) {
    expect(exchange.body.size() <= wishes.kept_body_bytes, "a body is cut");
    if (exchange.state == HttpExchange::State::replied)
      expect(exchange.status >= 200 && exchange.problem.empty(), "a reply is a final one");
    else
      expect((exchange.state == HttpExchange::State::pending) == exchange.problem.empty(),
             "a request that failed says why");
  }
}

// As it comes, and with the length that it has.
void read_rls(std::string_view bytes) {
  const HeaderField well{"grpc-status", "0"};
  std::string whole(1, '\0');
  for (const unsigned shift : {24U, 16U, 8U, 0U}) whole += static_cast<char>(bytes.size() >> shift);
  for (const std::string& body : {std::string(bytes), whole.append(bytes)}) {
    const RlsAnswer answer = read_rls_answer({&well, 1}, body);
    expect(answer.problem.empty() || !answer.is_ok, "an answer that is wrong is no decision");
    expect(answer.fields.limits.size() <= body.size() / 2, "a limit has its bytes");
    expect(answer.fields.remaining() >= -1, "remaining is no less than nothing");
  }
  const std::vector<HeaderField> failed{{"grpc-status", "14"},
                                        {"grpc-message", std::string(bytes)}};
  expect(!read_rls_answer(failed, whole).problem.empty(), "a call that failed has words");
}

constexpr std::array kEntryPoints{EntryPoint{"h2", read_h2},
                                  EntryPoint{"handshake", read_handshake},
                                  EntryPoint{"http", read_http},
                                  EntryPoint{"log", read_log},
                                  EntryPoint{"manifest", read_manifest},
                                  EntryPoint{"reply", read_reply},
                                  EntryPoint{"response", read_response},
                                  EntryPoint{"rls", read_rls},
                                  EntryPoint{"scenario", read_scenario},
                                  EntryPoint{"topology", read_topology},
                                  EntryPoint{"units", read_units}};

}  // namespace

std::span<const EntryPoint> entry_points() { return kEntryPoints; }
