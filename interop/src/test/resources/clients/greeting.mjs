// The messages of interop.Greeter: each is a google.protobuf.StringValue, written by hand, so that no compiler is needed.
export function pack(text) {
  const value = Buffer.from(text);
  const length = [];
  for (let left = value.length; ; left >>>= 7) {
    length.push(left > 127 ? (left & 127) | 128 : left);
    if (left <= 127) break;
  }
  return value.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([10, ...length]), value]);
}

export function unpack(bytes) {
  let at = 1;
  while (bytes[at] & 128) at++;
  return Buffer.from(bytes.slice(bytes.length === 0 ? 0 : at + 1)).toString();
}

export const CASES = ['unary', 'stream', 'large', 'error', 'broken', 'deadline'];
export const NOT_FOUND = 5;
export const DEADLINE_EXCEEDED = 4;
export const DATA_LOSS = 15;
