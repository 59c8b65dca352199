import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BUCKET_PART_BYTES } from "../../../src/core/limits/storage/bucket.ts";
import type { Bucket, ByteSource } from "../../../src/store/bucket/bucket.ts";

/** How one implementation is made for each test. */
export interface BucketUnderTest {
  name: string;
  /** An empty bucket. */
  open(): Promise<{ bucket: Bucket; close(): Promise<void> }>;
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));
const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString();

const sourceOf = (bytes: Uint8Array): ByteSource => ({
  bytes: bytes.length,
  read: async ({ start, end }) => bytes.slice(start, end + 1),
});

async function keysOf(bucket: Bucket, prefix: string): Promise<string[]> {
  const keys = [];
  for await (const { key } of bucket.list(prefix)) keys.push(key);
  return keys;
}

/** What every bucket must do. */
export function bucketContract({ name, open }: BucketUnderTest): void {
  describe(`Bucket contract: ${name}`, () => {
    let bucket: Bucket;
    let close: () => Promise<void>;

    beforeEach(async () => {
      ({ bucket, close } = await open());
    });
    afterEach(() => close());

    test("an object is read as it was put, with its length", async () => {
      const bytes = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
      await bucket.put("journals/call_1/0", bytes);
      expect(await bucket.get("journals/call_1/0")).toEqual(bytes);
      expect(await bucket.bytesOf("journals/call_1/0")).toBe(300);
    });

    test("an object that was never put is undefined, whatever is asked of it", async () => {
      expect(await bucket.get("nothing")).toBeUndefined();
      expect(await bucket.get("nothing", { start: 0, end: 9 })).toBeUndefined();
      expect(await bucket.bytesOf("nothing")).toBeUndefined();
    });

    test("the age of an object begins when it is put, and again when it is put again", async () => {
      expect(await bucket.ageMsOf("one")).toBeUndefined();
      await bucket.put("one", bytesOf("before"));
      await delay(2_100);
      // To the second.
      expect(await bucket.ageMsOf("one")).toBeGreaterThanOrEqual(1_000);
      await bucket.put("one", bytesOf("after"));
      expect(await bucket.ageMsOf("one")).toBeLessThanOrEqual(1_000);
    });

    test("an empty object is an object", async () => {
      await bucket.put("empty", new Uint8Array());
      expect(await bucket.get("empty")).toEqual(new Uint8Array());
      expect(await bucket.bytesOf("empty")).toBe(0);
    });

    test("a range has its first and its last byte, and ends with the object", async () => {
      await bucket.put("digits", bytesOf("0123456789"));
      expect(textOf(await bucket.get("digits", { start: 2, end: 4 }))).toBe("234");
      expect(textOf(await bucket.get("digits", { start: 9, end: 9 }))).toBe("9");
      expect(textOf(await bucket.get("digits", { start: 7, end: 99 }))).toBe("789");
      expect(textOf(await bucket.get("digits", { start: 10, end: 12 }))).toBe("");
    });

    test("putting an object again replaces it", async () => {
      await bucket.put("one", bytesOf("before"));
      await bucket.put("one", bytesOf("after"));
      expect(textOf(await bucket.get("one"))).toBe("after");
    });

    test("a list has the objects below a prefix, in the order of their keys, with their lengths", async () => {
      for (const key of ["a/2", "a/10", "b/1", "ab", "a/1"]) await bucket.put(key, bytesOf(key));
      const listed = [];
      for await (const object of bucket.list("a/")) listed.push(object);
      expect(listed).toEqual([
        { key: "a/1", bytes: 3 },
        { key: "a/10", bytes: 4 },
        { key: "a/2", bytes: 3 },
      ]);
      expect(await keysOf(bucket, "")).toHaveLength(5);
      expect(await keysOf(bucket, "c/")).toEqual([]);
    });

    test("a list of more objects than one answer holds is complete", async () => {
      const keys = Array.from({ length: 1_203 }, (_, index) => `many/${String(index).padStart(5, "0")}`);
      for (let at = 0; at < keys.length; at += 50)
        await Promise.all(keys.slice(at, at + 50).map((key) => bucket.put(key, bytesOf("x"))));
      expect(await keysOf(bucket, "many/")).toEqual(keys);
    });

    test("deleted objects are gone, and deleting what is not there is no error", async () => {
      for (const key of ["x/1", "x/2", "x/3"]) await bucket.put(key, bytesOf(key));
      await bucket.delete(["x/1", "x/3", "x/9"]);
      expect(await bucket.get("x/1")).toBeUndefined();
      expect(await keysOf(bucket, "x/")).toEqual(["x/2"]);
      await bucket.delete(["x/1"]);
      await bucket.delete([]);
    });

    test("a large object is read as it was put, also by ranges over its parts", async () => {
      const bytes = new Uint8Array(2 * BUCKET_PART_BYTES + 7);
      for (let at = 0; at < bytes.length; at += 4_099) bytes[at] = at % 251;
      await bucket.putLarge("recordings/call_1.wav", sourceOf(bytes));
      expect(await bucket.bytesOf("recordings/call_1.wav")).toBe(bytes.length);
      const range = { start: BUCKET_PART_BYTES - 10_000, end: BUCKET_PART_BYTES + 10_000 };
      expect(await bucket.get("recordings/call_1.wav", range)).toEqual(bytes.slice(range.start, range.end + 1));
      const tail = await bucket.get("recordings/call_1.wav", { start: bytes.length - 5_000, end: bytes.length - 1 });
      expect(tail).toEqual(bytes.slice(-5_000));
    });

    test("a large object that is short, or empty, is put as well", async () => {
      await bucket.putLarge("short", sourceOf(bytesOf("short")));
      await bucket.putLarge("empty", sourceOf(new Uint8Array()));
      expect(textOf(await bucket.get("short"))).toBe("short");
      expect(await bucket.bytesOf("empty")).toBe(0);
    });

    test("a large object whose source fails is not there", async () => {
      const source: ByteSource = {
        bytes: 3 * BUCKET_PART_BYTES,
        async read({ start, end }) {
          if (start > 0) throw new Error("the disk failed");
          return new Uint8Array(end + 1);
        },
      };
      await expect(bucket.putLarge("broken", source)).rejects.toThrow("the disk failed");
      expect(await bucket.get("broken")).toBeUndefined();
    });
  });
}
