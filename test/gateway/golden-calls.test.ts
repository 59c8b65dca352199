import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS, type TurnParameters } from "../../src/call/parameters.ts";
import type { TranscriptUpdate } from "../../src/core/calls/transcript.ts";
import type { JournaledCommand, JournalRecord } from "../../src/record/journal/records.ts";
import { journaledCommand } from "../../src/record/journal/redact.ts";
import { replayParametersOf } from "../../src/record/replay/setup.ts";
import { FORMER_BEHAVIOR, FORMER_CANCEL_REASON, YOUNGER_PARAMETERS } from "../support/golden/former-behavior.ts";
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
 * Without the part of a header that differs between Node versions, without the version of the journal and the detector,
 * which the golden journals are too old to name, and with those turn parameters that both builds have.
 */
function sameEverywhere(record: JournalRecord): object {
  // Younger than the golden journals.
  if (record.kind === "event" && record.event.kind === "usage") {
    const { preemptive: _, ...event } = record.event;
    return { ...record, event };
  }
  if (record.kind !== "header") return record;
  const { version: _, header: ofCall, ...others } = record;
  const { icu: __, detector: ___, turnWeights: ____, parameters, ...header } = ofCall;
  const common = Object.entries(parameters).filter(([name]) => COMMON_PARAMETERS.includes(name));
  return { ...others, header: { ...header, parameters: Object.fromEntries(common) } };
}

/** The turn parameters of a golden call, for a build that has others. */
function parametersOf(golden: readonly JournalRecord[]): Readonly<TurnParameters> {
  const [header] = golden;
  if (header?.kind !== "header") throw new Error("a journal begins with its header");
  return replayParametersOf(header.header.parameters).parameters;
}

const COMMON_PARAMETERS = Object.keys(DEFAULT_TURN_PARAMETERS).filter((name) => !YOUNGER_PARAMETERS.includes(name));

/** Where a golden call did what calls no longer do: speech without words cut the reply. The deadline before it is gone, too. */
function formerBehaviorAt(golden: readonly JournalRecord[]): number | undefined {
  const at = golden.findIndex(
    (record) =>
      record.kind === "command" &&
      record.command.kind === "cancel-reply" &&
      (record.command.reason as string) === FORMER_CANCEL_REASON,
  );
  return at < 0 ? undefined : at - 1;
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

/**
 * Calls whose audio is replayed to another STT stream, by how many seconds more than when they were recorded: an
 * utterance now has SPEECH_PREROLL_MS before it, not 200 ms. Their STT usage is compared by its sum, because it is
 * reported in steps.
 */
const LONGER_REPLAYS: Readonly<Record<string, number>> = {
  "carrier_a/failover": 0.2,
  "carrier_b/failover": 0.2,
  "carrier_c/failover": 0.2,
  "websocket/failover": 0.2,
  "websocket_shuffled/back-channel": 0.2,
  "websocket_shuffled/unrecorded": 0.2,
};

/** The audio of an STT that a record reports, s; undefined for other records. */
function sttSecondsOf(record: JournalRecord): number | undefined {
  if (record.kind !== "event" || record.event.kind !== "usage" || record.event.stage !== "stt") return undefined;
  const { usage } = record.event;
  return "audioSeconds" in usage ? usage.audioSeconds : undefined;
}

const sttSeconds = (records: readonly JournalRecord[]): number =>
  records.reduce((sum, record) => sum + (sttSecondsOf(record) ?? 0), 0);

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
    const golden = recordsOf(goldenJournal(`${line}/${name}`));
    const held = await holdCall(line, script, temporaryDirectory(), parametersOf(golden));
    const journaled = recordsOf(held.journal);
    const longerReplayS = LONGER_REPLAYS[`${line}/${name}`];
    const isCompared = (record: JournalRecord): boolean =>
      longerReplayS === undefined || sttSecondsOf(record) === undefined;
    const expected = golden.filter(isCompared).map(sameEverywhere);
    const records = journaled.filter((record) => !isTranscript(record) && isCompared(record)).map(sameEverywhere);
    const formerAt = formerBehaviorAt(golden);
    expect(formerAt !== undefined).toBe(FORMER_BEHAVIOR.includes(name));
    if (formerAt !== undefined) {
      expect(records.slice(0, formerAt)).toEqual(expected.slice(0, formerAt));
      return;
    }
    expect(sttSeconds(journaled)).toBeCloseTo(sttSeconds(golden) + (longerReplayS ?? 0), 9);
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
