// The scan for types finds two types with one name.
#include "house/type_scan.h"

#include <doctest/doctest.h>

#include "house/rules.h"

using namespace rlctl::house;

namespace {

std::string names(std::string_view source) {
  std::string all;
  for (const TypeDefinition& type : types_of(source))
    all += type.name + ":" + std::to_string(type.line) + " ";
  return all;
}

}  // namespace

TEST_CASE("types of named namespaces are found in every way of writing them") {
  CHECK(names("namespace rlctl {\nstruct A {\n};\n}") == "rlctl::A:2 ");
  CHECK(names("class B final : public A { int x = 0; };") == "B:1 ");
  CHECK(names("enum class C : std::uint8_t { one };\nunion D { int d; };") == "C:1 D:2 ");
  CHECK(names("template <class T, typename U>\nclass [[nodiscard]] E\n{\n};") == "E:3 ");
  CHECK(names("namespace a::b { struct F { struct Inner {}; }; }") == "a::b::F:1 ");
}

TEST_CASE("types that other files can't see are left out") {
  CHECK(names("namespace {\nstruct A {};\n}") == "");
  CHECK(names("namespace rlctl { namespace { enum class A { one }; } }") == "");
  CHECK(names("void f() { struct A {}; }") == "");
  CHECK(names("struct A;\nclass B;\n// struct C {};\nconst char* d = \"struct D {\";") == "");
  CHECK(names("template <> struct std::hash<A> {};") == "");
  CHECK(names("Outer::Outer() : x(1) {}\nstruct Outer::Inner {};") == "");
  CHECK(names("template <class T> T f(struct G& g) { return g; }") == "");
}

TEST_CASE("two types with one name are found, two declarations of one type are accepted") {
  const Findings findings = check_unique_types({{"src/a.h", "namespace rlctl { struct A {}; }"},
                                                {"src/b.h", "\nnamespace rlctl { struct A {}; }"},
                                                {"src/c.h", "namespace other { struct A {}; }"}});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0] == "src/b.h:2: rlctl::A is defined in src/a.h:1 too");
  CHECK(check_unique_types({{"src/a.h", "struct A; struct A {};"}}).empty());
}
