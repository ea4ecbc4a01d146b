// Values as JSON that only the same version of rlctl reads back: an object is the list of its
// members, without names. For what machines hand to each other; what people and other programs read
// is published by result/fields.h. An object tells its members by members(), or a function
// members_of(object) in its namespace: a std::tie of them all.
//
// restore() throws Error(Exit::usage) if the JSON is not what stored() makes of such a value. Pure.
#pragma once

#include <algorithm>
#include <concepts>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/words.h"

namespace rlctl {

template <class T>
concept StoredWhole = std::is_arithmetic_v<T> || std::is_enum_v<T>;

Json stored_text(const std::string& text);
void restore_text(const Json& json, std::string& text);
// `size`: as many as there must be.
const Json& list_in(const Json& json, std::optional<std::size_t> size = {});
[[noreturn]] void refuse_stored();

template <class T>
auto stored_members(T& value) {
  if constexpr (requires { value.members(); })
    return value.members();
  else
    return members_of(value);
}

template <StoredWhole T>
Json stored(const T& value) {
  if constexpr (std::is_enum_v<T>)
    return Json(static_cast<std::underlying_type_t<T>>(value));
  else
    return Json(value);
}
inline Json stored(const std::string& text) { return stored_text(text); }
template <class T>
Json stored(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(stored(value));
  return list;
}
template <class T>
Json stored(const std::optional<T>& value) {
  return value ? stored(std::vector<T>{*value}) : Json::array();
}
template <class Name, class T>
Json stored(const std::map<Name, T>& values) {
  Json list = Json::array();
  for (const auto& [name, value] : values) list.push_back({stored(name), stored(value)});
  return list;
}
template <class... Members>
Json stored(const std::tuple<Members&...>& members) {
  Json list = Json::array();
  std::apply([&](auto&... each) { (list.push_back(stored(each)), ...); }, members);
  return list;
}
template <class T>
requires(!StoredWhole<T>) Json stored(const T& value) {
  return stored(stored_members(const_cast<T&>(value)));  // writing changes nothing
}

template <StoredWhole T>
void restore(const Json& json, T& value) {
  if constexpr (std::is_enum_v<T>) {
    std::underlying_type_t<T> number{};
    restore(json, number);
    value = static_cast<T>(number);
    if (std::ranges::find(words_of(T()), value, &Word<T>::meaning) == words_of(T()).end())
      refuse_stored();
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) refuse_stored();
    value = json.get<bool>();
  } else {
    if (std::is_integral_v<T> ? !json.is_number_integer() : !json.is_number()) refuse_stored();
    value = json.get<T>();
  }
}
inline void restore(const Json& json, std::string& text) { restore_text(json, text); }
template <class T>
void restore(const Json& json, std::vector<T>& values) {
  values.clear();
  for (const Json& item : list_in(json)) restore(item, values.emplace_back());
}
template <class T>
void restore(const Json& json, std::optional<T>& value) {
  std::vector<T> values;
  restore(json, values);
  value = values.empty() ? std::nullopt : std::optional<T>(std::move(values.front()));
}
template <class Name, class T>
void restore(const Json& json, std::map<Name, T>& values) {
  values.clear();
  for (const Json& item : list_in(json)) {
    Name name{};
    restore(list_in(item, 2)[0], name);
    restore(item[1], values[name]);
  }
}
template <class... Members>
void restore(const Json& json, const std::tuple<Members&...>& members) {
  auto item = list_in(json, sizeof...(Members)).begin();
  std::apply([&](auto&... each) { (restore(*item++, each), ...); }, members);
}
template <class T>
requires(!StoredWhole<T>) void restore(const Json& json, T& value) {
  restore(json, stored_members(value));
}

}  // namespace rlctl
