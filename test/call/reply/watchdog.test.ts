import { describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { ReplyWatchdog } from "../../../src/call/reply/watchdog.ts";

const { fillerMs, toolFillerMs, llmSilenceMs: modelSilenceMs, ttsSilenceMs: voiceSilenceMs } = DEFAULT_TURN_PARAMETERS;
const NEVER = Number.POSITIVE_INFINITY;
/** Nothing has been made of the reply yet; a piece waits to be spoken; all there is has been sent. */
const NOTHING = { unsent: false, hasSegments: false, playsUntilMs: 0 };
const UNSENT = { unsent: true, hasSegments: true, playsUntilMs: 0 };
const SENT = { unsent: false, hasSegments: true, playsUntilMs: 0 };

const watchFrom = (nowMs: number) => new ReplyWatchdog(DEFAULT_TURN_PARAMETERS, nowMs);

describe("a reply of which nothing is there", () => {
  test("wants words of patience, once, while its model is waited for", () => {
    const watch = watchFrom(1_000);
    expect(watch.deadlineMs(NOTHING)).toBe(NEVER);
    watch.llmActive(1_000);
    expect(watch.deadlineMs(NOTHING)).toBe(1_000 + fillerMs);
    expect(watch.timedOut(NOTHING, 1_000 + fillerMs - 1)).toBeUndefined();
    expect(watch.timedOut(NOTHING, 1_000 + fillerMs)).toBe("filler");
    watch.fillerStarted();
    expect(watch.deadlineMs(NOTHING)).toBe(1_000 + modelSilenceMs);
  });

  test("wants none when there is a piece, spoken or not", () => {
    const watch = watchFrom(0);
    watch.llmActive(0);
    expect(watch.timedOut(SENT, fillerMs)).toBeUndefined();
    expect(watch.timedOut(UNSENT, fillerMs)).toBeUndefined();
  });
});

describe("a model", () => {
  test("has failed when it tells nothing for so long, counted from what it told last", () => {
    const watch = watchFrom(0);
    watch.llmActive(0);
    watch.llmActive(5_000);
    expect(watch.timedOut(SENT, 5_000 + modelSilenceMs - 1)).toBeUndefined();
    expect(watch.timedOut(SENT, 5_000 + modelSilenceMs)).toBe("model");
  });

  test("that is done is not waited for", () => {
    const watch = watchFrom(0);
    watch.llmActive(0);
    watch.llmDone();
    expect(watch.deadlineMs(SENT)).toBe(NEVER);
  });
});

describe("a voice", () => {
  test("has failed when it has something to speak and nothing comes for so long", () => {
    const watch = watchFrom(0);
    watch.ttsActive(2_000);
    expect(watch.timedOut(UNSENT, 2_000 + voiceSilenceMs - 1)).toBeUndefined();
    expect(watch.timedOut(UNSENT, 2_000 + voiceSilenceMs)).toBe("voice");
    expect(watch.deadlineMs(SENT)).toBe(NEVER);
  });

  test("of a paused reply has not, however long the pause, and has its whole time after it", () => {
    const watch = watchFrom(0);
    watch.pause(true, 1_000);
    expect(watch.deadlineMs(UNSENT)).toBe(NEVER);
    watch.pause(false, 60_000);
    expect(watch.deadlineMs(UNSENT)).toBe(60_000 + voiceSilenceMs);
  });
});

describe("tools", () => {
  test("that run for so long are excused, counted from when nothing is to be heard any more", () => {
    const watch = watchFrom(0);
    watch.toolsStarted(1_000);
    expect(watch.deadlineMs(SENT)).toBe(1_000 + toolFillerMs);
    expect(watch.deadlineMs({ ...SENT, playsUntilMs: 4_000 })).toBe(4_000 + toolFillerMs);
    expect(watch.deadlineMs(UNSENT)).toBe(voiceSilenceMs);
    expect(watch.timedOut(SENT, 1_000 + toolFillerMs)).toBe("filler");
    watch.toolsDone();
    expect(watch.deadlineMs(SENT)).toBe(NEVER);
  });
});
