// Tokens as people read them. A vocabulary may spell a space as ▁ or Ġ, and a token may be a part of a character: a
// byte, such as <0xC3>, or several in the letters of byte-level BPE.

const isByte = (token) => /^<0x[0-9A-F]{2}>$/.test(token);
export const isMark = (token) => /^<.+>$/.test(token) && !isByte(token);

// Byte-level BPE spells bytes that are not printable characters of Latin-1 as letters from U+0100 on.
const BYTE_OF_LETTER = new Map();
for (let byte = 0, next = 0x100; byte < 0x100; ++byte) {
  const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  BYTE_OF_LETTER.set(String.fromCodePoint(printable ? byte : next++), byte);
}

const encoder = new TextEncoder(), decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const marked = (byte) => `‹${byte.toString(16).toUpperCase().padStart(2, '0')}›`;
const lengthAfter = (lead) =>
  (lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0);

// The characters of some bytes, and the bytes at the end that begin another one. Bytes of no character are marked.
function readBytes(bytes) {
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const length = lengthAfter(bytes[at]), part = bytes.slice(at, at + Math.max(length, 1));
    const whole = part.slice(1).every((byte) => (byte & 0xc0) === 0x80);
    if (whole && part.length < length) return { text, rest: part };
    try {
      text += decoder.decode(Uint8Array.from(part));
      at += part.length;
    } catch {
      text += marked(bytes[at++]);
    }
  }
  return { text, rest: [] };
}

// Reads the tokens of one vocabulary. `examples` are some of them.
export class Speller {
  constructor(examples) {
    this.byteLevel = examples.some((token) => token.startsWith('Ġ'));
  }

  bytesOf(token) {
    if (isByte(token)) return [Number.parseInt(token.slice(3, 5), 16)];
    if (this.byteLevel)
      return [...token].flatMap((letter) => BYTE_OF_LETTER.get(letter) ?? [...encoder.encode(letter)]);
    return [...encoder.encode(token.replace(/^▁/, ' ').replaceAll('▁', ' '))];
  }

  // The label of a token, and the bytes after it that do not complete a character. `open` are such bytes before it.
  read(token, open = []) {
    if (isMark(token)) return { label: token, open: [] };
    const bytes = this.bytesOf(token), completes = (bytes[0] & 0xc0) === 0x80;
    const { text, rest } = readBytes(completes ? [...open, ...bytes] : bytes);
    const label = text.replace(/^ (?=.)/su, '').replace(/^ $/, '') + rest.map(marked).join('');
    return { label: label === '' ? '␣' : label, open: rest };
  }

  // {label, before} of each token of a sequence; `before` is what read() needs to label another token in its place.
  sequence(tokens) {
    let before = [];
    return tokens.map((token) => {
      const { label, open } = this.read(token, before);
      const one = { label, before };
      before = open;
      return one;
    });
  }
}
