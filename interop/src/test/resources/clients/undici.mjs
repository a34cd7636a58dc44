// The cases over fetch of undici, Node's own: node undici.mjs WIRE URL
import { subscribe } from 'node:diagnostics_channel';
import { Agent, H2CClient, fetch, request } from 'undici';
import { Cannot, body, ca, cookie, digest, runId, same, tryAll, two, url, wire } from './cases.mjs';

const options = { connect: { ca }, allowH2: two, connections: two ? 1 : 60, pipelining: two ? 100 : 1, maxConcurrentStreams: 100 };
const dispatcher = wire === 'h2c' ? new H2CClient(new URL(url).origin, { pipelining: 100, maxConcurrentStreams: 100 }) : new Agent(options);
const get = (path, more = {}) => fetch(url + path, { dispatcher, ...more });

let protocol;
subscribe('undici:client:connected', ({ socket }) => (protocol = socket.alpnProtocol || 'http/1.1'));

await tryAll({
  async json() {
    const answer = await get('/json');
    same('answer', [200, 'application/json', { name: 'sigma' }], [answer.status, answer.headers.get('content-type'), await answer.json()]);
    if (wire !== 'h2c') same('protocol', wire === 'h2-tls' ? 'h2' : 'http/1.1', protocol);
  },
  async echo() {
    const answer = await get('/echo', { method: 'POST', body });
    same('hash', [200, digest(body)], [answer.status, digest(Buffer.from(await answer.arrayBuffer()))]);
  },
  async empty() {
    const answer = await get('/empty');
    same('answer', [204, ''], [answer.status, await answer.text()]);
  },
  async missing() {
    const answer = await get('/missing');
    same('answer', [404, 'missing'], [answer.status, await answer.text()]);
  },
  async events() {
    const answer = await get(`/events/${runId}`);
    let text = '';
    let gone = false;
    for await (const part of answer.body) {
      text += Buffer.from(part);
      if (text === 'data: first\n\n' && !gone) {
        gone = true;
        same('go', 204, (await get(`/go/${runId}`)).status);
      }
    }
    same('events', 'data: first\n\ndata: last\n\n', text);
  },
  async many() {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => get(`/gather/${runId}?i=${i}`).then((answer) => answer.text())));
    same('answers', Array(50).fill('all'), answers);
  },
  async head() {
    const answer = await get('/json', { method: 'HEAD' });
    same('answer', [200, '17', ''], [answer.status, answer.headers.get('content-length'), await answer.text()]);
  },
  async cookies() {
    const answer = await get('/cookies', { headers: { cookie } });
    same('cookie', `1\n${cookie}`, await answer.text());
    same('set-cookie', 2, answer.headers.getSetCookie().length);
  },
  async trailers() {
    const answer = await request(`${url}/trailers`, { dispatcher, headers: { te: 'trailers' } });
    same('body', 'with trailers', await answer.body.text());
    if (two && !answer.trailers['x-checksum']) throw new Cannot('undici shows no trailers of HTTP/2 (body was right)');
    same('trailer', '1234', answer.trailers['x-checksum']);
  },
});
