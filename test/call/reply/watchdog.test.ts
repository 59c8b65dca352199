import { describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { ReplyWatchdog } from "../../../src/call/reply/watchdog.ts";
import { callMs } from "../../../src/core/clocks.ts";

const { fillerMs, toolFillerMs, llmSilenceMs, ttsSilenceMs } = DEFAULT_TURN_PARAMETERS;
const NEVER = Number.POSITIVE_INFINITY;
/** No segment yet; a segment that is not spoken yet; everything sent. */
const NOTHING = { unsent: false, hasSegments: false, playsUntilMs: callMs(0) };
const UNSENT = { unsent: true, hasSegments: true, playsUntilMs: callMs(0) };
const SENT = { unsent: false, hasSegments: true, playsUntilMs: callMs(0) };

const watchdogFrom = (nowMs: number) => new ReplyWatchdog(DEFAULT_TURN_PARAMETERS, callMs(nowMs));

describe("a reply without audio", () => {
  test("gets a filler, once, while its LLM is awaited", () => {
    const watchdog = watchdogFrom(1_000);
    expect(watchdog.deadlineMs(NOTHING)).toBe(NEVER);
    watchdog.llmActive(callMs(1_000));
    expect(watchdog.deadlineMs(NOTHING)).toBe(1_000 + fillerMs);
    expect(watchdog.timedOut(NOTHING, callMs(1_000 + fillerMs - 1))).toBeUndefined();
    expect(watchdog.timedOut(NOTHING, callMs(1_000 + fillerMs))).toBe("filler");
    watchdog.fillerStarted();
    expect(watchdog.deadlineMs(NOTHING)).toBe(1_000 + llmSilenceMs);
  });

  test("gets none when there is a segment, spoken or not", () => {
    const watchdog = watchdogFrom(0);
    watchdog.llmActive(callMs(0));
    expect(watchdog.timedOut(SENT, callMs(fillerMs))).toBeUndefined();
    expect(watchdog.timedOut(UNSENT, callMs(fillerMs))).toBeUndefined();
  });
});

describe("the LLM", () => {
  test("has timed out when it sends nothing for its limit, counted from its last event", () => {
    const watchdog = watchdogFrom(0);
    watchdog.llmActive(callMs(0));
    watchdog.llmActive(callMs(5_000));
    expect(watchdog.timedOut(SENT, callMs(5_000 + llmSilenceMs - 1))).toBeUndefined();
    expect(watchdog.timedOut(SENT, callMs(5_000 + llmSilenceMs))).toBe("llm");
  });

  test("is not awaited once it is done", () => {
    const watchdog = watchdogFrom(0);
    watchdog.llmActive(callMs(0));
    watchdog.llmDone();
    expect(watchdog.deadlineMs(SENT)).toBe(NEVER);
  });
});

describe("the TTS", () => {
  test("has timed out when it has a segment to speak and sends nothing for its limit", () => {
    const watchdog = watchdogFrom(0);
    watchdog.ttsActive(callMs(2_000));
    expect(watchdog.timedOut(UNSENT, callMs(2_000 + ttsSilenceMs - 1))).toBeUndefined();
    expect(watchdog.timedOut(UNSENT, callMs(2_000 + ttsSilenceMs))).toBe("tts");
    expect(watchdog.deadlineMs(SENT)).toBe(NEVER);
  });

  test("of a paused reply does not time out, however long the pause, and has its whole time after it", () => {
    const watchdog = watchdogFrom(0);
    watchdog.pause(true, callMs(1_000));
    expect(watchdog.deadlineMs(UNSENT)).toBe(NEVER);
    watchdog.pause(false, callMs(60_000));
    expect(watchdog.deadlineMs(UNSENT)).toBe(60_000 + ttsSilenceMs);
  });
});

describe("tools", () => {
  test("that run for their limit get a filler, counted from when nothing is audible any more", () => {
    const watchdog = watchdogFrom(0);
    watchdog.toolsStarted(callMs(1_000));
    expect(watchdog.deadlineMs(SENT)).toBe(1_000 + toolFillerMs);
    expect(watchdog.deadlineMs({ ...SENT, playsUntilMs: callMs(4_000) })).toBe(4_000 + toolFillerMs);
    expect(watchdog.deadlineMs(UNSENT)).toBe(ttsSilenceMs);
    expect(watchdog.timedOut(SENT, callMs(1_000 + toolFillerMs))).toBe("filler");
    watchdog.toolsDone();
    expect(watchdog.deadlineMs(SENT)).toBe(NEVER);
  });
});
