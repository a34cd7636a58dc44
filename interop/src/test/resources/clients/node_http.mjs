// The cases over node:http, node:https and node:http2: node node_http.mjs WIRE URL
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { body, ca, cookie, digest, runId, same, tryAll, two, url } from './cases.mjs';

const session = two ? http2.connect(new URL(url).origin, { ca }) : null;
const agent = new (url.startsWith('https') ? https : http).Agent({ keepAlive: true, maxSockets: 60 });

function ask2(method, path, headers, content, onData) {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':method': method, ':path': new URL(url).pathname.replace(/\/$/, '') + path, ...headers });
    const answer = { status: 0, headers: {}, trailers: {}, body: Buffer.alloc(0) };
    stream.on('response', (fields) => Object.assign(answer, { status: fields[':status'], headers: fields }));
    stream.on('trailers', (fields) => (answer.trailers = fields));
    stream.on('data', (part) => {
      answer.body = Buffer.concat([answer.body, part]);
      onData?.(answer.body);
    });
    stream.on('end', () => resolve(answer)).on('error', reject);
    session.once('error', reject);
    stream.end(content);
  });
}

function ask1(method, path, headers, content, onData) {
  return new Promise((resolve, reject) => {
    const asked = (url.startsWith('https') ? https : http).request(url + path, { method, headers, agent, ca }, (response) => {
      const answer = { status: response.statusCode, headers: response.headers, trailers: {}, body: Buffer.alloc(0) };
      response.on('data', (part) => {
        answer.body = Buffer.concat([answer.body, part]);
        onData?.(answer.body);
      });
      response.on('end', () => resolve({ ...answer, trailers: response.trailers })).on('error', reject);
    });
    asked.on('error', reject).end(content);
  });
}

const ask = (method, path, headers = {}, content = undefined, onData = undefined) =>
  (two ? ask2 : ask1)(method, path, headers, content, onData);

await tryAll({
  async json() {
    const answer = await ask('GET', '/json');
    same('answer', [200, 'application/json', '{"name": "sigma"}'], [answer.status, answer.headers['content-type'], String(answer.body)]);
  },
  async echo() {
    const answer = await ask('POST', '/echo', {}, body);
    same('hash', [200, digest(body)], [answer.status, digest(answer.body)]);
  },
  async empty() {
    const answer = await ask('GET', '/empty');
    same('answer', [204, ''], [answer.status, String(answer.body)]);
  },
  async missing() {
    const answer = await ask('GET', '/missing');
    same('answer', [404, 'missing'], [answer.status, String(answer.body)]);
  },
  async events() {
    let going;
    const onData = (text) => {
      if (String(text) === 'data: first\n\n') going = ask('GET', `/go/${runId}`);
    };
    const answer = await ask('GET', `/events/${runId}`, {}, undefined, onData);
    same('go', 204, (await going)?.status);
    same('events', 'data: first\n\ndata: last\n\n', String(answer.body));
  },
  async many() {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => ask('GET', `/gather/${runId}?i=${i}`)));
    same('answers', Array(50).fill(200), answers.map((answer) => answer.status));
  },
  async head() {
    const answer = await ask('HEAD', '/json');
    same('answer', [200, '17', ''], [answer.status, answer.headers['content-length'], String(answer.body)]);
  },
  async cookies() {
    const answer = await ask('GET', '/cookies', { cookie });
    same('cookie', `1\n${cookie}`, String(answer.body));
    same('set-cookie', 2, answer.headers['set-cookie'].length);
    const crumbs = await ask('GET', '/cookies', { cookie: two ? ['a=1', 'b=2', 'c=3'] : 'a=1; b=2; c=3' });
    same('crumbs', '1\na=1; b=2; c=3', String(crumbs.body));
  },
  async trailers() {
    const answer = await ask('GET', '/trailers', { te: 'trailers' });
    same('answer', ['with trailers', '1234'], [String(answer.body), answer.trailers['x-checksum']]);
  },
});
