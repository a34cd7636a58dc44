// The cases of WebSocket over ws: node ws.mjs WIRE URL
import { once } from 'node:events';
import WebSocket from 'ws';
import { body, ca, runId, same, tryAll, url } from './cases.mjs';

async function dial(query = '', perMessageDeflate = false) {
  const socket = new WebSocket(url + query, { ca, perMessageDeflate });
  await once(socket, 'open');
  return socket;
}

async function echoed(message, deflate = false) {
  const socket = await dial('', deflate);
  same('extensions', deflate ? 'permessage-deflate' : '', socket.extensions.split(';')[0]);
  socket.send(message);
  const [got, isBinary] = await once(socket, 'message');
  same('kind', typeof message !== 'string', isBinary);
  same('equal', true, Buffer.compare(Buffer.from(message), got) === 0);
  socket.close();
}

const cases = {
  text: () => echoed('höi'),
  binary: () => echoed(body),
  deflate: () => echoed('sigma '.repeat(20_000), true),
  async 'closed-by-node'() {
    const socket = await dial();
    socket.send('close 4321 bye');
    const [code, reason] = await once(socket, 'close');
    same('close', [4321, 'bye'], [code, String(reason)]);
  },
  async 'closed-by-client'() {
    const socket = await dial(`?id=${runId}`);
    socket.close(4001, 'enough');
    same('code', 4001, (await once(socket, 'close'))[0]);
    const asking = await dial();
    asking.send(`closed ${runId}`);
    same("the node's view", '4001 enough', String((await once(asking, 'message'))[0]));
  },
};
await tryAll(cases, Object.keys(cases));
