import { randomBytes } from "node:crypto";
import { StreamTexts } from "../stream-texts.ts";

// What a caller sends, framed and masked as RFC 6455, section 5.2 asks of a client, and made before the first call: while calls
// run, the generator has nothing to do for a frame but to hand it to the kernel.

const FIN_TEXT = 0x81;
const MASKED = 0x80;
const LENGTH_16 = 126;

/** The messages of one stream from its greeting to its stop. Many calls may share one: nothing in it belongs to a call. */
export interface Line {
  /** The greeting and the start. */
  readonly opening: Buffer;
  /** 20 ms each. */
  readonly media: readonly Buffer[];
  readonly stop: Buffer;
  /** The mark that came, sent back: made when it is needed, since its name is the service's. */
  mark(name: string): Buffer;
}

/** `frames` messages that say `audio` (raw mu-law, 8,000 Hz) over and over, from its frame `offset` on. */
export function prepareLine(audio: Uint8Array, frames: number, offset: number): Line {
  const texts = new StreamTexts(audio, offset);
  return {
    opening: Buffer.concat([masked(texts.greeting()), masked(texts.start())]),
    media: Array.from({ length: frames }, () => masked(texts.media())),
    stop: masked(texts.stop()),
    mark: (name) => masked(texts.mark(name)),
  };
}

/** One text message as a masked frame. */
function masked(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = payload.length < LENGTH_16 ? 2 : 4;
  const frame = Buffer.allocUnsafeSlow(head + 4 + payload.length);
  frame[0] = FIN_TEXT;
  frame[1] = MASKED | Math.min(payload.length, LENGTH_16);
  if (head === 4) frame.writeUInt16BE(payload.length, 2);
  const mask = randomBytes(4);
  mask.copy(frame, head);
  for (const [at, byte] of payload.entries()) frame[head + 4 + at] = byte ^ (mask[at & 3] as number);
  return frame;
}
