import { describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../../../src/call/parameters.ts";
import { millisecondsOf } from "../../../../src/core/clocks.ts";
import { FRAME_MS } from "../../../../src/core/limits/streams/media.ts";
import { Ticker } from "../../../../src/gateway/event-loop/ticker.ts";
import { type LegOptions, leg } from "../../../callers/leg.ts";
import { cough, LINE_NOISE } from "../../../sim/plan/words.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { ScriptedLlm, textReply } from "../../../support/providers/scripted-llm.ts";
import { ScriptedStt } from "../../../support/providers/scripted-stt.ts";
import { ScriptedTts } from "../../../support/providers/scripted-tts.ts";
import { Random } from "../../../support/random.ts";

const TIMEOUT_MS = 10_000;
/**
 * Between two ticks, plus the whole milliseconds of the log. No mark is returned here, so the agent's last word counts
 * as heard after the grace period.
 */
const LATE_MS_MAX = FRAME_MS + 3 + DEFAULT_TURN_PARAMETERS.markGraceMs;

/** The audio of the telephone's frame `n`; undefined is a carrier that sends nothing. */
type Line = (n: number) => Uint8Array | undefined;

const SILENCE = new Uint8Array(160).fill(0xff);
const silence: Line = () => SILENCE;
const nothing: Line = () => undefined;
const comfortNoise: Line = (n) => LINE_NOISE[n % LINE_NOISE.length];

/**
 * Plays a call until it has ended; returns when that was, and when the agent's last sample was heard, ms of call time.
 */
async function play(line: Line, options: LegOptions & { clock?: ManualClock } = {}) {
  const clock = options.clock ?? new ManualClock();
  const call = leg({
    ...options,
    shared: { clock, ticker: new Ticker(clock) },
    spec: { inactivityTimeoutMs: TIMEOUT_MS, inactivityAction: "hang_up", maxDurationMs: 120_000, ...options.spec },
  });
  let heardMs = 0;
  const send = call.socket.send.bind(call.socket);
  call.socket.send = (message) => {
    // The caller hears the end of a sent frame once everything before it was heard.
    if (typeof message !== "string") heardMs = Math.max(heardMs, millisecondsOf(clock.nowMs())) + FRAME_MS;
    return send(message);
  };
  call.start();
  for (let n = 0; call.socket.ended === undefined; n += 1) {
    await clock.play(FRAME_MS);
    const frame = line(n);
    if (frame !== undefined) call.media(Buffer.from(frame).toString("base64"));
  }
  return { reason: call.socket.ended.reason, endMs: millisecondsOf(clock.nowMs()), heardMs };
}

/** The call ended for inactivity, as long after the last activity as it should. */
function expectInactive(call: { reason: string; endMs: number }, sinceMs: number): void {
  expect(call.reason).toBe("inactivity");
  expect(call.endMs - sinceMs).toBeGreaterThanOrEqual(TIMEOUT_MS);
  expect(call.endMs - sinceMs).toBeLessThanOrEqual(TIMEOUT_MS + LATE_MS_MAX);
}

describe("C17: inactivity ends the call at its time after the last activity and not before", () => {
  test.each([
    ["silence", silence],
    ["a carrier that sends nothing in silence", nothing],
    ["comfort noise", comfortNoise],
  ])("%s is no activity", async (_, line) => {
    const call = await play(line);
    expect(call.heardMs).toBeGreaterThan(500);
    expectInactive(call, call.heardMs);
  });

  test("sound without words is no activity: music on hold delays the end by less than two seconds", async () => {
    const music = cough(new Random(1)).frames;
    const call = await play((n) => music[n % music.length]);
    const undisturbed = await play(silence);
    expect(call.reason).toBe("inactivity");
    expect(call.endMs).toBeGreaterThanOrEqual(undisturbed.endMs);
    expect(call.endMs).toBeLessThanOrEqual(undisturbed.endMs + 2_000);
  });

  test("the agent's own speech is activity: a call never becomes inactive for a caller who listens", async () => {
    const greeting = Array(40).fill("bread and rolls and cakes").join(" ");
    const call = await play(silence, { spec: { greeting } });
    expect(call.heardMs).toBeGreaterThan(2 * TIMEOUT_MS);
    expectInactive(call, call.heardMs);
  });

  test("an LLM that thinks is no activity, however long: what counts is what the caller hears of it", async () => {
    const clock = new ManualClock();
    const stt = new ScriptedStt(clock, [{ atMs: 5_000, event: { kind: "final", text: "are you open" } }]);
    const llm = new ScriptedLlm(clock, [textReply("We are.", { firstMs: 3 * TIMEOUT_MS })]);
    const call = await play(silence, { clock, stt, llm });
    // Fillers, and an apology.
    expect(call.heardMs).toBeGreaterThan(5_500 + DEFAULT_TURN_PARAMETERS.llmSilenceMs);
    expectInactive(call, call.heardMs);
  });

  test("a TTS that takes too long ends the call before inactivity does, and later audio is not sent", async () => {
    const clock = new ManualClock();
    const tts = new ScriptedTts(clock, { firstMs: 2 * TIMEOUT_MS });
    const call = await play(silence, { clock, tts });
    expect(call.heardMs).toBe(0);
    expect(call.reason).toBe("provider_error");
    expect(call.endMs).toBeLessThanOrEqual(DEFAULT_TURN_PARAMETERS.ttsSilenceMs + FRAME_MS + 3);
  });
});
