import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CallCommand, CallEvent } from "../../src/call/events.ts";
import { SPEND_ACTIONS, SPEND_SCOPES } from "../../src/core/billing/spend.ts";
import {
  END_REASONS,
  IGNORE_REASONS,
  JOURNALED_CANCEL_REASONS,
  RESUME_REASONS,
  SPEAK_REASONS,
} from "../../src/core/calls/reasons.ts";
import { PHRASE_ORIGINS } from "../../src/core/phrases/phrases.ts";
import { projectJournal } from "../../src/record/finalization/projection.ts";
import { type JournalNames, renamed } from "../../src/record/journal/names.ts";
import { compareJournal } from "../../src/record/replay/comparison.ts";
import { replayJournal } from "../../src/record/replay/replay.ts";
import { FAILOVER_CODES } from "../../src/speech/contracts.ts";
import {
  FORMER_BEHAVIOR,
  FORMER_CANCEL_REASON,
  FORMER_PARAMETERS,
  YOUNGER_PARAMETERS,
} from "../support/golden/former-behavior.ts";
import { GOLDEN_CALLS } from "../support/golden/golden-calls.ts";
import {
  commandsFingerprint,
  goldenJournal,
  goldenNames,
  readFingerprints,
  recordsOf,
} from "../support/golden/journals.ts";
import { inverse, RECORDED_VERSION } from "../support/golden/recorded-names.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const IF_IT_FAILS =
  "A golden journal is never recorded anew: what differs from it is a change of behaviour, or a name \
that src/record/journal/version-2-names.ts lacks";

const NAMES = goldenNames();
const isUnrecorded = (name: string): boolean => name.includes("/unrecorded");
const FINGERPRINTS = readFingerprints();

/** Words and digits of the calls that are not recorded. */
const WORDS = ["bread", "German", "Deutsch", "tomorrow", "screen", "secret", '"digit":"7"', '"order":'];

/** The journal as a file, for the replay. */
function fileOf(name: string): string {
  const path = join(temporaryDirectory(), "golden.tlj");
  writeFileSync(path, goldenJournal(name));
  return path;
}

describe("golden journals", () => {
  test("are one for each golden call, all of the version that they were recorded in", () => {
    expect(NAMES).toEqual(GOLDEN_CALLS.flatMap(({ name, lines }) => lines.map((line) => `${line}/${name}`)).sort());
    expect(Object.keys(FINGERPRINTS).sort()).toEqual(NAMES);
    expect(new Set(NAMES.map((name) => goldenJournal(name).readUInt16LE(4)))).toEqual(new Set([RECORDED_VERSION]));
  });

  test.each(
    NAMES.filter((name) => !isUnrecorded(name)),
  )("%s gives the same commands, event for event", async (name) => {
    const path = fileOf(name);
    const { difference, truncated, setup } = await compareJournal(path);
    if (FORMER_BEHAVIOR.some((call) => name.endsWith(`/${call}`))) {
      expect(difference).toMatchObject({ journaled: { reason: FORMER_CANCEL_REASON }, replayed: undefined });
      expect(commandsFingerprint((await replayJournal(path)).journaled), IF_IT_FAILS).toEqual(expectedOf(name));
      return;
    }
    expect(difference, IF_IT_FAILS).toBeUndefined();
    expect([truncated, setup.assumed, setup.unmatched, setup.unknown]).toEqual([
      false,
      YOUNGER_PARAMETERS,
      [],
      FORMER_PARAMETERS,
    ]);
    const { replayed, journaled } = await replayJournal(path);
    expect(replayed, IF_IT_FAILS).toEqual(journaled);
    expect(commandsFingerprint(replayed), IF_IT_FAILS).toEqual(expectedOf(name));
  });

  test.each(NAMES.filter(isUnrecorded))("%s cannot be replayed, has the same commands and no word", async (name) => {
    const path = fileOf(name);
    await expect(compareJournal(path)).rejects.toThrow("the words of the call are not recorded");
    const commands = recordsOf(goldenJournal(name)).flatMap((record) => (record.kind === "command" ? [record] : []));
    expect(commandsFingerprint(commands), IF_IT_FAILS).toEqual(expectedOf(name));
    const text = goldenJournal(name).toString("latin1");
    expect(WORDS.filter((word) => text.includes(word))).toEqual([]);
    expect(await projectJournal(path)).toMatchObject({ complete: true, endReason: "caller_hangup" });
  });
});

const expectedOf = (name: string): object => {
  const { commands, commandsHash } = FINGERPRINTS[name] ?? {};
  return { commands, commandsHash };
};

/** All frames, events and commands of all golden journals. */
function everything(): { kind: string }[] {
  return NAMES.flatMap((name) =>
    recordsOf(goldenJournal(name)).map((record) => {
      if (record.kind === "event") return record.event;
      return record.kind === "command" ? record.command : { kind: record.kind };
    }),
  );
}

/**
 * Kinds, reasons and codes that no golden journal has. They are younger, except for the reason of a call whose token
 * expired, which has no journal. A new one is added here: no golden journal is recorded any more.
 */
const ABSENT: readonly string[] = [
  "passages",
  "retrieval-failed",
  "retrieve",
  "await-passages",
  "passages-used",
  "retrieval-ended",
  "leg-detached",
  "transfer-started",
  "transfer-failed",
  "transfer-refused",
  "cancel-reply.reason=transfer",
  "hold-requested",
  "dtmf-requested",
  "resume-requested",
  "recording-pause-requested",
  "recording-resume-requested",
  "recording-paused",
  "recording-resumed",
  "held",
  "resumed",
  "cancel-reply.reason=hold",
  "finalize-requested",
  "interim",
  "utterance",
  "finalize-stt",
  "network",
  "rewind",
  "detector-changed",
  "prosody",
  "turn-model",
  "turn-ended",
  "transcript",
  "request-interim",
  "resume.reason=echo",
  "ignore.reason=echo",
  "end.reason=token_expired",
  "end.reason=unreachable",
  "end.reason=busy",
  "end.reason=no_answer",
  "end.reason=declined",
  "end.reason=invalid_number",
  "end.reason=carrier_failed",
  "end.reason=no_capacity",
  "end.reason=unknown",
  "provider-switched.code=other_language",
];

describe("the golden journals together", () => {
  test("have every kind of event and of command but the absent ones", () => {
    const kinds = new Set(everything().map(({ kind }) => kind));
    const missing = [...Object.keys(EVENT_KINDS), ...Object.keys(COMMAND_KINDS)].filter((kind) => !kinds.has(kind));
    expect(missing.sort()).toEqual(ABSENT.filter((each) => !each.includes("=")).toSorted());
  });

  test("have every reason and code but the absent ones", () => {
    const found = new Set(
      everything().flatMap((each) =>
        ["reason", "code", "origin", "scope", "action"].flatMap((member) => {
          const value: unknown = Object.entries(each).find(([name]) => name === member)?.[1];
          return value === undefined ? [] : [`${each.kind}.${member}=${value}`];
        }),
      ),
    );
    const all = [
      ...END_REASONS.map((reason) => `end.reason=${reason}`),
      ...JOURNALED_CANCEL_REASONS.map((reason) => `cancel-reply.reason=${reason}`),
      ...SPEAK_REASONS.map((reason) => `speak.reason=${reason}`),
      ...RESUME_REASONS.map((reason) => `resume.reason=${reason}`),
      ...IGNORE_REASONS.map((reason) => `ignore.reason=${reason}`),
      ...FAILOVER_CODES.map((code) => `provider-switched.code=${code}`),
      ...PHRASE_ORIGINS.map((origin) => `phrases-chosen.origin=${origin}`),
      ...SPEND_SCOPES.map((scope) => `limit-reached.scope=${scope}`),
      ...SPEND_ACTIONS.map((action) => `limit-reached.action=${action}`),
    ];
    const missing = all.filter((each) => !found.has(each));
    expect(missing.sort()).toEqual(ABSENT.filter((each) => each.includes("=")).toSorted());
  });
});

describe("the inverse of a table of names", () => {
  const names: JournalNames = {
    header: { members: { "leg.codec": "encoding" } },
    events: { typed: { kind: "text-typed", members: { text: "typedText" }, values: { text: { a: "b" } } } },
    commands: { turn: { members: { "turn.latency": "times", "turn.latency.finalMs": "lastMs" } } },
  };

  test.each([
    ["header", { leg: { codec: 1 }, codec: 2 }],
    ["events", { kind: "typed", text: "a", more: [{ text: "a" }] }],
    ["commands", { kind: "turn", turn: { latency: { finalMs: 3 }, finalMs: 4 } }],
  ] as const)("gives the %s of before", (of, value) => {
    const there = renamed(value, of, names);
    expect(there).not.toEqual(value);
    expect(renamed(there, of, inverse(names))).toEqual(value);
  });

  test("does not exist where two names have become one", () => {
    expect(() => inverse({ events: { a: { kind: "c" }, b: { kind: "c" } } })).toThrow("two names have become one");
    expect(() => inverse({ events: { a: { members: { b: "d", c: "d" } } } })).toThrow("two names have become one");
  });
});

/** Types keep these complete. */
const EVENT_KINDS: Readonly<Record<CallEvent["kind"], true>> = {
  "frame-in": true,
  "frame-out": true,
  tick: true,
  "leg-started": true,
  "leg-detached": true,
  network: true,
  "leg-closed": true,
  "end-requested": true,
  "goodbye-requested": true,
  "internal-error": true,
  mark: true,
  pong: true,
  cleared: true,
  dtmf: true,
  typed: true,
  "stt-interim": true,
  "stt-final": true,
  "stt-failed": true,
  prosody: true,
  "turn-model": true,
  "reply-text": true,
  "reply-tool-call": true,
  "reply-end": true,
  "reply-failed": true,
  "voice-chosen": true,
  "phrases-chosen": true,
  "provider-switched": true,
  "detector-changed": true,
  "context-exceeded": true,
  usage: true,
  "limit-reached": true,
  "transfer-started": true,
  "transfer-failed": true,
  "transfer-refused": true,
  "hold-requested": true,
  "dtmf-requested": true,
  "resume-requested": true,
  "recording-pause-requested": true,
  "recording-resume-requested": true,
  "finalize-requested": true,
  "tool-result": true,
  passages: true,
  "retrieval-failed": true,
  "segment-audio": true,
  "segment-end": true,
  "segment-failed": true,
};
const COMMAND_KINDS: Readonly<Record<CallCommand["kind"], true>> = {
  held: true,
  resumed: true,
  "recording-paused": true,
  "recording-resumed": true,
  "generate-reply": true,
  "conversation-trimmed": true,
  "preemptive-start": true,
  "preemptive-cancel": true,
  retrieve: true,
  "await-passages": true,
  "passages-used": true,
  "retrieval-ended": true,
  "run-tool": true,
  "send-dtmf": true,
  language: true,
  transfer: true,
  speak: true,
  mark: true,
  "cancel-reply": true,
  pause: true,
  "request-interim": true,
  resume: true,
  rewind: true,
  "turn-ended": true,
  ignore: true,
  state: true,
  transcript: true,
  turn: true,
  interim: true,
  utterance: true,
  "finalize-stt": true,
  end: true,
};
