// rlctl doctor: examines a Redis for what breaks limiters.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/escape.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/options/key_options.h"
#include "cli/options/policy_options.h"
#include "cli/options/redis_options.h"
#include "cli/options/server_share_options.h"
#include "cli/output/output.h"
#include "cli/output/paced_progress.h"
#include "cli/verb.h"
#include "inspect/companions.h"
#include "inspect/doctor/hot_keys.h"
#include "inspect/doctor/key_exam.h"
#include "inspect/doctor/memory_exam.h"
#include "inspect/doctor/script_exam.h"
#include "inspect/doctor/server_exam.h"
#include "inspect/unread_keys.h"
#include "io/redis/command.h"
#include "io/redis/keyspace.h"
#include "io/redis/redis_error.h"
#include "limiter/script_store.h"

namespace rlctl {
namespace {

struct DoctorOptions {
  RedisOptions redis;
  ServerShareOptions load;
  RegistryOptions registry;
  LayoutOptions layouts;
  PolicyOptions policy;
  KeyOptions pattern;
  std::vector<std::string> scripts;
  std::string fail_on = "warning";
  bool json = false;
  bool quiet = false;
};

struct Diagnosis {
  HealthFindings findings;
  std::set<std::string> unseen;               // in words, escaped
  std::map<std::string, std::string> silent;  // servers, and why they say nothing; escaped
  std::string endpoint;                       // of the only server, which has no name of its own
  std::string options;                        // that lead there
  std::size_t sentinels = 0;                  // by which it was found
  std::vector<ServerFacts> servers;
  ClientMemory memory;
  bool interrupted = false;
};

KeyExamPlan exam_plan(RedisSession& session, const DoctorOptions& options) {
  return {options.policy.optional_policy(), !options.pattern.targets().empty(),
          session.deployment().is_cluster()};
}

struct KeyExams {
  KeyExam keys;
  std::optional<UsedKeys> used;  // if a server counts uses, and this user may ask
  UnreadKeys unread;
};

Task<> add_uses(Redis& redis, std::vector<std::string> keys, KeyExams& exams,
                std::set<std::string>& unseen) {
  const Frequencies frequencies = co_await read_frequencies(redis, keys);
  if (!frequencies.refusal.empty()) {
    unseen.insert("OBJECT FREQ: " + error_with_hint(frequencies.refusal));
    exams.used.reset();
    co_return;
  }
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (const auto& frequency = frequencies.of_keys[i]) exams.used->add(keys[i], *frequency);
}

Task<> add_keys(Redis& redis, std::vector<std::string> keys, KeyReader& reader,
                const Policy& policy, KeyExams& exams, std::set<std::string>& unseen) {
  std::vector<KeyState> states = co_await glance_at(redis, std::move(keys), IfLost::tell);
  std::erase_if(states, [&](const KeyState& state) {
    if (state.is_lost) unseen.insert(escape_for_terminal(state.problem));
    return state.is_lost;
  });
  const ServerTime now = co_await read_time(redis);
  const KeyContext context{policy, now.us};
  co_await look_beside_flags(redis, reader, states, context);
  const std::vector<KeyReading> readings =
      co_await read_with_companions(redis, reader, states, context);
  std::vector<std::string> limiters;
  for (std::size_t i = 0; i < states.size(); ++i) {
    exams.unread.add(states[i]);
    exams.keys.add(states[i], readings[i], now.us);
    if (readings[i].shape != Shape::none) limiters.push_back(states[i].key);
  }
  if (exams.used) co_await add_uses(redis, std::move(limiters), exams, unseen);
}

void examine_use(RedisSession& session, KeyExams& exams, Diagnosis& diagnosis) {
  const std::set<std::string> told = examine(
      session.run(watch_growth(session.loop(), session.redis(), exams.keys.fullest().take())),
      diagnosis.findings);
  std::int64_t commands_per_s = 0;
  for (const ServerFacts& facts : diagnosis.servers)
    commands_per_s = std::max(commands_per_s, facts.commands_per_s);
  if (exams.used) exams.used->examine(commands_per_s, told, diagnosis.findings);
}

// MEMORY USAGE leaves out the entry in the table of expiries: with Redis 7, used_memory grows by 40
// bytes more for a key that has one.
constexpr double kBytesOfExpiry = 40;

double bytes_per_key(RedisSession& session, const std::vector<std::string>& keys) {
  std::vector<std::string> commands;
  for (const std::string& key : keys) {
    commands.push_back(encode_command("MEMORY", "USAGE", key));
    commands.push_back(encode_command("PTTL", key));
  }
  const std::vector<Exchange> answers = session.run(send_all(session.redis(), std::move(commands)));
  const auto is_number = [](const Exchange& one) {
    return one.has_answer() && one.reply.is_integer();
  };
  double bytes = 0;
  std::int64_t known = 0;
  for (std::size_t i = 0; i + 1 < answers.size(); i += 2) {
    if (!is_number(answers[i])) continue;
    bytes += static_cast<double>(answers[i].reply.integer);
    if (is_number(answers[i + 1]) && answers[i + 1].reply.integer >= 0) bytes += kBytesOfExpiry;
    ++known;
  }
  return known == 0 ? 0 : bytes / static_cast<double>(known);
}

// Of a server that is away, what its keys are missing for says the same.
void add_silent(const std::string& unseen_keys, Diagnosis& diagnosis) {
  for (const auto& [server, problem] : diagnosis.silent)
    if (unseen_keys.find("the keys of " + server + ": ") == unseen_keys.npos)
      diagnosis.unseen.insert(problem);
}

void examine_keys(RedisSession& session, const DoctorOptions& options, Diagnosis& diagnosis) {
  const KeyExamPlan plan = exam_plan(session, options);
  KeyReader reader(options.registry.registry(), {}, options.layouts.layouts());
  KeyExams exams{KeyExam(plan, reader.layouts()), {}, {}};
  if (std::ranges::any_of(diagnosis.servers, counts_uses)) exams.used.emplace();
  KeyScan scan(session.redis(), options.pattern.search_pattern(), [&] { return session.turn(); });
  const std::int64_t all = session.run(count_keys(session.redis())).value_or(0);
  const PacedProgress progress(session.loop(), session.paced(), options.quiet, [&] {
    return Work{"scanning", "keys", scan.passed(), all};
  });
  session.run(look_at_pages(session.loop(), scan, [&](std::vector<std::string> keys) {
    return add_keys(session.redis(), std::move(keys), reader, plan.policy, exams, diagnosis.unseen);
  }));
  const KeyExam& exam = exams.keys;
  exam.examine(diagnosis.findings);
  examine_use(session, exams, diagnosis);
  diagnosis.memory = {exam.keys(), exam.clients(), bytes_per_key(session, exam.sample()),
                      room_of(diagnosis.servers)};
  examine(diagnosis.memory, diagnosis.findings);
  const std::string unseen_keys = session.unseen();
  add_silent(unseen_keys, diagnosis);
  for (const std::string& unseen : {unseen_keys, exams.unread.in_words()})
    if (!unseen.empty()) diagnosis.unseen.insert(unseen);
}

Task<> examine_server(RedisServer server, Diagnosis& diagnosis) {
  ServerFacts facts = co_await read_server_facts(*server.redis, server.name);
  facts.sentinels = diagnosis.sentinels;
  examine(facts, diagnosis.findings);
  for (const std::string& refused : facts.refused) diagnosis.unseen.insert(refused);
  diagnosis.servers.push_back(std::move(facts));
}

Task<> examine_servers(Redis& redis, Diagnosis& diagnosis) {
  const std::vector<RedisServer> servers = redis.servers();
  for (const RedisServer& server : servers) {
    try {
      co_await examine_server(server, diagnosis);
    } catch (const Error& error) {  // of a cluster, the others are examined
      if (servers.size() == 1) throw;
      diagnosis.silent[escape_for_terminal(server.name)] = error.what();
    }
  }
  examine_together(diagnosis.servers, diagnosis.findings);
}

bool is_seen(const RedisServer& server, const Diagnosis& diagnosis) {
  return std::ranges::find(diagnosis.servers, server.name, &ServerFacts::name) !=
         diagnosis.servers.end();
}

// Scripts of rlctl that one master has and another lacks. One that none has is not used here.
Task<> examine_caches(Redis& redis, const Registry& registry, Diagnosis& diagnosis) {
  std::vector<std::string> sha1s;
  const std::vector<std::string> names = registry.sound_names();
  for (const std::string& name : names) sha1s.push_back(registry.find(name).sha1);
  std::vector<std::vector<std::string>> lacking(names.size());  // the servers, by script
  for (const RedisServer& server : redis.servers()) {
    if (!is_seen(server, diagnosis)) continue;
    const std::optional<std::vector<bool>> cached = co_await find_cached(*server.redis, sha1s);
    for (std::size_t i = 0; cached && i < names.size(); ++i)
      if (!cached->at(i)) lacking[i].push_back(escape_for_terminal(server.name));
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!lacking[i].empty() && lacking[i].size() < diagnosis.servers.size())
      diagnosis.findings.push_back(
          {Ailment::missing_scripts, names[i] + " is missing on " + joined(lacking[i])});
}

// [["library_name", name, …, "library_code", code], …], from Redis 7 on.
Task<> examine_functions(Redis& redis, Diagnosis& diagnosis) {
  const Exchange exchange = co_await redis.send(encode_command("FUNCTION", "LIST", "WITHCODE"));
  if (!exchange.has_answer()) co_return;
  for (const Reply& library : exchange.reply.elements) {
    std::string name, code;
    for (std::size_t i = 0; i + 1 < library.elements.size(); i += 2) {
      if (library.elements[i].text == "library_name") name = library.elements[i + 1].text;
      if (library.elements[i].text == "library_code") code = library.elements[i + 1].text;
    }
    if (name != kLibraryName)
      examine_script("function library " + name, code, RandomWrites::not_asked, diagnosis.findings);
  }
}

void examine_files(const std::map<std::string, std::string>& texts, Diagnosis& diagnosis) {
  const bool refused = std::ranges::any_of(diagnosis.servers, refuses_random_scripts);
  for (const auto& [path, text] : texts)
    examine_script(path, text, refused ? RandomWrites::refused : RandomWrites::accepted,
                   diagnosis.findings);
}

Diagnosis examine_all(const DoctorOptions& options) {
  Diagnosis diagnosis;
  std::map<std::string, std::string> scripts;
  for (const std::string& path : options.scripts) scripts[path] = read_script_file(path);
  RedisSession session(options.redis, options.load.of_search());
  diagnosis.endpoint = session.deployment().endpoint().name();
  diagnosis.options = options_for(session.deployment().endpoint());
  diagnosis.sentinels = session.deployment().endpoint().sentinels.size();
  session.run(leave_idle_times_alone(session.redis()));
  session.run(examine_servers(session.redis(), diagnosis));
  examine_files(scripts, diagnosis);
  session.run(examine_caches(session.redis(), options.registry.registry(), diagnosis));
  session.run(examine_functions(session.redis(), diagnosis));
  examine_keys(session, options, diagnosis);
  diagnosis.interrupted = session.loop().interrupted();
  if (diagnosis.interrupted) diagnosis.unseen.insert("all keys: interrupted");
  sort_findings(diagnosis.findings);
  return diagnosis;
}

void print_object(const Diagnosis& diagnosis) {
  Json body;
  body["findings"] = Json::array();
  for (const HealthFinding& finding : diagnosis.findings)
    body["findings"].push_back(to_json(finding));
  const ClientMemory& memory = diagnosis.memory;
  body["possible_limiter_keys"] = memory.keys;
  body["bytes_per_key"] = memory.bytes_per_key;
  body["clients"] = memory.clients;
  body["bytes_per_client"] = memory.bytes_per_client();
  body["clients_that_fit"] = memory.room() ? Json(*memory.room()) : Json(nullptr);
  body["clocks"] = Json::array();  // ahead of that of this machine by so much
  for (const ServerFacts& server : diagnosis.servers)
    body["clocks"].push_back(
        {{"server", escape_for_terminal(server.name.empty() ? diagnosis.endpoint : server.name)},
         {"from_us", server.clock_low_us},
         {"to_us", server.clock_high_us}});
  body["not_seen"] = diagnosis.unseen;
  print_json("doctor", std::move(body));
}

bool proposes_rlctl(const HealthFinding& finding) {
  return std::string_view(finding.row().remedy).find("rlctl ") != std::string_view::npos;
}

void print_findings(const Diagnosis& diagnosis) {
  if (!diagnosis.findings.empty()) print(fitted(in_words(diagnosis.findings) + "\n"));
  if (!diagnosis.options.empty() && std::ranges::any_of(diagnosis.findings, proposes_rlctl))
    print(fitted("rlctl reaches this Redis with" + diagnosis.options + "\n"));
  for (const ServerFacts& server : diagnosis.servers)
    if (diagnosis.servers.size() > 1)
      print(fitted(escape_for_terminal(server.name) + ": " + clock_in_words(server) + "\n"));
  print(fitted(count_in_words(diagnosis.findings) + "\n" + diagnosis.memory.in_words()));
}

Exit run_doctor(const DoctorOptions& options) {
  const auto fail_on = meaning_of<Severity>(options.fail_on);
  options.pattern.targets();
  const Diagnosis diagnosis = examine_all(options);
  options.json ? print_object(diagnosis) : print_findings(diagnosis);
  if (!diagnosis.unseen.empty()) tell("partial: not seen: " + joined(diagnosis.unseen));
  if (diagnosis.interrupted) return Exit::interrupted;
  const bool failed = std::ranges::any_of(diagnosis.findings, [&](const HealthFinding& finding) {
    return fail_on && finding.row().severity >= *fail_on;
  });
  if (failed) return Exit::violated;
  return diagnosis.unseen.empty() ? Exit::done : Exit::inconclusive;
}

Action add_doctor_options(Options& app) {
  auto options = std::make_shared<DoctorOptions>();
  options->pattern.add_to(app, KeyOptions::Takes::one_pattern);
  app.add_option("--script", options->scripts, "also examine this limiter; may be repeated")
      .type_name("FILE.lua");
  app.add_option("--fail-on", options->fail_on,
                 "exit 1 if a finding is at least this severe [warning]")
      .type_name("SEVERITY")
      .one_of(all_words<Severity>());
  app.add_flag("--json", options->json, "print one JSON object");
  app.add_flag("--quiet", options->quiet, "no progress line");
  options->policy.add_optional_to(app);
  options->registry.add_to(app);
  options->layouts.add_to(app);
  options->load.add_to(app);
  options->redis.add_to(app, WithoutUrl::local);
  return [options] { return run_doctor(*options); };
}

}  // namespace

const Verb kDoctorVerb{"doctor",
                       "Examines a Redis for what breaks limiters; exit 1 for a warning or worse.",
                       "  rlctl doctor\n"
                       "  rlctl doctor 'rl:*' --limit 20 --window 60s --fail-on critical\n"
                       "  rlctl doctor --script limiter.lua --json",
                       add_doctor_options};

}  // namespace rlctl
