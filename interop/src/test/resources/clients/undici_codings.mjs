// Compressed answers over fetch of undici, Node's own: node undici_codings.mjs WIRE URL
import * as zlib from 'node:zlib';
import { Agent, fetch } from 'undici';
import { Cannot, ca, runId, same, tryAll, two, url } from './cases.mjs';

const dispatcher = new Agent({ connect: { ca }, allowH2: two });
const get = (path, coding) => fetch(url + path, { dispatcher, headers: { 'accept-encoding': coding } });
const numbers = Array.from({ length: 30_000 }, (_, i) => i).join('\n');

async function coded(coding) {
  const answer = await get(`/${coding}/numbers`, coding);
  same('coding', coding, answer.headers.get('content-encoding'));
  same('text', numbers, await answer.text());
  let text = '';
  let gone = false;
  for await (const part of (await get(`/${coding}/events/${runId}${coding}`, coding)).body) {
    text += Buffer.from(part);
    if (text === 'data: first\n\n' && !gone) {
      gone = true;
      same('go', 204, (await get(`/go/${runId}${coding}`, coding)).status);
    }
  }
  same('events', 'data: first\n\ndata: last\n\n', text);
}

await tryAll(
  {
    gzip: () => coded('gzip'),
    br: () => coded('br'),
    async zstd() {
      if (!zlib.createZstdDecompress) throw new Cannot(`Node ${process.version} has no zstd (expected: 22.15 or later)`);
      await coded('zstd');
    },
  },
  ['gzip', 'br', 'zstd'],
);
