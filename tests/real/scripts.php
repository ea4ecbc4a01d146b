<?php
// The script that Redis::throttle of Laravel sends to Redis, as it sends it.
require 'Illuminate/Redis/autoload.php';

use Illuminate\Redis\Limiters\DurationLimiter;

$limiter = new DurationLimiter(null, 'u1', 10, 60);
$script = new ReflectionMethod($limiter, 'luaScript');
$script->setAccessible(true);
echo $script->invoke($limiter);
