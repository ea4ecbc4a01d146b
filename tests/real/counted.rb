# What Rack::Attack has counted in Redis, by its own API. Usage:
#   ruby counted.rb NAME REDIS_SOCKET REQUESTS
# Sends so many requests of the client u1, with a limit of 10 per hour, and prints an object with
# what the API says of the last one.
require 'json'
require 'rack/attack'
require 'redis'
require 'stringio'

_, socket, requests = ARGV
Rack::Attack.cache.store = Redis.new(path: socket)
Rack::Attack.throttle('requests by user', limit: 10, period: 3600) { |request| request.env['user'] }
service = Rack::Attack.new(->(_) { [200, {}, []] })
used = 0
requests.to_i.times do
  request = { 'user' => 'u1', 'REMOTE_ADDR' => '192.0.2.1', 'REQUEST_METHOD' => 'GET',
              'PATH_INFO' => '/', 'rack.input' => StringIO.new }
  service.call(request)
  used = request['rack.attack.throttle_data']['requests by user'][:count]
end
puts JSON.generate(used: used)
