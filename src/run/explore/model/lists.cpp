// Commands on lists.
#include <algorithm>

#include "run/explore/model/command.h"

namespace rlctl {
namespace {

Reply push(ModelCall& call, bool left, bool only_existing) {
  if (only_existing && call.find<ModelList>() == nullptr) return integer_reply(0L);
  ModelList& list = call.find_or_make<ModelList>();
  for (std::size_t i = 2; i < call.words.size(); ++i)
    list.insert(left ? list.begin() : list.end(), call.words[i]);
  call.touch();
  return integer_reply(list.size());
}

Reply push_left(ModelCall& call) { return push(call, true, false); }
Reply push_right(ModelCall& call) { return push(call, false, false); }
Reply push_left_existing(ModelCall& call) { return push(call, true, true); }
Reply push_right_existing(ModelCall& call) { return push(call, false, true); }

Reply take_one(ModelList& list, bool left) {
  Reply taken = text_reply(left ? list.front() : list.back());
  list.erase(left ? list.begin() : list.end() - 1);
  return taken;
}

Reply list_pop(ModelCall& call, bool left) {
  if (call.words.size() > 3) throw CommandRefused{call.wrong_arity()};
  const bool counted = call.words.size() == 3;
  std::int64_t count = 1;
  if (counted) {
    count = to_integer(call.words[2], kNotPositive);
    if (count < 0) throw CommandRefused{kNotPositive};
  }
  ModelList* const list = call.find<ModelList>();
  if (list == nullptr) return nil_reply();
  std::vector<Reply> taken;
  while (count-- > 0 && !list->empty()) taken.push_back(take_one(*list, left));
  if (!taken.empty()) call.touch();
  call.keys.drop_if_empty(call.key());
  return counted ? array_reply(std::move(taken)) : taken.front();
}

Reply pop_left(ModelCall& call) { return list_pop(call, true); }
Reply pop_right(ModelCall& call) { return list_pop(call, false); }

Reply list_length(ModelCall& call) {
  const ModelList* const list = call.find<ModelList>();
  return integer_reply(list == nullptr ? 0 : list->size());
}

// The position of an index; -1: there is none.
std::int64_t position_of(const ModelList& list, std::int64_t index) {
  const auto size = static_cast<std::int64_t>(list.size());
  if (index < 0) index += size;
  return index < 0 || index >= size ? -1 : index;
}

Reply at_index(ModelCall& call) {
  const ModelList* const list = call.find<ModelList>();
  if (list == nullptr) return nil_reply();
  const std::int64_t position = position_of(*list, to_integer(call.words[2]));
  return position < 0 ? nil_reply() : text_reply((*list)[static_cast<std::size_t>(position)]);
}

Reply set_index(ModelCall& call) {
  ModelList* const list = call.find<ModelList>();
  if (list == nullptr) throw CommandRefused{"ERR no such key"};
  const std::int64_t position = position_of(*list, to_integer(call.words[2]));
  if (position < 0) throw CommandRefused{"ERR index out of range"};
  (*list)[static_cast<std::size_t>(position)] = call.words[3];
  call.touch();
  return status_reply("OK");
}

Reply list_range(ModelCall& call) {
  const std::int64_t first = to_integer(call.words[2]), last = to_integer(call.words[3]);
  const ModelList* const list = call.find<ModelList>();
  std::vector<Reply> found;
  if (list == nullptr) return array_reply({});
  const IndexRange clipped = clip_range(first, last, list->size());
  for (std::int64_t i = clipped.first; i <= clipped.last; ++i)
    found.push_back(text_reply((*list)[static_cast<std::size_t>(i)]));
  return array_reply(std::move(found));
}

Reply trim(ModelCall& call) {
  const std::int64_t first = to_integer(call.words[2]), last = to_integer(call.words[3]);
  ModelList* const list = call.find<ModelList>();
  if (list == nullptr) return status_reply("OK");
  const IndexRange kept = clip_range(first, last, list->size());
  *list = ModelList(list->begin() + kept.first, list->begin() + kept.last + 1);
  call.touch();
  call.keys.drop_if_empty(call.key());
  return status_reply("OK");
}

// A positive count removes from the head, a negative one from the tail, 0 all.
Reply list_remove(ModelCall& call) {
  const std::int64_t count = to_integer(call.words[2]);
  ModelList* const list = call.find<ModelList>();
  if (list == nullptr) return integer_reply(0L);
  if (count < 0) std::reverse(list->begin(), list->end());
  std::int64_t removed = 0;
  const std::int64_t most = count == 0 ? INT64_MAX : count < 0 ? -count : count;
  std::erase_if(*list, [&](const std::string& element) {
    return element == call.words[3] && removed < most && ++removed > 0;
  });
  if (count < 0) std::reverse(list->begin(), list->end());
  if (removed > 0) call.touch();
  call.keys.drop_if_empty(call.key());
  return integer_reply(removed);
}

constexpr ModelCommand kListCommands[] = {
    {"lpush", -3, push_left},
    {"rpush", -3, push_right},
    {"lpushx", -3, push_left_existing},
    {"rpushx", -3, push_right_existing},
    {"lpop", -2, pop_left},
    {"rpop", -2, pop_right},
    {"llen", 2, list_length},
    {"lindex", 3, at_index},
    {"lset", 4, set_index},
    {"lrange", 4, list_range},
    {"ltrim", 4, trim},
    {"lrem", 4, list_remove},
};

}  // namespace

std::span<const ModelCommand> list_commands() { return kListCommands; }

}  // namespace rlctl
