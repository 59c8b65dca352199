import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS, type TurnParameters } from "../../../src/call/parameters.ts";
import { addMs, callMs, millisecondsOf } from "../../../src/core/clocks.ts";
import { asTurnId } from "../../../src/core/ids.ts";
import { projectJournal } from "../../../src/record/finalization/projection.ts";
import { JournalEncoder } from "../../../src/record/journal/format.ts";
import { readJournal } from "../../../src/record/journal/reader.ts";
import type { JournalHeader, JournalRecord } from "../../../src/record/journal/records.ts";
import { journalHeader } from "../../../src/record/journal/redact.ts";
import { JOURNAL_VERSION } from "../../../src/record/journal/versions.ts";
import { compareJournal } from "../../../src/record/replay/comparison.ts";
import { replayJournal } from "../../../src/record/replay/replay.ts";
import { replaySetupOf } from "../../../src/record/replay/setup.ts";
import { traceJournal } from "../../../src/record/replay/trace.ts";
import { EDGE_CASE_CALLS, journalOf } from "../../support/journals/corpus.ts";
import { NOT_RECORDED, SPEC, START } from "../../support/journals/example-call.ts";
import { encode, JournalFile } from "../../support/journals/journal-file.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const call = (name: string): Buffer => {
  const found = EDGE_CASE_CALLS.find((awkward) => awkward.name === name);
  if (found === undefined) throw new Error(`no call ${name}`);
  return journalOf(found);
};

function fileOf(bytes: Uint8Array): string {
  const path = join(temporaryDirectory(), "call.tlj");
  writeFileSync(path, bytes);
  return path;
}

/** The journal of an edge-case call with changed records; a record that becomes undefined is left out. */
async function changed(
  name: string,
  change: (record: JournalRecord, index: number) => JournalRecord | undefined,
): Promise<string> {
  const encoder = new JournalEncoder();
  let index = 0;
  await readJournal(fileOf(call(name)), (record) => {
    const kept = change(record, index);
    index += 1;
    if (kept !== undefined) encode(encoder, kept);
  });
  return fileOf(encoder.written());
}

/** The journal of a call whose state machine fails, and which its worker then ends for that, or does not. */
async function failing(isEnded: boolean): Promise<string> {
  const ended = call("internal-error");
  const encoder = new JournalEncoder();
  await readJournal(fileOf(ended), (record) => {
    if (record.kind === "event" && record.event.kind === "internal-error") {
      const { timeMs } = record;
      const turnId = asTurnId(2);
      encode(encoder, { kind: "event", timeMs, event: { kind: "segment-end", turnId, segment: 99, samples: 1 } });
      if (!isEnded) encode(encoder, { kind: "event", timeMs, event: { kind: "tick" } });
    }
    if (isEnded || record.timeMs < callMs(6_500)) encode(encoder, record);
  });
  return fileOf(encoder.written());
}

const HEADER: JournalHeader = journalHeader("trunkline test", START);
const withParameters = (parameters: object): JournalHeader => ({ ...HEADER, parameters: parameters as TurnParameters });

/** A journal as version 3 had it: without attachments and transcripts. */
async function ofVersion3(journal: Uint8Array): Promise<Buffer> {
  const encoder = new JournalEncoder();
  await readJournal(fileOf(journal), (record) => {
    if (record.kind === "attached" || (record.kind === "command" && record.command.kind === "transcript")) return;
    encode(encoder, record);
  });
  const bytes = Buffer.from(encoder.written());
  bytes.writeUInt16LE(3, 4);
  return bytes;
}

describe("a replay", () => {
  test.each([
    3,
    JOURNAL_VERSION,
  ])("of a journal of version %i that is cut anywhere finds what there is equal", async (version) => {
    const whole = call("interruption-by-voice");
    const bytes = version === 3 ? await ofVersion3(whole) : whole;
    const complete = await projectJournal(fileOf(bytes));
    // The end of the header: the preamble, the head of its record, and its text.
    const firstCut = 8 + 14 + bytes.readUInt32LE(8 + 2);
    const cuts = [...Array(100).keys()].map((step) =>
      Math.min(firstCut + (step < 20 ? 3 * step : 500 * (step - 19)), bytes.length),
    );
    // The first ones are before and within the attachment and the event after it; the last one is none.
    for (const cut of new Set(cuts)) {
      const path = fileOf(bytes.subarray(0, cut));
      const isWhole = cut === bytes.length;
      expect(await compareJournal(path)).toMatchObject({ truncated: !isWhole, difference: undefined });
      const { turns, hasEnd } = await projectJournal(path);
      expect(hasEnd).toBe(isWhole);
      // A turn that was going on at the cut ends there.
      expect(turns.slice(0, -1)).toEqual(complete.turns.slice(0, Math.max(turns.length - 1, 0)));
    }
  });

  test("of a complete journal finds all commands equal, and counts them", async () => {
    const compared = await compareJournal(fileOf(call("cough")));
    expect(compared).toMatchObject({ truncated: false, difference: undefined });
    expect(compared.commands).toBeGreaterThan(10);
    expect(compared.events).toBeGreaterThan(500);
    expect(compared.comparedUntilMs).toBe(14_000);
  });

  test("reports the first command that differs, with the event before it", async () => {
    const path = await changed("cough", (record) =>
      record.kind === "command" && record.command.kind === "resume"
        ? { ...record, command: { ...record.command, reason: "pause_timeout" } }
        : record,
    );
    const { difference, commands } = await compareJournal(path);
    expect(difference).toMatchObject({
      after: { kind: "event", event: { kind: "tick" } },
      journaled: { kind: "resume", reason: "pause_timeout" },
      replayed: { kind: "resume", reason: "no_words" },
      failure: undefined,
    });
    expect(difference?.after?.timeMs).toBe(difference?.atMs);
    expect(commands).toBeLessThan((await compareJournal(fileOf(call("cough")))).commands);
  });

  test("reports a command that the journal lacks, and one that only the journal has", async () => {
    const without = await changed("cough", (record) =>
      record.kind === "command" && record.command.kind === "pause" ? undefined : record,
    );
    // The next journaled command is at the place of the missing one.
    expect((await compareJournal(without)).difference).toMatchObject({
      journaled: { kind: "state" },
      replayed: { kind: "pause" },
    });
    const silenced = await changed("cough", (record) =>
      record.kind === "command" && ["state", "speak", "transcript"].includes(record.command.kind) ? undefined : record,
    );
    expect((await compareJournal(silenced)).difference).toMatchObject({
      after: { event: { kind: "leg-started" } },
      journaled: undefined,
      replayed: { kind: "speak" },
    });
    const more = new JournalFile()
      .add({ kind: "event", timeMs: callMs(5), event: { kind: "tick" } })
      .add({ kind: "command", timeMs: callMs(5), command: { kind: "pause", turnId: asTurnId(3) } });
    expect((await compareJournal(more.path)).difference).toMatchObject({
      atMs: 5,
      journaled: { kind: "pause" },
      replayed: undefined,
    });
  });

  test("F14-5: of a call that ended because the state machine failed is equal to its end", async () => {
    const path = await failing(true);
    expect(await compareJournal(path)).toMatchObject({ difference: undefined, truncated: false });
    expect((await replayJournal(path)).replayed.at(-1)?.command).toEqual({ kind: "end", reason: "worker_lost" });
    expect(await projectJournal(path)).toMatchObject({ endReason: "worker_lost", complete: true });
    expect((await traceJournal(path, callMs(7_000))).snapshot.ended).toBe(true);
  });

  test("F14-5: reports a failure of the state machine that the worker did not have", async () => {
    const path = await failing(false);
    expect((await compareJournal(path)).difference).toMatchObject({
      after: { event: { kind: "segment-end" } },
      failure: expect.stringContaining("never requested"),
    });
    await expect(replayJournal(path)).rejects.toThrow("never requested");
  });

  test("stops at its limit, and compares the commands of the last event", async () => {
    const lastMs = 6_000;
    const whole = await compareJournal(fileOf(call("cough")), callMs(lastMs));
    expect(whole).toMatchObject({ difference: undefined, truncated: false });
    expect(whole.comparedUntilMs).toBeLessThanOrEqual(lastMs);
    expect(whole.comparedUntilMs).toBeGreaterThan(lastMs - 20);
    const path = await changed("cough", (record) =>
      record.kind === "command" && record.command.kind === "pause" ? undefined : record,
    );
    const atMs = (await compareJournal(path)).difference?.atMs ?? callMs(Number.NaN);
    expect((await compareJournal(path, addMs(atMs, -1))).difference).toBeUndefined();
    expect((await compareJournal(path, atMs)).difference?.atMs).toBe(atMs);
  });

  test("of a journal truncated anywhere is equal up to that point", async () => {
    const bytes = call("interruption-by-words");
    const path = join(temporaryDirectory(), "torn.tlj");
    let lastMs = 0;
    for (let length = 3_000; length < bytes.length; length += 1_997) {
      writeFileSync(path, bytes.subarray(0, length));
      const compared = await compareJournal(path);
      expect(compared).toMatchObject({ difference: undefined, truncated: true });
      expect(compared.comparedUntilMs).toBeGreaterThanOrEqual(lastMs);
      lastMs = millisecondsOf(compared.comparedUntilMs);
    }
    expect(lastMs).toBeGreaterThan(9_000);
  });

  test("reports where the state machine fails, and its error", async () => {
    const backwards = new JournalFile()
      .add({ kind: "event", timeMs: callMs(9), event: { kind: "tick" } })
      .add({ kind: "event", timeMs: callMs(8), event: { kind: "tick" } });
    expect((await compareJournal(backwards.path)).difference).toMatchObject({
      atMs: 8,
      after: { kind: "event", timeMs: 8 },
      journaled: undefined,
      replayed: undefined,
      failure: expect.stringContaining("time must not go backwards"),
    });
  });

  test("is refused for a call that is not recorded, for a missing journal and for half a header", async () => {
    await expect(compareJournal(new JournalFile(NOT_RECORDED).path)).rejects.toThrow(
      "the words of the call are not recorded",
    );
    await expect(compareJournal(join(temporaryDirectory(), "none.tlj"))).rejects.toThrow("cannot be opened");
    await expect(compareJournal(fileOf(call("cough").subarray(0, 100)))).rejects.toThrow("truncated within its header");
    const other = Buffer.from(readFileSync(new JournalFile().path));
    other.writeUInt16LE(JOURNAL_VERSION + 1, 4);
    await expect(compareJournal(fileOf(other))).rejects.toThrow(
      `unsupported version ${JOURNAL_VERSION + 1}, the current one is ${JOURNAL_VERSION}`,
    );
  });
});

describe("a journal of another build", () => {
  const { endpointSentenceMs, endpointQuestionMs, endpointTrailingMs, dtmfGapMs, ...others } = DEFAULT_TURN_PARAMETERS;
  const { speechPausesMax, backChannelAnswerMs, turnWaitMsMin, turnWaitMsMax, ...some } = others;
  const { resumeMs, pauseMsMax, fillerMs, toolFillerMs, llmSilenceMs, ttsSilenceMs, firstClauseChars, ...first } = some;

  test("is replayed with the parameters that it has", () => {
    const parameters = { ...DEFAULT_TURN_PARAMETERS, endpointMs: 700 };
    const basis = { parameters, assumed: [], unmatched: [], unknown: [] };
    expect(replaySetupOf(withParameters(parameters))).toMatchObject(basis);
  });

  test("is replayed with values that disable the parameters that it lacks, where these exist", () => {
    const { parameters, assumed, unmatched } = replaySetupOf(withParameters({ ...first, endpointMs: 600 }));
    expect(parameters).toEqual({
      ...first,
      endpointMs: 600,
      endpointSentenceMs: 600,
      endpointQuestionMs: 600,
      endpointTrailingMs: 600,
      turnWaitMsMin: 0,
      turnWaitMsMax: 0,
      speechPausesMax: 0,
      backChannelAnswerMs: Number.POSITIVE_INFINITY,
      fillerMs: Number.POSITIVE_INFINITY,
      toolFillerMs: Number.POSITIVE_INFINITY,
      llmSilenceMs: Number.POSITIVE_INFINITY,
      ttsSilenceMs: Number.POSITIVE_INFINITY,
      firstClauseChars: Number.POSITIVE_INFINITY,
      resumeMs: Number.POSITIVE_INFINITY,
      pauseMsMax: Number.POSITIVE_INFINITY,
      dtmfGapMs,
    });
    expect(assumed).toContain("endpointSentenceMs");
    expect(unmatched).toEqual(["dtmfGapMs"]);
  });

  test("had names for tools, and a language that did not change", () => {
    const { languagePinned, ...old } = SPEC;
    const spec = { ...old, tools: ["hang_up"] } as unknown as typeof SPEC;
    expect(replaySetupOf({ ...HEADER, spec }).spec).toEqual({ ...SPEC, languagePinned: true });
  });

  test("must have the parameters of the first version, and its unknown ones are listed", () => {
    const { endpointMs, ...without } = DEFAULT_TURN_PARAMETERS;
    expect(() => replaySetupOf(withParameters(without))).toThrow("its header has no");
    const { unknown } = replaySetupOf(withParameters({ ...DEFAULT_TURN_PARAMETERS, patienceMs: 3 }));
    expect(unknown).toEqual(["patienceMs"]);
  });

  test("is not compared in members that its commands lack", async () => {
    const parameters = { ...first, firstClauseChars } as TurnParameters;
    const old = await changed("hang-up-in-mid-reply", (record) => {
      if (record.kind === "header") return { ...record, header: { ...record.header, parameters } };
      if (record.kind !== "command" || record.command.kind !== "cancel-reply") return record;
      const { kind, turnId, clear } = record.command;
      return { ...record, command: { kind, turnId, clear } as typeof record.command };
    });
    expect(await compareJournal(old)).toMatchObject({ difference: undefined, truncated: false });
    const wrong = await changed("hang-up-in-mid-reply", (record) =>
      record.kind === "header"
        ? { ...record, header: { ...record.header, parameters } }
        : record.kind === "command" && record.command.kind === "cancel-reply"
          ? { ...record, command: { ...record.command, clear: true } }
          : record,
    );
    expect((await compareJournal(wrong)).difference).toMatchObject({ journaled: { clear: true } });
  });
});
