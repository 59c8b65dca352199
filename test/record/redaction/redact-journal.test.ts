import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import { callMs, mediaMs } from "../../../src/core/clocks.ts";
import { type MediaKey, newMediaKey } from "../../../src/core/encryption/chunks.ts";
import { asToolCallId, asTurnId, NO_REPLY_TURN_ID } from "../../../src/core/ids.ts";
import { EventLister, type ListedEvent } from "../../../src/record/events/event-list.ts";
import { projectJournal } from "../../../src/record/finalization/projection.ts";
import { readJournal } from "../../../src/record/journal/reader.ts";
import type { JournalRecord } from "../../../src/record/journal/records.ts";
import { JOURNAL_VERSION } from "../../../src/record/journal/versions.ts";
import { writeAtomically } from "../../../src/record/recording/wav-file.ts";
import { redactJournal } from "../../../src/record/redaction/redact-journal.ts";
import { compareJournal } from "../../../src/record/replay/comparison.ts";
import { SPEC, START } from "../../support/journals/example-call.ts";
import { JournalFile } from "../../support/journals/journal-file.ts";

const CARD = "4111 1111 1111 1111";
const REDACTED: CallSpec = { ...SPEC, redact: ["card_number", "variables"], redactedValues: ["Tirzah"] };
const VOICE = new Uint8Array(160).fill(0x21);
const SILENCE = 0xff;

const user = (text: string, startMs: number, endMs: number): JournalRecord & { kind: "command" } => ({
  kind: "command",
  timeMs: callMs(endMs + 200),
  command: {
    kind: "turn",
    turn: { role: "user", text, startMs: callMs(startMs), endMs: callMs(endMs), interrupted: false },
  },
});

/** A call with a frame of sound every 20 ms on both sides, in which the caller says a card number from 1,000 to 2,000 ms. */
function call(spec = REDACTED, more: Exclude<JournalRecord, { kind: "header" }>[] = []): JournalFile {
  const file = new JournalFile({ ...START, spec });
  const started = { kind: "leg-started", codec: "mulaw", parameters: { card: CARD, order: "A-17" } } as const;
  file.add({ kind: "event", timeMs: callMs(0), event: started });
  const records: Exclude<JournalRecord, { kind: "header" }>[] = [];
  for (let at = 20; at <= 5_000; at += 20) {
    const isSpeech = at >= 1_000 && at <= 2_000;
    const of = { timeMs: callMs(at), audio: VOICE, audioOmitted: false };
    records.push({ kind: "frame-in", mediaMs: mediaMs(at), isSpeech, ...of });
    if (at > 3_000) records.push({ kind: "frame-out", turnId: asTurnId(2), samples: 160, ...of });
  }
  records.push({ kind: "event", timeMs: callMs(1_500), event: { kind: "stt-interim", text: "my card is 4111 1111" } });
  records.push({ kind: "event", timeMs: callMs(2_200), event: { kind: "stt-final", text: `my card is ${CARD}` } });
  records.push(user(`my card is ${CARD} for Tirzah`, 1_000, 2_000));
  const speak = {
    kind: "speak",
    turnId: asTurnId(2),
    segment: 0,
    text: `Thank you, I have ${CARD}, and now the date.`,
  } as const;
  records.push({ kind: "command", timeMs: callMs(2_500), command: speak });
  const words = speak.text.split(" ").map((text, at) => ({ text, startMs: at * 150, endMs: (at + 1) * 150 }));
  records.push({
    kind: "event",
    timeMs: callMs(2_600),
    event: { kind: "segment-audio", turnId: asTurnId(2), segment: 0, samples: 16_000, words },
  });
  const tool = { turnId: asTurnId(2), toolCallId: asToolCallId("2.1") };
  const given = { number: Number(CARD.replaceAll(" ", "")), parts: ["4111 1111", "1111 1111"], order: 17 };
  records.push({
    kind: "command",
    timeMs: callMs(2_700),
    command: { kind: "run-tool", name: "charge", arguments: given, ...tool },
  });
  records.push({
    kind: "event",
    timeMs: callMs(2_800),
    event: { kind: "tool-result", result: `charged ${CARD}`, failed: false, ...tool },
  });
  for (const digit of "4111111111111111")
    records.push({ kind: "event", timeMs: callMs(2_900), event: { kind: "dtmf", digit } });
  records.push(...more);
  records.sort((a, b) => Number(a.timeMs) - Number(b.timeMs));
  return file.add(...records);
}

async function recordsOf(path: string, key?: MediaKey): Promise<JournalRecord[]> {
  const records: JournalRecord[] = [];
  await readJournal({ path, key }, (record) => {
    records.push("audio" in record ? { ...record, audio: record.audio.slice() } : record);
  });
  return records;
}

const silentTimes = (records: readonly JournalRecord[], kind: "frame-in" | "frame-out"): number[] =>
  records.flatMap((record) =>
    record.kind === kind && record.audio.every((byte) => byte === SILENCE) ? [Number(record.timeMs)] : [],
  );

const eventsOf = (records: readonly JournalRecord[]): ListedEvent[] => {
  const events: ListedEvent[] = [];
  let lister: EventLister | undefined;
  for (const record of records) {
    if (record.kind === "header") lister = new EventLister(record.header, (event) => events.push(event));
    else lister?.take(record);
  }
  return events;
};

describe("redacting the journal of a call that is over", () => {
  test("leaves nothing of it in any record, and keeps every record at its time", async () => {
    const file = call().end(6_000);
    const before = await recordsOf(file.path);
    await redactJournal({ path: file.path, key: undefined });
    const bytes = readFileSync(file.path, "latin1");
    for (const needle of ["4111", "1111 1111", "Tirzah", "receptionist"]) expect(bytes).not.toContain(needle);
    const after = await recordsOf(file.path);
    expect(after.map(({ kind, timeMs }) => [kind, timeMs])).toEqual(before.map(({ kind, timeMs }) => [kind, timeMs]));
    const { turns, parameters, hasEnd } = await projectJournal(file.path);
    expect(turns.map(({ text }) => text)).toEqual(["my card is [card number] for [variable]"]);
    expect(parameters).toEqual({ card: "[card number]", order: "A-17" });
    expect(hasEnd).toBe(true);
    const commands = after.flatMap((record) => (record.kind === "command" ? [record.command] : []));
    expect(commands.find(({ kind }) => kind === "run-tool")).toMatchObject({
      name: "charge",
      arguments: { number: "[card number]", parts: ["[card number]", "[card number]"], order: 17 },
    });
    expect(eventsOf(after).map(({ kind }) => kind)).toEqual(eventsOf(before).map(({ kind }) => kind));
  });

  test("finds what was said in each language that the call had", async () => {
    const said = "vier eins eins eins eins eins eins eins eins eins eins eins eins eins eins eins";
    const switched: JournalRecord & { kind: "command" } = {
      kind: "command",
      timeMs: callMs(2_750),
      command: { kind: "language", language: "de-DE", reason: "detected" },
    };
    const wordsAfter = async (isSwitched: boolean): Promise<string> => {
      const file = call(REDACTED, [user(said, 2_100, 2_400), ...(isSwitched ? [switched] : [])]).end(6_000);
      await redactJournal({ path: file.path, key: undefined });
      return JSON.stringify(await recordsOf(file.path));
    };
    expect(await wordsAfter(false)).toContain(said);
    expect(await wordsAfter(true)).not.toContain("eins eins");
  });

  test("keeps every argument and parameter whose name is redacted, under labels with numbers", async () => {
    const [one, other] = [CARD, "5500 0000 0000 0004"];
    const tool = { turnId: asTurnId(2), toolCallId: asToolCallId("2.2") };
    const given = { [one]: "a", [other]: "b", "[card number] 2": "c" };
    const file = call(REDACTED, [
      {
        kind: "event",
        timeMs: callMs(0),
        event: { kind: "leg-started", codec: "mulaw", parameters: { [one]: "a", [other]: "b" } },
      },
      {
        kind: "command",
        timeMs: callMs(2_750),
        command: { kind: "run-tool", name: "sort", arguments: given, ...tool },
      },
    ]).end(6_000);
    await redactJournal({ path: file.path, key: undefined });
    const records = await recordsOf(file.path);
    expect(JSON.stringify(records)).toContain(
      '"arguments":{"[card number]":"a","[card number] 2":"b","[card number] 2 2":"c"}',
    );
    expect(JSON.stringify(records)).toContain('"parameters":{"[card number]":"a","[card number] 2":"b"}');
  });

  test("says in the header what was found, so that a replay says what is gone", async () => {
    const file = call().end(6_000);
    await redactJournal({ path: file.path, key: undefined });
    const [header] = await recordsOf(file.path);
    expect(header?.kind === "header" && header.header.redaction?.found.variables).toBe(1);
    await expect(compareJournal(file.path)).rejects.toThrow(/redacted when it was over \(found: .*card_number \d/);
  });

  test("silences the caller's utterance, its keys, the agent's words, and their echo", async () => {
    const file = call().end(6_000);
    await redactJournal({ path: file.path, key: undefined });
    const records = await recordsOf(file.path);
    const caller = silentTimes(records, "frame-in");
    // The utterance from 1,000 to 2,000 ms and the keys at 2,900 ms, with what is around them.
    expect(caller).toEqual(expect.arrayContaining([1_000, 1_500, 2_000, 2_900]));
    expect(caller).not.toContain(400);
    // The words 4 to 7 of 150 ms each of a reply that begins at 3,020 ms.
    const agent = silentTimes(records, "frame-out");
    expect(agent).toEqual(expect.arrayContaining([3_700, 4_000, 4_180]));
    expect(agent).not.toContain(3_200);
    expect(agent).not.toContain(4_600);
    expect(caller).toEqual(expect.arrayContaining([3_700, 4_000, 4_180]));
  });

  test("silences a whole segment whose words have no times", async () => {
    const speak = { kind: "speak", turnId: asTurnId(2), segment: 1, text: "That was 4111 1111." } as const;
    const file = call(REDACTED, [
      { kind: "command", timeMs: callMs(2_510), command: speak },
      {
        kind: "event",
        timeMs: callMs(2_610),
        event: { kind: "segment-audio", turnId: asTurnId(2), segment: 1, samples: 8_000, words: [] },
      },
    ]).end(6_000);
    await redactJournal({ path: file.path, key: undefined });
    // The first segment has 16,000 samples: two seconds, of which the agent was heard to say all.
    const agent = silentTimes(await recordsOf(file.path), "frame-out");
    expect(agent).not.toContain(4_900);
    expect(agent).not.toContain(5_000);
  });

  test("silences the tones of digits that the agent sends, from the first of them on, and keeps no digit", async () => {
    const line = {
      kind: "frame-out",
      turnId: NO_REPLY_TURN_ID,
      samples: 160,
      audio: VOICE,
      audioOmitted: false,
    } as const;
    const file = call(REDACTED, [
      { ...line, timeMs: callMs(2_910) },
      { kind: "event", timeMs: callMs(2_950), event: { kind: "dtmf-requested", digits: "9911" } },
      { kind: "command", timeMs: callMs(2_950), command: { kind: "send-dtmf", digits: "9911", inBand: true } },
      { ...line, timeMs: callMs(2_970) },
    ]).end(6_000);
    await redactJournal({ path: file.path, key: undefined });
    const agent = silentTimes(await recordsOf(file.path), "frame-out");
    expect(agent).toContain(2_970);
    expect(agent).not.toContain(2_910);
    expect(readFileSync(file.path, "latin1")).not.toContain("9911");
  });

  test("ends a call whose worker died, and says that its end is not its own", async () => {
    const file = call();
    await redactJournal({ path: file.path, key: undefined });
    const projected = await projectJournal(file.path);
    expect(projected).toMatchObject({ hasEnd: false, complete: false });
    expect(readFileSync(file.path, "latin1")).not.toContain("4111");
  });

  test("does nothing twice, and nothing to a call that is not to be redacted", async () => {
    const file = call().end(6_000);
    await redactJournal({ path: file.path, key: undefined });
    const once = readFileSync(file.path);
    await redactJournal({ path: file.path, key: undefined });
    expect(readFileSync(file.path).equals(once)).toBe(true);
    const other = call(SPEC).end(6_000);
    const before = readFileSync(other.path);
    await redactJournal({ path: other.path, key: undefined });
    expect(readFileSync(other.path).equals(before)).toBe(true);
  });

  test("redacts an encrypted journal, which stays encrypted, with other bytes", async () => {
    const file = call().end(6_000);
    const key = newMediaKey(START.callId);
    const path = join(dirname(file.path), "encrypted.tlj");
    await writeAtomically({ path, key }, (output) => output.write(readFileSync(file.path)), "journal");
    const before = readFileSync(path);
    await redactJournal({ path, key });
    expect(readFileSync(path).subarray(0, 4).toString()).toBe("TLKM");
    expect(readFileSync(path).subarray(8, 40).equals(before.subarray(8, 40))).toBe(false);
    const turns = (await recordsOf(path, key)).flatMap((record) =>
      record.kind === "command" && record.command.kind === "turn" ? [record.command.turn.text] : [],
    );
    expect(turns).toEqual(["my card is [card number] for [variable]"]);
  });

  test("deletes a journal that is damaged, because it cannot be redacted, and leaves no other file", async () => {
    const file = call().end(6_000);
    const whole = readFileSync(file.path);
    writeFileSync(file.path, Buffer.concat([whole.subarray(0, whole.length - 40), Buffer.alloc(40, 9)]));
    await expect(redactJournal({ path: file.path, key: undefined })).rejects.toThrow("the journal cannot be read");
    expect(readdirSync(dirname(file.path))).toEqual([]);
  });

  test("deletes a journal whose header is damaged or cut off, where its call is to be redacted", async () => {
    for (const [at, byte] of [
      [8, 0xff],
      [0, 0x00],
    ] as const) {
      const file = call().end(6_000);
      writeFileSync(file.path, readFileSync(file.path).fill(byte, at, at + 60));
      await redactJournal({ path: file.path, key: undefined }, false).catch(() => {});
      expect(readdirSync(dirname(file.path))).toHaveLength(1);
      const redacting = redactJournal({ path: file.path, key: undefined }, true);
      await expect(redacting).rejects.toThrow("the journal cannot be read");
      expect(readdirSync(dirname(file.path))).toEqual([]);
    }
  });

  test("leaves a journal of a later version as it is, for the build that reads it", async () => {
    const file = call().end(6_000);
    const later = readFileSync(file.path);
    later.writeUInt16LE(JOURNAL_VERSION + 1, 4);
    writeFileSync(file.path, later);
    const redacting = redactJournal({ path: file.path, key: undefined }, true);
    await expect(redacting).rejects.toMatchObject({ code: "journal_unsupported" });
    expect(readFileSync(file.path).equals(later)).toBe(true);
  });

  test("leaves the journal as it was where the disk refuses, so that another attempt redacts it", async () => {
    const file = call().end(6_000);
    const whole = readFileSync(file.path);
    // No file can be written under the name that the new one has until it is complete.
    const unfinished = `${file.path}.${process.pid}.unfinished`;
    mkdirSync(unfinished);
    await expect(redactJournal({ path: file.path, key: undefined })).rejects.toThrow();
    expect(readFileSync(file.path).equals(whole)).toBe(true);
    rmdirSync(unfinished);
    await redactJournal({ path: file.path, key: undefined });
    expect(readFileSync(file.path, "latin1")).not.toContain("4111");
  });
});
