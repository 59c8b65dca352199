import { describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { VirtualCall, type VirtualCallOptions } from "../../support/calls/virtual-call.ts";

const TIMEOUT_MS = 10_000;
/** How much later than in silence a prompt may come on a line that makes a sound, ms. */
const LATE_MS_MAX = 2_000;

function started(options: VirtualCallOptions = {}): VirtualCall {
  const call = new VirtualCall({
    ...options,
    spec: { interruptible: true, inactivityTimeoutMs: TIMEOUT_MS, ...options.spec },
  });
  call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  return call;
}

/** When the inactivity prompts began, ms. */
const promptsMs = (call: VirtualCall): number[] =>
  call.commands.flatMap(({ atMs, command }) =>
    command.kind === "speak" && command.reason === "inactivity" ? [atMs] : [],
  );

/** One stray voiced frame each 9 s. */
function strays(call: VirtualCall): void {
  for (let atMs = 1_000; atMs < 120_000; atMs += 9_000) call.coughs(atMs, 20);
}

/** Bursts of noise, each speech to the detector. */
function bursts(call: VirtualCall): void {
  for (let atMs = 2_500; atMs < 120_000; atMs += 1_700) call.coughs(atMs, 600);
}

const STTS: readonly [string, VirtualCallOptions][] = [
  ["with interim transcripts", { sttHasInterims: true }],
  [
    "without interim transcripts, which answers requests",
    { sttHasInterims: false, interim: () => ({ text: "", afterMs: 400 }) },
  ],
  ["without interim transcripts, which does not answer", { sttHasInterims: false }],
];

describe.each(STTS)("inactivity with an STT %s", (_, stt) => {
  const quiet = started(stt);
  quiet.run(90_000);
  const quietMs = promptsMs(quiet);

  test.each<[string, (call: VirtualCall) => void]>([
    ["music", (call) => call.coughs(3_000, 200_000)],
    ["noise from the beginning", (call) => call.coughs(0, 200_000)],
    ["bursts of noise", bursts],
    ["a stray frame each 9 s", strays],
  ])("comes on a line with %s within 2 s of when it would in silence, and ends the call", (_sound, sounds) => {
    const call = started(stt);
    sounds(call);
    call.run(120_000);
    expect(quietMs).toHaveLength(3);
    const [first = Number.NaN, ...others] = promptsMs(call);
    const greetedMs = (each: VirtualCall): number => each.turns[0]?.endMs as unknown as number;
    // From the last that was heard of the greeting, which a noise may hold for a moment.
    expect(first - greetedMs(call) - ((quietMs[0] ?? 0) - greetedMs(quiet))).toBeLessThanOrEqual(LATE_MS_MAX);
    expect(others).toHaveLength(2);
    expect(call.endReason).toBe("inactivity");
  });
});

describe("a caller who speaks", () => {
  test("is not prompted for as long as interim transcripts bring words", () => {
    const call = started();
    call.says(4_000, Array(50).fill("word").join(" "));
    call.run(22_000);
    expect(promptsMs(call)).toEqual([]);
  });

  test("for 15 s to an STT without interim transcripts is not prompted: the STT is asked for the words before the timeout", () => {
    const call = started({ sttHasInterims: false, interim: () => ({ text: "I would like", afterMs: 600 }) });
    call.coughs(3_000, 15_000);
    call.at(19_500, () => call.handle({ kind: "stt-final", text: "I would like a large cake for Sunday" }));
    call.run(24_000);
    expect(promptsMs(call)).toEqual([]);
    expect(call.turns.map(({ text }) => text)).toContain("I would like a large cake for Sunday");
    const requests = call.commands.filter(({ command }) => command.kind === "request-interim");
    expect(requests.length).toBeLessThanOrEqual(3);
  });

  test("once, in a noise that goes on, is prompted: the same words again are no activity", () => {
    const call = started({ sttHasInterims: false, interim: () => ({ text: "I would like", afterMs: 600 }) });
    call.coughs(3_000, 57_000);
    call.run(59_000);
    const quiet = started({ sttHasInterims: false });
    quiet.run(59_000);
    // The words counted once, when the STT was asked for them.
    expect(promptsMs(call).length).toBeGreaterThanOrEqual(promptsMs(quiet).length - 1);
    expect(call.endReason).toBe("inactivity");
  });

  test("for 15 s to an STT that answers nothing is prompted at last: nothing says that it is a person", () => {
    const call = started({ sttHasInterims: false });
    call.coughs(3_000, 15_000);
    call.run(16_000);
    expect(promptsMs(call)).toHaveLength(1);
  });

  test.each([
    true,
    false,
  ])("just before the timeout gets the time to say a word (interim transcripts: %s)", (sttHasInterims) => {
    const options: VirtualCallOptions = { sttHasInterims, interim: () => ({ text: "yes please", afterMs: 500 }) };
    const silent = started(options);
    silent.run(13_000);
    const [dueMs = Number.NaN] = promptsMs(silent);
    const call = started(options);
    call.coughs(dueMs - 300, 900);
    if (sttHasInterims) call.at(dueMs + 700, () => call.handle({ kind: "stt-interim", text: "yes please" }));
    call.at(dueMs + 1_700, () => call.handle({ kind: "stt-final", text: "yes please" }));
    call.run(dueMs + 5_000);
    expect(promptsMs(call)).toEqual([]);
    expect(call.turns.map(({ text }) => text)).toContain("yes please");
  });

  test("and whose final transcript arrives seconds late interrupts the prompt, which is no longer unanswered", () => {
    const call = started({ sttHasInterims: false });
    call.coughs(10_500, 800);
    call.at(13_800, () => call.handle({ kind: "stt-final", text: "are you there" }));
    call.run(17_000);
    expect(promptsMs(call)).toHaveLength(1);
    expect(call.ofKind("cancel-reply").map(({ reason }) => reason)).toEqual(["words"]);
    expect(call.ofKind("generate-reply")).toHaveLength(1);
  });
});

describe("a call without a word of the caller", () => {
  const parametersWith = (wordlessCallMsMax: number) => ({ ...DEFAULT_TURN_PARAMETERS, wordlessCallMsMax });
  const lively = { text: "There is more to tell about bread." };

  test("ends with inactivity after MAX_WORDLESS_S, whatever sounds and whatever the agent says", () => {
    const call = started({
      parameters: parametersWith(60_000),
      spec: { greeting: Array(60).fill("Please hold the line.").join(" ") },
    });
    bursts(call);
    call.run(90_000);
    expect([call.endReason, call.endMs]).toEqual(["inactivity", 60_100]);
    expect(call.turns.at(-1)).toMatchObject({ role: "agent", interrupted: true });
  });

  test.each<[string, (call: VirtualCall, atMs: number) => void]>([
    ["a word", (call, atMs) => call.at(atMs, () => call.handle({ kind: "stt-interim", text: "hello" }))],
    ["a key", (call, atMs) => call.presses(atMs, "5")],
    ["typed text", (call, atMs) => call.at(atMs, () => call.handle({ kind: "typed", text: "hello" }))],
  ])("counts from the last sign of the caller: %s", (_, gives) => {
    const call = started({
      parameters: parametersWith(30_000),
      spec: { inactivityTimeoutMs: 25_000 },
      answer: () => lively,
    });
    gives(call, 20_000);
    call.run(60_000);
    expect([call.endReason, call.endMs]).toEqual(["inactivity", 50_000]);
  });

  test("lasts at least for the inactivity timeout of the call, where that is longer", () => {
    const call = started({
      parameters: parametersWith(30_000),
      spec: { inactivityTimeoutMs: 40_000, inactivityAction: "prompt" },
    });
    call.run(60_000);
    expect([call.endReason, call.endMs]).toEqual(["inactivity", 40_100]);
  });
});
