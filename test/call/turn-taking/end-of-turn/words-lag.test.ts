import { describe, expect, test } from "vitest";
import { WordsLag } from "../../../../src/call/turn-taking/end-of-turn/words-lag.ts";

/** The estimate after pauses with these lags. */
function estimateAfter(...lagsMs: number[]): number {
  const lag = new WordsLag();
  for (const lagMs of lagsMs) {
    lag.changed(lagMs);
    lag.pauseEnded();
  }
  return lag.estimateMs;
}

describe("how late words come after speech", () => {
  test("is assumed until a pause has shown it", () => {
    expect(estimateAfter()).toBe(220);
    expect(estimateAfter(60)).toBe(80);
    expect(estimateAfter(380)).toBe(400);
  });

  test("is the longest of the last four pauses", () => {
    expect(estimateAfter(380, 100, 120, 90)).toBe(400);
    expect(estimateAfter(380, 100, 120, 90, 110)).toBe(140);
  });

  test("is longer as soon as the words of the current pause are later", () => {
    const lag = new WordsLag();
    lag.changed(100);
    expect(lag.estimateMs).toBe(220);
    lag.changed(300);
    expect(lag.estimateMs).toBe(320);
  });

  test("is not learned from a pause without words, nor from words of speech that was not detected", () => {
    const lag = new WordsLag();
    lag.pauseEnded();
    lag.changed(1_500);
    lag.pauseEnded();
    expect(lag.estimateMs).toBe(220);
  });
});
