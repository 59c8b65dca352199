/** A program for the pool's tests. It reports its process id, hangs at "hang", dies at "die" and sends noise at "babble". */
import { readSync, writeSync } from "node:fs";
import { encodeFrame, type ProgramFrame } from "../../../../../../src/speech/tts/providers/espeak/protocol.ts";

function read(count: number): Buffer {
  const bytes = Buffer.alloc(count);
  for (let have = 0; have < count; ) {
    const got = readSync(0, bytes, have, count - have, null);
    if (got === 0) process.exit(0);
    have += got;
  }
  return bytes;
}

function write(frame: ProgramFrame): void {
  const bytes = encodeFrame(frame);
  // In two parts, as a pipe may do.
  writeSync(3, bytes, 0, 3);
  writeSync(3, bytes, 3);
}

write({ kind: "ready", voices: [{ identifier: "one", name: "One", language: "en" }] });
for (;;) {
  const { text } = JSON.parse(read(read(4).readUInt32LE()).toString("utf8"));
  if (text === "die") process.exit(3);
  if (text === "babble") writeSync(3, Buffer.alloc(64, 0xff));
  write({ kind: "words", words: [{ text: String(process.pid), startMs: 0, endMs: 10 }] });
  write({ kind: "audio", rateHz: 8_000, samples: new Int16Array(80).fill(1_000) });
  if (text === "hang") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  read(1);
  write({ kind: "end" });
}
