import { describe, expect, test } from "vitest";
import { Call } from "../../src/call/call.ts";
import type { CallCommand } from "../../src/call/events.ts";
import { callMs, elapsedMs, mediaMs } from "../../src/core/clocks.ts";
import { asTurnId } from "../../src/core/ids.ts";
import { SPEC, VirtualCall, WORD_MS } from "../support/calls/virtual-call.ts";

/** Starts a call whose carrier says `start` after 100 ms. */
function started(options: ConstructorParameters<typeof VirtualCall>[0] = {}): VirtualCall {
  const call = new VirtualCall(options);
  call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  return call;
}

const LONG = "Bread is baked at five and rolls at six and cakes at seven and pies at eight every day.";

describe("the opening", () => {
  test("the greeting is spoken verbatim, without the LLM, and is in the prompt as the opening line", () => {
    const call = started({ answer: () => ({ text: "Fine." }) });
    call.says(4_000, "hello there");
    call.run(10_000);
    expect(call.turns[0]).toMatchObject({ role: "agent", text: SPEC.greeting, interrupted: false });
    expect(call.turns[0]?.latency).toBeUndefined();
    const [ask] = call.ofKind("generate-reply");
    expect(ask?.messages).toEqual([
      { role: "system", text: `${SPEC.systemPrompt}\n\nOpening line: ${SPEC.greeting}` },
      { role: "assistant", text: SPEC.greeting },
      { role: "user", text: "hello there" },
    ]);
  });

  test("an agent that speaks first without a greeting asks the LLM for the opening", () => {
    const call = started({ greeting: "none", answer: (text) => ({ text: `Opening after ${text}.` }) });
    call.run(5_000);
    expect(call.ofKind("generate-reply")[0]?.messages).toEqual([{ role: "system", text: SPEC.systemPrompt }]);
    expect(call.turns.map(({ text }) => text)).toEqual(["Opening after undefined."]);
  });

  test("when the user speaks first the greeting is ignored and nothing is said until the caller has spoken", () => {
    const call = started({ spec: { firstSpeaker: "user" }, answer: () => ({ text: "Good morning to you." }) });
    call.run(5_000);
    expect(call.commands).toEqual([]);
    call.says(6_000, "good morning");
    call.run(12_000);
    expect(call.turns.map(({ role, text }) => [role, text])).toEqual([
      ["user", "good morning"],
      ["agent", "Good morning to you."],
    ]);
    expect(call.ofKind("generate-reply")[0]?.messages[0]?.text).toBe(SPEC.systemPrompt);
  });

  test("a carrier that never says start ends the call after five seconds", () => {
    const call = new VirtualCall();
    call.run(10_000);
    expect([call.endReason, call.endMs]).toEqual(["protocol_error", 5_000]);
  });
});

describe("interruptibility of the first message", () => {
  test("a greeting that is not interruptible is heard completely, and what was said meanwhile is answered when it ends", () => {
    const call = started({ spec: { interruptible: false }, answer: (text) => ({ text: `Answer to ${text}.` }) });
    call.says(400, "what time");
    call.run(8_000);
    expect(call.turns.map(({ text, interrupted }) => [text, interrupted])).toEqual([
      [SPEC.greeting, false],
      ["what time", false],
      ["Answer to what time.", false],
    ]);
    expect(call.heardWords.join(" ")).toBe(`${SPEC.greeting} Answer to what time.`);
  });

  test("an interruptible greeting ends at the word that the caller heard", () => {
    const call = started({ spec: { interruptible: true } });
    call.says(700, "stop");
    call.run(1_500);
    expect(call.turns[0]).toMatchObject({ role: "agent", interrupted: true });
    expect(call.turns[0]?.text).toBe(call.heardWords.join(" "));
    expect(call.turns[0]?.text).not.toBe(SPEC.greeting);
  });

  test("the second message can be interrupted though the first could not", () => {
    const call = started({ spec: { interruptible: false }, answer: () => ({ text: LONG }) });
    call.says(2_500, "tell me");
    call.says(5_500, "no wait");
    call.run(12_000);
    expect(call.turns[2]).toMatchObject({ role: "agent", interrupted: true });
  });
});

describe("barge-in", () => {
  test("the first word over the agent interrupts the reply: clear is sent and the transcript has what was heard", () => {
    const call = started({ answer: (text) => ({ text: text === "all" ? LONG : "Fine." }) });
    call.says(2_500, "all");
    call.says(5_000, "stop please");
    call.run(5_000 + WORD_MS);
    const heardAtCut = [...call.heardWords];
    const cancelled = call.commands.find(({ command }) => command.kind === "cancel-reply");
    expect(cancelled).toMatchObject({ atMs: 5_000 + WORD_MS, command: { clear: true } });
    call.run(12_000);
    const interrupted = call.turns.find((turn) => turn.interrupted);
    expect(`${SPEC.greeting} ${interrupted?.text}`).toBe(heardAtCut.join(" "));
    expect(call.turns.at(-1)).toMatchObject({ role: "agent", text: "Fine." });
    expect(call.ofKind("generate-reply").at(-1)?.messages.at(-2)).toEqual({
      role: "assistant",
      text: interrupted?.text,
    });
  });

  test("speech without words does not interrupt the reply where the STT has interim transcripts", () => {
    const call = started({ answer: () => ({ text: LONG }) });
    call.says(2_500, "all");
    call.coughs(5_000, 1_500);
    call.run(12_000);
    expect(call.turns.filter((turn) => turn.interrupted)).toEqual([]);
  });

  test("a caller who continues before the answer is audible adds to the same turn, and one prompt has both parts", () => {
    const call = started({ answer: (text) => ({ text: `Answer to ${text}.` }) });
    call.at(3_000, () => call.handle({ kind: "stt-final", text: "I want bread" }));
    // The answer is asked for at 3,500 and would be audible at 3,580.
    call.at(3_550, () => call.handle({ kind: "stt-final", text: "and rolls" }));
    call.run(9_000);
    expect(call.ofKind("generate-reply").map((ask) => ask.messages.at(-1)?.text)).toEqual([
      "I want bread",
      "I want bread and rolls",
    ]);
    expect(call.turns.filter(({ role }) => role === "user").map(({ text }) => text)).toEqual([
      "I want bread and rolls",
    ]);
  });

  test("P12: text and audio of a cancelled reply have no effect", () => {
    const call = started({ answer: () => ({ text: LONG }) });
    call.says(2_500, "all");
    call.says(5_000, "stop please now");
    call.run(5_400);
    const before = call.commands.length;
    const turnId = asTurnId(2);
    call.handle({ kind: "reply-text", turnId, text: "stale words that come late." });
    call.handle({ kind: "segment-audio", turnId, segment: 0, samples: 0, words: [] });
    call.handle({ kind: "segment-end", turnId, segment: 0, samples: 160 });
    call.handle({ kind: "reply-end", turnId });
    expect(call.commands.length).toBe(before);
  });
});

describe("the heard ledger", () => {
  test("a reply ends when its last mark is returned, not when it was generated or sent", () => {
    const call = started();
    call.run(6_000);
    const words = SPEC.greeting?.split(" ").length ?? 0;
    const [turn] = call.turns;
    const spokenMs = elapsedMs(turn?.startMs ?? callMs(0), turn?.endMs ?? callMs(0));
    expect(spokenMs).toBeGreaterThanOrEqual(words * WORD_MS);
    expect(spokenMs).toBeLessThanOrEqual(words * WORD_MS + 20);
  });

  test("C13: marks that are never returned are not awaited longer than the grace period", () => {
    const call = started({ marks: false });
    call.run(6_000);
    expect(call.turns).toHaveLength(1);
    expect(call.turns[0]?.text).toBe(SPEC.greeting);
  });

  test("C13: unknown and duplicate marks have no effect", () => {
    const call = started();
    for (let atMs = 200; atMs < 1_500; atMs += 50) {
      call.at(atMs, () => call.handle({ kind: "mark", name: "99.99" }));
      call.at(atMs, () => call.handle({ kind: "mark", name: "" }));
    }
    call.run(6_000);
    expect(call.turns.map(({ text }) => text)).toEqual([SPEC.greeting]);
    expect(call.turns[0]?.endMs).toBeGreaterThan(1_500);
  });
});

describe("the edge of a reply", () => {
  test("a caller who hangs up after the reply's end did not interrupt, though no mark has confirmed it yet", () => {
    const call = started({ marks: false });
    call.at(1_950, () => call.handle({ kind: "leg-closed", reason: "caller_hangup" }));
    call.run(4_000);
    expect(call.turns).toMatchObject([{ text: SPEC.greeting, interrupted: false }]);
  });

  test("a reply over which the caller speaks already is paused in the step in which it becomes audible", () => {
    const commands: CallCommand[] = [];
    const spec = { ...SPEC, interruptible: true };
    const call = new Call({ spec, rateHz: 8_000, sttHasInterim: false, sink: (command) => commands.push(command) });
    call.handle({ kind: "leg-started", codec: "mulaw" }, callMs(0));
    for (let atMs = 20; atMs <= 1_600; atMs += 20)
      call.handle({ kind: "frame-in", isSpeech: true, mediaMs: mediaMs(atMs) }, callMs(atMs));
    call.handle({ kind: "segment-audio", turnId: asTurnId(1), segment: 0, samples: 0, words: [] }, callMs(1_600));
    call.handle({ kind: "segment-end", turnId: asTurnId(1), segment: 0, samples: 160 }, callMs(1_600));
    call.handle({ kind: "frame-out", turnId: asTurnId(1), samples: 160 }, callMs(1_600));
    expect(commands.filter(({ kind }) => kind !== "transcript").slice(1)).toEqual([
      { kind: "state", state: "speaking" },
      { kind: "pause", turnId: 1 },
      { kind: "state", state: "listening" },
      { kind: "mark", name: "1.0" },
    ]);
  });
});

describe("a turn of the caller", () => {
  test("begins no sooner than the one before it ended, though its speech began before that", () => {
    const call = started({ greeting: "none", answer: () => ({ text: "Good." }) });
    call.coughs(3_000, 500);
    // The third voiced frame, which detects the speech, comes after the typed text.
    call.at(3_030, () => call.handle({ kind: "typed", text: "two loaves" }));
    call.at(4_500, () => call.handle({ kind: "stt-final", text: "and a cake" }));
    call.run(8_000);
    const [first, second] = call.turns.filter(({ role }) => role === "user");
    expect([first?.text, second?.text]).toEqual(["two loaves", "and a cake"]);
    expect(second?.startMs).toBeGreaterThanOrEqual(Number(first?.endMs));
  });
});

describe("hanging up", () => {
  test("the hang_up tool ends the call only when the goodbye has been heard to its last word", () => {
    const call = started({ answer: () => ({ text: "Goodbye and thank you for calling.", hangUp: true }) });
    call.says(2_500, "bye");
    call.run(20_000);
    expect(call.endReason).toBe("agent_hangup");
    expect(call.heardWords.join(" ")).toBe(`${SPEC.greeting} Goodbye and thank you for calling.`);
    expect(call.turns.at(-1)).toMatchObject({ text: "Goodbye and thank you for calling.", interrupted: false });
  });

  test("a goodbye that the caller interrupts does not hang up", () => {
    const call = started({
      answer: (text) =>
        text === "bye" ? { text: "Goodbye and thank you for calling.", hangUp: true } : { text: "Yes." },
    });
    call.says(2_500, "bye");
    call.says(4_000, "no wait one thing");
    call.run(12_000);
    expect(call.endReason).toBeUndefined();
    expect(call.turns.at(-1)).toMatchObject({ role: "agent", text: "Yes." });
  });

  test("a tool that was not selected for the call has no effect", () => {
    const call = started({ spec: { tools: [] }, answer: () => ({ text: "Goodbye.", hangUp: true }) });
    call.says(2_500, "bye");
    call.run(12_000);
    expect(call.endReason).toBeUndefined();
    expect(call.ofKind("generate-reply")[0]?.tools).toEqual([]);
  });

  test("C15: a caller who hangs up during a reply leaves nothing running, and the turn has what was heard", () => {
    const call = started({ answer: () => ({ text: LONG }) });
    call.says(2_500, "all");
    call.at(5_000, () => call.handle({ kind: "leg-closed", reason: "caller_hangup" }));
    call.run(8_000);
    expect(call.endReason).toBe("caller_hangup");
    const kinds = call.commands.slice(-4).map(({ command }) => command.kind);
    expect(kinds).toEqual(["turn", "transcript", "cancel-reply", "end"]);
    expect(call.turns.at(-1)).toMatchObject({ role: "agent", interrupted: true });
  });
});

describe("one end", () => {
  test("C4: stop, socket close and the maximum duration at the same time give one end with one reason, in every order", () => {
    const events = ["stop", "close", "cap"] as const;
    const orders = events.flatMap((a) =>
      events.filter((b) => b !== a).map((b) => [a, b, events.find((c) => c !== a && c !== b) ?? "cap"]),
    );
    for (const order of orders) {
      const call = started({ spec: { maxDurationMs: 60_000, inactivityTimeoutMs: 300_000 } });
      call.run(59_999);
      call.nowMs = 60_000;
      for (const what of order) {
        if (what === "cap") call.handle({ kind: "tick" });
        else call.handle({ kind: "leg-closed", reason: "caller_hangup" });
      }
      expect(call.ofKind("end"), order.join()).toEqual([{ kind: "end", reason: "max_duration" }]);
    }
  });

  test("C3: events after the end are ignored", () => {
    const call = started();
    call.at(1_000, () => call.handle({ kind: "leg-closed", reason: "caller_hangup" }));
    call.run(1_001);
    const before = call.commands.length;
    call.handle({ kind: "leg-closed", reason: "caller_hangup" });
    call.handle({ kind: "frame-in", isSpeech: true, mediaMs: mediaMs(1_020) });
    call.handle({ kind: "mark", name: "1.0" });
    call.handle({ kind: "stt-final", text: "hello" });
    call.handle({ kind: "tick" });
    expect(call.commands.length).toBe(before);
    expect(call.call.nextDeadlineMs).toBe(Number.POSITIVE_INFINITY);
  });

  test("C16: a call ends at its maximum duration while the agent speaks", () => {
    const call = started({ spec: { maxDurationMs: 60_000 }, answer: () => ({ text: Array(40).fill(LONG).join(" ") }) });
    call.says(2_500, "all");
    call.run(70_000);
    expect([call.endReason, call.endMs]).toEqual(["max_duration", 60_000]);
    expect(call.turns.at(-1)).toMatchObject({ role: "agent", interrupted: true });
  });

  test("C16: a call ends at its maximum duration though the LLM hangs and no frames arrive", () => {
    const call = started({
      spec: { maxDurationMs: 60_000, inactivityTimeoutMs: 300_000, firstSpeaker: "user" },
      answer: () => "hangs",
    });
    call.says(2_500, "hello");
    call.run(70_000);
    expect([call.endReason, call.endMs]).toEqual(["max_duration", 60_000]);
  });
});

describe("an LLM that fails", () => {
  test("the caller hears an apology, and a second consecutive failure ends the call", () => {
    const call = started({ answer: () => "fails" });
    call.says(2_500, "hello");
    call.run(8_000);
    expect(call.turns.at(-1)).toMatchObject({ role: "agent", text: "I am sorry, could you say that again?" });
    call.says(9_000, "hello again");
    call.run(15_000);
    expect(call.endReason).toBe("provider_error");
  });
});

describe("inactivity", () => {
  const quiet = { inactivityTimeoutMs: 10_000 };

  test("with hang_up the call ends when the timeout has passed since the last heard sample", () => {
    const call = started({ spec: { ...quiet, inactivityAction: "hang_up" } });
    call.run(60_000);
    expect(call.endReason).toBe("inactivity");
    expect(elapsedMs(call.turns[0]?.endMs ?? callMs(0), callMs(call.endMs))).toBeGreaterThanOrEqual(10_000);
    expect(elapsedMs(call.turns[0]?.endMs ?? callMs(0), callMs(call.endMs))).toBeLessThanOrEqual(10_020);
  });

  test("with prompt the agent asks three times, and the third unanswered prompt hangs up", () => {
    const call = started({ spec: { ...quiet, inactivityAction: "prompt" } });
    call.run(120_000);
    const prompts = call.turns.filter(({ text }) => text === "Are you still there?");
    expect(prompts).toHaveLength(3);
    expect(call.ofKind("speak").map(({ reason }) => reason)).toEqual(["greeting", ...Array(3).fill("inactivity")]);
    expect(call.endReason).toBe("inactivity");
    for (const [before, after] of [
      [call.turns[0], prompts[0]],
      [prompts[0], prompts[1]],
      [prompts[1], prompts[2]],
    ]) {
      expect(elapsedMs(before?.endMs ?? callMs(0), after?.startMs ?? callMs(0))).toBeGreaterThanOrEqual(10_000);
      expect(elapsedMs(before?.endMs ?? callMs(0), after?.startMs ?? callMs(0))).toBeLessThanOrEqual(10_100);
    }
  });

  test("an answer resets the count of prompts", () => {
    const call = started({ spec: quiet, answer: () => ({ text: "Good." }) });
    call.says(26_000, "yes I am");
    call.run(150_000);
    const prompts = call.turns.filter(({ text }) => text === "Are you still there?");
    expect(prompts.length).toBe(5);
    expect(call.endReason).toBe("inactivity");
  });

  test("C17: the inactivity timeout does not run while the agent is heard", () => {
    const call = started({ spec: quiet, answer: () => ({ text: Array(4).fill(LONG).join(" ") }) });
    call.says(2_500, "all");
    call.run(20_000);
    expect(call.turns.filter(({ text }) => text === "Are you still there?")).toEqual([]);
  });

  test("an LLM that hangs during its reply times out long before inactivity, whatever the reply was", () => {
    for (const interruptible of [true, false]) {
      const call = started({
        greeting: "none",
        spec: { ...quiet, interruptible },
        answer: () => ({ text: "One moment please, I will look that up. And", endless: true }),
      });
      call.run(11_900);
      expect(call.turns.map(({ text }) => text)).toEqual([
        "One moment please, I will look that up.",
        "I am sorry, could you say that again?",
      ]);
      expect(call.ofKind("cancel-reply")).toMatchObject([{ reason: "llm_failed" }]);
    }
  });

  test("words that the STT recognizes without speech from the VAD count as activity", () => {
    const call = started({ spec: { ...quiet, inactivityAction: "hang_up" }, answer: () => ({ text: "Good." }) });
    call.at(11_500, () => call.handle({ kind: "stt-interim", text: "hm" }));
    call.run(14_000);
    expect(call.endReason).toBeUndefined();
  });

  test("C17: words, DTMF and typed text each restart the inactivity timeout", () => {
    for (const make of [
      (call: VirtualCall) => call.at(8_400, () => call.handle({ kind: "typed", text: "hm" })),
      (call: VirtualCall) => call.at(8_400, () => call.handle({ kind: "dtmf", digit: "5" })),
      (call: VirtualCall) => call.at(8_400, () => call.handle({ kind: "stt-interim", text: "hm" })),
    ]) {
      const call = started({ spec: quiet, answer: () => ({ text: "" }) });
      make(call);
      call.run(18_300);
      expect(call.ofKind("speak")).toHaveLength(1);
      call.run(20_500);
      expect(call.turns.at(-1)?.text).toBe("Are you still there?");
    }
  });

  test("C17: the inactivity timeout is not extended by noise, and does not run during a DTMF entry", () => {
    const call = started({ spec: { ...quiet, inactivityAction: "hang_up" }, answer: () => ({ text: "" }) });
    call.presses(9_000, "1234567890", 2_000);
    call.run(28_000);
    expect(call.endReason).toBeUndefined();
    call.run(60_000);
    expect([call.endReason, Math.floor(call.endMs / 1_000)]).toEqual(["inactivity", 37]);
  });
});
