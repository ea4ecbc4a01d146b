#include "io/redis/reply_reader.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <new>
#include <utility>

namespace rlctl {
namespace {

// Do not trust an array's announced length: memory grows only with the elements that arrive.
constexpr std::size_t kMaxReserved = 1024;

// Where hiredis wants the next value: the root, or the next element of the current array. An array
// grows only between its elements, so an element's address is valid while it is built.
Reply* slot(const redisReadTask* task) {
  if (task->parent == nullptr) return &static_cast<ReplyReader::Building*>(task->privdata)->reply;
  return &static_cast<Reply*>(task->parent->obj)->elements.emplace_back();
}

Reply::Type text_type(int type) {
  if (type == REDIS_REPLY_ERROR) return Reply::Type::error;
  if (type == REDIS_REPLY_STATUS) return Reply::Type::status;
  return Reply::Type::string;
}

void* create_string(const redisReadTask* task, char* text, std::size_t size) {
  Reply* reply = slot(task);
  reply->type = text_type(task->type);
  reply->text.assign(text, size);
  return reply;
}

void* create_integer(const redisReadTask* task, long long value) {
  Reply* reply = slot(task);
  reply->type = Reply::Type::integer;
  reply->integer = value;
  return reply;
}

void* create_nil(const redisReadTask* task) {
  Reply* reply = slot(task);
  reply->type = Reply::Type::nil;
  return reply;
}

bool is_too_deep(const redisReadTask* task) {
  int depth = 1;
  for (; task->parent != nullptr && depth <= ReplyReader::kDeepest; task = task->parent) ++depth;
  return depth > ReplyReader::kDeepest;
}

redisReplyObjectFunctions* object_functions() {
  static redisReplyObjectFunctions functions = [] {
    redisReplyObjectFunctions table{};
    table.createString = create_string;
    table.createInteger = create_integer;
    table.createNil = create_nil;
    // The count is an int in hiredis 0.14 and a size_t since 1.0: the lambda accepts both.
    table.createArray = [](const redisReadTask* task, auto count) -> void* {
      if (is_too_deep(task)) {
        static_cast<ReplyReader::Building*>(task->privdata)->too_deep = true;
        return nullptr;  // stops the parser
      }
      Reply* reply = slot(task);
      reply->type = Reply::Type::array;
      reply->elements.reserve(std::min(static_cast<std::size_t>(count), kMaxReserved));
      return reply;
    };
    table.freeObject = [](void*) {};  // the root belongs to the ReplyReader
    return table;
  }();
  return &functions;
}

}  // namespace

void ReplyReader::Free::operator()(redisReader* reader) const { redisReaderFree(reader); }

ReplyReader::ReplyReader() { reset(); }

void ReplyReader::reset() {
  reader_.reset(redisReaderCreateWithFunctions(object_functions()));
  if (!reader_) throw std::bad_alloc();
  building_ = {};
  reader_->privdata = &building_;
}

void ReplyReader::feed(const char* bytes, std::size_t size) {
  // The reader stores a failure; the next call of next() reports it.
  redisReaderFeed(reader_.get(), bytes, size);
}

ReplyReader::Next ReplyReader::next(Reply& reply) {
  void* root = nullptr;
  if (redisReaderGetReply(reader_.get(), &root) != REDIS_OK) return Next::protocol_error;
  if (root == nullptr) return Next::need_more;
  reply = std::move(building_.reply);
  building_ = {};
  return Next::reply;
}

std::string ReplyReader::error() const {
  return building_.too_deep ? "a reply is nested too deeply" : reader_->errstr;
}

}  // namespace rlctl
