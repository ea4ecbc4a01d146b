// Every published document: written and read again it is the same, and it obeys its schema. The
// documents are filled by a visitor, so a new member is tested from its first day.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "result/bench_document.h"
#include "result/codec.h"
#include "result/comparison_document.h"
#include "result/explore_document.h"
#include "result/published_schemas.h"
#include "result/result_file.h"
#include "tools/json_schema.h"

using namespace rlctl;

namespace {

using Json = nlohmann::ordered_json;

// Fills every member; `variant` chooses which words, and whether optional parts are there.
class Filler : public Fields {
 public:
  explicit Filler(std::size_t variant) : variant_(variant) {}

 protected:
  void leaf(const Member&, const Leaf& leaf) override {
    ++count_;
    if (auto* const* number = std::get_if<Number*>(&leaf.value)) {
      **number = leaf.kind == LeafKind::number ? Number(static_cast<double>(count_) / 3)
                                               : Number(count_ + (std::uint64_t{1} << 63));
    } else if (auto* const* flag = std::get_if<bool*>(&leaf.value)) {
      **flag = (count_ + variant_) % 2 == 0;
    } else if (leaf.kind != LeafKind::constant) {
      *std::get<Text*>(leaf.value) = text(leaf);
    }
  }
  bool begin_object(const Member& member, const char*, bool) override {
    return member.presence == Presence::always || ++count_ % 2 == variant_ % 2;
  }
  std::optional<std::size_t> begin_list(const Member&, std::optional<std::size_t>) override {
    return variant_ % 3;
  }
  bool begin_item(std::size_t, const char*) override { return true; }
  void end() override {}
  bool begin_group(bool) override { return true; }

 private:
  std::string text(const Leaf& leaf) const {
    if (leaf.kind == LeafKind::word) return leaf.words()[(count_ + variant_) % leaf.words().size()];
    return leaf.kind == LeafKind::bytes && variant_ % 2 == 0 ? "caf\xe9 \\ \n" : "café \\ \n";
  }

  std::size_t variant_;
  std::uint64_t count_ = 0;
};

template <class Document>
Json filled(std::size_t variant) {
  Document document;
  Filler filler(variant);
  describe(filler, document);
  return to_json(document);
}

std::string violation(const Json& schema, const Json& json) {
  return schema_violation(nlohmann::json::parse(schema.dump()), nlohmann::json::parse(json.dump()));
}

}  // namespace

TEST_CASE_TEMPLATE("a document that is written and read again is the same, and obeys its schema",
                   Document, BenchDocument, CompareDocument, ExploreDocument, RunDocument,
                   SimulateDocument, VerifyDocument) {
  const Json schema = schema_of<Document>();
  for (std::size_t variant = 0; variant < 12; ++variant) {
    const Json json = filled<Document>(variant);
    CAPTURE(json.dump());
    CHECK(json["schema"] == Document::kSchema);
    CHECK(to_json(from_json<Document>(json)).dump() == json.dump());
    CHECK(violation(schema, json) == "");
  }
}

TEST_CASE_TEMPLATE("a schema refuses a missing, an unknown and a wrong member", Document,
                   BenchDocument, CompareDocument, ExploreDocument, RunDocument, SimulateDocument,
                   VerifyDocument) {
  const Json schema = schema_of<Document>();
  const Json json = filled<Document>(1);
  REQUIRE_FALSE(schema["required"].empty());
  for (const std::string name : schema["required"]) {
    Json without = json;
    without.erase(name);
    CAPTURE(name);
    CHECK(violation(schema, without).ends_with(name + " is required"));
    Json wrong = json;
    wrong[name] = Json::array({Json::object({{"surprise", 1}})});
    CHECK(violation(schema, wrong) != "");
  }
  Json more = json;
  more["surprise"] = 1;
  CHECK(violation(schema, more) == "/surprise: unknown");
}

TEST_CASE("a verdict never stands alone: what belongs to it is required with it") {
  const Json schema = schema_of<VerifyDocument>();
  Json json = filled<VerifyDocument>(1);
  REQUIRE(json.contains("totals"));
  json.erase("totals");
  CHECK(violation(schema, json) == ": totals is required");
  for (const char* name :
       {"verdict", "violations", "reason", "remedy", "policy", "own_contract", "keys"})
    json.erase(name);
  CHECK(violation(schema, json) == "");
}

TEST_CASE("each published schema is named after the verb that its documents name") {
  REQUIRE(published_schemas().size() == 7);
  for (const PublishedSchema& published : published_schemas()) {
    const Json schema = published.schema();
    CHECK(schema["properties"]["schema"]["enum"][0] ==
          "rlctl." + std::string(published.name) + "/1");
  }
}

TEST_CASE("a count of schedules above 2^53 is read and written as digits") {
  Json json = filled<ExploreDocument>(1);
  json["passes"][0]["coverage"] = "exhaustive";
  json["passes"][0]["schedules"] = "340282366920938463463374607431768211455";
  const Json again = to_json(from_json<ExploreDocument>(json));
  CHECK(again["passes"][0]["schedules"] == "340282366920938463463374607431768211455");
  CHECK(violation(schema_of<ExploreDocument>(), again) == "");
}

TEST_CASE("a result file with wrong members is read as far as it goes") {
  const auto file = parse_result(
      R"({"schema": "rlctl.bench/1", "policy": 7, "connections": "many", "keys": 2.5,
          "complete": null, "algorithms": [3, {"name": 1, "peak": 18446744073709551615}]})");
  REQUIRE(file);
  REQUIRE(file->document);
  const auto& bench = std::get<BenchDocument>(*file->document);
  CHECK(bench.policy.rules.empty());
  CHECK_FALSE(bench.connections.is_known());
  CHECK(bench.keys.approximately() == 2.5);
  CHECK(bench.complete);
  REQUIRE(bench.algorithms.size() == 2);
  CHECK(bench.algorithms[1].name.empty());
  CHECK(bench.algorithms[1].peak.digits() == "18446744073709551615");
}

TEST_CASE("only a complete JSON object can be a result, however deep it is") {
  CHECK_FALSE(parse_result("[]"));
  CHECK_FALSE(parse_result(R"({"schema": "rlctl.bench/1")"));
  const auto other = parse_result(R"({"schema": "rlctl.bench/2"})");
  REQUIRE(other);
  CHECK_FALSE(other->document);
  CHECK(other->schema == "rlctl.bench/2");
  const std::string deep(100'000, '[');
  const std::string end(100'000, ']');
  const auto nested = parse_result(R"({"schema": "rlctl.run/1", "scenarios": )" + deep + end + "}");
  REQUIRE(nested);
  CHECK(nested->document);
}

TEST_CASE("a text of a file is shown escaped, and read back as the bytes that it stands for") {
  const auto file = parse_result(
      R"({"schema": "rlctl.verify/1", "algorithm": "caf\\xe9", "algorithm_b64": "Y2Fm6Q==",
          "reason": "\u001b]0;x\u0007"})");
  REQUIRE(file);
  const auto& history = std::get<VerifyDocument>(*file->document).logs.worst;
  CHECK(history.algorithm == "caf\xe9");
  CHECK(history.algorithm.shown() == "caf\\xe9");
  CHECK(history.reason.shown() == "\\x1b]0;x\\x07");
}
