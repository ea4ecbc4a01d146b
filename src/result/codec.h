// What can be done with every result document (result/fields.h): write it as JSON, read it, publish
// its schema, find a number by its name. Pure; throws nothing but std::bad_alloc.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>

#include "result/fields.h"

namespace rlctl {

using DescribeDocument = std::function<void(Fields&)>;

nlohmann::ordered_json written(const DescribeDocument& describe_document);
void read_into(const nlohmann::ordered_json& json, const DescribeDocument& describe_document);
nlohmann::ordered_json published_schema(const DescribeDocument& describe_document);
Number found_number(const DescribeDocument& describe_document, std::string_view name);

template <class Document>
nlohmann::ordered_json to_json(const Document& document) {
  // describe() takes a document that can be read into; writing changes nothing.
  return written([&](Fields& fields) { describe(fields, const_cast<Document&>(document)); });
}

// Never refuses: a member that is missing or of another type stays as it is in a new Document, and
// an unknown one is passed over.
template <class Document>
Document from_json(const nlohmann::ordered_json& json) {
  Document document;
  read_into(json, [&](Fields& fields) { describe(fields, document); });
  return document;
}

// JSON Schema, draft 2020-12.
template <class Document>
nlohmann::ordered_json schema_of() {
  Document document;
  return published_schema([&](Fields& fields) { describe(fields, document); });
}

// The number that is published under this name in the part itself; missing: there is none.
template <class Part>
Number number_in(const Part& part, std::string_view name) {
  return found_number([&](Fields& fields) { describe(fields, const_cast<Part&>(part)); }, name);
}

}  // namespace rlctl
