import { describe, expect, test } from "vitest";
import { callMs, mediaMs } from "../../src/core/clocks.ts";
import { JournalDecoder, JournalEncoder } from "../../src/record/journal/format.ts";
import { renamed } from "../../src/record/journal/names.ts";
import type { JournalRecord } from "../../src/record/journal/records.ts";
import { journalHeader } from "../../src/record/journal/redact.ts";
import {
  JOURNAL_VERSION,
  JOURNAL_VERSIONS,
  type JournalVersions,
  renamesFrom,
} from "../../src/record/journal/versions.ts";
import { START } from "../support/journals/example-call.ts";

/** A reader two versions later, with tables as renames would leave them. */
const LATER: JournalVersions = {
  current: JOURNAL_VERSION + 2,
  renames: {
    ...JOURNAL_VERSIONS.renames,
    [JOURNAL_VERSION]: {
      header: { members: { callId: "call", "leg.outboundCodec": "codecOut" } },
      events: {
        typed: { kind: "text-typed", members: { text: "typedText" } },
        used: { values: { provider: { old: "new" } } },
      },
      commands: {
        turn: { members: { "turn.latency": "times", "turn.latency.finalMs": "lastMs" } },
      },
    },
    [JOURNAL_VERSION + 1]: {
      header: { members: { call: "callId", "leg.codecOut": "outboundCodec" } },
      events: { "text-typed": { members: { typedText: "words" } } },
    },
  },
};

function read(bytes: Uint8Array, versions?: JournalVersions): JournalRecord[] {
  const records: JournalRecord[] = [];
  new JournalDecoder((record) => records.push(record), versions && { versions }).push(Buffer.from(bytes));
  return records;
}

function journal(): Buffer {
  const encoder = new JournalEncoder();
  encoder.header(journalHeader("trunkline test", START));
  encoder.event(callMs(1), { kind: "typed", text: "hello" });
  encoder.frameIn(callMs(2), mediaMs(20), true, new Uint8Array([1, 2, 3]), false);
  encoder.command(callMs(3), { kind: "end", reason: "caller_hangup" });
  return Buffer.from(encoder.written());
}

describe("the names of an older journal", () => {
  test("are read as those of the current version, whatever the number of versions between", () => {
    const [header, event, frame, command] = read(journal(), LATER);
    expect(header).toMatchObject({ header: { callId: START.callId, leg: START.leg, parameters: START.parameters } });
    expect(event).toEqual({ kind: "event", timeMs: 1, event: { kind: "text-typed", words: "hello" } });
    expect([frame, command]).toEqual(read(journal()).slice(2));
  });

  test("are unchanged in a journal of the current version", () => {
    const bytes = journal();
    bytes.writeUInt16LE(LATER.current, 4);
    const [header, ...records] = read(journal());
    expect(read(bytes, LATER)).toEqual([{ ...header, version: LATER.current }, ...records]);
  });

  test("are refused where a version in between has no table, and where the journal is newer than its reader", () => {
    const { current, renames } = LATER;
    expect(renamesFrom(JOURNAL_VERSION, { current: current + 1, renames })).toBeUndefined();
    expect(renamesFrom(1, LATER)).toBeUndefined();
    expect(renamesFrom(current + 1, LATER)).toBeUndefined();
    expect(renamesFrom(current, LATER)).toEqual([]);
    expect(() => read(journal(), { current, renames: {} })).toThrow(
      `unsupported version ${JOURNAL_VERSION}, the current one is ${current}`,
    );
  });

  test("are found by their path, so that the same name elsewhere keeps its meaning", () => {
    const names = LATER.renames[JOURNAL_VERSION] ?? {};
    expect(renamed({ kind: "turn", turn: { finalMs: 1, latency: { finalMs: 2 } } }, "commands", names)).toEqual({
      kind: "turn",
      turn: { finalMs: 1, times: { lastMs: 2 } },
    });
    expect(renamed({ kind: "used", provider: "old", engine: "old" }, "events", names)).toEqual({
      kind: "used",
      provider: "new",
      engine: "old",
    });
  });

  test("in the items of an array have the path of the array", () => {
    const names = { events: { spoken: { members: { "words.text": "word" }, values: { tags: { a: "b" } } } } };
    const event = { kind: "spoken", words: [{ text: "one" }, { text: "two" }], tags: ["a", "c"] };
    expect(renamed(event, "events", names)).toEqual({
      kind: "spoken",
      words: [{ word: "one" }, { word: "two" }],
      tags: ["b", "c"],
    });
  });

  test("of every version that was released can be read by this build", () => {
    for (let version = 2; version <= JOURNAL_VERSION; version += 1) {
      expect(renamesFrom(version, JOURNAL_VERSIONS)).toBeDefined();
    }
  });

  test("of inherited members of an object are not in a table", () => {
    const names = { events: { typed: { members: {}, values: { text: {} } } } };
    const event = { kind: "typed", text: "constructor", constructor: 1 };
    expect(renamed(event, "events", names)).toEqual(event);
    expect(renamed({ kind: "toString" }, "events", names)).toEqual({ kind: "toString" });
  });
});
