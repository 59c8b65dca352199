import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import type { TranscriptUpdate } from "../../src/core/calls/transcript.ts";
import type { JournaledCommand, JournalRecord } from "../../src/record/journal/records.ts";
import { journaledCommand } from "../../src/record/journal/redact.ts";
import { GOLDEN_CALLS } from "../support/golden/golden-calls.ts";
import { holdCall, type SentMessage } from "../support/golden/hold-call.ts";
import {
  goldenJournal,
  messagesFingerprint,
  readFingerprints,
  recordsOf,
  transcriptsOf,
} from "../support/golden/journals.ts";
import { GOLDEN_LINE_NAMES } from "../support/golden/lines.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const FINGERPRINTS = readFingerprints();

/**
 * Without the part of a header that differs between Node versions, without the version of the journal, and without the
 * detector, which the golden journals are too old to name.
 */
function sameEverywhere(record: JournalRecord): object {
  if (record.kind !== "header") return record;
  const { version: _, header: ofCall, ...others } = record;
  const { icu: __, detector: ___, ...header } = ofCall;
  return { ...others, header };
}

/** The golden journals are older than transcript commands, which are compared with what their WebSocket clients were sent. */
const isTranscript = (record: JournalRecord): boolean =>
  record.kind === "command" && record.command.kind === "transcript";

const transcriptsSent = (sent: readonly SentMessage[]): TranscriptUpdate[] =>
  sent.flatMap(({ message }) => {
    if (typeof message !== "string") return [];
    const { type, ...fields } = JSON.parse(message) as { type?: string } & Omit<TranscriptUpdate, "kind">;
    return type === "transcript" ? [{ kind: type, ...fields }] : [];
  });

const asJournaled = (command: TranscriptUpdate): JournaledCommand => journaledCommand(command, true);

/** Calls that an internal error ends. */
const BUGS = ["internal-error"];
/** Calls whose socket is gone, or takes nothing, before the end: the last of the transcript is not sent. */
const SOCKET_LOST = ["socket-gone", "framing-broken", "slow-consumer"];

describe.each(GOLDEN_LINE_NAMES)("over %s, held again, the golden call", (line) => {
  const calls = GOLDEN_CALLS.filter(({ lines }) => lines.includes(line));
  test.each(calls)("$name gives the same journal to the last byte of audio, and the same messages", async ({
    name,
    script,
  }) => {
    const held = await holdCall(line, script, temporaryDirectory());
    const golden = recordsOf(goldenJournal(`${line}/${name}`));
    const journaled = recordsOf(held.journal);
    const expected = golden.map(sameEverywhere);
    const records = journaled.filter((record) => !isTranscript(record)).map(sameEverywhere);
    // The first difference explains the others.
    const at = records.findIndex((record, index) => !isSame(record, expected[index]));
    expect(at < 0 ? undefined : { at, record: records[at] }).toEqual(at < 0 ? undefined : { at, record: expected[at] });
    expect(records).toHaveLength(expected.length);
    const { messages, messagesHash } = FINGERPRINTS[`${line}/${name}`] ?? {};
    expect(messagesFingerprint(held.sent)).toEqual({ messages, messagesHash });
    const transcripts = journaled.filter(isTranscript).flatMap((record) => ("command" in record ? record.command : []));
    const replayed = transcriptsOf(golden);
    if (replayed !== undefined) expect(transcripts).toEqual(replayed.map(asJournaled));
    if (line.startsWith("websocket")) {
      const shown = transcriptsSent(held.sent);
      const count = SOCKET_LOST.includes(name) ? shown.length : transcripts.length;
      expect(transcripts.slice(0, count)).toEqual(shown.map(asJournaled));
      if (replayed !== undefined) expect(replayed.slice(0, count)).toEqual(shown);
    }
    expect(held.violations).toEqual([]);
    expect(held.bugs.length > 0).toBe(BUGS.includes(name));
  });
});

const isSame = (one: object, other: object | undefined): boolean => isDeepStrictEqual(one, other);
