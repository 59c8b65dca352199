import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import type { JournalRecord } from "../../src/record/journal/records.ts";
import { GOLDEN_CALLS } from "../support/golden/golden-calls.ts";
import { holdCall } from "../support/golden/hold-call.ts";
import { goldenJournal, messagesFingerprint, readFingerprints, recordsOf } from "../support/golden/journals.ts";
import { GOLDEN_LINE_NAMES } from "../support/golden/lines.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const FINGERPRINTS = readFingerprints();

/** Without the part of a header that differs between Node versions. */
function sameEverywhere(record: JournalRecord): JournalRecord {
  if (record.kind !== "header") return record;
  const { icu: _, ...header } = record.header;
  return { ...record, header };
}

/** Calls that an internal error ends. */
const BUGS = ["internal-error"];

describe.each(GOLDEN_LINE_NAMES)("over %s, held again, the golden call", (line) => {
  const calls = GOLDEN_CALLS.filter(({ lines }) => lines.includes(line));
  test.each(calls)("$name gives the same journal to the last byte of audio, and the same messages", async ({
    name,
    script,
  }) => {
    const held = await holdCall(line, script, temporaryDirectory());
    const expected = recordsOf(goldenJournal(`${line}/${name}`)).map(sameEverywhere);
    const records = recordsOf(held.journal).map(sameEverywhere);
    // The first difference explains the others.
    const at = records.findIndex((record, index) => !isSame(record, expected[index]));
    expect(at < 0 ? undefined : { at, record: records[at] }).toEqual(at < 0 ? undefined : { at, record: expected[at] });
    expect(records).toHaveLength(expected.length);
    const { messages, messagesHash } = FINGERPRINTS[`${line}/${name}`] ?? {};
    expect(messagesFingerprint(held.sent)).toEqual({ messages, messagesHash });
    expect(held.violations).toEqual([]);
    expect(held.bugs.length > 0).toBe(BUGS.includes(name));
  });
});

const isSame = (one: JournalRecord, other: JournalRecord | undefined): boolean => isDeepStrictEqual(one, other);
