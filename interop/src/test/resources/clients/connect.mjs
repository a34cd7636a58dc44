// The cases over Connect's clients of gRPC-Web; on HTTP/1.1 without TLS that of browsers (fetch), else that of Node: node connect.mjs WIRE URL
import { create, createFileRegistry } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, file_google_protobuf_wrappers } from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import * as ofNode from '@connectrpc/connect-node';
import * as ofWeb from '@connectrpc/connect-web';
import { ca, runId, same, tryAll, two, url, wire } from './cases.mjs';
import { CASES, DATA_LOSS, DEADLINE_EXCEEDED, NOT_FOUND } from './greeting.mjs';

const STRING = '.google.protobuf.StringValue';
const method = (name, serverStreaming = false) => ({ name, inputType: STRING, outputType: STRING, serverStreaming });
const file = create(FileDescriptorProtoSchema, {
  name: 'greeter.proto',
  package: 'interop',
  syntax: 'proto3',
  dependency: ['google/protobuf/wrappers.proto'],
  service: [{ name: 'Greeter', method: [method('Say'), method('Go'), method('Fail'), method('Never'), method('Count', true), method('Break', true)] }],
});
const registry = createFileRegistry(file, (name) => (name === 'google/protobuf/wrappers.proto' ? file_google_protobuf_wrappers : undefined));
const transport =
  wire === 'http1'
    ? ofWeb.createGrpcWebTransport({ baseUrl: url })
    : ofNode.createGrpcWebTransport({ baseUrl: url, httpVersion: two ? '2' : '1.1', nodeOptions: { ca } });
const client = createClient(registry.getService('interop.Greeter'), transport);
const request = (value) => ({ value });

async function failure(promise) {
  try {
    await promise;
  } catch (error) {
    return { code: error.code, message: error.rawMessage };
  }
  throw new Error('answered (expected: an error)');
}

await tryAll(
  {
    async unary() {
      let trailer;
      const answer = await client.say(request('web'), { onTrailer: (trailers) => (trailer = trailers.get('x-after')) });
      same('answer', ['Hello web', 'said'], [answer.value, trailer]);
    },
    async stream() {
      const seen = [];
      for await (const message of client.count(request(runId))) {
        seen.push(message.value);
        if (seen.length === 1) await client.go(request(runId));
      }
      same('messages', ['1', '2', '3'], seen);
    },
    async large() {
      const text = 'x'.repeat(1 << 20);
      same('length', `Hello ${text}`.length, (await client.say(request(text))).value.length);
    },
    async error() {
      same('error', { code: NOT_FOUND, message: 'no order' }, await failure(client.fail(request('order'))));
    },
    async broken() {
      const seen = [];
      const told = await failure(
        (async () => {
          for await (const message of client.break(request('x'))) seen.push(message.value);
        })(),
      );
      same('error', { code: DATA_LOSS, message: 'broken', seen: ['1'] }, { ...told, seen });
    },
    async deadline() {
      same('code', DEADLINE_EXCEEDED, (await failure(client.never(request('x'), { timeoutMs: 500 }))).code);
    },
  },
  CASES,
);
