import { describe, expect, test } from "vitest";
import { SilenceExplainer, silencesOf } from "../../../../web/dashboard/pages/call/model/silences.ts";
import { timelineOf } from "../../../../web/dashboard/pages/call/model/timeline.ts";
import type { CallEvent, CallFacts } from "../../../../web/dashboard/pages/call/model/types.ts";
import { goldenNames } from "../../../support/golden/journals.ts";
import { goldenCall } from "./golden.ts";

function explained({ facts, events }: { facts: CallFacts; events: readonly CallEvent[] }) {
  const timeline = timelineOf(facts, events);
  const explainer = new SilenceExplainer(timeline, facts);
  return silencesOf(timeline).map((silence) => ({ ...silence, ...explainer.explain(silence) }));
}

const partsFrom = (call: { facts: CallFacts; events: readonly CallEvent[] }, startMs: number) =>
  explained(call)
    .find((silence) => silence.startMs === startMs)
    ?.parts.map((part) => [part.cause, part.startMs, part.endMs, part.text]);

const FACTS: CallFacts = {
  connectionType: "carrier_a",
  configuration: { inactivityTimeout: 20, firstSpeaker: "user", websocket: null },
  durationMs: 10_000,
  endReason: "caller_hangup",
};

describe("why a silence", () => {
  test.each(goldenNames())("%s: the parts of each silence follow each other, and are all of it", (name) => {
    for (const { startMs, endMs, parts } of explained(goldenCall(name))) {
      expect(parts[0]?.startMs).toBe(startMs);
      expect(parts.at(-1)?.endMs).toBe(endMs);
      for (const [at, part] of parts.entries()) {
        expect(part.endMs).toBeGreaterThan(part.startMs);
        expect(part.text).toMatch(/^[A-Z].*\.$/s);
        if (at > 0) expect(part.startMs).toBe(parts[at - 1]?.endMs);
      }
    }
  });

  test("a tool that runs long, and the LLM before and after it", () => {
    const call = goldenCall("carrier_a/slow-tool");
    expect(partsFrom(call, 3_725)).toEqual([
      [
        "end-of-turn",
        3_725,
        4_242,
        "The agent answered 517 ms after the caller's last sound: its pause after such words.",
      ],
      ["llm", 4_242, 4_272, "The LLM called a tool after 30 ms."],
      ["tool", 4_272, 5_782, "The tool find_order ran for 4.0 s. It failed."],
    ]);
    expect(partsFrom(call, 6_842)?.map(([cause]) => cause)).toEqual(["tool", "llm", "first-segment"]);
  });

  test("providers that fail, one after the other", () => {
    const silences = explained(goldenCall("carrier_a/llm-failover"));
    const parts = silences.find(({ startMs }) => startMs === 3_725)?.parts.filter(({ cause }) => cause === "failover");
    expect(parts?.map(({ text }) => text)).toEqual([
      "The LLM provider llm-1 refused the request after 50 ms. The call went on with llm-2.",
      "The LLM provider llm-2 sent nothing in time after 3.0 s. The call went on with llm-3.",
    ]);
  });

  test("a caller who says nothing until the agent asks", () => {
    expect(partsFrom(goldenCall("carrier_a/inactivity"), 365)).toEqual([
      [
        "caller-silent",
        365,
        6_402,
        "The agent listened, and the caller said nothing for 6.0 s. Then the agent asked whether the caller is there: the inactivity timeout (inactivityTimeout) is 6 s.",
      ],
    ]);
  });

  test("a TTS that does not keep up", () => {
    const { facts, events } = goldenCall("carrier_a/tts-slow");
    const late = events.map((event) => (event.atMs >= 545 ? { ...event, atMs: event.atMs + 500 } : event));
    expect(partsFrom({ facts, events: late }, 485)).toEqual([
      ["tts", 485, 1_045, "The TTS did not keep up: all of its audio was played, and more came 560 ms later."],
    ]);
  });

  test("the wait for the end of the turn, with its decision, and words that came later than it", () => {
    const events: CallEvent[] = [
      { atMs: 0, source: "event", kind: "leg-started", codec: "mulaw" },
      { atMs: 1_040, source: "event", kind: "speech-started", startMs: 1_000 },
      { atMs: 2_300, source: "event", kind: "speech-ended", endMs: 2_000 },
      { atMs: 2_900, source: "event", kind: "stt-final", text: "and then", lateMs: 120 },
      {
        atMs: 2_905,
        source: "command",
        kind: "turn-ended",
        pauseMs: 905,
        waitMs: 480,
        probability: 0.52,
        reasons: ["trails off", "waited for words"],
        summary: "",
      },
      { atMs: 2_905, source: "command", kind: "generate-reply", turnId: 1, messages: 2, language: "en" },
      { atMs: 3_200, source: "event", kind: "reply-text", turnId: 1, text: "Yes?" },
      { atMs: 3_200, source: "command", kind: "speak", turnId: 1, segment: 0, text: "Yes?" },
      { atMs: 3_300, source: "event", kind: "segment-audio", turnId: 1, segment: 0, samples: 0, words: [] },
      { atMs: 3_300, source: "event", kind: "playout-started", turnId: 1 },
      { atMs: 3_310, source: "event", kind: "segment-end", turnId: 1, segment: 0, samples: 4_000 },
      { atMs: 3_800, source: "event", kind: "playout-ended", turnId: 1, sentMs: 500 },
    ];
    expect(partsFrom({ facts: FACTS, events }, 2_000)).toEqual([
      [
        "end-of-turn",
        2_000,
        2_480,
        "The caller paused, and the agent waited 480 ms (waitMs) to be sure that the turn was over. That is the wait where an end is 52\u00A0% probable. What weighed most: trails off.",
      ],
      [
        "stt",
        2_480,
        2_905,
        "The wait was over, but the words of the speech were not there. The agent answered 905 ms after the caller's last sound. The final transcript of the STT came 900 ms after that sound, 120 ms after its deadline.",
      ],
      ["llm", 2_905, 3_200, "The LLM took 295 ms to its first text."],
      ["tts", 3_200, 3_300, "The TTS took 100 ms to the first audio of a sentence."],
    ]);
  });

  test("a stretch without audio of the caller is said where nothing else explains the silence", () => {
    const events: CallEvent[] = [
      { atMs: 0, source: "event", kind: "leg-started", codec: "mulaw" },
      { atMs: 6_000, source: "event", kind: "audio-gap", gapMs: 3_000, lostMs: 2_980 },
      { atMs: 10_000, source: "command", kind: "end", reason: "caller_hangup" },
    ];
    expect(partsFrom({ facts: FACTS, events }, 0)).toEqual([
      ["caller-silent", 0, 3_000, "The caller speaks first in this call (firstSpeaker), and said nothing for 3.0 s."],
      [
        "network",
        3_000,
        6_000,
        "No audio of the caller arrived for 3.0 s. 3.0 s of it never came: it was lost, or the client sent none.",
      ],
      [
        "caller-silent",
        6_000,
        10_000,
        "The caller speaks first in this call (firstSpeaker), and said nothing for 4.0 s. Then the call ended: caller hangup.",
      ],
    ]);
  });

  test("a hold, which comes before all else that happens meanwhile", () => {
    const events: CallEvent[] = [
      { atMs: 0, source: "event", kind: "leg-started", codec: "mulaw" },
      { atMs: 1_000, source: "command", kind: "held", msMax: 60_000 },
      { atMs: 1_000, source: "event", kind: "playout-started", turnId: 0 },
      { atMs: 5_000, source: "event", kind: "audio-gap", gapMs: 1_000, lostMs: 0 },
      { atMs: 8_000, source: "command", kind: "resumed", reason: "requested", heldMs: 7_000 },
      { atMs: 8_000, source: "event", kind: "playout-ended", turnId: 0, sentMs: 7_000 },
      { atMs: 10_000, source: "command", kind: "end", reason: "caller_hangup" },
    ];
    expect(partsFrom({ facts: FACTS, events }, 0)?.[1]).toEqual([
      "hold",
      1_000,
      8_000,
      "The caller was on hold for 7.0 s. The API ended the hold.",
    ]);
  });
});
