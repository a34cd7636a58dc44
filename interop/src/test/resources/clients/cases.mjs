// What the clients of Node have in common: cases, each told as a line of JSON.
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';

export const [wire, url] = process.argv.slice(2);
export const ca = readFileSync(process.env.SIGMA_CA);
export const runId = String(process.pid);
export const cookie = `big=${'x'.repeat(6144)}; a=1; b=2; c=3`;
export const body = randomBytes(1 << 20);
export const two = wire.startsWith('h2');
const DEADLINE_MILLIS = 20_000;
const CASES = ['json', 'echo', 'empty', 'missing', 'events', 'many', 'head', 'cookies', 'trailers'];

/** The client has no way to do this. */
export class Cannot extends Error {}

export const digest = (content) => createHash('sha256').update(content).digest('hex');

export function same(what, expected, found) {
  const [wanted, got] = [JSON.stringify(expected), JSON.stringify(found)];
  if (wanted !== got) throw new Error(`${what}: ${String(got).slice(0, 200)} (expected: ${wanted.slice(0, 200)})`);
}

export function tell(name, ok, said = '') {
  const plain = said.replaceAll('\\', '/').replaceAll('"', "'").replaceAll(/\s+/g, ' ').slice(0, 600);
  console.log(`{"case": "${name}", "ok": ${ok}, "said": "${plain}"}`);
}

export async function tryAll(cases, names = CASES) {
  for (const name of names) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not within ${DEADLINE_MILLIS} ms`)), DEADLINE_MILLIS);
    });
    try {
      await Promise.race([cases[name](), late]);
      tell(name, true);
    } catch (e) {
      if (e instanceof Cannot) tell(name, null, e.message);
      else tell(name, false, `${e} ${e.cause ?? ''}`);
    }
    clearTimeout(timer);
  }
  process.exit(0);
}
