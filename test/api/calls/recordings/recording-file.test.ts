import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isResourceShortage, openRecording, rangeOf } from "../../../../src/api/calls/recordings/recording-file.ts";
import { matchesEtag } from "../../../../src/api/http/responses/etag.ts";

describe("the range of a request", () => {
  test.each([
    ["bytes=0-9", { start: 0, end: 9 }],
    ["bytes=90-", { start: 90, end: 99 }],
    ["bytes=90-500", { start: 90, end: 99 }],
    ["bytes=-10", { start: 90, end: 99 }],
    ["bytes=-500", { start: 0, end: 99 }],
    ["BYTES=5-5", { start: 5, end: 5 }],
    ["bytes=100-", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    ["bytes=0-1,5-6", "whole"],
    ["bytes=x-", "whole"],
    ["lines=0-9", "whole"],
    ["", "whole"],
  ] as const)("%s of 100 bytes is %j", (header, range) => {
    expect(rangeOf(header, 100)).toEqual(range);
  });
});

test.each([
  ["*", true],
  ['"a-1"', true],
  ['W/"a-1"', true],
  ['"b-2", "a-1"', true],
  ['"b-2"', false],
  ["a-1", false],
  [undefined, false],
])("If-None-Match %s names the tag: %s", (header, matches) => {
  expect(matchesEtag(header, '"a-1"')).toBe(matches);
});

describe("a recording", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "recording-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test("has its length, and another tag when it is rendered again", async () => {
    const path = join(folder, "call.wav");
    writeFileSync(path, "0123456789");
    const first = await openRecording({ path, key: undefined });
    await first.handle.close();
    const again = await openRecording({ path, key: undefined });
    await again.handle.close();
    writeFileSync(join(folder, "next.wav"), "0123456789");
    const other = await openRecording({ path: join(folder, "next.wav"), key: undefined });
    await other.handle.close();
    expect([first.bytes, again.etag === first.etag, other.etag === first.etag]).toEqual([10, true, false]);
  });

  test("that is missing, a link or a folder is not opened, which is no shortage of resources", async () => {
    writeFileSync(join(folder, "call.wav"), "0123456789");
    symlinkSync(join(folder, "call.wav"), join(folder, "link.wav"));
    for (const path of [join(folder, "none.wav"), join(folder, "link.wav"), folder]) {
      const error: unknown = await openRecording({ path, key: undefined }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(Error);
      expect(isResourceShortage(error)).toBe(false);
    }
  });

  test("may exist when the process has no descriptor left", () => {
    expect(isResourceShortage(Object.assign(new Error("open"), { code: "EMFILE" }))).toBe(true);
  });
});
