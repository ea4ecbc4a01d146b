// A Redis module for tests, with two commands that limit: CL.THROTTLE (a bucket by GCRA, with the
// arguments and the reply of redis-cell) and INCREX (a counter with a bound and an expiry, with
// those of Redis 8.8). Each is the script below, so Redis replicates and routes it as its own.
// Loaded with the word TIME or INFO, it answers that command of a client otherwise: with a clock
// that is 90 s ahead, and as Redis 4.
#include <stddef.h>
#include <string.h>

typedef struct Context Context;
typedef struct Text Text;
typedef struct Answer Answer;
typedef int Command(Context*, Text**, int);

static int (*create_command)(Context*, const char*, Command*, const char*, int, int, int);
static int (*reply_with_answer)(Context*, Answer*);
static int (*wrong_arity)(Context*);
static Answer* (*call)(Context*, const char*, const char*, ...);

static const char* const kThrottle =
    "local burst, count, period = ARGV[1] + 1, ARGV[2] + 0, ARGV[3] * 1000000\n"
    "local time = redis.call('TIME')\n"
    "local now, emission = time[1] * 1000000 + time[2], period / count\n"
    "local idle = math.max(now, tonumber(redis.call('GET', KEYS[1]) or 0))\n"
    "local next = idle + (ARGV[4] or 1) * emission\n"
    "local early = next - burst * emission - now\n"
    "local left = function(at) return math.floor(burst - (at - now) / emission) end\n"
    "local seconds = function(us) return math.ceil(us / 1000000) end\n"
    "if early > 0 then return {1, burst, left(idle), seconds(early), seconds(idle - now)} end\n"
    "redis.call('SET', KEYS[1], string.format('%.0f', next), 'PX', math.ceil((next - now) / "
    "1000))\n"
    "return {0, burst, left(next), -1, seconds(next - now)}\n";

static const char* const kIncrex =
    "local option = {}\n"
    "for i = 1, #ARGV do option[ARGV[i]] = ARGV[i + 1] or true end\n"
    "local by = tonumber(option.BYINT or 1)\n"
    "local count = tonumber(redis.call('GET', KEYS[1]) or 0)\n"
    "if count + by > tonumber(option.UBOUND) then return {count, 0} end\n"
    "redis.call('INCRBY', KEYS[1], by)\n"
    "if redis.call('TTL', KEYS[1]) < 0 then redis.call('EXPIRE', KEYS[1], option.EX) end\n"
    "return {count + by, by}\n";

// The name in other letters is the server's own command.
static const char* const kTime =
    "local time = redis.call('Time')\n"
    "return {string.format('%.0f', time[1] + 90), time[2]}\n";

static const char* const kInfo =
    "return (redis.call('Info'):gsub('redis_version:[%d.]+', 'redis_version:4.0.14'))\n";

typedef struct Words Words;
static int (*count_of)(Words*);
static Text* (*word_of)(Words*, int);
static int (*put)(Words*, int, Text*);
static int (*insert)(Words*, int, Text*);
static Text* (*create_text)(Context*, const char*, size_t);
static const char* (*bytes_of)(Text*, size_t*);
static const char* other = "";  // TIME or INFO

static Text* text_of(const char* words) { return create_text(NULL, words, strlen(words)); }

static void answer_otherwise(Words* words) {
  size_t bytes = 0;
  if (count_of(words) != 1) return;
  const char* const name = bytes_of(word_of(words, 0), &bytes);
  if (bytes != 4 || memcmp(name, other, 4) != 0) return;
  put(words, 0, text_of("EVAL"));
  insert(words, 1, text_of(other[0] == 'T' ? kTime : kInfo));
  insert(words, 2, text_of("0"));
}

static void take_other(Context* context, int (*find)(const char*, void*), Text* word) {
  void (*filter)(Context*, void (*)(Words*), int);
  find("RedisModule_CommandFilterArgsCount", &count_of);
  find("RedisModule_CommandFilterArgGet", &word_of);
  find("RedisModule_CommandFilterArgReplace", &put);
  find("RedisModule_CommandFilterArgInsert", &insert);
  find("RedisModule_CreateString", &create_text);
  find("RedisModule_StringPtrLen", &bytes_of);
  find("RedisModule_RegisterCommandFilter", &filter);
  other = bytes_of(word, NULL)[0] == 'T' ? "TIME" : "INFO";
  filter(context, answer_otherwise, 0);
}

static int run(Context* context, const char* script, Text** words, int count) {
  if (count < 3) return wrong_arity(context);
  return reply_with_answer(
      context, call(context, "EVAL", "clv", script, 1LL, words + 1, (size_t)(count - 1)));
}

static int throttle(Context* context, Text** words, int count) {
  return run(context, kThrottle, words, count);
}

static int increx(Context* context, Text** words, int count) {
  return run(context, kIncrex, words, count);
}

// A module finds the function that finds all others in the first word of its context.
int RedisModule_OnLoad(Context* context, Text** words, int count) {
  int (*find)(const char*, void*) = *(int (**)(const char*, void*))context;
  int (*set_attributes)(Context*, const char*, int, int);
  find("RedisModule_SetModuleAttribs", &set_attributes);
  find("RedisModule_CreateCommand", &create_command);
  find("RedisModule_ReplyWithCallReply", &reply_with_answer);
  find("RedisModule_WrongArity", &wrong_arity);
  find("RedisModule_Call", &call);
  set_attributes(context, "limits", 1, 1);
  if (count == 1) take_other(context, find, words[0]);
  return create_command(context, "CL.THROTTLE", throttle, "write deny-oom", 1, 1, 1) ||
         create_command(context, "INCREX", increx, "write deny-oom", 1, 1, 1);
}
