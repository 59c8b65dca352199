import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { beforeEach, describe, expect, test } from "vitest";
import {
  fileOutputOf,
  GrowingFileReader,
  RANGE_CHUNK_BYTES,
  rangedFileOf,
} from "../../../src/core/encryption/chunked-file.ts";
import {
  CHUNK_OVERHEAD_BYTES,
  ChunkSealer,
  FILE_HEAD_BYTES,
  newMediaKey,
} from "../../../src/core/encryption/chunks.ts";
import { asCallId } from "../../../src/core/ids.ts";
import { seededRandom } from "../../../src/core/seeded-random.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const KEY = newMediaKey(asCallId("call_01980000-0000-7000-8000-000000000001"));
const SEALED_BYTES = RANGE_CHUNK_BYTES + CHUNK_OVERHEAD_BYTES;

let path: string;
beforeEach(() => {
  path = join(temporaryDirectory(), "file");
});

async function write(plain: Buffer, writeBytes: number, key = KEY): Promise<Buffer> {
  const file = await open(path, "w");
  const output = fileOutputOf(file, "recording", key);
  for (let at = 0; at < plain.length; at += writeBytes) await output.write(plain.subarray(at, at + writeBytes));
  await output.end();
  await file.close();
  return readFileSync(path);
}

/** Rejects as the reading does; whatever happens, the file is closed. */
async function read<T>(
  use: (file: { bytes: number; stream: (range?: object) => Readable }) => Promise<T>,
  key: typeof KEY | undefined = KEY,
) {
  const handle = await open(path);
  try {
    return await use(await rangedFileOf(handle, readFileSync(path).length, "recording", key));
  } finally {
    await handle.close();
  }
}

const bytesOf = (range?: { start?: number; end?: number }, key: typeof KEY | undefined = KEY): Promise<Buffer> =>
  read((file) => buffer(file.stream(range)), key);

describe("an encrypted file that is read by ranges", () => {
  test.each([
    0,
    1,
    44,
    RANGE_CHUNK_BYTES - 1,
    RANGE_CHUNK_BYTES,
    RANGE_CHUNK_BYTES + 1,
    3 * RANGE_CHUNK_BYTES,
    3 * RANGE_CHUNK_BYTES + 7,
  ])("of %d bytes gives them back, however they were divided when they were written, and has none of them", async (length) => {
    const plain = randomBytes(length);
    for (const writeBytes of [1_000, RANGE_CHUNK_BYTES, 1_000_000]) {
      const sealed = await write(plain, writeBytes);
      expect(sealed.length).toBe(
        FILE_HEAD_BYTES + length + CHUNK_OVERHEAD_BYTES * Math.max(1, Math.ceil(length / RANGE_CHUNK_BYTES)),
      );
      expect(await read(async ({ bytes }) => bytes)).toBe(length);
      expect((await bytesOf()).equals(plain)).toBe(true);
      for (let at = 0; at + 16 <= length; at += 4_099) expect(sealed.includes(plain.subarray(at, at + 16))).toBe(false);
    }
  });

  test("gives any range byte for byte", async () => {
    const plain = randomBytes(3 * RANGE_CHUNK_BYTES + 777);
    await write(plain, 10_000);
    const edges = [
      0,
      1,
      RANGE_CHUNK_BYTES - 1,
      RANGE_CHUNK_BYTES,
      RANGE_CHUNK_BYTES + 1,
      3 * RANGE_CHUNK_BYTES,
      plain.length - 1,
    ];
    const random = seededRandom(1);
    for (let more = 0; more < 30; more += 1) edges.push(Math.floor(random() * plain.length));
    for (const start of edges) {
      for (const end of [start, ...edges.filter((edge) => edge >= start).slice(0, 6)]) {
        expect((await bytesOf({ start, end })).equals(plain.subarray(start, end + 1)), `${start}-${end}`).toBe(true);
      }
      expect((await bytesOf({ start })).equals(plain.subarray(start))).toBe(true);
    }
  });

  test("is refused when it was cut anywhere, also between two chunks, and when something follows it", async () => {
    const plain = randomBytes(2 * RANGE_CHUNK_BYTES + 100);
    const sealed = await write(plain, 10_000);
    const between = [FILE_HEAD_BYTES, FILE_HEAD_BYTES + SEALED_BYTES, FILE_HEAD_BYTES + 2 * SEALED_BYTES];
    for (const bytes of [0, 3, 39, ...between, ...between.map((at) => at + 3), 70_000, sealed.length - 1]) {
      writeFileSync(path, sealed.subarray(0, bytes));
      await expect(bytesOf(), String(bytes)).rejects.toThrow("the encrypted file cannot be read");
    }
    for (const more of [1, 20, 100]) {
      writeFileSync(path, Buffer.concat([sealed, Buffer.alloc(more)]));
      await expect(bytesOf()).rejects.toThrow("the encrypted file cannot be read");
    }
  });

  test("is refused where chunks were exchanged, repeated or left out, and given up to there", async () => {
    const plain = randomBytes(4 * RANGE_CHUNK_BYTES);
    const sealed = await write(plain, 10_000);
    const chunk = (at: number): Buffer =>
      sealed.subarray(FILE_HEAD_BYTES + at * SEALED_BYTES, FILE_HEAD_BYTES + (at + 1) * SEALED_BYTES);
    for (const order of [
      [1, 0, 2, 3],
      [0, 2, 1, 3],
      [0, 0, 2, 3],
      [0, 2, 3],
      [0, 1, 1, 2, 3],
      [0, 1, 3, 2],
    ]) {
      writeFileSync(path, Buffer.concat([sealed.subarray(0, FILE_HEAD_BYTES), ...order.map(chunk)]));
      await expect(bytesOf(), String(order)).rejects.toThrow("the encrypted file cannot be read");
    }
    writeFileSync(path, Buffer.concat([sealed.subarray(0, FILE_HEAD_BYTES), ...[0, 2, 1, 3].map(chunk)]));
    expect((await bytesOf({ end: RANGE_CHUNK_BYTES - 1 })).equals(plain.subarray(0, RANGE_CHUNK_BYTES))).toBe(true);
  });

  test("needs its own key; with a key a plain file is refused, and without one it is read as it is", async () => {
    const plain = randomBytes(100);
    await write(plain, 100);
    await expect(read(async () => {}, newMediaKey(KEY.callId))).rejects.toThrow("is of another key");
    const handle = await open(path);
    await expect(rangedFileOf(handle, 160, "recording", undefined)).rejects.toThrow("its key is missing");
    await handle.close();
    writeFileSync(path, plain);
    await expect(read(async () => {})).rejects.toThrow("it is not encrypted");
  });

  test("is closed with its stream, whether the stream was read, left or failed", async () => {
    const plain = randomBytes(3 * RANGE_CHUNK_BYTES);
    const sealed = await write(plain, 10_000);
    for (const how of ["read", "left", "failed"] as const) {
      writeFileSync(path, sealed);
      const handle = await open(path);
      const { stream } = await rangedFileOf(handle, sealed.length, "recording", KEY);
      const changed = Buffer.from(sealed);
      changed[FILE_HEAD_BYTES + 10] = (changed[FILE_HEAD_BYTES + 10] as number) ^ 1;
      if (how === "failed") writeFileSync(path, changed);
      const reading = stream();
      const closed = new Promise<void>((resolve) => reading.once("close", resolve));
      if (how === "left") reading.destroy();
      else await buffer(reading).catch(() => {});
      await closed;
      expect(handle.fd, how).toBe(-1);
    }
  });
});

describe("an encrypted file that grows", () => {
  const CHUNKS = ["first ", "", "second ", "third"];

  /** The plain bytes that can be read now, `intoBytes` at a time. */
  async function readAll(reader: GrowingFileReader, from = 0, intoBytes = 4): Promise<string> {
    const file = await open(path);
    try {
      let text = "";
      for (;;) {
        const into = Buffer.alloc(intoBytes);
        const bytes = await reader.read(file, into, from + text.length);
        if (bytes === 0) return text;
        text += into.toString("latin1", 0, bytes);
      }
    } finally {
      await file.close();
      reader.release();
    }
  }

  const reader = (key = KEY): GrowingFileReader => new GrowingFileReader(key, "journal", 1_000);

  function sealedChunks(): Buffer[] {
    const sealer = new ChunkSealer(KEY, "journal");
    return CHUNKS.map((text, at) => Buffer.from(sealer.seal(Buffer.from(text), at === CHUNKS.length - 1)));
  }

  test("is read as far as its chunks are complete, cut at any byte, and on from there", async () => {
    const sealed = Buffer.concat(sealedChunks());
    const whole = CHUNKS.join("");
    for (let bytes = 0; bytes <= sealed.length; bytes += 1) {
      const reading = reader();
      writeFileSync(path, sealed.subarray(0, bytes));
      const before = await readAll(reading);
      expect(whole.startsWith(before)).toBe(true);
      expect(reading.isComplete).toBe(bytes === sealed.length);
      writeFileSync(path, sealed);
      expect(before + (await readAll(reading, before.length)), String(bytes)).toBe(whole);
      expect(reading.isComplete).toBe(true);
    }
  });

  test("gives nothing of a chunk that was moved, repeated, left out or changed, nor anything after it", async () => {
    const [first, empty, second, third] = sealedChunks() as [Buffer, Buffer, Buffer, Buffer];
    const changed = Buffer.from(second);
    changed[6] = (changed[6] as number) ^ 1;
    for (const chunks of [
      [first, second, empty, third],
      [first, empty, empty, second, third],
      [first, empty, third],
      [first, empty, changed, third],
      [first, second],
    ]) {
      writeFileSync(path, Buffer.concat(chunks));
      const texts: string[] = [];
      const file = await open(path);
      const reading = reader();
      const into = Buffer.alloc(100);
      const read = async (): Promise<void> => {
        for (let at = 0; ; ) {
          const bytes = await reading.read(file, into, at);
          if (bytes === 0) return;
          texts.push(into.toString("latin1", 0, bytes));
          at += bytes;
        }
      };
      await expect(read()).rejects.toThrow("was changed, moved or is of another key");
      await file.close();
      expect(texts).toEqual(["first "]);
    }
  });

  test("is refused with another key, with bytes after its end, and at a chunk that is too long", async () => {
    const sealed = Buffer.concat(sealedChunks());
    writeFileSync(path, sealed);
    await expect(readAll(reader(newMediaKey(KEY.callId)))).rejects.toThrow("is of another key");
    writeFileSync(path, Buffer.concat([sealed, Buffer.of(0)]));
    await expect(readAll(reader())).rejects.toThrow("bytes after its end");
    writeFileSync(path, "TLKJ");
    await expect(readAll(reader())).rejects.toThrow("it is not encrypted");
    const long = Buffer.from(sealed);
    long.writeUInt32LE(1_001, FILE_HEAD_BYTES);
    writeFileSync(path, long);
    await expect(readAll(reader())).rejects.toThrow("a chunk is too long");
  });
});
