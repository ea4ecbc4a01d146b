// The same service as rls_server.py, by @grpc/grpc-js: KIND LIMIT WINDOW_MS [CERTIFICATES].
'use strict';
const fs = require('fs');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');
const [kind, limit, windowMs, folder] =
    [process.argv[2], +process.argv[3], +process.argv[4], process.argv[5]];

const proto = loader.loadSync(__dirname + '/rls.proto', {keepCase: true, longs: Number});
const service = grpc.loadPackageDefinition(proto).envoy.service.ratelimit.v3.RateLimitService;
const counts = new Map();

function decide(domain, descriptor, hits) {
  const now = Date.now();
  const key = JSON.stringify([domain, descriptor.entries, Math.floor(now / windowMs)]);
  let used = counts.get(key) || 0;
  const admitted = used + hits <= limit + (kind === 'generous' ? 1 : 0);
  if (admitted) counts.set(key, used += hits);
  const left = windowMs - now % windowMs;
  return {
    code: admitted ? 1 : 2,
    current_limit: {requests_per_unit: limit},
    limit_remaining: Math.max(0, limit - used),
    duration_until_reset: {seconds: Math.floor(left / 1000), nanos: left % 1000 * 1e6},
  };
}

const server = new grpc.Server();
server.addService(service.service, {
  ShouldRateLimit({request}, answer) {
    if (kind in grpc.status) return answer({code: grpc.status[kind], details: 'as it was told'});
    const hits = kind === 'deaf' ? 1 : request.hits_addend || 1;
    const statuses = request.descriptors.map((one) => decide(request.domain, one, hits));
    answer(null, {overall_code: Math.max(...statuses.map((one) => one.code)), statuses});
  },
});
const read = (name) => fs.readFileSync(folder + name);
const credentials = folder === undefined ? grpc.ServerCredentials.createInsecure() :
    grpc.ServerCredentials.createSsl(
        null, [{private_key: read('key.pem'), cert_chain: read('cert.pem')}]);
server.bindAsync('127.0.0.1:0', credentials, (error, port) => {
  if (error) throw error;
  console.log(port);
});
