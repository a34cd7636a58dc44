// A node of gRPC that knows nothing of gRPC-Web, with @grpc/grpc-js: node grpc_node.mjs
import grpc from '@grpc/grpc-js';
import { unpack, pack } from './greeting.mjs';

const method = (path, responseStream = false) => ({
  path: `/interop.Greeter/${path}`,
  requestStream: false,
  responseStream,
  requestSerialize: pack,
  requestDeserialize: unpack,
  responseSerialize: pack,
  responseDeserialize: unpack,
});
const waiting = new Map();
const server = new grpc.Server({ 'grpc.max_receive_message_length': 8 << 20 });

server.addService(
  { Say: method('Say'), Go: method('Go'), Fail: method('Fail'), Never: method('Never'), Count: method('Count', true), Break: method('Break', true) },
  {
    Say: (call, answer) => {
      const trailers = new grpc.Metadata();
      trailers.set('x-after', 'said');
      answer(null, `Hello ${call.request}`, trailers);
    },
    // Nothing but a status, in the head.
    Fail: (call, answer) => answer({ code: grpc.status.NOT_FOUND, details: `no ${call.request}` }),
    Never: () => {},
    // The first message at once, the others when another call says that it came.
    Count: (call) => {
      call.write('1');
      waiting.set(call.request, () => {
        call.write('2');
        call.write('3');
        call.end();
      });
    },
    Go: (call, answer) => {
      waiting.get(call.request)();
      answer(null, 'gone');
    },
    Break: (call) => {
      call.write('1');
      call.emit('error', { code: grpc.status.DATA_LOSS, details: 'broken' });
    },
  },
);
server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(`ready ${port}`);
});
