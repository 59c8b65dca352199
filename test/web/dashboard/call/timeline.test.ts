import { describe, expect, test } from "vitest";
import { splitHeard } from "../../../../web/dashboard/pages/call/model/lanes.ts";
import { timelineOf } from "../../../../web/dashboard/pages/call/model/timeline.ts";
import { waterfallOf } from "../../../../web/dashboard/pages/call/model/waterfall.ts";
import { goldenNames } from "../../../support/golden/journals.ts";
import { goldenCall } from "./golden.ts";

const timeline = (name: string) => {
  const { facts, events } = goldenCall(name);
  return timelineOf(facts, events);
};

describe("the time line of a call", () => {
  test("has the speech of both sides, and what they said", () => {
    const { callerSpeech, agentSound, turns, durationMs } = timeline("websocket/interruption");
    expect(callerSpeech).toEqual([
      { startMs: 2_425, endMs: 3_705, isOpen: false },
      { startMs: 6_525, endMs: 7_825, isOpen: false },
    ]);
    expect(agentSound).toEqual([
      { turnId: 1, startMs: 0, endMs: 1_400 },
      { turnId: 2, startMs: 4_432, endMs: 6_692 },
      { turnId: 3, startMs: 8_522, endMs: 9_682 },
    ]);
    expect(turns.map(({ text }) => text)).toEqual([
      "Hello, this is the bakery.",
      "what do you sell",
      "We have rye bread, white bread, rolls, and",
      "wait I meant today",
      "We are open until six.",
    ]);
    expect(durationMs).toBe(12_005);
  });

  test("shows of an interrupted sentence what was generated, what of it was sent and what was heard", () => {
    const lanes = timeline("websocket/interruption").lanes.filter(({ turnId }) => turnId === 2);
    expect(lanes).toMatchObject([
      {
        heardPart: "all",
        heardText: "We have rye bread, white bread,",
        generated: { startMs: 4_432, endMs: 6_092 },
        sent: { startMs: 4_432, endMs: 6_092 },
        heard: { startMs: 4_432, endMs: 6_092 },
      },
      {
        heardPart: "part",
        heardText: "rolls, and",
        generated: { startMs: 6_092, endMs: 9_172 },
        sent: { startMs: 6_092, endMs: 6_692 },
        heard: { startMs: 6_092, endMs: 6_692 },
      },
    ]);
  });

  test("counts audio that the peer dropped at a clear as sent, and as not heard", () => {
    const { facts, events } = goldenCall("websocket/interruption");
    // The same call where the words came while audio was still on its way.
    const cut = events.map((event) =>
      event.kind === "playout-ended" && event.turnId === 2 ? { ...event, atMs: 6_500 } : event,
    );
    const [, second] = timelineOf(facts, cut).lanes.filter(({ turnId }) => turnId === 2);
    expect(second).toMatchObject({ sentMs: 600, heardMs: 408, sent: { endMs: 6_692 }, heard: { endMs: 6_500 } });
  });

  test("joins a reply to what the caller said, and to what was heard of it", () => {
    const [, second] = timeline("carrier_a/slow-tool").replies;
    expect(second).toMatchObject({
      turnId: 2,
      callerTurn: { text: "where is my order" },
      agentTurn: { text: "One moment, please. I could not find it." },
      tools: [{ name: "find_order", startMs: 4_272, endMs: 8_272, failed: true }],
    });
  });

  test("gives a reply that begins after its words were known the right caller turn, not one before", () => {
    const { replies } = timeline("websocket/interruption");
    expect(replies.map(({ callerTurn }) => callerTurn?.text)).toEqual([
      undefined,
      "what do you sell",
      "wait I meant today",
    ]);
  });

  test.each(goldenNames())("%s: heard is never more than sent, nor sent more than generated", (name) => {
    const { lanes, replies } = timeline(name);
    for (const { heardMs, sentMs, generatedMs } of lanes) {
      expect(heardMs).toBeLessThanOrEqual(sentMs);
      // The TTS pads the last frame.
      expect(sentMs).toBeLessThanOrEqual(generatedMs + 20);
    }
    for (const reply of replies)
      for (const { fromMs, toMs } of waterfallOf(reply)?.steps ?? []) expect(toMs).toBeGreaterThanOrEqual(fromMs);
  });
});

describe("a waterfall", () => {
  test("has the steps of the record from the end of the speech to the first frame", () => {
    const [, second] = timeline("websocket/interruption").replies;
    const waterfall = second && waterfallOf(second);
    expect(waterfall).toMatchObject({ baseMs: 3_705, isAfterSpeech: true, totalMs: 727 });
    expect(waterfall?.steps.map(({ name, fromMs, toMs }) => [name, fromMs, toMs])).toEqual([
      ["end-of-turn", 0, 517],
      ["stt", 0, 145],
      ["llm", 517, 637],
      ["first-segment", 637, 727],
      ["tts", 727, 727],
      ["first-frame", 727, 727],
      ["heard", 727, 727],
    ]);
  });

  test("of a greeting begins with its synthesis", () => {
    const [first] = timeline("carrier_a/tts-slow").replies;
    expect(first && waterfallOf(first)).toMatchObject({
      isAfterSpeech: false,
      steps: [
        { name: "tts", fromMs: 0, toMs: 150 },
        { name: "first-frame", fromMs: 150, toMs: 280 },
        { name: "heard", fromMs: 280, toMs: 280 },
      ],
    });
  });
});

describe("the heard text of a reply among its sentences", () => {
  test("ends within one of them, whatever the spaces are", () => {
    expect(splitHeard(["We are open.", "Until six."], "We are open. Until")).toEqual(["We are open.", "Until"]);
    expect(splitHeard(["We are open.", "Until six."], "")).toEqual(["", ""]);
    expect(splitHeard(["今日は。", "六時まで。"], "今日は。六時")).toEqual(["今日は。", "六時"]);
  });

  test("leaves out a sentence that had no audio", () => {
    expect(splitHeard(["One.", "Two.", "Three."], "One. Three.")).toEqual(["One.", "", "Three."]);
  });
});
