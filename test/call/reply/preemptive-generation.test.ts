import { describe, expect, test } from "vitest";
import { PREEMPTIVE_GENERATIONS_PER_TURN_MAX } from "../../../src/core/limits/calls/calls.ts";
import { FIXED_PAUSES_PREEMPTIVE } from "../../support/calls/fixed-pauses.ts";
import { VirtualCall, type VirtualCallOptions, WORD_MS } from "../../support/calls/virtual-call.ts";

const MODEL_MS = 300;

/** A call that the caller begins, with an LLM that takes so long, and what of its commands concerns the LLM. */
function scene(options: VirtualCallOptions = {}) {
  const call = new VirtualCall({
    spec: { firstSpeaker: "user" },
    greeting: "none",
    parameters: FIXED_PAUSES_PREEMPTIVE,
    answer: () => ({ text: "From nine to five.", afterMs: MODEL_MS }),
    ...options,
  });
  call.at(0, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  const llmCommands = (): string[] =>
    call.commands.flatMap(({ command }) => {
      if (command.kind === "generate-reply" || command.kind === "preemptive-start") {
        return [`${command.kind}: ${command.messages.at(-1)?.text}`];
      }
      return command.kind === "preemptive-cancel" ? [command.kind] : [];
    });
  return { call, llmCommands };
}

/** The caller says `words` from `atMs` on, and the STT sends each 100 ms after it was said. Returns when it sent the last one. */
function speaks(call: VirtualCall, atMs: number, words: string, before = ""): number {
  const all = words.split(" ");
  call.coughs(atMs, all.length * WORD_MS);
  for (const [index] of all.entries()) {
    const text = `${before} ${all.slice(0, index + 1).join(" ")}`.trim();
    call.at(atMs + (index + 1) * WORD_MS + 100, () => call.handle({ kind: "stt-interim", text }));
  }
  return atMs + all.length * WORD_MS;
}

const final = (call: VirtualCall, atMs: number, text: string): void =>
  call.at(atMs, () => call.handle({ kind: "stt-final", text }));

const latencyOf = (call: VirtualCall): number | undefined =>
  call.turns.find(({ role }) => role === "agent")?.latency?.firstFrameMs;

describe("preemptive generation", () => {
  test("is used if the final transcript is the same, except for capitals and punctuation", () => {
    const { call, llmCommands } = scene();
    const endMs = speaks(call, 1_000, "when are you open");
    final(call, endMs + 450, "When are you open?");
    call.run(12_000);
    expect(llmCommands()).toEqual(["preemptive-start: when are you open", "generate-reply: When are you open?"]);
    expect(call.turns.map(({ role, text }) => [role, text])).toEqual([
      ["user", "When are you open?"],
      ["agent", "From nine to five."],
    ]);
  });

  test("makes the answer audible sooner, by as much as the LLM started earlier", () => {
    const latencies = [FIXED_PAUSES_PREEMPTIVE, { ...FIXED_PAUSES_PREEMPTIVE, preemptiveMs: 0 }].map((parameters) => {
      const { call } = scene({ parameters });
      const endMs = speaks(call, 1_000, "when are you open");
      final(call, endMs + 450, "when are you open");
      call.run(12_000);
      return latencyOf(call) ?? Number.NaN;
    });
    const [on = 0, off = 0] = latencies;
    // It was asked 300 ms after the last word, and 500 ms after it the turn was over.
    expect(off - on).toBeGreaterThanOrEqual(180);
    expect(off - on).toBeLessThanOrEqual(MODEL_MS);
  });

  test("is repeated where the final transcript differs: nothing is heard of the first reply", () => {
    const { call, llmCommands } = scene({ answer: (text) => ({ text: `You said ${text}.`, afterMs: MODEL_MS }) });
    const endMs = speaks(call, 1_000, "I want nine rolls");
    final(call, endMs + 480, "I want five rolls.");
    call.run(12_000);
    expect(llmCommands()).toEqual([
      "preemptive-start: I want nine rolls",
      "preemptive-cancel",
      "generate-reply: I want five rolls.",
    ]);
    expect(call.heardWords.join(" ")).toBe("You said I want five rolls..");
  });

  test("is cancelled at once when the caller continues", () => {
    const { call, llmCommands } = scene();
    const pauseMs = speaks(call, 1_000, "when are");
    const endMs = speaks(call, pauseMs + 380, "you open", "when are");
    final(call, endMs + 300, "when are you open");
    call.run(12_000);
    expect(llmCommands()).toEqual([
      "preemptive-start: when are",
      "preemptive-cancel",
      "preemptive-start: when are you open",
      "generate-reply: when are you open",
    ]);
  });

  test("does not start while there is speech, whatever the words do", () => {
    const { call, llmCommands } = scene();
    call.coughs(1_000, 2_000);
    call.at(1_200, () => call.handle({ kind: "stt-interim", text: "when are you open" }));
    final(call, 3_200, "when are you open");
    call.run(3_150);
    expect(llmCommands()).toEqual([]);
    call.run(12_000);
    expect(llmCommands()).toEqual(["preemptive-start: when are you open", "generate-reply: when are you open"]);
  });

  test("starts no more often than the bound within a turn", () => {
    const { call, llmCommands } = scene();
    let atMs = 1_000;
    let said = "";
    for (let word = 0; word < PREEMPTIVE_GENERATIONS_PER_TURN_MAX + 3; word += 1) {
      const next = `word${word}`;
      const endMs = speaks(call, atMs, next, said);
      said = `${said} ${next}`.trim();
      atMs = endMs + 380;
    }
    final(call, atMs, said);
    call.run(20_000);
    expect(llmCommands().filter((line) => line.startsWith("preemptive-start"))).toHaveLength(
      PREEMPTIVE_GENERATIONS_PER_TURN_MAX,
    );
    expect(llmCommands().at(-1)).toBe(`generate-reply: ${said}`);
  });

  test("does not start over the agent, during a DTMF entry, or where it is disabled", () => {
    const { call, llmCommands } = scene({ spec: { firstSpeaker: "agent", greeting: "Hello, this is the bakery." } });
    call.at(300, () => call.handle({ kind: "stt-final", text: "mm-hm" }));
    call.presses(6_000, "12");
    call.at(6_100, () => call.handle({ kind: "stt-interim", text: "my number is" }));
    call.run(8_000);
    expect(llmCommands()).toEqual([]);
    const off = scene({ parameters: { ...FIXED_PAUSES_PREEMPTIVE, preemptiveMs: 0 } });
    final(off.call, speaks(off.call, 1_000, "when are you open") + 300, "when are you open");
    off.call.run(12_000);
    expect(off.llmCommands()).toEqual(["generate-reply: when are you open"]);
  });

  test("is repeated where the language has changed meanwhile", () => {
    const { call, llmCommands } = scene();
    const endMs = speaks(call, 1_000, "wann habt ihr offen");
    call.at(endMs + 420, () => call.handle({ kind: "stt-final", text: "Wann habt ihr offen", language: "de" }));
    call.run(12_000);
    expect(llmCommands().slice(0, 2)).toEqual(["preemptive-start: wann habt ihr offen", "preemptive-cancel"]);
    expect(call.ofKind("generate-reply")[0]?.language).toBe("de");
  });
});
