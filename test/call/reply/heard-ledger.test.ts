import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FRAME_MS, OUTPUT_LEAD_MS } from "../../../src/core/limits/streams/media.ts";
import { seededRandom } from "../../../src/core/seeded-random.ts";
import { type MarkBehavior, RemoteFarEnd } from "../../callers/far-end.ts";
import { VirtualCall } from "../../support/calls/virtual-call.ts";

// Compares what the call assumes was heard with what the playback buffer of the simulated carriers really played, across a
// network. fast-check prints the seed and the path of what fails.

const RUNS = 30;
const SILENCE_MS = 10_000;
/** Less than the shortest word: what jitter and the beat of the far end may add to what is taken for heard is one word at most. */
const JITTER_MS_MAX = 100;
const WORD_MS_MIN = 140;
const WORD_MS_MAX = 500;

/** How a conversation goes, and over what. */
interface Story {
  seed: number;
  outMs: number;
  backMs: number;
  jitterMs: number;
  lostShare: number;
  phaseMs: number;
  wordTimes: boolean;
  prompts: boolean;
  /** The voice delivers a chunk of this length at a time, in as much time as `speed` makes of it; 0: all at once. */
  chunkMs: number;
  speed: number;
  acts: readonly { atMs: number; what: "speaks" | "types" | "coughs" | "presses"; count: number }[];
}

const story: fc.Arbitrary<Story> = fc.record({
  seed: fc.nat(),
  outMs: fc.integer({ min: 0, max: 300 }),
  backMs: fc.integer({ min: 0, max: 300 }),
  jitterMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: JITTER_MS_MAX })),
  lostShare: fc.constantFrom(0, 0.2, 1),
  phaseMs: fc.integer({ min: 0, max: FRAME_MS - 1 }),
  wordTimes: fc.boolean(),
  prompts: fc.boolean(),
  chunkMs: fc.constantFrom(0, 200, 1_000),
  speed: fc.constantFrom(1.2, 4, 20),
  acts: fc.array(
    fc.record({
      atMs: fc.integer({ min: 300, max: 20_000 }),
      what: fc.constantFrom("speaks", "types", "coughs", "presses"),
      count: fc.integer({ min: 1, max: 3 }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

/** Every word says where it belongs; a segment is a sentence of six or seven. */
const sentencesOf = (turnId: number): string[] =>
  [7, 6, 7].map((length, sentence) => {
    const words = Array.from({ length }, (_, index) => `r${turnId}s${sentence}w${index}`);
    return `${words.join(" ")}.`;
  });

/** Words last between 140 and 500 ms, whatever their letters. */
const wordMs = (word: string): number => {
  const sum = [...word].reduce((total, char) => (total * 31 + (char.codePointAt(0) ?? 0)) % 1_009, 7);
  return WORD_MS_MIN + FRAME_MS * (sum % ((WORD_MS_MAX - WORD_MS_MIN) / FRAME_MS + 1));
};

interface Played {
  call: VirtualCall;
  farEnd: RemoteFarEnd;
}

/** Lets the conversation happen, to its end by silence. */
function play(scenario: Story, marks: MarkBehavior, answersClear: boolean): Played {
  const random = seededRandom(scenario.seed);
  const delayMs = (baseMs: number) => baseMs + Math.floor(random() * (scenario.jitterMs + 1));
  const farEnd = new RemoteFarEnd({
    marks,
    answersClear,
    phaseMs: scenario.phaseMs,
    outMs: () => delayMs(scenario.outMs),
    backMs: () => delayMs(scenario.backMs),
    losesMark: () => random() < scenario.lostShare,
  });
  const call = new VirtualCall({
    spec: {
      greeting: sentencesOf(1).join(" "),
      interruptible: true,
      inactivityTimeoutMs: SILENCE_MS,
      inactivityAction: scenario.prompts ? "prompt" : "hang_up",
    },
    answer: (_, { turnId }) => ({ text: sentencesOf(turnId).join(" ") }),
    farEnd,
    tts: {
      wordTimes: scenario.wordTimes,
      wordMs,
      ...(scenario.chunkMs === 0 ? {} : { chunks: { ms: scenario.chunkMs, speed: scenario.speed } }),
    },
  });
  call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  for (const { atMs, what, count } of scenario.acts) {
    if (what === "speaks") call.says(atMs, Array(count).fill("stop").join(" "));
    else if (what === "types") call.at(atMs, () => call.handle({ kind: "typed", text: "stop" }));
    else if (what === "coughs") call.coughs(atMs, count * 150);
    else call.presses(atMs, "12#".slice(-count));
  }
  call.run(200_000);
  expect(call.endReason).toBe("inactivity");
  return { call, farEnd };
}

/** The words of the reply `turnId` that stand in the transcript. */
function committed({ call }: Played, turnId: number): string[] {
  const turns = call.turns.filter(({ role, text }) => role === "agent" && text.startsWith(`r${turnId}s`));
  expect(turns.length, "a reply is one turn").toBeLessThanOrEqual(1);
  return turns[0]?.text.split(" ") ?? [];
}

/** The replies that the LLM, or the greeting, made. */
const repliesOf = ({ call }: Played): number[] => [1, ...call.ofKind("generate-reply").map(({ turnId }) => turnId)];

function checkHeard(played: Played, scenario: Story): void {
  const { farEnd } = played;
  for (const turnId of repliesOf(played)) {
    const words = committed(played, turnId);
    const frames = farEnd.heard.filter((frame) => frame.turnId === turnId);
    const heard = frames.flatMap((frame) => frame.words);
    const all = sentencesOf(turnId).join(" ").split(" ");
    expect(all.slice(0, words.length), "the transcript is a beginning of what was said").toEqual(words);
    if (!scenario.wordTimes) {
      // The declared error: one segment. Words of a segment whose playout has not started do not count as heard.
      const begun = segmentsBegun(turnId, frames.length * FRAME_MS + JITTER_MS_MAX + FRAME_MS);
      expect(words.length).toBeLessThanOrEqual(begun);
      continue;
    }
    expect(words.length, "no more than a word that was not heard").toBeLessThanOrEqual(heard.length + 1);
    const wordsMs = words.reduce((totalMs, word) => totalMs + wordMs(word), 0);
    const heardMs = frames.length * FRAME_MS;
    // The clock knows neither how unsteady the network is nor when the far end's next 20 ms begin; all else it knows.
    expect(wordsMs - heardMs).toBeLessThanOrEqual(scenario.jitterMs + 2 * FRAME_MS);
    const networkMs = scenario.outMs + scenario.backMs + 2 * scenario.jitterMs + FRAME_MS;
    expect(heardMs - wordsMs).toBeLessThanOrEqual(OUTPUT_LEAD_MS + networkMs + WORD_MS_MAX);
  }
}

/** How many words there are in the segments of a reply that begin within its first `heardMs`. */
function segmentsBegun(turnId: number, heardMs: number): number {
  let startMs = 0;
  let count = 0;
  for (const sentence of sentencesOf(turnId)) {
    if (startMs >= heardMs) break;
    const words = sentence.split(" ");
    count += words.length;
    startMs += words.reduce((totalMs, word) => totalMs + wordMs(word), 0);
  }
  return count;
}

/** The silence that the call acts upon is never counted from before the last sample that was heard. */
function checkSilence({ call, farEnd }: Played, scenario: Story): void {
  const cancelled = new Set(call.ofKind("cancel-reply").map(({ turnId }) => turnId));
  const acted = call.commands.flatMap(({ atMs, command }) =>
    command.kind === "end" || (command.kind === "speak" && command.text === "Are you still there?") ? [atMs] : [],
  );
  expect(acted.length).toBeGreaterThan(0);
  for (const atMs of acted) {
    const last = farEnd.heard.findLast(({ startMs }) => startMs < atMs);
    if (last === undefined) continue;
    // A clear is on its way for as long as anything else, and the caller, who has just spoken, listens on until then.
    const clearMs = cancelled.has(last.turnId) ? scenario.outMs + scenario.jitterMs + 2 * FRAME_MS : 0;
    expect(last.endMs - clearMs).toBeLessThanOrEqual(atMs - SILENCE_MS);
  }
}

/** The LLM gets what the transcript has, and what awaits its answer; nothing else. */
function checkContext({ call }: Played): void {
  const turns: { role: string; text: string }[] = [];
  for (const { command } of call.commands) {
    if (command.kind === "turn") {
      const { role, text } = command.turn;
      turns.push({ role: role === "agent" ? "assistant" : "user", text });
    } else if (command.kind === "generate-reply") {
      const prompt = command.messages.slice(1).map(({ role, text }) => ({ role, text }));
      expect(prompt.slice(0, turns.length)).toEqual(turns);
      expect(prompt.slice(turns.length).map(({ role }) => role)).toEqual(["user"]);
    }
  }
}

describe.each([
  ["carrier_a and carrier_b, whose marks come back from a clear", "returned by a clear", false],
  ["carrier_c, which forgets the marks before a clear", "retired by a clear", false],
  ["the raw WebSocket, which may report how much it played", "retired by a clear", true],
] as const)("over %s", (_, marks, answersClear) => {
  test("C14, C17: what counts as heard was heard, no silence starts before it, and the LLM's context has the same", () => {
    fc.assert(
      fc.property(story, (scenario) => {
        const played = play(scenario, marks, answersClear);
        checkHeard(played, scenario);
        checkSilence(played, scenario);
        checkContext(played);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("marks that are outstanding when a clear is sent", () => {
  test("C13: are not awaited, and have no effect when they are returned: the call does the same at the same times", () => {
    const steady = story.map((scenario) => ({ ...scenario, jitterMs: 0, lostShare: 0 }));
    fc.assert(
      fc.property(steady, (scenario) => {
        const returned = play(scenario, "returned by a clear", false).call.commands;
        const retired = play(scenario, "retired by a clear", false).call.commands;
        expect(returned).toEqual(retired);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("a peer that returns marks at once", () => {
  // jambonz/jambonz-feature-server #811.
  test("proves nothing by that: a reply counts as heard when it can have been, and the goodbye is heard to its end", () => {
    const farEnd = new RemoteFarEnd({
      marks: "returned at once",
      answersClear: false,
      outMs: () => 0,
      backMs: () => 0,
      losesMark: () => false,
      phaseMs: 0,
    });
    const call = new VirtualCall({ farEnd, answer: () => ({ text: "Goodbye and thank you.", hangUp: true }) });
    call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
    call.says(2_500, "bye");
    call.run(20_000);
    expect(call.endReason).toBe("agent_hangup");
    expect(call.heardWords.slice(-4).join(" ")).toBe("Goodbye and thank you.");
  });
});

describe("a client whose playout lags", () => {
  /** By how many words the transcript was ahead of what was heard, for each interrupted reply. */
  function ahead(answersClear: boolean): number[] {
    const farEnd = new RemoteFarEnd({
      marks: "retired by a clear",
      answersClear,
      outMs: () => 20,
      backMs: () => 20,
      losesMark: () => true,
      phaseMs: 0,
      holdMs: 900,
    });
    const call = new VirtualCall({
      farEnd,
      greeting: "none",
      spec: { firstSpeaker: "user", interruptible: true },
      answer: (_, { turnId }) => ({ text: sentencesOf(turnId).join(" ") }),
    });
    call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
    for (let round = 0; round < 6; round += 1) call.says(1_000 + round * 5_000, "stop");
    call.run(33_000);
    const cancelled = call
      .ofKind("cancel-reply")
      .map(({ turnId, heardText }) => ({ turnId, words: heardText.split(" ").length }));
    expect(cancelled).toHaveLength(5);
    return cancelled.map(({ turnId, words }) => {
      const heard = farEnd.heard.filter((frame) => frame.turnId === turnId).flatMap((frame) => frame.words);
      return words - heard.length;
    });
  }

  test("is detected once it has reported what it played, where nothing else shows it", () => {
    const unknown = ahead(false);
    expect(Math.min(...unknown)).toBeGreaterThanOrEqual(2);
    const known = ahead(true);
    expect(known[0]).toBe(unknown[0]);
    expect(known[1]).toBeLessThan(unknown[1] ?? 0);
    expect(known.at(-1)).toBeLessThanOrEqual(1);
  });
});
