// The script that an npm package sends to Redis, as it sends it. Usage: node scripts.js LAYOUT
// Makes the package's limiter with a client that is none, and prints the first script it is given.
'use strict';

function print(script) {
  process.stdout.write(script);
  process.exit(0);
}

const upstash = (limiterOf) => {
  const {Ratelimit} = require('@upstash/ratelimit');
  const redis = {evalsha: async () => { throw new Error('NOSCRIPT'); }, eval: print};
  return new Ratelimit({redis, limiter: limiterOf(Ratelimit), ephemeralCache: false}).limit('u1');
};

const libraries = {
  'fastify-rate-limit': () => {
    const Store = require('@fastify/rate-limit/store/RedisStore');
    new Store(false, false, {defineCommand: (name, {lua}) => print(lua)}, '');
  },
  'rate-limit-redis': () => {
    const {RedisStore} = require('rate-limit-redis');
    new RedisStore({sendCommand: (...command) => print(command[2])});
  },
  'rate-limiter-flexible': () => {
    const {RateLimiterRedis} = require('rate-limiter-flexible');
    new RateLimiterRedis({storeClient: {defineCommand: (name, {lua}) => print(lua)}});
  },
  'upstash-fixed-window': () => upstash((Ratelimit) => Ratelimit.fixedWindow(1, '1 s')),
  'upstash-sliding-window': () => upstash((Ratelimit) => Ratelimit.slidingWindow(1, '1 s')),
  'upstash-regions': () => {
    const {MultiRegionRatelimit} = require('@upstash/ratelimit');
    const redis = {evalsha: async () => { throw new Error('NOSCRIPT'); }, eval: print};
    const limiter = MultiRegionRatelimit.slidingWindow(1, '1 s');
    return new MultiRegionRatelimit({redis: [redis], limiter, ephemeralCache: false}).limit('u1');
  },
  'upstash-token-bucket': () => upstash((Ratelimit) => Ratelimit.tokenBucket(1, '1 s', 1)),
};

libraries[process.argv[2]]();
