// A server of HTTP/2 over TLS whose answer is named by the path. Prints its port.
'use strict';
const fs = require('fs');
const http2 = require('http2');
const folder = process.argv[2];

const answers = {
  ok: (stream) => { stream.respond({':status': 200, 'x-a': 'b'}); stream.end('ok'); },
  none: (stream) => stream.respond({':status': 204, 'x-a': 'b'}, {endStream: true}),
  unchanged: (stream) => stream.respond({':status': 304}, {endStream: true}),
  denied: (stream) => { stream.respond({':status': 429, 'retry-after': '3'}); stream.end('no'); },
  hints: (stream) => {
    stream.additionalHeaders({':status': 103, link: '</a>'});
    stream.respond({':status': 200, 'x-a': 'after'});
    stream.end('ok');
  },
  trailers: (stream) => {
    stream.respond({':status': 200, 'x-a': 'b'}, {waitForTrailers: true});
    stream.on('wantTrailers', () => stream.sendTrailers({'grpc-status': '8'}));
    stream.end('body');
  },
  twice: (stream) => { stream.respond({':status': 200, 'x-a': ['b', 'c']}); stream.end(); },
  empty: (stream) => { stream.respond({':status': 200, 'x-a': ''}); stream.end(); },
  // About as much as the 8 CONTINUATION frames that libnghttp2 takes.
  fields: (stream) => {
    const fields = {':status': 200};
    for (let i = 0; i < 1000; i++) fields['x-' + i] = 'v'.repeat(80);
    stream.respond(fields);
    stream.end('ok');
  },
  field: (stream) => {
    stream.respond({':status': 200, 'x-a': 'v'.repeat(60000)});
    stream.end('ok');
  },
  large: (stream) => { stream.respond({':status': 200}); stream.end('x'.repeat(20e6)); },
  slow: (stream) => {
    stream.respond({':status': 200});
    let left = 20;
    const more = () => (left-- > 0 ? stream.write('x', () => setImmediate(more)) : stream.end());
    more();
  },
  fails: (stream) => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR),
  breaks: (stream) => {
    stream.respond({':status': 200});
    stream.write('part', () => stream.close(http2.constants.NGHTTP2_ENHANCE_YOUR_CALM));
  },
  hangs_up: (stream) => stream.session.socket.destroy(),
  cut: (stream) => {
    stream.respond({':status': 200});
    stream.write('part', () => stream.session.socket.destroy());
  },
  short: (stream) => {
    stream.respond({':status': 200, 'content-length': '9'});
    stream.end('ok');
  },
  long: (stream) => {
    stream.respond({':status': 200, 'content-length': '1'});
    stream.end('ok');
  },
  leaves: (stream) => {
    stream.respond({':status': 200});
    stream.end('last');
    stream.session.close();
  },
};

const server = http2.createSecureServer({
  cert: fs.readFileSync(folder + '/cert.pem'),
  key: fs.readFileSync(folder + '/key.pem'),
  maxSendHeaderBlockLength: 1 << 20,
});
server.on('stream', (stream, head) => {
  stream.on('error', () => {});
  answers[head[':path'].slice(1)](stream);
});
server.on('session', (session) => session.on('error', () => {}));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
