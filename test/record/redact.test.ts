import { describe, expect, test } from "vitest";
import type { CallCommand } from "../../src/call/events.ts";
import type { OccasionalEvent } from "../../src/record/journal-records.ts";
import { journaledCommand, journaledEvent, journalHeader } from "../../src/record/redact.ts";
import { NOT_RECORDED, SPEC, START } from "./example-call.ts";

const SAID = "canary";

/** Every event there is, with something said wherever anything can be. */
const EVENTS: { [Kind in OccasionalEvent["kind"]]: Extract<OccasionalEvent, { kind: Kind }> } = {
  tick: { kind: "tick" },
  "leg-started": { kind: "leg-started", codec: "mulaw" },
  "leg-closed": { kind: "leg-closed", reason: "caller_hangup" },
  "end-requested": { kind: "end-requested", reason: "api_hangup" },
  "internal-error": { kind: "internal-error", code: "internal" },
  "goodbye-requested": { kind: "goodbye-requested", reason: "drain_timeout" },
  mark: { kind: "mark", name: SAID },
  pong: { kind: "pong" },
  used: { kind: "used", engine: "model", provider: "openai", usage: { model: "small", inputTokens: 12 } },
  cleared: { kind: "cleared", playedMs: 1_240.5 },
  dtmf: { kind: "dtmf", digit: SAID },
  typed: { kind: "typed", text: SAID },
  "ear-partial": { kind: "ear-partial", text: SAID },
  "ear-final": { kind: "ear-final", text: SAID, language: "de" },
  "ear-failed": { kind: "ear-failed", code: "provider_failed" },
  "reply-text": { kind: "reply-text", turnId: 1, text: SAID },
  "reply-tool": { kind: "reply-tool", turnId: 1, id: SAID, name: SAID, argumentsJson: JSON.stringify({ a: SAID }) },
  "reply-end": { kind: "reply-end", turnId: 1 },
  "reply-failed": { kind: "reply-failed", turnId: 1, code: "provider_failed" },
  "piece-audio": {
    kind: "piece-audio",
    turnId: 1,
    piece: 2,
    samples: 3,
    words: [{ text: SAID, startMs: 0, endMs: 1 }],
  },
  "piece-end": { kind: "piece-end", turnId: 1, piece: 2, samples: 3 },
  "piece-failed": { kind: "piece-failed", turnId: 1, piece: 2, code: "provider_failed" },
  "voice-chosen": { kind: "voice-chosen", language: "de", voiceId: "espeak/gmw/de", speaksIt: true },
  "phrases-chosen": {
    kind: "phrases-chosen",
    language: "sw",
    origin: "translated",
    phrases: { inactivity: SAID, apology: SAID, filler: SAID, goodbye: SAID, limit: SAID },
  },
  "provider-switched": { kind: "provider-switched", engine: "ear", from: "deepgram", to: "openai", code: "silent" },
  "context-exceeded": { kind: "context-exceeded", provider: "openai", tokensMax: 500, retried: true },
  "limit-reached": { kind: "limit-reached", scope: "call", limit: "llm_requests", action: "refuse" },
  "tool-result": { kind: "tool-result", turnId: 1, key: "1.1", result: SAID, failed: false },
};

const COMMANDS: { [Kind in CallCommand["kind"]]: Extract<CallCommand, { kind: Kind }> } = {
  ask: {
    kind: "ask",
    turnId: 1,
    messages: [
      { role: "system", text: SAID },
      { role: "user", text: SAID },
    ],
    tools: [{ name: "hang_up", description: "", parameters: {} }],
    language: "en",
  },
  "ask-ahead": { kind: "ask-ahead", messages: [{ role: "user", text: SAID }], tools: [], language: "en" },
  "conversation-trimmed": {
    kind: "conversation-trimmed",
    turnId: 1,
    droppedTurns: 2,
    droppedMessages: 4,
    cutResults: 1,
    tokens: 900,
    tokensMax: 1_000,
  },
  "forget-ahead": { kind: "forget-ahead" },
  speak: { kind: "speak", turnId: 1, piece: 2, text: SAID, reason: "filler" },
  mark: { kind: "mark", name: "1.2" },
  cut: { kind: "cut", turnId: 1, clear: true, reason: "words", voicedMs: 0, heardText: SAID },
  pause: { kind: "pause", turnId: 1 },
  resume: { kind: "resume", turnId: 1, reason: "no_words" },
  "pass-over": { kind: "pass-over", text: SAID, startMs: 1, endMs: 2 },
  tool: { kind: "tool", turnId: 1, key: "1.1", name: "lookup", arguments: { a: SAID } },
  "send-dtmf": { kind: "send-dtmf", digits: SAID },
  language: { kind: "language", language: "de", reason: "heard" },
  transfer: { kind: "transfer", target: SAID },
  state: { kind: "state", state: "speaking" },
  turn: {
    kind: "turn",
    turn: {
      role: "user",
      text: SAID,
      startMs: 1,
      endMs: 2,
      interrupted: true,
      approximate: true,
      latency: { endOfTurnMs: 1, firstAudioMs: 2, firstFrameMs: 3 },
    },
  },
  end: { kind: "end", reason: "agent_hangup" },
};

describe("redaction", () => {
  test.each(Object.values(EVENTS))("of a call that is not recorded, nothing said is in the event $kind", (event) => {
    const journaled = journaledEvent(event, false);
    expect(JSON.stringify(journaled)).not.toContain(SAID);
    expect(Object.keys(journaled)).toEqual(expect.arrayContaining(Object.keys(event)));
  });

  test.each(
    Object.values(COMMANDS),
  )("of a call that is not recorded, nothing said is in the command $kind", (command) => {
    const journaled = journaledCommand(command, false);
    expect(JSON.stringify(journaled)).not.toContain(SAID);
    const isQuestion = command.kind === "ask" || command.kind === "ask-ahead";
    const told = Object.keys(command).filter((field) => !isQuestion || field !== "tools");
    expect(Object.keys(journaled)).toEqual(expect.arrayContaining(told));
  });

  test("of a call that is not recorded, it is told why a reply was stopped and held, and which tool ran", () => {
    expect(journaledCommand(COMMANDS.cut, false)).toEqual({ ...COMMANDS.cut, heardText: "", chars: SAID.length });
    expect(journaledCommand(COMMANDS.resume, false)).toEqual(COMMANDS.resume);
    expect(journaledCommand(COMMANDS.speak, false)).toEqual({ ...COMMANDS.speak, text: "", chars: SAID.length });
    expect(journaledCommand(COMMANDS.tool, false)).toEqual({ ...COMMANDS.tool, arguments: {} });
    expect(journaledEvent(EVENTS["tool-result"], false)).toMatchObject({
      key: "1.1",
      failed: false,
      chars: SAID.length,
    });
    expect(journaledCommand(COMMANDS["pass-over"], false)).toMatchObject({ startMs: 1, endMs: 2, chars: SAID.length });
    expect(journaledCommand(COMMANDS.transfer, false)).toEqual({ kind: "transfer", target: "", chars: SAID.length });
  });

  test("counts and times stay where words go", () => {
    expect(journaledEvent(EVENTS["ear-final"], false)).toEqual({
      kind: "ear-final",
      text: "",
      chars: SAID.length,
      language: "de",
    });
    expect(journaledEvent(EVENTS["ear-partial"], false)).toEqual({
      kind: "ear-partial",
      text: "",
      chars: SAID.length,
    });
    expect(journaledEvent(EVENTS["piece-audio"], false)).toMatchObject({ samples: 3, words: [], wordCount: 1 });
    expect(journaledCommand(COMMANDS.turn, false)).toEqual({
      kind: "turn",
      turn: { ...COMMANDS.turn.turn, text: "" },
      chars: SAID.length,
    });
  });

  test("the name of a tool of ours stays", () => {
    expect(journaledEvent({ ...EVENTS["reply-tool"], name: "hang_up" }, false)).toMatchObject({ name: "hang_up" });
  });

  test("of a recorded call everything stays, but for the conversation that every question to the model repeats", () => {
    for (const event of Object.values(EVENTS)) expect(journaledEvent(event, true)).toBe(event);
    for (const command of Object.values(COMMANDS)) {
      if (command.kind === "ask" || command.kind === "ask-ahead") continue;
      expect(journaledCommand(command, true)).toBe(command);
    }
    for (const recorded of [true, false]) {
      expect(journaledCommand(COMMANDS.ask, recorded)).toEqual({
        kind: "ask",
        turnId: 1,
        messages: 2,
        language: "en",
      });
      const ahead = journaledCommand(COMMANDS["ask-ahead"], recorded);
      expect(ahead).toEqual({ kind: "ask-ahead", messages: 1, language: "en" });
    }
  });

  test("the header has the specification only when the call is recorded", () => {
    expect(journalHeader("trunkline 1", START)).toEqual({
      ...START,
      software: "trunkline 1",
      icu: process.versions.icu,
      spec: SPEC,
    });
    const header = journalHeader("trunkline 1", NOT_RECORDED);
    expect(header).not.toHaveProperty("spec");
    expect(header.callId).toBe(START.callId);
  });
});
