// The readers of a scenario file's parts, each in its own file: policy_reader.cpp and so on. They
// fill the context's scenario. Pure; mistakes go into the context's problems.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/json_document.h"
#include "base/object_fields.h"
#include "scenario/read/context.h"

namespace rlctl {

void read_target(const JsonValue& value, const std::string& pointer, ScenarioContext& context);

// A policy's "route": the scenario's target, with what the route says instead. Read the target
// before.
std::optional<TargetSpec> read_route(ObjectFields& policy, ScenarioContext& context);

// Complains about a member that holds an URL of HTTP which is not one. `target`: whose login
// captures the words that may stand in it.
void check_url(ObjectFields& fields, const char* name, const std::string& url,
               const TargetSpec& target, ScenarioContext& context);

// From an object that holds the policies by name.
void read_policies(const JsonValue& value, const std::string& pointer, ScenarioContext& context);

// The lines of "manifest", and those that "command", "allowed" and "as" stand for.
std::string read_manifest(ObjectFields& fields);

// What a policy wants: "rules", or "limit" and "window"; and "block". Never empty. The object may
// have other members.
Rules read_policy_rules(ObjectFields& fields);

// Reads those, key and block_key.
void read_policy(ObjectFields& fields, Policy& policy);

void read_identities(const JsonValue& value, const std::string& pointer, ScenarioContext& context);
void read_phases(const JsonValue& value, const std::string& pointer, ScenarioContext& context);
void read_faults(const JsonValue& value, const std::string& pointer, ScenarioContext& context);

// A point in time: "10s" after the start, "mixed" when that phase starts, "mixed+10s". `phases`:
// the phases that may be named.
Moment read_moment(ObjectFields& fields, std::string_view name, std::span<const Phase> phases);

// `expect`: `metric{selector=value,…} op value[unit]`, alone or with a "why". Selectors may be
// quoted ('a,b' or "a,b").
void read_expectations(const JsonValue& value, const std::string& pointer,
                       ScenarioContext& context);

}  // namespace rlctl
