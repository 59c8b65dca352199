import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { CallCommand } from "../../../src/call/events.ts";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import { callMs } from "../../../src/core/clocks.ts";
import { asCarrierCallId, asCorpusId, asDocumentId, asToolCallId, asTurnId } from "../../../src/core/ids.ts";
import { readJournal } from "../../../src/record/journal/reader.ts";
import type { JournalRecord, OccasionalEvent } from "../../../src/record/journal/records.ts";
import { eventWithoutWords, journaledCommand } from "../../../src/record/journal/redact.ts";
import { redactJournal } from "../../../src/record/redaction/redact-journal.ts";
import { SPEC, START } from "../../support/journals/example-call.ts";
import { JournalFile } from "../../support/journals/journal-file.ts";

const CANARY = "Quillonovia";
const REDACTED: CallSpec = { ...SPEC, redact: ["variables"], redactedValues: [CANARY] };

type Events = { readonly [Kind in OccasionalEvent["kind"]]: Required<Extract<OccasionalEvent, { kind: Kind }>> };
type Commands = { readonly [Kind in CallCommand["kind"]]: Required<Extract<CallCommand, { kind: Kind }>> };

const turnId = asTurnId(2);
const toolCallId = asToolCallId("2.1");
const [startMs, endMs] = [callMs(1_000), callMs(2_000)];
const reference = {
  ...{ corpusId: asCorpusId("cor_1"), documentId: asDocumentId("doc_1"), score: 1 },
  ...{ documentName: "x", ordinal: 0, page: 1 },
};
const retrieval = { tookMs: 5, passages: [reference] };
const at = { turnId, segment: 0 };
const ENDED = { reason: "caller_hangup" } as const;

/** One of each kind, with every field: the compiler refuses a kind or a field that is missing. */
const EVENTS: Events = {
  tick: { kind: "tick" },
  pong: { kind: "pong" },
  "leg-started": {
    ...{ kind: "leg-started", codec: "mulaw", carrierCallId: asCarrierCallId("1") },
    parameters: { name: "x", [CANARY]: "y" },
  },
  "leg-detached": { kind: "leg-detached" },
  "leg-closed": { kind: "leg-closed", ...ENDED },
  "end-requested": { kind: "end-requested", ...ENDED },
  "goodbye-requested": { kind: "goodbye-requested", ...ENDED },
  "internal-error": { kind: "internal-error", code: "c" },
  mark: { kind: "mark", name: "x" },
  cleared: { kind: "cleared", playedMs: 1 },
  dtmf: { kind: "dtmf", digit: "1" },
  typed: { kind: "typed", text: "x" },
  "stt-interim": { kind: "stt-interim", text: "x", language: "en-US", endOfTurn: 1 },
  "stt-final": { kind: "stt-final", text: "x", language: "en-US", endOfTurn: 1, lateMs: 1 },
  "stt-failed": { kind: "stt-failed", code: "c" },
  prosody: { kind: "prosody", quietMs: 1, soundMs: 1 } as Events["prosody"],
  "turn-model": { kind: "turn-model", probability: 1 },
  "reply-text": { kind: "reply-text", turnId, text: "x" },
  "reply-tool-call": { kind: "reply-tool-call", turnId, id: "x", name: "x", argumentsJson: "{}" },
  "reply-end": { kind: "reply-end", turnId },
  "reply-failed": { kind: "reply-failed", turnId, code: "c" },
  "voice-chosen": { kind: "voice-chosen", language: "en-US", voiceId: "v", supportsLanguage: true },
  "phrases-chosen": {
    ...{ kind: "phrases-chosen", language: "en-US", origin: "translated" },
    phrases: { goodbye: "x" } as unknown as Events["phrases-chosen"]["phrases"],
  },
  "detector-changed": { kind: "detector-changed", detector: "d" },
  "provider-switched": { kind: "provider-switched", stage: "stt", from: "a", to: "b", code: "timed_out" },
  "context-exceeded": { kind: "context-exceeded", provider: "a", tokensMax: 1, retried: true },
  usage: { kind: "usage", stage: "llm", provider: "a", usage: { model: "m" }, preemptive: 1 },
  network: {
    ...{ kind: "network", packetsIn: 1, lostIn: 1, packetsOut: 1, lostOut: 1 },
    ...{ jitterInMs: 1, jitterOutMs: 1, roundTripMs: 1 },
  },
  "limit-reached": { kind: "limit-reached", scope: "call", limit: "cost", action: "end" } as Events["limit-reached"],
  "transfer-started": { kind: "transfer-started", target: "x" },
  "transfer-failed": { kind: "transfer-failed", target: "x", outcome: "busy" },
  "transfer-refused": { kind: "transfer-refused", text: "x" },
  "hold-requested": { kind: "hold-requested", msMax: 1 },
  "resume-requested": { kind: "resume-requested" },
  "dtmf-requested": { kind: "dtmf-requested", digits: "1" },
  "recording-pause-requested": { kind: "recording-pause-requested" },
  "recording-resume-requested": { kind: "recording-resume-requested" },
  "finalize-requested": { kind: "finalize-requested", endReason: "caller_hangup" },
  "tool-result": { kind: "tool-result", turnId, toolCallId, result: "x", failed: false, retrieval },
  passages: {
    ...{ kind: "passages", retrieval: 1, tookMs: 1 },
    passages: [{ ...reference, headings: ["x"], text: "x" }],
  },
  "retrieval-failed": { kind: "retrieval-failed", retrieval: 1, code: "c" },
  "segment-audio": { kind: "segment-audio", ...at, samples: 160, words: [{ text: "x", startMs: 0, endMs: 20 }] },
  "segment-end": { kind: "segment-end", ...at, samples: 160 },
  "segment-failed": { kind: "segment-failed", ...at, code: "c" },
};

const LATENCY = {} as Commands["state"]["latency"];
const COMMANDS: Commands = {
  "generate-reply": {
    kind: "generate-reply",
    turnId,
    messages: [{ role: "user", text: "x" }],
  } as unknown as Commands["generate-reply"],
  "preemptive-start": {
    kind: "preemptive-start",
    messages: [{ role: "user", text: "x" }],
  } as unknown as Commands["preemptive-start"],
  "preemptive-cancel": { kind: "preemptive-cancel" },
  "conversation-trimmed": {
    ...{ kind: "conversation-trimmed", turnId, droppedTurns: 1, droppedMessages: 1 },
    ...{ truncatedResults: 1, tokens: 1, tokensMax: 1 },
  },
  retrieve: { kind: "retrieve", retrieval: 1, question: "x", language: "en-US" },
  "await-passages": { kind: "await-passages", turnId, retrieval: 1, waitMsMax: 1 },
  "passages-used": { kind: "passages-used", turnId, retrieval: 1, tookMs: 1, waitMs: 1, passages: [reference] },
  "retrieval-ended": { kind: "retrieval-ended", retrieval: 1, outcome: "late" },
  "run-tool": { kind: "run-tool", turnId, toolCallId, name: "t", arguments: { a: "x", [CANARY]: ["x"] } },
  "send-dtmf": { kind: "send-dtmf", digits: "1", inBand: true },
  language: { kind: "language", language: "en-US", reason: "tool" },
  transfer: { kind: "transfer", target: "x" },
  held: { kind: "held", msMax: 1 },
  resumed: { kind: "resumed", reason: "requested", heldMs: 1, clear: false },
  "recording-paused": { kind: "recording-paused" },
  "recording-resumed": { kind: "recording-resumed", pausedMs: 1 },
  speak: { kind: "speak", ...at, text: "x", reason: "greeting" } as Commands["speak"],
  mark: { kind: "mark", name: "x" },
  "cancel-reply": {
    kind: "cancel-reply",
    turnId,
    clear: true,
    reason: "dtmf",
    speechMs: 1,
    heardText: "x",
  } as Commands["cancel-reply"],
  pause: { kind: "pause", turnId },
  resume: { kind: "resume", turnId, reason: "silence" } as unknown as Commands["resume"],
  rewind: { kind: "rewind", turnId, samples: 160 },
  "request-interim": { kind: "request-interim" },
  "turn-ended": { kind: "turn-ended", summary: "s", pauseMs: 1, waitMs: 1, probability: 1, reasons: [] },
  ignore: { kind: "ignore", text: "x", startMs, endMs, reason: "echo" } as Commands["ignore"],
  state: { kind: "state", state: "listening", latency: LATENCY },
  turn: {
    kind: "turn",
    turn: {
      role: "user",
      text: "x",
      startMs,
      endMs,
      interrupted: false,
      approximate: true,
      latency: LATENCY,
      retrieval,
    },
  },
  transcript: { kind: "transcript", role: "user", text: "x", final: true, turnId: 2, approximate: true },
  interim: { kind: "interim", text: "x", startMs: 1 },
  utterance: { kind: "utterance", text: "x", startMs: 1, endMs: 2, language: "en-US" },
  "finalize-stt": { kind: "finalize-stt" },
  end: { kind: "end", ...ENDED, audioMs: 1 },
};

/** The value with the canary in place of every text but those that are codes. */
function withCanaries<T>(value: T, isCode: (name: string) => boolean, name = ""): T {
  if (typeof value === "string") return (isCode(name) ? value : `it is ${CANARY} here`) as T;
  if (Array.isArray(value)) return value.map((item) => withCanaries(item, isCode, name)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, item]) => [member, withCanaries(item, isCode, member)]),
  ) as T;
}

/** Codes, ids and names of the service, of its providers and of the customer's tools. */
const CODE_NAMES = [
  ...["kind", "code", "reason", "outcome", "endReason", "codec", "carrierCallId", "turnId", "toolCallId"],
  ...[
    "corpusId",
    "documentId",
    "language",
    "voiceId",
    "origin",
    "detector",
    "stage",
    "from",
    "to",
    "provider",
    "model",
  ],
  ...["scope", "limit", "action", "role", "state", "summary", "reasons"],
];
const KEPT_NAMES: Readonly<Record<string, readonly string[]>> = {
  // The service makes the name of a mark that it sends, and the customer that of a tool.
  mark: ["name"],
  "run-tool": ["name"],
};

const eventsWithCanaries = Object.values(EVENTS).map((event) =>
  withCanaries<OccasionalEvent>(event, (name) => CODE_NAMES.includes(name)),
);
const commandsWithCanaries = Object.values(COMMANDS).map((command) =>
  withCanaries<CallCommand>(
    command,
    (name) => CODE_NAMES.includes(name) || KEPT_NAMES[command.kind]?.includes(name) === true,
  ),
);

/** A journal with one record of each kind, as the worker of a call writes it. */
function journalOfEveryKind(): JournalFile {
  const file = new JournalFile({ ...START, spec: REDACTED });
  const timeMs = callMs(3_000);
  for (const event of eventsWithCanaries) file.add({ kind: "event", timeMs, event });
  for (const command of commandsWithCanaries)
    file.add({ kind: "command", timeMs, command: journaledCommand(command, true) });
  return file;
}

async function recordsOf(path: string): Promise<JournalRecord[]> {
  const records: JournalRecord[] = [];
  await readJournal(path, (record) => void records.push(record));
  return records;
}

const kindsWith = (records: readonly unknown[]): string[] =>
  records.filter((record) => JSON.stringify(record).includes(CANARY)).map((record) => JSON.stringify(record));

describe("of every kind of event and command that a journal may have", () => {
  test("a journal that is redacted has no word, and the same records", async () => {
    const file = journalOfEveryKind();
    const before = await recordsOf(file.path);
    expect(kindsWith(before).length).toBeGreaterThan(25);
    await redactJournal({ path: file.path, key: undefined });
    const after = await recordsOf(file.path);
    expect(kindsWith(after)).toEqual([]);
    expect(readFileSync(file.path, "latin1")).not.toContain(CANARY);
    const kindOf = (record: JournalRecord): string =>
      record.kind === "event" ? record.event.kind : record.kind === "command" ? record.command.kind : record.kind;
    expect(after.map(kindOf)).toEqual(before.map(kindOf));
  });

  test("nothing is journaled in a pause, or shown of a live call that will be redacted, that has a word", () => {
    expect(kindsWith(eventsWithCanaries.map(eventWithoutWords))).toEqual([]);
    expect(kindsWith(commandsWithCanaries.map((command) => journaledCommand(command, false)))).toEqual([]);
  });
});
