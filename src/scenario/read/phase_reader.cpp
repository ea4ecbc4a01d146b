#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/units.h"
#include "scenario/read/keys.h"
#include "scenario/read/part_readers.h"

namespace rlctl {
namespace {

constexpr std::int64_t kMostArrivals = 100'000'000;

enum Models : unsigned { kRate = 1, kBursts = 2, kUsers = 4, kConsumers = 8, kReplay = 16 };

unsigned bit_of(TrafficModel model) { return 1U << static_cast<unsigned>(model); }

// The traffic models that accept a key.
struct KeyUse {
  const char* key;
  unsigned models;
};
constexpr KeyUse kUses[] = {
    {"for", kRate | kUsers},
    {"arrivals", kRate},
    {"requests", kUsers},
    {"think", kUsers},
    {"items", kConsumers},
    {"lockstep", kBursts | kUsers | kConsumers},
    {"connections", kRate | kBursts | kReplay},
};

// The keys that select a model; "stages" also selects the rate model.
struct ModelKey {
  const char* key;
  TrafficModel model;
};
constexpr ModelKey kModelKeys[] = {
    {"rate", TrafficModel::rate},           {"stages", TrafficModel::rate},
    {"bursts", TrafficModel::bursts},       {"users", TrafficModel::users},
    {"consumers", TrafficModel::consumers}, {"replay", TrafficModel::replay},
};

class PhaseReader {
 public:
  PhaseReader(const JsonValue& value, const std::string& pointer, ScenarioContext& context)
      : context_(context),
        fields_(value, pointer, keys_of(ScenarioObject::phase), context.problems) {}

  Phase read() {
    phase_.place = context_.place_of(fields_.span());
    read_name();
    fields_.require("policy", one_of(names_of(context_.scenario.policies)));
    phase_.policy = reference(fields_, "policy", "policy", context_.scenario.policies);
    if (fields_.has("start"))
      phase_.start = read_moment(fields_, "start", context_.scenario.phases);
    phase_.anchor = fields_.word("align", Anchor::none);
    phase_.share_keys = fields_.boolean("share_keys", false);
    phase_.warm_up = fields_.boolean("warm_up", false);
    phase_.lockstep = fields_.boolean("lockstep", false);
    read_work();
    phase_.connections = fields_.count("connections", 0, {1, kMostUsers});
    phase_.clock_spread_us = fields_.duration("clock_spread", 0);
    const bool one_model = read_model();
    read_clients(one_model);
    return std::move(phase_);
  }

 private:
  void read_work() {
    const auto count = [](ObjectFields& fields, const char* name, std::int64_t otherwise) {
      return fields.count(name, otherwise, {1, 1'000'000});
    };
    const auto duration = [](ObjectFields& fields, const char* name, std::int64_t otherwise) {
      return fields.duration(name, otherwise);
    };
    phase_.cost = read_drawn("cost", always(1), count);
    phase_.hold_us = read_drawn("hold", always(0), duration);
    phase_.vanishing_share = fields_.share("vanish", 0);
    if (fields_.has("actual_cost"))
      phase_.actual_cost = read_drawn("actual_cost", always(1), count);
  }

  // A number, or an object with the bounds between which it is drawn.
  template <typename ReadNumber>
  DrawnNumber read_drawn(const char* name, const DrawnNumber& otherwise, ReadNumber read) {
    const JsonValue* value = fields_.find(name);
    if (value == nullptr) return otherwise;
    if (value->kind != JsonKind::object) return always(read(fields_, name, otherwise.from));
    ObjectFields range(*value, fields_.pointer(name), keys_of(ScenarioObject::range),
                       context_.problems);
    range.require("from", "set the least value");
    range.require("to", "set the largest value");
    const std::int64_t from = read(range, "from", 1);
    const DrawnNumber spread{from, read(range, "to", from), range.word("as", DrawnShape::uniform)};
    if (spread.to < spread.from) range.complain("to", "it is less than \"from\"");
    if (spread.to >= spread.from && (spread.from > 0 || spread.shape == DrawnShape::uniform))
      return spread;
    if (spread.to >= spread.from) range.complain("from", "a lognormal range begins above 0");
    return otherwise;
  }

  void read_name() {
    fields_.require("name", "selectors and reports use this name");
    phase_.name = fields_.text("name");
    const JsonValue* name = fields_.find("name");
    if (name == nullptr || name->kind != JsonKind::string) return;
    context_.check_name(phase_.name, name->span, fields_.pointer("name"));
    if (index_of(context_.scenario.phases, phase_.name))
      fields_.complain("name", "another phase has this name");
  }

  // False if the model is missing or ambiguous.
  bool read_model() {
    const ModelKey* found = nullptr;
    for (const ModelKey& key : kModelKeys) {
      if (!fields_.has(key.key)) continue;
      if (found != nullptr) {
        fields_.complain(key.key, fmt::format("\"{}\" already defines the traffic", found->key),
                         "use only one of rate, stages, bursts, users, consumers, replay");
        return false;
      }
      found = &key;
    }
    if (found == nullptr) {
      fields_.complain_here("the phase has no traffic",
                            "add one of rate, stages, bursts, users, consumers, replay");
      return false;
    }
    phase_.model = found->model;
    for (const KeyUse& use : kUses)
      if (fields_.has(use.key) && (use.models & bit_of(phase_.model)) == 0)
        fields_.complain(use.key, fmt::format("this key does not apply to \"{}\"", found->key));
    read_arrivals(found->key);
    return true;
  }

  void read_arrivals(std::string_view key) {
    phase_.arrivals = fields_.word("arrivals", ArrivalPattern::even);
    phase_.think_us = fields_.duration("think", 0);
    phase_.on_deny = fields_.word("on_deny", OnDeny::drop);
    phase_.retries = fields_.count("retries", 0, {1, 1'000'000});
    if (fields_.has("retries") && phase_.on_deny == OnDeny::drop)
      fields_.complain("retries", "denied requests are dropped",
                       "add \"on_deny\": \"retry_after\" or \"backoff\"");
    if (key == "rate") read_rate();
    if (key == "stages") read_stages();
    if (key == "bursts") read_bursts();
    if (key == "users") read_users();
    if (key == "consumers") read_consumers();
    if (key == "replay") phase_.replay = context_.path_of(fields_, "replay");
  }

  void read_rate() {
    fields_.require("for", "set the duration: \"for\": \"5m\"");
    const auto rate = fields_.rate("rate");
    phase_.duration_us = fields_.positive_duration("for", 1);
    if (!rate) return;
    phase_.stages.push_back({*rate, *rate, phase_.duration_us});
    check_arrivals("rate");
  }

  void read_stages() {
    if (fields_.has("for"))
      fields_.complain("for", "each stage has its own \"for\"; remove this one");
    const auto items = fields_.list("stages");
    if (items.empty() && fields_.find("stages")->kind == JsonKind::array)
      fields_.complain("stages", "the list is empty; add a stage");
    for (std::size_t i = 0; i < items.size(); ++i) read_stage(*items[i], i);
    for (const RateStage& stage : phase_.stages) phase_.duration_us += stage.duration_us;
    if (phase_.duration_us > kLongestDurationUs)
      fields_.complain("stages", "the stages last more than a hundred years");
    const auto sends = [](const RateStage& stage) { return stage.from.count + stage.to.count > 0; };
    if (!phase_.stages.empty() && std::none_of(phase_.stages.begin(), phase_.stages.end(), sends))
      fields_.complain("stages", "the stages send nothing: every rate is 0");
    check_arrivals("stages");
  }

  void read_stage(const JsonValue& item, std::size_t index) {
    ObjectFields fields(item, pointer_to(fields_.pointer("stages"), index),
                        keys_of(ScenarioObject::stage), context_.problems);
    fields.require("for", "set the duration: \"for\": \"30s\"");
    if (index == 0) fields.require("rate", "set the first rate: \"rate\": \"10/1s\"");
    if (index > 0 && !fields.has("to"))
      fields.require("rate", "add \"rate\", or \"to\" for a linear change to that rate");
    RateStage stage;
    if (!phase_.stages.empty()) stage.from = phase_.stages.back().to;
    if (const auto rate = fields.rate("rate", 0)) stage.from = *rate;
    stage.to = stage.from;
    if (const auto to = fields.rate("to", 0)) stage.to = *to;
    stage.duration_us = fields.positive_duration("for", 1);
    if (phase_.stages.size() < 10'000) phase_.stages.push_back(stage);
  }

  // The whole schedule is built before the first request is sent, so it must fit into memory.
  void check_arrivals(std::string_view name) {
    Wide planned = 0;
    for (const RateStage& stage : phase_.stages)
      for (const Rate& rate : {stage.from, stage.to})
        planned += Wide{rate.count} * stage.duration_us / rate.per_us / 2;
    for (const Burst& burst : phase_.bursts) planned += burst.count;
    if (planned > kMostArrivals)
      fields_.complain(name,
                       "the phase plans more than " + format_count(kMostArrivals) + " requests");
  }

  void read_bursts() {
    const auto items = fields_.list("bursts");
    if (items.empty() && fields_.find("bursts")->kind == JsonKind::array)
      fields_.complain("bursts", "the list is empty; add a burst");
    for (std::size_t i = 0; i < items.size(); ++i) {
      ObjectFields fields(*items[i], pointer_to(fields_.pointer("bursts"), i),
                          keys_of(ScenarioObject::burst), context_.problems);
      fields.require("at", "set the time after the start of the phase: \"at\": \"0s\"");
      fields.require("count", "set the number of requests: \"count\": 100");
      Burst burst;
      burst.at_us = fields.duration("at", 0);
      burst.count = fields.count("count", 1, {1, kMostArrivals});
      burst.gap_us = fields.duration("gap", 0);
      if (Wide{burst.gap_us} * burst.count > kLongestDurationUs)
        fields.complain("gap", "the burst lasts more than a hundred years");
      phase_.bursts.push_back(burst);
    }
    check_arrivals("bursts");
  }

  void read_users() {
    phase_.users = fields_.count("users", 1, {1, kMostUsers});
    phase_.duration_us = fields_.positive_duration("for", 0);
    phase_.requests = fields_.count("requests", 0, {1, kMostArrivals});
    if (!fields_.has("for") && !fields_.has("requests"))
      fields_.complain_here("the phase has no end",
                            "add \"for\": \"10s\", or \"requests\": 1000 (the total)");
  }

  void read_consumers() {
    fields_.require("items", "set the number of items to drain: \"items\": 500");
    phase_.consumers = fields_.count("consumers", 1, {1, kMostUsers});
    phase_.items = fields_.count("items", 1, {1, kMostArrivals});
  }

  void read_clients(bool one_model) {
    if (fields_.has("who") && fields_.has("mix"))
      return fields_.complain("mix", "use \"who\" or \"mix\", not both", "remove one of them");
    if (fields_.has("mix")) return read_mix();
    if (fields_.has("who")) {
      phase_.mix.push_back({reference(fields_, "who", "client", context_.scenario.identities), 1});
    } else if (one_model && phase_.model != TrafficModel::replay) {
      fields_.complain_here("the phase has no clients",
                            R"(add "who": "bot", or "mix": [{"who": "bot", "weight": 5}, …])");
    }
  }

  void read_mix() {
    const auto items = fields_.list("mix");
    if (items.empty() && fields_.find("mix")->kind == JsonKind::array)
      fields_.complain("mix", "the list is empty; add a client");
    for (std::size_t i = 0; i < items.size(); ++i) {
      ObjectFields fields(*items[i], pointer_to(fields_.pointer("mix"), i),
                          keys_of(ScenarioObject::share), context_.problems);
      fields.require("who", one_of(names_of(context_.scenario.identities)));
      fields.require("weight", "set a whole number: \"weight\": 5");
      Share share;
      share.who = reference(fields, "who", "client", context_.scenario.identities);
      share.weight = fields.count("weight", 1, {1, 1'000'000});
      phase_.mix.push_back(share);
    }
  }

  ScenarioContext& context_;
  ObjectFields fields_;
  Phase phase_;
};

}  // namespace

void read_phases(const JsonValue& value, const std::string& pointer, ScenarioContext& context) {
  constexpr std::size_t kMostPhases = 255;  // a record stores the phase in one byte
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (i == kMostPhases) {
      context.problems.add(value.items[i].span, pointer, "there are more than 255 phases");
      return;
    }
    PhaseReader reader(value.items[i], pointer_to(pointer, i), context);
    context.scenario.phases.push_back(reader.read());
  }
}

}  // namespace rlctl
