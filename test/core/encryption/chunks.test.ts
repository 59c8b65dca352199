import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  CHUNK_HEAD_BYTES,
  CHUNK_OVERHEAD_BYTES,
  ChunkOpener,
  ChunkSealer,
  chunkHeadOf,
  FILE_HEAD_BYTES,
  isEncrypted,
  mediaKeyOf,
  mediaKeyText,
  newMediaKey,
} from "../../../src/core/encryption/chunks.ts";
import { asCallId } from "../../../src/core/ids.ts";

const CALL = asCallId("call_01980000-0000-7000-8000-000000000001");
const KEY = newMediaKey(CALL);

/** A file of these chunks, the last one final: its head and its sealed chunks without their heads. */
function fileOf(texts: readonly string[], key = KEY): { head: Buffer; chunks: Buffer[] } {
  const sealer = new ChunkSealer(key, "journal");
  const parts = texts.map((text, at) => Buffer.from(sealer.seal(Buffer.from(text), at === texts.length - 1)));
  const head = (parts[0] as Buffer).subarray(0, FILE_HEAD_BYTES);
  const chunks = parts.map((part, at) => part.subarray((at === 0 ? FILE_HEAD_BYTES : 0) + CHUNK_HEAD_BYTES));
  return { head, chunks };
}

const CHANGED = "was changed, moved or is of another key";

describe("the chunks of an encrypted file", () => {
  test("are opened by their key, number and place in the end, and say how long they are", () => {
    const { head, chunks } = fileOf(["one", "", "three"]);
    const opener = new ChunkOpener(KEY, "journal", head);
    expect(chunks.map((chunk, at) => opener.open(at, at === 2, chunk).toString())).toEqual(["one", "", "three"]);
    const sealed = Buffer.from(new ChunkSealer(KEY, "journal").seal(Buffer.from("abc"), true));
    expect(sealed.length).toBe(FILE_HEAD_BYTES + CHUNK_OVERHEAD_BYTES + 3);
    expect(chunkHeadOf(sealed.readUInt32LE(FILE_HEAD_BYTES))).toEqual({ plainBytes: 3, isFinal: true });
    expect([isEncrypted(head), isEncrypted(Buffer.from("TLKJ")), isEncrypted(Buffer.alloc(0))]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("are refused with any bit changed, also of their tag", () => {
    const { head, chunks } = fileOf(["one"]);
    const opener = new ChunkOpener(KEY, "journal", head);
    const [chunk = Buffer.alloc(0)] = chunks;
    for (let bit = 0; bit < 8 * chunk.length; bit += 1) {
      const other = Buffer.from(chunk);
      other[bit >> 3] = (other[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(() => opener.open(0, true, other)).toThrow(CHANGED);
    }
  });

  test("are refused at another number, and as the end or the middle that they are not", () => {
    const { head, chunks } = fileOf(["same", "same", "same"]);
    const opener = new ChunkOpener(KEY, "journal", head);
    const opened = chunks.map((chunk, number) =>
      [0, 1, 2, 3].flatMap((as) =>
        [true, false].filter((isFinal) => opens(opener, as, isFinal, chunk)).map((isFinal) => [as, isFinal, number]),
      ),
    );
    expect(opened).toEqual([[[0, false, 0]], [[1, false, 1]], [[2, true, 2]]]);
  });

  test("are refused in another file of the call, under another call, as other content, and with another key", () => {
    const { head, chunks } = fileOf(["one"]);
    const [chunk = Buffer.alloc(0)] = chunks;
    const other = fileOf(["one"]);
    expect(other.chunks[0]?.equals(chunk)).toBe(false);
    const otherCall = { ...KEY, callId: asCallId("call_01980000-0000-7000-8000-000000000002") };
    for (const opener of [
      new ChunkOpener(KEY, "journal", other.head),
      new ChunkOpener(otherCall, "journal", head),
      new ChunkOpener(newMediaKey(CALL), "journal", head),
    ]) {
      expect(() => opener.open(0, true, chunk)).toThrow(CHANGED);
    }
    expect(() => new ChunkOpener(KEY, "recording", head)).toThrow("it is no recording");
    const relabelled = Buffer.from(head);
    relabelled[5] = 2;
    expect(() => new ChunkOpener(KEY, "recording", relabelled).open(0, true, chunk)).toThrow(CHANGED);
  });

  test("begin with a head that is read before anything else", () => {
    const { head } = fileOf(["one"]);
    for (let bytes = 0; bytes < FILE_HEAD_BYTES; bytes += 1) {
      expect(() => new ChunkOpener(KEY, "journal", head.subarray(0, bytes))).toThrow("it is not encrypted");
    }
    const later = Buffer.from(head);
    later[4] = 2;
    expect(() => new ChunkOpener(KEY, "journal", later)).toThrow("unsupported version 2, the current one is 1");
  });

  test("end with the final one", () => {
    const sealer = new ChunkSealer(KEY, "journal");
    sealer.seal(Buffer.alloc(0), true);
    expect(() => sealer.seal(Buffer.alloc(0), true)).toThrow("the final chunk is sealed");
  });

  test("never use a key and nonce twice: equal bytes give other chunks, in a file and in two files", () => {
    const texts = Array.from({ length: 100 }, () => "same");
    const all = [...fileOf(texts).chunks, ...fileOf(texts).chunks];
    expect(new Set(all.map((chunk) => createHash("sha256").update(chunk).digest("hex"))).size).toBe(200);
  });
});

const opens = (opener: ChunkOpener, number: number, isFinal: boolean, chunk: Buffer): boolean => {
  try {
    opener.open(number, isFinal, chunk);
    return true;
  } catch {
    return false;
  }
};

test("a media key is the same after it was written as text, and a text of another length is none", () => {
  expect(mediaKeyOf(CALL, mediaKeyText(KEY))).toEqual({ callId: CALL, bytes: Buffer.from(KEY.bytes) });
  expect(mediaKeyText(newMediaKey(CALL))).not.toBe(mediaKeyText(KEY));
  for (const text of ["", "abc", `${mediaKeyText(KEY)}AAAA`]) {
    expect(() => mediaKeyOf(CALL, text)).toThrow("its key does not have 32 bytes");
  }
});
