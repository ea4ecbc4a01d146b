// A Redis module for tests, with two commands that limit: CL.THROTTLE (a bucket by GCRA, with the
// arguments and the reply of redis-cell) and INCREX (a counter with a bound and an expiry, with
// those of Redis 8.8). Each is the script below, so Redis replicates and routes it as its own.
#include <stddef.h>

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
    "redis.call('SET', KEYS[1], string.format('%.0f', next), 'PX', math.ceil((next - now) / 1000))\n"
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
  (void)words, (void)count;
  find("RedisModule_SetModuleAttribs", &set_attributes);
  find("RedisModule_CreateCommand", &create_command);
  find("RedisModule_ReplyWithCallReply", &reply_with_answer);
  find("RedisModule_WrongArity", &wrong_arity);
  find("RedisModule_Call", &call);
  set_attributes(context, "limits", 1, 1);
  return create_command(context, "CL.THROTTLE", throttle, "write deny-oom", 1, 1, 1) ||
         create_command(context, "INCREX", increx, "write deny-oom", 1, 1, 1);
}
