import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { Reply } from "../../../src/call/reply/reply.ts";
import { callMs } from "../../../src/core/clocks.ts";
import { asTurnId } from "../../../src/core/ids.ts";
import { wordEnds } from "../../../src/core/text/words.ts";

const RATE_HZ = 8_000;
const WORD_SAMPLES = 2_400;

const newReply = (language = "en"): Reply =>
  new Reply({
    turnId: asTurnId(1),
    language,
    interruptible: true,
    endReason: undefined,
    rateHz: RATE_HZ,
    answered: undefined,
    parameters: DEFAULT_TURN_PARAMETERS,
    nowMs: callMs(0),
  });

/** A reply of one or two segments whose words take 300 ms each, with word times where `timed`. */
function spoken(texts: readonly string[], timed: boolean): Reply {
  const reply = newReply();
  for (const text of texts) reply.pushText(`${text} `, callMs(0));
  reply.endRound(callMs(0));
  reply.endText();
  for (const [segment, text] of texts.entries()) {
    const words = text.split(" ");
    const times = words.map((word, index) => ({ text: word, startMs: index * 300, endMs: (index + 1) * 300 }));
    reply.segmentAudio(segment, timed ? times : [], callMs(0));
    reply.segmentEnded(segment, words.length * WORD_SAMPLES);
  }
  return reply;
}

const SEGMENTS = ["Bread is baked at five every day.", "Rolls are baked at six every day."];

describe("the heard ledger of a reply", () => {
  test("a word is heard when its last sample is, and not before", () => {
    const reply = spoken(SEGMENTS, true);
    expect(reply.heardText(WORD_SAMPLES * 2 - 1)).toBe("Bread");
    expect(reply.heardText(WORD_SAMPLES * 2)).toBe("Bread is");
    expect(reply.heardText(WORD_SAMPLES * 7)).toBe(SEGMENTS[0]);
    expect(reply.heardText(WORD_SAMPLES * 9)).toBe(`${SEGMENTS[0]} Rolls are`);
    expect(reply.heardText(WORD_SAMPLES * 14)).toBe(SEGMENTS.join(" "));
  });

  test("the turn is approximate where it ends by an estimate: within a segment without word times, and nowhere else", () => {
    const turnAfter = (timed: boolean, heardWords: number) => {
      const reply = spoken(SEGMENTS, timed);
      reply.frameSent(WORD_SAMPLES * 14, callMs(0), callMs(0));
      const { text, interrupted, approximate } = reply.heardTurn((14 - heardWords) * 300, callMs(0));
      return [text, interrupted, approximate];
    };
    expect(turnAfter(false, 3)).toEqual(["Bread is baked", true, true]);
    expect(turnAfter(true, 3)).toEqual(["Bread is baked", true, undefined]);
    expect(turnAfter(false, 7)).toEqual([SEGMENTS[0], true, undefined]);
    expect(turnAfter(false, 14)).toEqual([SEGMENTS.join(" "), false, undefined]);
  });

  const CHINESE = "我们每天早上九点开门晚上六点关门欢迎光临本店谢谢";

  test.each([
    ["a TTS without word times", []],
    ["one that sends the whole run as a word", [{ text: CHINESE, startMs: 0, endMs: 10_000 }]],
  ])("F14-3: of 7.5 of 10 s in an unspaced script about three quarters were heard, from %s", (_, words) => {
    const reply = newReply("zh");
    reply.pushText(CHINESE, callMs(0));
    reply.endRound(callMs(0));
    reply.endText();
    reply.segmentAudio(0, words, callMs(0));
    reply.segmentEnded(0, 10 * RATE_HZ);
    reply.frameSent(10 * RATE_HZ, callMs(0), callMs(0));
    const { text, approximate, interrupted } = reply.heardTurn(2_500, callMs(0));
    expect([interrupted, approximate]).toEqual([true, true]);
    expect(CHINESE.startsWith(text)).toBe(true);
    expect(text.length / CHINESE.length).toBeGreaterThan(0.6);
    expect(text.length / CHINESE.length).toBeLessThanOrEqual(0.75);
    expect(wordEnds(CHINESE, "zh")).toContain(text.length);
    expect(reply.heardTurn(10_000, callMs(0)).text).toBe("");
    expect(reply.heardTurn(0, callMs(0))).toMatchObject({ text: CHINESE, interrupted: false });
  });

  test("F14-3: what was heard before an unspaced run of text, and how it was written, stays unchanged", () => {
    const reply = newReply("th");
    const text = "ขอของหวาน สองอัน please";
    reply.pushText(text, callMs(0));
    reply.endRound(callMs(0));
    reply.endText();
    const [first = "", second = ""] = text.split(" ");
    const words = [
      { text: first, startMs: 0, endMs: 900 },
      { text: second, startMs: 1_000, endMs: 1_600 },
      { text: "please", startMs: 1_700, endMs: 2_000 },
    ];
    reply.segmentAudio(0, words, callMs(0));
    reply.segmentEnded(0, 2 * RATE_HZ);
    reply.frameSent(2 * RATE_HZ, callMs(0), callMs(0));
    const heardAt = (ms: number) => reply.heardTurn(2_000 - ms, callMs(0));
    expect(heardAt(950)).toMatchObject({ text: "ขอของหวาน" });
    expect(heardAt(950)).not.toHaveProperty("approximate");
    expect(heardAt(1_390)).toMatchObject({ text: "ขอของหวาน สอง", approximate: true });
    expect(heardAt(1_650)).toMatchObject({ text: "ขอของหวาน สองอัน" });
  });

  test("F14-3: what an unfinished TTS has spoken of Chinese is estimated by the time that its letters take", () => {
    const reply = newReply("zh");
    reply.pushText(CHINESE, callMs(0));
    reply.endRound(callMs(0));
    reply.endText();
    reply.segmentAudio(0, [], callMs(0));
    reply.frameSent(3 * RATE_HZ, callMs(0), callMs(0));
    // Three seconds of fifteen Latin letters each are eleven of Han.
    const { length } = reply.heardTurn(0, callMs(0)).text;
    expect(length).toBeGreaterThanOrEqual(8);
    expect(length).toBeLessThanOrEqual(11);
  });

  test("F14-3: sentences of an unspaced script are joined without spaces in what was heard", () => {
    const reply = spoken(["我们每天早上九点开门。", "星期天我们休息。"], false);
    reply.frameSent(100 * RATE_HZ, callMs(0), callMs(0));
    expect(reply.heardText(100 * RATE_HZ)).toBe("我们每天早上九点开门。星期天我们休息。");
  });

  test("heard never exceeds sent, and never falls below what a mark confirmed", () => {
    const reply = spoken(SEGMENTS, true);
    reply.frameSent(WORD_SAMPLES * 8, callMs(0), callMs(0));
    expect(reply.heardSamples(0)).toBe(WORD_SAMPLES * 8);
    expect(reply.heardSamples(300)).toBe(WORD_SAMPLES * 7);
    expect(reply.heardSamples(60_000)).toBe(0);
    reply.segmentPlayed(0);
    expect(reply.heardSamples(60_000)).toBe(WORD_SAMPLES * 7);
  });

  test("segments are marked once each, when their last sample was sent", () => {
    const reply = spoken(SEGMENTS, true);
    reply.frameSent(WORD_SAMPLES * 7 - 1, callMs(0), callMs(0));
    expect(reply.takeSegmentToMark()).toBeUndefined();
    reply.frameSent(1, callMs(0), callMs(0));
    expect(reply.takeSegmentToMark()).toBe(0);
    expect(reply.takeSegmentToMark()).toBeUndefined();
    reply.frameSent(WORD_SAMPLES * 7, callMs(0), callMs(0));
    expect(reply.takeSegmentToMark()).toBe(1);
    expect(reply.allSent).toBe(true);
    expect(reply.allPlayed).toBe(false);
    reply.segmentPlayed(1);
    expect(reply.allPlayed).toBe(true);
  });

  test("what was heard is always a beginning of the text that ends at a word, with and without word times", () => {
    fc.assert(
      fc.property(fc.nat(WORD_SAMPLES * 16), fc.boolean(), (heardSamples, timed) => {
        const reply = spoken(SEGMENTS, timed);
        const heard = reply.heardText(heardSamples);
        expect(`${SEGMENTS.join(" ")} `.startsWith(heard === "" ? "" : `${heard} `)).toBe(true);
        if (timed)
          expect(heard.split(" ").filter(Boolean).length).toBe(Math.min(14, Math.floor(heardSamples / WORD_SAMPLES)));
      }),
    );
  });

  test("nothing of a segment is heard before its synthesis has started, though all before it was", () => {
    const reply = newReply();
    reply.pushText("Bread is baked at five every day. ", callMs(0));
    reply.segmentAudio(0, [], callMs(0));
    reply.pushText("Rolls are baked at six every day. ", callMs(0));
    reply.frameSent(WORD_SAMPLES * 7, callMs(0), callMs(0));
    expect(reply.heardText(WORD_SAMPLES * 7)).not.toContain("Rolls");
    reply.segmentEnded(0, WORD_SAMPLES * 7);
    reply.pushText("Cakes are baked at seven every day. ", callMs(0));
    expect(reply.heardText(WORD_SAMPLES * 7)).toBe("Bread is baked at five every day.");
  });

  test("a segment for which the TTS made no audio was not heard, though the segments around it were", () => {
    const reply = newReply();
    const segments = [
      "Bread is baked at five every day.",
      "Rolls are baked at six every day.",
      "Cakes come at seven every day.",
    ];
    for (const text of segments) reply.pushText(`${text} `, callMs(0));
    reply.endRound(callMs(0));
    reply.endText();
    for (const [segment, samples] of [WORD_SAMPLES, 0, WORD_SAMPLES].entries()) reply.segmentEnded(segment, samples);
    reply.frameSent(2 * WORD_SAMPLES, callMs(0), callMs(0));
    expect(reply.heardTurn(0, callMs(600))).toMatchObject({
      text: `${segments[0]} ${segments[2]}`,
      interrupted: false,
    });
  });

  test("speech is assumed to be even while a TTS without word times is still synthesizing", () => {
    const reply = newReply();
    reply.pushText("Bread is baked at five every day. ", callMs(0));
    reply.endRound(callMs(0));
    reply.endText();
    reply.segmentAudio(0, [], callMs(0));
    expect(reply.heardText(RATE_HZ)).toBe("Bread is baked");
  });
});
