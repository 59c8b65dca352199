import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { asCallId } from "../../../src/core/ids.ts";
import { SharedJournals } from "../../../src/record/bucket/shared-journals.ts";
import { FaultyBucket } from "../../support/bucket/faulty-bucket.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const CALL = asCallId("call_1");
const bytes = (text: string): Uint8Array => Buffer.from(text);

describe("the journals in the bucket", () => {
  let bucket: FaultyBucket;
  let journals: SharedJournals;
  let folder: string;
  let path: string;

  beforeEach(() => {
    bucket = new FaultyBucket();
    journals = new SharedJournals(bucket);
    folder = temporaryDirectory();
    path = join(folder, "call_1.tlj");
  });

  async function ship(...segments: readonly string[]): Promise<void> {
    let offset = 0;
    for (const segment of segments) {
      await journals.put(CALL, "live", offset, bytes(segment));
      offset += segment.length;
    }
  }

  test("a journal is read back from its segments, byte by byte", async () => {
    await ship("head", "er and", " records");
    expect(await journals.shippedBytes(CALL, "live")).toBe(18);
    expect(await journals.fetch(CALL, path, undefined)).toBe(true);
    expect(readFileSync(path, "utf8")).toBe("header and records");
    expect(readdirSync(folder)).toEqual(["call_1.tlj"]);
  });

  test("a segment that the bucket does not give is asked for again, and the journal goes on from there", async () => {
    await ship("head", "er and", " records");
    bucket.failingReads = 1;
    expect(await journals.fetch(CALL, path, undefined)).toBe(true);
    expect(readFileSync(path, "utf8")).toBe("header and records");
  });

  test("segments that no list shows yet are counted, read and deleted", async () => {
    await ship("first");
    bucket.listsLag = true;
    await journals.put(CALL, "live", 5, bytes("second"));
    await journals.put(CALL, "live", 11, bytes("third"));
    expect(await journals.shippedBytes(CALL, "live")).toBe(16);
    await journals.fetch(CALL, path, undefined);
    expect(readFileSync(path, "utf8")).toBe("firstsecondthird");
    await journals.remove(CALL);
    expect(await bucket.keys()).toEqual([]);
  });

  test("a segment that was put again with more bytes changes nothing of what is read", async () => {
    await ship("one", "two", "three");
    await journals.put(CALL, "live", 3, bytes("twothree"));
    await journals.fetch(CALL, path, undefined);
    expect(readFileSync(path, "utf8")).toBe("onetwothree");
  });

  test("a call without segments has no journal, and leaves no file", async () => {
    expect(await journals.fetch(CALL, path, undefined)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("a complete journal of which a segment is missing is unavailable, never shorter", async () => {
    await ship("one", "two");
    const manifest = { edition: "live", bytes: 6 } as const;
    await journals.complete(CALL, manifest);
    expect(await journals.manifest(CALL)).toEqual(manifest);
    await bucket.inner.delete(["journals/call_1/live/000000000000003"]);
    await expect(journals.fetch(CALL, path, manifest)).rejects.toMatchObject({ code: "unavailable" });
    expect(readdirSync(folder)).toEqual([]);
  });

  test("one edition is deleted, and the other stays", async () => {
    await ship("the name is Kim");
    await journals.put(CALL, "redacted-1", 0, bytes("the name is Kim?"));
    await journals.put(CALL, "redacted-2", 0, bytes("the name is ***"));
    await journals.complete(CALL, { edition: "redacted-2", bytes: 15 });
    await journals.removeOthers(CALL, "redacted-2");
    expect(await bucket.keys()).toEqual(["journals/call_1/journal.json", "journals/call_1/redacted-2/000000000000000"]);
    await journals.fetch(CALL, path, await journals.manifest(CALL));
    expect(readFileSync(path, "utf8")).toBe("the name is ***");
  });

  test("the edition that the manifest names stays, also where an earlier one was to be kept", async () => {
    await journals.put(CALL, "redacted-1", 0, bytes("first"));
    await journals.put(CALL, "redacted-2", 0, bytes("second"));
    await journals.complete(CALL, { edition: "redacted-2", bytes: 6 });
    await journals.removeOthers(CALL, "redacted-1");
    await journals.fetch(CALL, path, await journals.manifest(CALL));
    expect(readFileSync(path, "utf8")).toBe("second");
    expect(await bucket.keys("journals/call_1/redacted-1/")).toEqual([]);
  });

  test("other calls are left as they are", async () => {
    await ship("one");
    const other = asCallId("call_12");
    await journals.put(other, "live", 0, bytes("other"));
    await journals.remove(CALL);
    expect(await journals.shippedBytes(other, "live")).toBe(5);
  });

  test("a bucket that is away leaves no file", async () => {
    await ship("one");
    bucket.isAway = true;
    await expect(journals.fetch(CALL, path, undefined)).rejects.toMatchObject({ code: "unavailable" });
    expect(readdirSync(folder)).toEqual([]);
  });
});
