<?php
// What the limiters of Laravel have counted in Redis, by their own API. Usage:
//   php counted.php NAME REDIS_SOCKET REQUESTS
// Sends so many requests of the client u1, with a limit of 10 per hour, and prints an object with
// what the API then says. With 0 requests it only asks.
require 'Illuminate/Redis/autoload.php';
require 'Illuminate/Cache/autoload.php';

use Illuminate\Cache\RateLimiter;
use Illuminate\Cache\RedisStore;
use Illuminate\Cache\Repository;
use Illuminate\Redis\Limiters\DurationLimiter;
use Illuminate\Redis\RedisManager;

[, $name, $socket, $requests] = $argv;
$limit = 10;

// With the prefixes of a new application.
$redis = new RedisManager(null, 'phpredis', [
    'options' => ['prefix' => 'my_shop_database_'],
    'default' => ['host' => $socket, 'port' => 0],
]);

if ($name === 'laravel') {
    $limiter = new RateLimiter(new Repository(new RedisStore($redis, 'my_shop_cache')));
    for ($i = 0; $i < $requests; ++$i) $limiter->hit('u1', 3600);
    $told = ['used' => (int) $limiter->attempts('u1'), 'left' => $limiter->remaining('u1', $limit)];
} else {
    $limiter = new DurationLimiter($redis->connection(), 'u1', $limit, 3600);
    $limiter->remaining = $limit;
    for ($i = 0; $i < $requests; ++$i) $limiter->acquire();
    $told = ['left' => $limiter->remaining];
}
echo json_encode($told), "\n";
