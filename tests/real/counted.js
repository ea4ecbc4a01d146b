// What the limiters of npm packages have counted in Redis, by their own API. Usage:
//   node counted.js NAME REDIS_SOCKET REQUESTS
// Sends so many requests of the client u1, with a limit of 10 per minute, and prints an object with
// what the API then says: `used`, `left` or both. With 0 requests it only asks.
'use strict';

const {createClient} = require('redis');

const [name, redisSocket, requestsText] = process.argv.slice(2);
const requests = Number(requestsText);
const limit = 10;

async function repeat(act) {
  for (let i = 0; i < requests; ++i) await act();
}

// @upstash/redis speaks HTTP; this is its interface over a socket.
const upstash = (client) => ({
  evalsha: (sha, keys, args) => client.evalSha(sha, {keys, arguments: args.map(String)}),
  eval: (script, keys, args) => client.eval(script, {keys, arguments: args.map(String)}),
});

async function upstashCount(client, limiterOf) {
  const {Ratelimit} = require('@upstash/ratelimit');
  const ratelimit =
    new Ratelimit({redis: upstash(client), limiter: limiterOf(Ratelimit), ephemeralCache: false});
  await repeat(() => ratelimit.limit('u1'));
  return {left: (await ratelimit.getRemaining('u1')).remaining};
}

const libraries = {
  'rate-limiter-flexible': async (client) => {
    const {RateLimiterRedis} = require('rate-limiter-flexible');
    const limiter = new RateLimiterRedis(
      {storeClient: client, useRedisPackage: true, points: limit, duration: 60});
    await repeat(() => limiter.consume('u1'));
    const state = await limiter.get('u1');
    return {used: state ? state.consumedPoints : 0, left: state ? state.remainingPoints : limit};
  },
  'rate-limit-redis': async (client) => {
    const {RedisStore} = require('rate-limit-redis');
    const store = new RedisStore({sendCommand: (...command) => client.sendCommand(command)});
    store.init({windowMs: 60_000});
    await repeat(() => store.increment('u1'));
    const state = await store.get('u1');
    return {used: state && state.totalHits ? state.totalHits : 0};
  },
  'fastify-rate-limit': async () => {
    const Redis = require('ioredis');
    const redis = new Redis({path: redisSocket});
    const app = require('fastify')();
    await app.register(require('@fastify/rate-limit'),
      {redis, max: limit, timeWindow: 60_000, keyGenerator: () => 'u1'});
    app.get('/', async () => 'ok');
    let left = limit;
    await repeat(async () => {
      left = Number((await app.inject('/')).headers['x-ratelimit-remaining']);
    });
    await app.close();
    redis.disconnect();
    return {left};
  },
  'upstash-fixed-window': (client) =>
    upstashCount(client, (Ratelimit) => Ratelimit.fixedWindow(limit, '1 h')),
  'upstash-sliding-window': (client) =>
    upstashCount(client, (Ratelimit) => Ratelimit.slidingWindow(limit, '1 h')),
  'upstash-token-bucket': (client) =>
    upstashCount(client, (Ratelimit) => Ratelimit.tokenBucket(1, '1 h', limit)),
};

async function main() {
  const client = createClient({socket: {path: redisSocket}});
  await client.connect();
  console.log(JSON.stringify(await libraries[name](client)));
  await client.close();
}

main().catch((error) => {
  console.error(error.stack);
  process.exit(1);
});
