// The cases over Google's grpc-web, in text and in binary: node grpc_web.mjs WIRE URL
import https from 'node:https';
import { createRequire } from 'node:module';
import { ca, runId, same, tryAll, url } from './cases.mjs';
import { CASES, DATA_LOSS, DEADLINE_EXCEEDED, NOT_FOUND, pack, unpack } from './greeting.mjs';

const trusting = https.request;
https.request = (options, ...more) => trusting({ ...options, ca }, ...more);
const require = createRequire(import.meta.url);
const requests = { text: require('xmlhttprequest').XMLHttpRequest, binary: require('xhr2').XMLHttpRequest };
const formats = Object.keys(requests);
const grpcWeb = require('grpc-web');

const method = (name, type = 'unary') =>
  new grpcWeb.MethodDescriptor(`/interop.Greeter/${name}`, type, Object, Object, (text) => new Uint8Array(pack(text)), unpack);

function client(format) {
  // What a browser would have.
  globalThis.XMLHttpRequest = requests[format];
  return new grpcWeb.GrpcWebClientBase({ format });
}

const call = (format, name, text, metadata = {}) =>
  client(format).unaryCall(`${url}/interop.Greeter/${name}`, text, metadata, method(name));

function stream(format, name, text, onMessage = () => {}) {
  return new Promise((resolve) => {
    const seen = [];
    const calling = client(format).serverStreaming(`${url}/interop.Greeter/${name}`, text, {}, method(name, 'server_streaming'));
    calling.on('data', (message) => {
      seen.push(message);
      onMessage(seen);
    });
    let status;
    calling.on('status', (told) => (status = told));
    calling.on('error', (error) => resolve({ seen, code: error.code, message: error.message }));
    calling.on('end', () => resolve({ seen, code: status?.code ?? 0 }));
  });
}

async function failure(promise) {
  try {
    await promise;
  } catch (error) {
    return { code: error.code, message: error.message };
  }
  throw new Error('answered (expected: an error)');
}

await tryAll(
  {
    async unary() {
      for (const format of formats) same(format, 'Hello web', await call(format, 'Say', 'web'));
    },
    // The first message has come before the node sends the others; in binary the client shows none before the end.
    async stream() {
      const id = `${runId}-text`;
      const told = await stream('text', 'Count', id, (seen) => seen.length === 1 && call('text', 'Go', id));
      same('text', { seen: ['1', '2', '3'], code: 0 }, told);
    },
    async large() {
      const text = 'x'.repeat(1 << 20);
      for (const format of formats) same(format, `Hello ${text}`.length, (await call(format, 'Say', text)).length);
    },
    async error() {
      for (const format of formats) {
        same(format, { code: NOT_FOUND, message: 'no order' }, await failure(call(format, 'Fail', 'order')));
      }
    },
    async broken() {
      for (const format of formats) {
        same(format, { seen: ['1'], code: DATA_LOSS, message: 'broken' }, await stream(format, 'Break', 'x'));
      }
    },
    async deadline() {
      for (const format of formats) {
        same(format, DEADLINE_EXCEEDED, (await failure(call(format, 'Never', 'x', { deadline: String(Date.now() + 500) }))).code);
      }
    },
  },
  CASES,
);
