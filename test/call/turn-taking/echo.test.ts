import { describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { VirtualCall, type VirtualCallOptions, WORD_MS } from "../../support/calls/virtual-call.ts";

// The agent's own words come back over the line, and the STT recognizes them.

const GREETING =
  "Hello and thank you for calling the bakery, we are open from Monday to Saturday, is it for Tuesday or for Friday?";
const WORDS = GREETING.split(" ");
/** Speech has paused the reply as often as it may: the agent goes on, and the echo with it. */
const GOES_ON: VirtualCallOptions = { parameters: { ...DEFAULT_TURN_PARAMETERS, speechPausesMax: 0 } };

/** A greeting from about 130 ms on, one word each 300 ms. */
function greeted(options: VirtualCallOptions = {}): VirtualCall {
  const call = new VirtualCall({ ...options, spec: { greeting: GREETING, interruptible: true, ...options.spec } });
  call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  return call;
}

/** When the word `index` of the greeting begins to play, where nothing has held it before, ms. */
const START_MS = 140;
const wordMs = (index: number): number => START_MS + index * WORD_MS;

const index = (word: string): number => WORDS.findIndex((each) => each.startsWith(word));

/** The words of the greeting from `from` on come back after `delayMs`: as sound, and as transcripts `lagMs` later. */
function echoes(call: VirtualCall, from: number, count: number, { delayMs = 150, lagMs = 200, interims = true } = {}) {
  const startMs = wordMs(from) + delayMs;
  const words = WORDS.slice(from, from + count);
  call.coughs(startMs, count * WORD_MS);
  const transcribed = (kind: "stt-interim" | "stt-final", length: number, atMs: number) =>
    call.at(atMs, () => call.handle({ kind, text: words.slice(0, length).join(" ") }));
  if (interims)
    for (const [at] of words.entries()) transcribed("stt-interim", at + 1, startMs + (at + 1) * WORD_MS + lagMs);
  transcribed("stt-final", count, startMs + count * WORD_MS + lagMs + 300);
}

const ignored = (call: VirtualCall): string[] =>
  call.ofKind("ignore").flatMap(({ text, reason }) => (reason === "echo" ? [text] : []));
const cuts = (call: VirtualCall): string[] => call.ofKind("cancel-reply").map(({ reason }) => reason);
const callerTurns = (call: VirtualCall): string[] =>
  call.turns.flatMap(({ role, text }) => (role === "user" ? [text] : []));

describe("an echo of the agent", () => {
  test.each([
    40, 150, 300,
  ])("cuts nothing, is no turn and no activity, and the events say so (delay %i ms)", (delayMs) => {
    const call = greeted({ spec: { inactivityTimeoutMs: 10_000 } });
    echoes(call, 0, 1, { delayMs });
    call.run(30_000);
    expect([cuts(call), callerTurns(call), ignored(call)]).toEqual([[], [], ["Hello"]]);
    expect(call.turns[0]).toMatchObject({ text: GREETING, interrupted: false });
    expect(call.ofKind("resume").map(({ reason }) => reason)).toEqual(["echo"]);
    expect(call.ofKind("speak").filter(({ reason }) => reason === "inactivity")).not.toEqual([]);
  });

  test("of many words is one, also where the STT has missed the first or one between", () => {
    for (const text of [
      "thank you for calling the bakery we",
      "hello thank you for calling",
      "Hello and thank you for calling the",
    ]) {
      const call = greeted(GOES_ON);
      call.coughs(wordMs(0) + 100, 2_000);
      call.at(3_000, () => call.handle({ kind: "stt-final", text }));
      call.run(12_000);
      expect([cuts(call), callerTurns(call), ignored(call)]).toEqual([[], [], [text]]);
    }
  });

  test("in which the STT has misheard one word of four is one", () => {
    const call = greeted(GOES_ON);
    call.coughs(wordMs(0) + 100, 2_500);
    call.at(3_000, () => call.handle({ kind: "stt-final", text: "Hello and think you for calling the baker" }));
    call.run(12_000);
    expect([cuts(call), callerTurns(call)]).toEqual([[], []]);
  });

  test("that the STT divides into several utterances, of one stretch of speech, is one", () => {
    const call = greeted(GOES_ON);
    call.coughs(wordMs(0) + 100, 5_000);
    call.at(2_000, () => call.handle({ kind: "stt-final", text: "Hello and thank you." }));
    call.at(2_600, () => call.handle({ kind: "stt-interim", text: "for" }));
    call.at(3_900, () => call.handle({ kind: "stt-final", text: "For calling the bakery." }));
    call.run(12_000);
    expect([cuts(call), callerTurns(call)]).toEqual([[], []]);
    expect(ignored(call)).toEqual(["Hello and thank you.", "For calling the bakery."]);
  });

  test("that comes after the agent has finished, or twice, is no turn", () => {
    const call = greeted();
    const from = index("Friday");
    call.coughs(wordMs(from) + 200, WORD_MS);
    for (const atMs of [wordMs(from) + 1_400, wordMs(from) + 2_300])
      call.at(atMs, () => call.handle({ kind: "stt-final", text: "Friday?" }));
    call.run(14_000);
    expect(callerTurns(call)).toEqual([]);
  });

  test("that the VAD does not detect, because its audio was recognized as echo, is one", () => {
    const call = greeted();
    for (const [kind, text, atMs] of [
      ["stt-interim", "Hello and", 1_100],
      ["stt-final", "Hello and thank you", 2_200],
    ] as const)
      call.at(atMs, () => call.handle({ kind, text }));
    call.run(12_000);
    expect([cuts(call), callerTurns(call), ignored(call)]).toEqual([[], [], ["Hello and thank you"]]);
  });

  test("over a greeting that cannot be interrupted is not answered after it", () => {
    const call = greeted({ spec: { interruptible: false } });
    echoes(call, 0, 6);
    call.run(14_000);
    expect(callerTurns(call)).toEqual([]);
    expect(call.ofKind("generate-reply")).toEqual([]);
  });

  test("does not switch the language of the call", () => {
    const call = greeted({ ...GOES_ON, spec: { languagePinned: false } });
    call.coughs(wordMs(0) + 100, 2_000);
    call.at(3_000, () => call.handle({ kind: "stt-final", text: "Hello and thank you for calling", language: "de" }));
    call.run(6_000);
    expect(call.ofKind("language")).toEqual([]);
  });

  test("lets a reply resume as soon as an STT without interim transcripts is asked", () => {
    const call = greeted({ sttHasInterims: false, interim: () => ({ text: "Hello", afterMs: 300 }) });
    call.coughs(wordMs(0) + 150, 600);
    call.at(2_500, () => call.handle({ kind: "stt-final", text: "Hello" }));
    call.run(12_000);
    expect(call.ofKind("resume").map(({ reason }) => reason)).toEqual(["echo"]);
    expect([cuts(call), callerTurns(call)]).toEqual([[], []]);
  });

  test("is recognized without word times of the TTS, and in a script without spaces", () => {
    const even = greeted({ ...GOES_ON, tts: { wordTimes: false } });
    even.coughs(wordMs(0) + 100, 2_000);
    even.at(3_000, () => even.handle({ kind: "stt-final", text: "Hello and thank you for calling" }));
    even.run(12_000);
    expect([cuts(even), callerTurns(even)]).toEqual([[], []]);
    const unspaced = greeted({
      ...GOES_ON,
      spec: { greeting: "您好欢迎致电面包店请问您想要什么", language: "zh" },
      tts: { wordTimes: false, wordMs: () => 4_000 },
    });
    unspaced.coughs(wordMs(0) + 100, 2_000);
    unspaced.at(3_000, () => unspaced.handle({ kind: "stt-final", text: "您好，欢迎致电面包店。" }));
    unspaced.run(12_000);
    expect([cuts(unspaced), callerTurns(unspaced)]).toEqual([[], []]);
  });
});

describe("the caller's own words", () => {
  test("that repeat a word of the agent, as in 'Tuesday?' 'Tuesday.', are heard", () => {
    const call = greeted();
    const heardMs = wordMs(index("Tuesday") + 1);
    call.says(heardMs + 200, "Tuesday.");
    call.run(heardMs + 2_000);
    expect([cuts(call), ignored(call)]).toEqual([["words"], []]);
    expect(callerTurns(call)).toEqual(["Tuesday."]);
  });

  test("that repeat several words of the agent after it has said them are heard", () => {
    const call = greeted();
    const heardMs = wordMs(index("Saturday") + 1);
    call.says(heardMs + 250, "from Monday to Saturday?");
    call.run(heardMs + 4_000);
    expect([cuts(call), ignored(call)]).toEqual([["words"], []]);
  });

  test("that repeat its last words in answer are a turn", () => {
    const call = greeted();
    const heardMs = wordMs(WORDS.length);
    call.says(heardMs + 300, "for Friday");
    call.run(heardMs + 4_000);
    expect(callerTurns(call)).toEqual(["for Friday"]);
  });

  test("after an echo in the same transcript are heard, and the echo is not in the turn", () => {
    const call = greeted(GOES_ON);
    call.coughs(wordMs(0) + 100, 3_000);
    call.at(1_900, () => call.handle({ kind: "stt-interim", text: "Hello and thank you" }));
    call.at(2_600, () => call.handle({ kind: "stt-interim", text: "Hello and thank you wait" }));
    call.at(3_300, () => call.handle({ kind: "stt-final", text: "Hello and thank you wait please" }));
    call.run(5_000);
    expect(cuts(call)).toEqual(["words"]);
    expect(callerTurns(call)).toEqual(["wait please"]);
    expect(ignored(call)).toEqual(["Hello and thank you"]);
  });

  test("that begin like the agent's are heard whole, once another word follows", () => {
    const call = greeted();
    call.coughs(wordMs(0) + 100, 1_500);
    call.at(1_000, () => call.handle({ kind: "stt-interim", text: "hello" }));
    call.at(1_300, () => call.handle({ kind: "stt-interim", text: "hello stop" }));
    call.at(1_900, () => call.handle({ kind: "stt-final", text: "hello stop" }));
    call.run(4_000);
    expect([cuts(call), callerTurns(call)]).toEqual([["words"], ["hello stop"]]);
  });

  test("are heard though an echo of the same word came just before", () => {
    const call = greeted();
    const from = index("Tuesday");
    echoes(call, from, 1, { interims: false });
    const repeatMs = wordMs(from) + 150 + WORD_MS + 900;
    call.says(repeatMs, "Tuesday");
    call.run(repeatMs + 3_000);
    expect(ignored(call)).toEqual(["Tuesday"]);
    expect([cuts(call), callerTurns(call)]).toEqual([["words"], ["Tuesday"]]);
  });

  test.each([
    ["in another order", "you thank and Hello"],
    ["with a new one between", "Hello and no thank you"],
    [
      "of which the agent has not said the last",
      "Hello and thank you for calling the bakery we are open until midnight",
    ],
  ])("%s are heard", (_, text) => {
    const call = greeted(GOES_ON);
    call.coughs(wordMs(0) + 100, 2_000);
    call.at(2_500, () => call.handle({ kind: "stt-final", text }));
    call.run(4_000);
    expect(cuts(call)).toEqual(["words"]);
  });
});
