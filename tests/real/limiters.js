// Limiters of npm packages in an express app, as their documentation shows them. Usage:
//   node limiters.js NAME LIMIT WINDOW_MS [REDIS_SOCKET]
// It prints the port that it listens on, on 127.0.0.1. Clients are told apart by the header
// X-Client.
'use strict';

const express = require('express');
const {rateLimit} = require('express-rate-limit');
const {RedisStore} = require('rate-limit-redis');
const {RateLimiterMemory, RateLimiterRedis} = require('rate-limiter-flexible');
const {createClient} = require('redis');

const [name, limitText, windowText, redisSocket] = process.argv.slice(2);
const limit = Number(limitText);
const windowMs = Number(windowText);
const keyGenerator = (request) => request.get('x-client') || 'all';

const common = {standardHeaders: 'draft-8', legacyHeaders: false, keyGenerator};

// rate-limiter-flexible has no middleware: its documentation writes this one.
const flexible = (limiter) => (request, response, next) =>
  limiter.consume(keyGenerator(request))
    .then(() => next())
    .catch((why) => response.status(why instanceof Error ? 500 : 429).send(String(why)));

async function connected() {
  const client = createClient({socket: {path: redisSocket}});
  await client.connect();
  return client;
}

const limiters = {
  'express-rate-limit': async () => [rateLimit({...common, windowMs, limit})],
  'express-rate-limit-redis': async () => {
    const client = await connected();
    const store = new RedisStore({sendCommand: (...command) => client.sendCommand(command)});
    return [rateLimit({...common, windowMs, limit, store})];
  },
  'rate-limiter-flexible': async () =>
    [flexible(new RateLimiterMemory({points: limit, duration: windowMs / 1000}))],
  'rate-limiter-flexible-redis': async () =>
    [flexible(new RateLimiterRedis({
      storeClient: await connected(), useRedisPackage: true, points: limit,
      duration: windowMs / 1000}))],
  // The client is the address that a proxy names; the package counts an IPv6 network as one client.
  'behind-a-proxy': async (app) => {
    app.set('trust proxy', true);
    return [rateLimit({...common, windowMs, limit, keyGenerator: undefined})];
  },
  // Two proxies are trusted: the client is the second address from the right.
  'behind-two-proxies': async (app) => {
    app.set('trust proxy', 2);
    return [rateLimit({...common, windowMs, limit, keyGenerator: undefined})];
  },
  // It says that its limit is 100. Without headers of its own it would send no Retry-After, too.
  'false-header': async () => [
    (request, response, next) => { response.set('X-RateLimit-Limit', '100'); next(); },
    rateLimit({...common, windowMs, limit, standardHeaders: false,
      handler: (request, response) =>
        response.set('Retry-After', String(Math.ceil(windowMs / 1000))).status(429).send('late')})],
  // Two limits at once: LIMIT per WINDOW_MS, and three times as many per six times as long.
  'two-limits': async () => [
    rateLimit({...common, windowMs, limit}),
    rateLimit({...common, windowMs: 6 * windowMs, limit: 3 * limit})],
  // LIMIT per WINDOW_MS for each user, and two and a half times as many for each address.
  'two-keys': async () => [
    rateLimit({...common, windowMs, limit, keyGenerator: (request) => request.get('x-user')}),
    rateLimit({...common, windowMs, limit: 2.5 * limit})],
  // A login gives a token; LIMIT orders per WINDOW_MS for each token.
  'login': async () => {
    const users = new Map();
    const login = (request, response) => {
      if (request.body.password !== 'correct horse') return response.status(403).send('wrong');
      const token = `token-${Math.random()}`;
      users.set(token, request.body.user);
      response.json({session: {token}});
    };
    const tokenOf = (request) => (request.get('authorization') || '').replace('Bearer ', '');
    return [
      express.json(),
      (request, response, next) => request.path === '/login' ? login(request, response) : next(),
      (request, response, next) => users.has(tokenOf(request)) ? next() :
        response.status(401).send('log in'),
      rateLimit({...common, windowMs, limit, keyGenerator: tokenOf}),
      (request, response) => response.status(request.body.order ? 201 : 400).send('ordered')];
  },
  // At most LIMIT in flight, each held for WINDOW_MS.
  'semaphore': async () => {
    let held = 0;
    return [(request, response, next) => {
      if (held >= limit) return response.status(429).send('busy');
      ++held;
      response.on('close', () => --held);
      setTimeout(next, windowMs);
    }];
  },
};

async function main() {
  const app = express();
  for (const limiter of await limiters[name](app)) app.use(limiter);
  app.get('/', (request, response) => response.send('ok'));
  const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port));
  server.keepAliveTimeout = 60_000;
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
