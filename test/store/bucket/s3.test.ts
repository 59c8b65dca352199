import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BUCKET_PART_BYTES } from "../../../src/core/limits/storage/bucket.ts";
import type { ByteSource } from "../../../src/store/bucket/bucket.ts";
import { S3Bucket } from "../../../src/store/bucket/s3.ts";
import { bucketContract } from "../../contract/bucket/bucket.ts";
import { S3_CREDENTIALS, type S3Server, startS3Server } from "../../support/bucket/s3-server.ts";

bucketContract({
  name: "an S3 server",
  async open() {
    const server = await startS3Server();
    return { bucket: server.bucket(), close: () => server.close() };
  },
});

describe("a bucket of an S3 server", () => {
  let server: S3Server;

  beforeEach(async () => {
    server = await startS3Server();
  });
  afterEach(() => server.close());

  const every = (bucket: S3Bucket) =>
    ({
      put: () => bucket.put("key", Uint8Array.of(1)),
      get: () => bucket.get("key"),
      bytesOf: () => bucket.bytesOf("key"),
      list: () => bucket.list("key").next(),
      delete: () => bucket.delete(["key"]),
    }) satisfies Record<string, () => Promise<unknown>>;

  test.each([
    "put",
    "get",
    "bytesOf",
    "list",
    "delete",
  ] as const)("%s is unavailable while the server answers 500 or 503, and works again afterwards", async (operation) => {
    const ask = every(server.bucket())[operation];
    server.fault.answer = { status: 500, code: "InternalError" };
    await expect(ask()).rejects.toMatchObject({ code: "unavailable" });
    server.fault.answer = { status: 503, code: "SlowDown" };
    await expect(ask()).rejects.toMatchObject({ code: "unavailable" });
    server.fault.answer = undefined;
    await ask();
  });

  const largeSource = (bytes: number): ByteSource => ({
    bytes,
    read: async ({ start, end }) => new Uint8Array(end - start + 1).fill(1 + start / BUCKET_PART_BYTES),
  });

  test.each([
    ["answers with 500", { status: 500, code: "InternalError" }],
    ["does, but loses the answer", "lost"],
  ] as const)("a large object is put as a whole where every second request is one that the server %s", async (_, answer) => {
    Object.assign(server.fault, { answer, everyNth: 2 });
    const [bucket, bytes] = [server.bucket(), 2 * BUCKET_PART_BYTES + 7];
    await bucket.putLarge("large", largeSource(bytes));
    await bucket.putLarge("short", largeSource(7));
    server.fault.answer = undefined;
    expect(await Promise.all(["large", "short"].map((key) => bucket.bytesOf(key)))).toEqual([bytes, 7]);
    const range = { start: BUCKET_PART_BYTES - 1, end: BUCKET_PART_BYTES };
    expect(await bucket.get("large", range)).toEqual(Uint8Array.of(1, 2));
  });

  test("a large object is given up when too many of its requests have failed, and is not there", async () => {
    const bucket = server.bucket();
    server.fault.answer = { status: 500, code: "InternalError" };
    await expect(bucket.putLarge("large", largeSource(2 * BUCKET_PART_BYTES))).rejects.toMatchObject({
      code: "unavailable",
    });
    server.fault.answer = undefined;
    expect(await bucket.bytesOf("large")).toBeUndefined();
  });

  test("a server that does not answer, or cuts the connection, is unavailable", async () => {
    server.fault.answer = "silent";
    await expect(server.bucket(50).get("key")).rejects.toMatchObject({
      code: "unavailable",
      message: "the bucket failed to get: it did not answer in time",
    });
    server.fault.answer = "cut";
    await expect(server.bucket().put("key", Uint8Array.of(1))).rejects.toMatchObject({
      code: "unavailable",
      message: "the bucket failed to put: it cannot be reached",
    });
  });

  test("nothing that listens is unavailable", async () => {
    const bucket = server.bucket();
    await server.close();
    await expect(bucket.get("key")).rejects.toMatchObject({ code: "unavailable" });
    server = await startS3Server();
  });

  test("wrong credentials are refused, and no error shows them", async () => {
    const secretAccessKey = "not-the-secret";
    const bucket = new S3Bucket({ url: server.url, region: "us-east-1", ...S3_CREDENTIALS, secretAccessKey });
    const error = await bucket.put("key", Uint8Array.of(1)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "bucket_refused" });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(secretAccessKey);
  });

  test("a bucket that does not exist is refused", async () => {
    const url = server.url.replace(/calls$/, "no-such-bucket");
    const bucket = new S3Bucket({ url, region: "us-east-1", ...S3_CREDENTIALS });
    await expect(bucket.put("key", Uint8Array.of(1))).rejects.toMatchObject({ code: "bucket_refused" });
    await expect(bucket.get("key")).rejects.toMatchObject({ code: "bucket_refused" });
    await expect(bucket.list("").next()).rejects.toMatchObject({ code: "bucket_refused" });
  });
});
