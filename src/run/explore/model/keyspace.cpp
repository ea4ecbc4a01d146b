#include "run/explore/model/keyspace.h"

#include <cstring>

namespace rlctl {
namespace {

void put_value(std::string& bytes, const std::string& value) { put_text(bytes, value); }

void put_value(std::string& bytes, const std::pair<std::string, std::string>& value) {
  put_text(bytes, value.first);
  put_text(bytes, value.second);
}

void put_value(std::string& bytes, const std::pair<double, std::string>& value) {
  std::int64_t score = 0;
  std::memcpy(&score, &value.first, sizeof score);
  put_number(bytes, score);
  put_text(bytes, value.second);
}

template <class Container>
void put_value(std::string& bytes, const Container& elements) {
  put_number(bytes, static_cast<std::int64_t>(elements.size()));
  for (const auto& element : elements) put_value(bytes, element);
}

bool is_empty(const ModelValue& value) {
  return std::visit([](const auto& held) { return held.empty(); }, value);
}

}  // namespace

void put_number(std::string& bytes, std::int64_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void put_text(std::string& bytes, const std::string& text) {
  put_number(bytes, static_cast<std::int64_t>(text.size()));
  bytes += text;
}

void ModelKeyspace::advance_to(std::int64_t now_us) {
  now_us_ = now_us;
  drop_expired();
}

void ModelKeyspace::drop_expired() {
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    if (entry->second.expires_ms >= now_ms()) {
      ++entry;
      continue;
    }
    touch(entry->first);
    entry = entries_.erase(entry);
  }
}

ModelEntry* ModelKeyspace::find(const std::string& key) {
  const auto entry = entries_.find(key);
  return entry == entries_.end() ? nullptr : &entry->second;
}

ModelEntry& ModelKeyspace::put(const std::string& key, ModelValue value) {
  return entries_.insert_or_assign(key, ModelEntry{std::move(value), kNeverExpires}).first->second;
}

bool ModelKeyspace::erase(const std::string& key) { return entries_.erase(key) > 0; }

// An empty string is a value; an empty collection does not exist.
void ModelKeyspace::drop_if_empty(const std::string& key) {
  const ModelEntry* const entry = find(key);
  if (entry == nullptr || std::holds_alternative<std::string>(entry->value)) return;
  if (is_empty(entry->value)) erase(key);
}

void ModelKeyspace::append_fingerprint(std::string& bytes) const {
  put_number(bytes, now_us_);
  put_number(bytes, static_cast<std::int64_t>(entries_.size()));
  for (const auto& [key, entry] : entries_) {
    put_text(bytes, key);
    put_number(bytes, entry.expires_ms);
    put_number(bytes, static_cast<std::int64_t>(entry.value.index()));
    std::visit([&bytes](const auto& held) { put_value(bytes, held); }, entry.value);
  }
}

}  // namespace rlctl
