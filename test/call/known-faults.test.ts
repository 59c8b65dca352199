import { describe, expect, test } from "vitest";
import { type MarkBehavior, RemoteFarEnd } from "../callers/far-end.ts";
import { SPEC, VirtualCall, type VirtualCallOptions, WORD_MS } from "../support/calls/virtual-call.ts";

// Faults of other services of this kind; each comment names where it was reported.

const LONG = "Bread is baked at five and rolls at six and cakes at seven and pies at eight every day.";

function started(options: VirtualCallOptions = {}): VirtualCall {
  const call = new VirtualCall(options);
  call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  return call;
}

const distant = (marks: MarkBehavior): RemoteFarEnd =>
  new RemoteFarEnd({
    marks,
    outMs: () => 150,
    backMs: () => 150,
    losesMark: () => false,
    answersClear: false,
    phaseMs: 7,
  });

/** The texts of the LLM's context that the agent said. */
const agentTexts = (messages: readonly { role: string; text: string }[]): string[] =>
  messages.filter(({ role }) => role === "assistant").map(({ text }) => text);

describe("a caller who listens", () => {
  // pipecat-ai/pipecat #2741: synthesis in bursts was taken for speech that is over.
  test("is not inactive, however early the TTS was done: the timeout starts when the last word has been heard", () => {
    const farEnd = distant("returned by a clear");
    const call = started({
      farEnd,
      spec: { greeting: Array(4).fill(LONG).join(" "), inactivityTimeoutMs: 10_000, inactivityAction: "hang_up" },
    });
    call.run(60_000);
    expect(call.endReason).toBe("inactivity");
    const heardMs = farEnd.heard.at(-1)?.endMs ?? Number.NaN;
    expect(heardMs).toBeGreaterThan(20_000);
    expect(call.endMs - heardMs).toBeGreaterThanOrEqual(10_000);
    expect(call.endMs - heardMs).toBeLessThanOrEqual(10_200);
  });

  // livekit/agents #6904: words of patience during a tool began the count of the silence.
  test("is not inactive while a tool runs, though a filler has been heard", () => {
    const call = started({
      spec: { inactivityTimeoutMs: 10_000, tools: [CLIENT_TOOL] },
      answer: (_, { messages }) =>
        messages.at(-1)?.role === "tool" ? { text: "It is ready." } : { text: "", tools: [{ name: "look_up" }] },
      tool: () => ({ result: "ready", afterMs: 40_000 }),
    });
    call.says(2_500, "is it ready");
    call.run(48_000);
    expect(call.turns.slice(2).map(({ text }) => text)).toEqual(["One moment, please. It is ready."]);
  });
});

test("a tool that takes long says its own words, if it has some", () => {
  const call = started({
    spec: { tools: [{ ...CLIENT_TOOL, whileRunning: "I am in the cellar." }] },
    answer: (_, { messages }) =>
      messages.at(-1)?.role === "tool" ? { text: "It is ready." } : { text: "", tools: [{ name: "look_up" }] },
    tool: () => ({ result: "ready", afterMs: 8_000 }),
  });
  call.says(2_500, "is it ready");
  call.run(30_000);
  expect(call.turns.slice(2, 3).map(({ text }) => text)).toEqual(["I am in the cellar. It is ready."]);
});

const CLIENT_TOOL = {
  kind: "client",
  name: "look_up",
  description: "Looks something up.",
  parameters: { type: "object", properties: {} },
  fixedArguments: {},
  timeoutMs: 60_000,
} as const;

describe("a goodbye", () => {
  // pipecat-ai/pipecat #1461: the call was over before the last sentence was spoken.
  test.each([
    "returned by a clear",
    "retired by a clear",
    "returned at once",
  ] as const)("is heard to its end before the agent hangs up, with marks that are %s", (marks) => {
    const goodbye = "Thank you for calling the bakery. Goodbye and have a lovely day.";
    const farEnd = distant(marks);
    const call = started({ farEnd, answer: () => ({ text: goodbye, hangUp: true }) });
    call.says(2_500, "bye");
    call.run(30_000);
    expect(call.endReason).toBe("agent_hangup");
    expect(call.turns.at(-1)).toMatchObject({ text: goodbye, interrupted: false });
    // The socket closes after the last frame, which was sent long before.
    farEnd.run(call.endMs + 150);
    expect(call.heardWords.join(" ")).toBe(`${SPEC.greeting} ${goodbye}`);
  });

  // bolna-ai/bolna #1036 and #1038: it could not be interrupted, or the LLM then believed itself gone.
  test("that is interrupted does not end the call; the LLM gets the result, and may hang up again", () => {
    const call = started({ answer: () => ({ text: "Goodbye and thank you for calling.", hangUp: true }) });
    call.says(2_500, "bye");
    call.says(4_000, "wait one thing");
    call.run(20_000);
    const [, again] = call.ofKind("generate-reply");
    expect(again?.messages.find(({ role }) => role === "tool")?.text).toBe(
      "The caller went on before that, and so does the call.",
    );
    expect(call.endReason).toBe("agent_hangup");
    expect(call.turns.at(-1)).toMatchObject({ text: "Goodbye and thank you for calling.", interrupted: false });
  });

  // pipecat-ai/pipecat #4997: a tool of words that were never said hung up on a caller in mid-sentence.
  test("that the caller's next words make obsolete before it is audible does not hang up", () => {
    const call = started({
      answer: (text) => (text === "thank you" ? { text: "Bye.", hangUp: true, afterMs: 400 } : { text: LONG }),
    });
    call.says(2_500, "thank you");
    // The LLM is asked at about 3,600 and would answer at 4,000.
    call.says(3_500, "but one more thing");
    call.run(12_000);
    expect(call.endReason).toBeUndefined();
    expect(call.turns.at(-1)).toMatchObject({ role: "agent", text: LONG });
  });
});

describe("a prompt that is interrupted", () => {
  // bolna-ai/bolna #842: its mark never came back, and the silence was never acted upon again.
  test("leaves no state: inactivity after it still ends the call, though no mark is returned", () => {
    const call = started({
      farEnd: distant("retired by a clear"),
      spec: { inactivityTimeoutMs: 10_000, inactivityAction: "prompt", firstSpeaker: "user", interruptible: true },
      answer: () => ({ text: "Good." }),
    });
    call.at(10_600, () => call.handle({ kind: "dtmf", digit: "5" }));
    call.run(120_000);
    expect(call.ofKind("cancel-reply")).toMatchObject([{ reason: "dtmf", clear: true }]);
    expect(call.endReason).toBe("inactivity");
  });
});

describe("a reply that is interrupted at its very beginning", () => {
  // livekit/agents-js #1269: all of it stood in the LLM's context, though nothing had been heard.
  test.each([0, 20, 100, 200])("is not in the LLM's context when %i ms of it had been sent", (sentMs) => {
    const call = started({ answer: () => ({ text: LONG }) });
    call.says(2_500, "all");
    call.run(3_400);
    while (call.ofKind("state").at(-1)?.state !== "speaking") call.run(call.nowMs + 1);
    const atMs = call.nowMs + sentMs;
    call.at(atMs, () => call.handle({ kind: "stt-interim", text: "no" }));
    call.at(atMs + 300, () => call.handle({ kind: "stt-final", text: "no" }));
    call.run(atMs + 1_500);
    expect(call.ofKind("cancel-reply")).toMatchObject([{ reason: "words", heardText: "" }]);
    expect(agentTexts(call.ofKind("generate-reply").at(-1)?.messages ?? [])).toEqual([SPEC.greeting]);
    expect(call.turns.map(({ text }) => text)).toEqual([SPEC.greeting, "all", "no"].slice(0, call.turns.length));
  });
});

describe("a reply that was paused", () => {
  // livekit/agents-js #2122: it was paused, found interrupted, and went on all the same.
  test("and is then interrupted by a word is never heard again", () => {
    const farEnd = distant("returned by a clear");
    const call = started({ farEnd, answer: (text) => ({ text: text === "all" ? LONG : "Fine." }) });
    call.says(2_500, "all");
    call.says(5_500, "no stop");
    call.run(20_000);
    const [paused] = call.ofKind("pause");
    const [cancelled] = call.ofKind("cancel-reply");
    expect(cancelled?.turnId).toBe(paused?.turnId);
    expect(call.ofKind("resume")).toEqual([]);
    const cancelledMs = call.commands.find(({ command }) => command.kind === "cancel-reply")?.atMs ?? Number.NaN;
    const later = farEnd.heard.filter(
      ({ turnId, startMs }) => turnId === cancelled?.turnId && startMs > cancelledMs + 150 + 20,
    );
    expect(later).toEqual([]);
    expect(call.turns.at(-1)).toMatchObject({ text: "Fine.", interrupted: false });
  });

  // livekit/agents #4039: after an mm-hm it stayed silent.
  test.each(["mhmm", "mm-hm", "yeah", "uh-huh okay"])("for a %j resumes, and every word of it is heard", (sound) => {
    const call = started({ answer: () => ({ text: LONG }) });
    call.says(2_500, "all");
    call.says(5_000, sound);
    call.run(20_000);
    expect(call.ofKind("pause")).toHaveLength(1);
    expect(call.ofKind("resume")).toHaveLength(1);
    expect(call.ofKind("cancel-reply")).toEqual([]);
    expect(call.heardWords.join(" ")).toBe(`${SPEC.greeting} ${LONG}`);
  });

  // livekit/agents #4498: such words turned up in front of the caller's next ones.
  test("for an mm-hm does not prepend it to what the caller says next", () => {
    const call = started({ answer: (text) => ({ text: text === "all" ? LONG : "Fine." }) });
    call.says(2_500, "all");
    call.says(5_000, "mm-hm");
    call.says(14_000, "two loaves please");
    call.run(20_000);
    expect(call.ofKind("generate-reply").at(-1)?.messages.at(-1)?.text).toBe("two loaves please");
  });

  // livekit/agents-js #1909: a sound just before its first sample silenced it for good.
  test("by a sound before its first sample is heard all the same", () => {
    const call = started({ answer: () => ({ text: LONG, afterMs: 600 }) });
    call.says(2_500, "all");
    // The LLM is asked at about 3,500 and its answer is audible 650 ms later.
    call.coughs(3_950, 200);
    call.run(25_000);
    expect(call.ofKind("pause")).toHaveLength(1);
    expect(call.turns.at(-1)).toMatchObject({ text: LONG, interrupted: false });
  });
});

describe("a tool that ran before the caller interrupted", () => {
  // livekit/agents #3702: the LLM did not learn of it, and ran it again.
  test("is known to the LLM, whether or not a word of the reply was heard", () => {
    for (const text of ["Let me book that for you right now, it takes no time at all.", ""]) {
      const call = started({
        spec: { tools: [CLIENT_TOOL] },
        answer: (said, { messages }) => {
          if (said !== "book it") return { text: "Fine." };
          return messages.at(-1)?.role === "tool"
            ? { text: "Booked.", afterMs: 2_000 }
            : { text, tools: [{ name: "look_up" }] };
        },
        tool: () => ({ result: "order 17", afterMs: 300 }),
      });
      call.says(2_500, "book it");
      call.says(4_200, "hello");
      call.run(12_000);
      expect(call.ofKind("run-tool")).toHaveLength(1);
      const last = call.ofKind("generate-reply").at(-1)?.messages ?? [];
      expect(last.filter(({ role }) => role === "tool").map((message) => message.text)).toEqual(["order 17"]);
      expect(last.findIndex(({ role }) => role === "tool")).toBeLessThan(last.findIndex((m) => m.text === "hello"));
    }
  });
});

describe("a TTS without word times", () => {
  // pipecat-ai/pipecat #5303: interrupted, all that had been generated stood in transcript and context.
  test.each([100, 1_500])("that is interrupted %i ms into its reply has not said the rest of it", (intoMs) => {
    const call = started({
      tts: { wordTimes: false },
      answer: (text) => ({ text: text === "all" ? LONG : "Fine." }),
    });
    call.says(2_500, "all");
    call.run(3_400);
    while (call.ofKind("state").at(-1)?.state !== "speaking") call.run(call.nowMs + 1);
    const atMs = call.nowMs + intoMs;
    call.at(atMs, () => call.handle({ kind: "stt-final", text: "stop please" }));
    call.run(atMs + 3_000);
    const heard = call.turns.find(({ interrupted }) => interrupted);
    const context = agentTexts(call.ofKind("generate-reply").at(-1)?.messages ?? []);
    expect(context).toEqual([SPEC.greeting, ...(heard === undefined ? [] : [heard.text])]);
    expect((heard?.text ?? "").length).toBeLessThanOrEqual((LONG.length * (intoMs + WORD_MS)) / (18 * WORD_MS));
    expect(heard?.approximate).toBe(heard === undefined ? undefined : true);
  });
});

describe("a noisy line", () => {
  // livekit/agents #6030: noise that no word came of was taken for a caller who is there.
  test("without words answers no prompt: the third one ends the call", () => {
    const call = started({ spec: { inactivityTimeoutMs: 10_000, inactivityAction: "prompt" } });
    for (let atMs = 4_000; atMs < 120_000; atMs += 14_000) call.coughs(atMs, 300);
    call.run(120_000);
    expect(call.ofKind("speak").filter(({ reason }) => reason === "inactivity")).toHaveLength(3);
    expect(call.endReason).toBe("inactivity");
  });
});

describe("a reply that is interrupted within a word", () => {
  // pipecat-ai/pipecat #4996: words that had been heard were lost, and the LLM said them again.
  test("is in the LLM's context up to the last word that was heard", () => {
    const call = started({ answer: (text) => ({ text: text === "all" ? LONG : "Fine." }) });
    call.says(2_500, "all");
    call.says(5_000, "stop");
    call.run(5_000 + WORD_MS);
    const heard = call.heardWords.slice(SPEC.greeting?.split(" ").length).join(" ");
    expect(heard.length).toBeGreaterThan(10);
    call.run(9_000);
    expect(agentTexts(call.ofKind("generate-reply").at(-1)?.messages ?? []).at(-1)).toBe(heard);
  });
});
