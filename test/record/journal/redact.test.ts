import { describe, expect, test } from "vitest";
import type { CallCommand } from "../../../src/call/events.ts";
import { callMs } from "../../../src/core/clocks.ts";
import { asToolCallId, asTurnId } from "../../../src/core/ids.ts";
import { referenceOf } from "../../../src/core/knowledge/call-knowledge.ts";
import type { OccasionalEvent } from "../../../src/record/journal/records.ts";
import { journaledCommand, journaledEvent, journalHeader } from "../../../src/record/journal/redact.ts";
import { TURN_WEIGHTS } from "../../../src/record/journal/turn-weights.ts";
import { NOT_RECORDED, SPEC, START } from "../../support/journals/example-call.ts";
import { passage } from "../../support/knowledge/passages.ts";

const SAID = "canary";

const FOUND = passage(SAID, { documentName: SAID, headings: [SAID] });
const NAMED = referenceOf(FOUND);

/** Every event, with words wherever there can be any. */
const EVENTS: { [Kind in OccasionalEvent["kind"]]: Extract<OccasionalEvent, { kind: Kind }> } = {
  tick: { kind: "tick" },
  "leg-started": { kind: "leg-started", codec: "mulaw", parameters: { [SAID]: SAID } },
  "leg-closed": { kind: "leg-closed", reason: "caller_hangup" },
  "end-requested": { kind: "end-requested", reason: "api_hangup" },
  "internal-error": { kind: "internal-error", code: "internal" },
  "goodbye-requested": { kind: "goodbye-requested", reason: "drain_timeout" },
  mark: { kind: "mark", name: SAID },
  pong: { kind: "pong" },
  "leg-detached": { kind: "leg-detached" },
  usage: {
    kind: "usage",
    stage: "llm",
    provider: "openai",
    usage: { model: "small", inputTokens: 12 },
    preemptive: 2,
  },
  network: {
    ...{ kind: "network", packetsIn: 500, lostIn: 2, packetsOut: 480, lostOut: 1 },
    ...{ jitterInMs: 4.2, jitterOutMs: 3.1, roundTripMs: 38.5 },
  },
  cleared: { kind: "cleared", playedMs: 1_240.5 },
  dtmf: { kind: "dtmf", digit: SAID },
  typed: { kind: "typed", text: SAID },
  "stt-interim": { kind: "stt-interim", text: SAID },
  "stt-final": { kind: "stt-final", text: SAID, language: "de" },
  "stt-failed": { kind: "stt-failed", code: "provider_failed" },
  prosody: {
    kind: "prosody",
    quietMs: 40,
    soundMs: 0,
  },
  "turn-model": { kind: "turn-model", probability: 0.81 },
  "finalize-requested": { kind: "finalize-requested", endReason: "caller_hangup" },
  "dtmf-requested": { kind: "dtmf-requested", digits: SAID },
  "hold-requested": { kind: "hold-requested", msMax: 300_000 },
  "resume-requested": { kind: "resume-requested" },
  "recording-pause-requested": { kind: "recording-pause-requested" },
  "recording-resume-requested": { kind: "recording-resume-requested" },
  "reply-text": { kind: "reply-text", turnId: asTurnId(1), text: SAID },
  "reply-tool-call": {
    kind: "reply-tool-call",
    turnId: asTurnId(1),
    id: SAID,
    name: SAID,
    argumentsJson: JSON.stringify({ a: SAID }),
  },
  "reply-end": { kind: "reply-end", turnId: asTurnId(1) },
  "reply-failed": { kind: "reply-failed", turnId: asTurnId(1), code: "provider_failed" },
  "segment-audio": {
    kind: "segment-audio",
    turnId: asTurnId(1),
    segment: 2,
    samples: 3,
    words: [{ text: SAID, startMs: 0, endMs: 1 }],
  },
  "segment-end": { kind: "segment-end", turnId: asTurnId(1), segment: 2, samples: 3 },
  "segment-failed": { kind: "segment-failed", turnId: asTurnId(1), segment: 2, code: "provider_failed" },
  "voice-chosen": { kind: "voice-chosen", language: "de", voiceId: "espeak/gmw/de", supportsLanguage: true },
  "phrases-chosen": {
    kind: "phrases-chosen",
    language: "sw",
    origin: "translated",
    phrases: { inactivity: SAID, apology: SAID, filler: SAID, goodbye: SAID, limit: SAID },
  },
  "provider-switched": { kind: "provider-switched", stage: "stt", from: "deepgram", to: "openai", code: "timed_out" },
  "detector-changed": { kind: "detector-changed", detector: "fvad2" },
  "context-exceeded": { kind: "context-exceeded", provider: "openai", tokensMax: 500, retried: true },
  "limit-reached": { kind: "limit-reached", scope: "call", limit: "llm_requests", action: "refuse" },
  "transfer-started": { kind: "transfer-started", target: SAID },
  "transfer-failed": { kind: "transfer-failed", target: SAID, outcome: "busy" },
  "transfer-refused": { kind: "transfer-refused", text: SAID },
  "tool-result": {
    kind: "tool-result",
    turnId: asTurnId(1),
    toolCallId: asToolCallId("1.1"),
    result: SAID,
    failed: false,
    retrieval: { tookMs: 12, passages: [NAMED] },
  },
  passages: { kind: "passages", retrieval: 3, tookMs: 12, passages: [FOUND] },
  "retrieval-failed": { kind: "retrieval-failed", retrieval: 3, code: "unavailable" },
};

const COMMANDS: { [Kind in CallCommand["kind"]]: Extract<CallCommand, { kind: Kind }> } = {
  "generate-reply": {
    kind: "generate-reply",
    turnId: asTurnId(1),
    messages: [
      { role: "system", text: SAID },
      { role: "user", text: SAID },
    ],
    tools: [{ name: "hang_up", description: "", parameters: {} }],
    language: "en",
  },
  "preemptive-start": { kind: "preemptive-start", messages: [{ role: "user", text: SAID }], tools: [], language: "en" },
  "request-interim": { kind: "request-interim" },
  interim: { kind: "interim", text: SAID, startMs: 120 },
  utterance: { kind: "utterance", text: SAID, startMs: 120, endMs: 900, language: "de" },
  "finalize-stt": { kind: "finalize-stt" },
  "conversation-trimmed": {
    kind: "conversation-trimmed",
    turnId: asTurnId(1),
    droppedTurns: 2,
    droppedMessages: 4,
    truncatedResults: 1,
    tokens: 900,
    tokensMax: 1_000,
  },
  retrieve: { kind: "retrieve", retrieval: 3, question: SAID, language: "en" },
  "await-passages": { kind: "await-passages", turnId: asTurnId(1), retrieval: 3, waitMsMax: 10 },
  "passages-used": {
    kind: "passages-used",
    turnId: asTurnId(1),
    retrieval: 3,
    tookMs: 12,
    waitMs: 0,
    passages: [NAMED],
  },
  "retrieval-ended": { kind: "retrieval-ended", retrieval: 3, outcome: "late" },
  "preemptive-cancel": { kind: "preemptive-cancel" },
  held: { kind: "held", msMax: 300_000 },
  resumed: { kind: "resumed", reason: "requested", heldMs: 12_000 },
  "recording-paused": { kind: "recording-paused" },
  "recording-resumed": { kind: "recording-resumed", pausedMs: 9_000 },
  "turn-ended": {
    kind: "turn-ended",
    pauseMs: 184,
    waitMs: 180,
    probability: 0.92,
    reasons: ["question", "falling"],
    summary: "answered after 184 ms: question, falling",
  },
  speak: { kind: "speak", turnId: asTurnId(1), segment: 2, text: SAID, reason: "filler" },
  mark: { kind: "mark", name: "1.2" },
  "cancel-reply": {
    kind: "cancel-reply",
    turnId: asTurnId(1),
    clear: true,
    reason: "words",
    speechMs: 0,
    heardText: SAID,
  },
  pause: { kind: "pause", turnId: asTurnId(1) },
  resume: { kind: "resume", turnId: asTurnId(1), reason: "no_words" },
  rewind: { kind: "rewind", turnId: asTurnId(1), samples: 320 },
  ignore: { kind: "ignore", text: SAID, startMs: callMs(1), endMs: callMs(2) },
  "run-tool": {
    kind: "run-tool",
    turnId: asTurnId(1),
    toolCallId: asToolCallId("1.1"),
    name: "lookup",
    arguments: { a: SAID },
  },
  transcript: { kind: "transcript", role: "agent", text: SAID, final: true, turnId: 3, approximate: true },
  "send-dtmf": { kind: "send-dtmf", digits: SAID },
  language: { kind: "language", language: "de", reason: "detected" },
  transfer: { kind: "transfer", target: SAID },
  state: { kind: "state", state: "speaking" },
  turn: {
    kind: "turn",
    turn: {
      role: "user",
      text: SAID,
      startMs: callMs(1),
      endMs: callMs(2),
      interrupted: true,
      approximate: true,
      latency: { endOfTurnMs: 1, firstAudioMs: 2, firstFrameMs: 3 },
    },
  },
  end: { kind: "end", reason: "agent_hangup", audioMs: 4_200 },
};

describe("redaction", () => {
  test.each(Object.values(EVENTS))("of a call that is not recorded, no words are in the event $kind", (event) => {
    const journaled = journaledEvent(event, false);
    expect(JSON.stringify(journaled)).not.toContain(SAID);
    expect(Object.keys(journaled)).toEqual(expect.arrayContaining(Object.keys(event)));
  });

  test.each(
    Object.values(COMMANDS),
  )("of a call that is not recorded, nothing said is in the command $kind", (command) => {
    const journaled = journaledCommand(command, false);
    expect(JSON.stringify(journaled)).not.toContain(SAID);
    const isQuestion = command.kind === "generate-reply" || command.kind === "preemptive-start";
    const journaledFields = Object.keys(command).filter((field) => !isQuestion || field !== "tools");
    expect(Object.keys(journaled)).toEqual(expect.arrayContaining(journaledFields));
  });

  test("of a call that is not recorded, the reasons of cancel-reply and resume and the tools' names stay", () => {
    expect(journaledCommand(COMMANDS["cancel-reply"], false)).toEqual({
      ...COMMANDS["cancel-reply"],
      heardText: "",
      chars: SAID.length,
    });
    expect(journaledCommand(COMMANDS.resume, false)).toEqual(COMMANDS.resume);
    expect(journaledCommand(COMMANDS.speak, false)).toEqual({ ...COMMANDS.speak, text: "", chars: SAID.length });
    expect(journaledCommand(COMMANDS["run-tool"], false)).toEqual({ ...COMMANDS["run-tool"], arguments: {} });
    expect(journaledEvent(EVENTS["tool-result"], false)).toMatchObject({
      toolCallId: "1.1",
      failed: false,
      chars: SAID.length,
    });
    expect(journaledCommand(COMMANDS.ignore, false)).toMatchObject({ startMs: 1, endMs: 2, chars: SAID.length });
    expect(journaledCommand(COMMANDS.transfer, false)).toEqual({ kind: "transfer", target: "", chars: SAID.length });
  });

  test("counts and times stay where words are removed", () => {
    expect(journaledEvent(EVENTS["leg-started"], false)).toEqual({
      kind: "leg-started",
      codec: "mulaw",
      parameters: {},
      parameterCount: 1,
    });
    expect(journaledEvent(EVENTS["stt-final"], false)).toEqual({
      kind: "stt-final",
      text: "",
      chars: SAID.length,
      language: "de",
    });
    expect(journaledEvent(EVENTS["stt-interim"], false)).toEqual({
      kind: "stt-interim",
      text: "",
      chars: SAID.length,
    });
    expect(journaledEvent(EVENTS["segment-audio"], false)).toMatchObject({ samples: 3, words: [], wordCount: 1 });
    expect(journaledCommand(COMMANDS.turn, false)).toEqual({
      kind: "turn",
      turn: { ...COMMANDS.turn.turn, text: "" },
      chars: SAID.length,
    });
  });

  test("of passages their ids and scores stay", () => {
    const { corpusId, documentId, score } = FOUND;
    const ids = [{ corpusId, documentId, score }];
    expect(journaledEvent(EVENTS.passages, false)).toMatchObject({ tookMs: 12, passages: ids, chars: SAID.length });
    expect(journaledCommand(COMMANDS["passages-used"], false)).toEqual({
      ...COMMANDS["passages-used"],
      passages: ids,
    });
    expect(journaledEvent(EVENTS["tool-result"], false)).toMatchObject({ retrieval: { tookMs: 12, passages: ids } });
    const turn = { ...COMMANDS.turn.turn, retrieval: { tookMs: 12, passages: [NAMED] } };
    expect(journaledCommand({ kind: "turn", turn }, false)).toMatchObject({
      turn: { retrieval: { tookMs: 12, passages: ids } },
    });
  });

  test("the name of a built-in tool stays", () => {
    expect(journaledEvent({ ...EVENTS["reply-tool-call"], name: "hang_up" }, false)).toMatchObject({ name: "hang_up" });
  });

  test("of a transcript and an interim only the length is journaled, whether or not the call is recorded", () => {
    for (const recorded of [true, false]) {
      expect(journaledCommand(COMMANDS.interim, recorded)).toEqual({
        ...COMMANDS.interim,
        text: "",
        chars: SAID.length,
      });
      expect(journaledCommand(COMMANDS.transcript, recorded)).toEqual({
        ...COMMANDS.transcript,
        text: "",
        chars: SAID.length,
      });
    }
  });

  test("of a recorded call everything else stays but the conversation that each LLM request repeats", () => {
    for (const event of Object.values(EVENTS)) expect(journaledEvent(event, true)).toBe(event);
    for (const command of Object.values(COMMANDS)) {
      if (["generate-reply", "preemptive-start", "transcript", "interim"].includes(command.kind)) continue;
      expect(journaledCommand(command, true)).toBe(command);
    }
    for (const recorded of [true, false]) {
      expect(journaledCommand(COMMANDS["generate-reply"], recorded)).toEqual({
        kind: "generate-reply",
        turnId: 1,
        messages: 2,
        language: "en",
      });
      const ahead = journaledCommand(COMMANDS["preemptive-start"], recorded);
      expect(ahead).toEqual({ kind: "preemptive-start", messages: 1, language: "en" });
    }
  });

  test("the header has the specification only when the call is recorded", () => {
    expect(journalHeader("trunkline 1", START)).toEqual({
      ...START,
      software: "trunkline 1",
      icu: process.versions.icu,
      turnWeights: TURN_WEIGHTS,
      spec: SPEC,
    });
    const header = journalHeader("trunkline 1", NOT_RECORDED);
    expect(header).not.toHaveProperty("spec");
    expect(header.callId).toBe(START.callId);
  });
});
