import { describe, expect, test } from "vitest";
import { asTurnId } from "../../src/core/ids.ts";
import { GOODBYE_MS_MAX } from "../../src/core/limits/calls/calls.ts";
import { VirtualCall, type VirtualCallOptions, WORD_MS } from "../support/calls/virtual-call.ts";

const GOODBYE = "We have to end this call now. Goodbye.";
const LONG = "Bread is baked at five and rolls at six and cakes at seven and pies at eight every day.";
/** How long the goodbye takes, and the time within which the call must end after it. */
const SPOKEN_MS = GOODBYE.split(" ").length * WORD_MS;
const MARGIN_MS = 500;

/** A started call that is to end with a goodbye at `atMs`. */
function leaving(atMs: number, options: VirtualCallOptions = {}): VirtualCall {
  const call = new VirtualCall(options);
  call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  call.at(atMs, () => call.handle({ kind: "goodbye-requested", reason: "drain_timeout" }));
  return call;
}

const said = (call: VirtualCall): [string, boolean][] => call.turns.map(({ text, interrupted }) => [text, interrupted]);

describe("K8: a call that we end with a goodbye", () => {
  test("is spoken when the agent is silent, and the call ends when its last word has been heard", () => {
    const call = leaving(5_000);
    call.run(20_000);
    expect(call.endReason).toBe("drain_timeout");
    expect(call.turns.at(-1)).toMatchObject({ role: "agent", text: GOODBYE, interrupted: false });
    expect(call.heardWords.join(" ")).toMatch(new RegExp(`${GOODBYE}$`));
    expect(call.endMs).toBeGreaterThanOrEqual(5_000 + SPOKEN_MS);
    expect(call.endMs).toBeLessThan(5_000 + SPOKEN_MS + MARGIN_MS);
  });

  test("replaces the current reply, of which the record has what was heard", () => {
    const call = leaving(5_000, { answer: () => ({ text: LONG }) });
    call.says(2_500, "all");
    call.run(20_000);
    const [, , cancelled, goodbye] = call.turns;
    expect(cancelled).toMatchObject({ role: "agent", interrupted: true });
    expect(LONG.startsWith(cancelled?.text ?? "-")).toBe(true);
    expect(goodbye).toMatchObject({ text: GOODBYE, interrupted: false });
    expect(call.endReason).toBe("drain_timeout");
  });

  test("also replaces a greeting that is not interruptible, and a paused reply", () => {
    const greeting = leaving(500, { spec: { interruptible: false } });
    const paused = leaving(5_400, { answer: () => ({ text: LONG }) });
    paused.says(2_500, "all");
    paused.coughs(5_000, 1_500);
    for (const call of [greeting, paused]) {
      call.run(20_000);
      expect(said(call).at(-1)).toEqual([GOODBYE, false]);
      expect(call.endReason).toBe("drain_timeout");
    }
    expect(paused.ofKind("pause")).toHaveLength(1);
  });

  test("is not interrupted by words, speech, DTMF or typed text, and answers none of them; but the record has them", () => {
    for (const sttHasInterims of [true, false]) {
      const call = leaving(5_000, { sttHasInterims, answer: () => ({ text: LONG }) });
      call.says(5_300, "wait a moment");
      call.coughs(6_000, 1_600);
      call.presses(5_500, "12#");
      call.at(5_900, () => call.handle({ kind: "typed", text: "no" }));
      call.run(20_000);
      expect(said(call)).toContainEqual([GOODBYE, false]);
      expect([call.endReason, call.ofKind("generate-reply")]).toEqual(["drain_timeout", []]);
      // Keys and typed text may come in the midst of words.
      const { role, text } = call.turns.at(-1) ?? {};
      expect([role, text?.split(" ").sort()]).toEqual(["user", ["12", "DTMF:", "a", "moment", "no", "wait"]]);
    }
  });

  test("drops the reply that the LLM was generating, and the record has what it was to answer", () => {
    const call = leaving(4_200, { answer: () => ({ text: LONG, afterMs: 10_000 }) });
    call.says(2_500, "until when");
    call.run(20_000);
    expect(said(call).slice(1)).toEqual([
      ["until when", false],
      [GOODBYE, false],
    ]);
    expect(call.ofKind("generate-reply")).toHaveLength(1);
  });

  test("does not ask the LLM for what was said over a greeting that it has replaced", () => {
    const call = leaving(4_000, { spec: { greeting: LONG, interruptible: false }, answer: () => ({ text: LONG }) });
    call.says(500, "what time");
    call.run(20_000);
    expect(said(call).slice(1)).toEqual([
      ["what time", false],
      [GOODBYE, false],
    ]);
    expect(call.ofKind("generate-reply")).toEqual([]);
  });

  test("is in the language that the call has by then", () => {
    const call = leaving(9_000, { answer: () => ({ text: "Gern." }) });
    call.says(3_000, "sprechen Sie Deutsch bitte", "de");
    call.run(20_000);
    expect(call.turns.at(-1)?.text).toMatch(/Auf Wiederhören\.$/);
  });

  test("ends the call at once when no stream has started, and when the TTS fails", () => {
    const unbegun = new VirtualCall();
    unbegun.at(1_000, () => unbegun.handle({ kind: "goodbye-requested", reason: "drain_timeout" }));
    const mute = leaving(5_000, {
      greeting: "none",
      spec: { firstSpeaker: "user" },
      tts: { afterMs: Number.POSITIVE_INFINITY },
    });
    mute.at(5_100, () =>
      mute.handle({ kind: "segment-failed", turnId: asTurnId(1), segment: 0, code: "provider_failed" }),
    );
    for (const call of [unbegun, mute]) call.run(20_000);
    expect([unbegun.endReason, unbegun.endMs]).toEqual(["drain_timeout", 1_000]);
    expect([mute.endReason, mute.endMs]).toEqual(["drain_timeout", 5_100]);
  });

  test("ends the call at its deadline, though the TTS has sent an empty reply, or is not done", () => {
    for (const tts of [{ afterMs: Number.POSITIVE_INFINITY }, { wordMs: () => 1_000 }]) {
      const call = leaving(5_000, { greeting: "none", spec: { firstSpeaker: "user" }, tts });
      call.run(20_000);
      expect([call.endReason, call.endMs]).toEqual(["drain_timeout", 5_000 + GOODBYE_MS_MAX]);
    }
  });

  test("does not outlast another end: the caller hangs up, or the maximum duration is reached", () => {
    const left = leaving(5_000);
    left.at(5_500, () => left.handle({ kind: "leg-closed", reason: "caller_hangup" }));
    const capped = leaving(59_500, { spec: { maxDurationMs: 60_000 } });
    for (const call of [left, capped]) call.run(70_000);
    expect([left.endReason, left.endMs]).toEqual(["caller_hangup", 5_500]);
    expect([capped.endReason, capped.endMs]).toEqual(["max_duration", 60_000]);
  });

  test("is said once, however often it is requested, and is not interrupted by inactivity", () => {
    const spec = { inactivityTimeoutMs: 10_000, inactivityAction: "hang_up", firstSpeaker: "user" } as const;
    const call = leaving(9_500, { spec, tts: { afterMs: 1_000 } });
    for (const atMs of [9_600, 10_000, 11_000]) {
      call.at(atMs, () => call.handle({ kind: "goodbye-requested", reason: "drain_timeout" }));
    }
    call.run(20_000);
    const spoken = call.ofKind("speak").map(({ text }) => text);
    expect([spoken.join(" "), call.endReason]).toEqual([GOODBYE, "drain_timeout"]);
  });

  test("replaces an agent's own goodbye that was not heard to its end, and keeps its own reason", () => {
    const call = leaving(5_000, { answer: () => ({ text: LONG, hangUp: true }) });
    call.says(2_500, "bye then");
    call.run(20_000);
    expect(said(call).at(-1)).toEqual([GOODBYE, false]);
    expect(call.endReason).toBe("drain_timeout");
  });

  test("is said to the caller when the STT has failed, and the call ends for that reason", () => {
    const call = new VirtualCall({ greeting: "none", spec: { firstSpeaker: "user" } });
    call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
    call.at(5_000, () => call.handle({ kind: "stt-failed", code: "provider_failed" }));
    call.run(20_000);
    expect([call.endReason, said(call).at(-1)]).toEqual(["provider_error", [GOODBYE, false]]);
    expect(call.endMs).toBeLessThanOrEqual(5_000 + GOODBYE_MS_MAX);
    const mute = new VirtualCall({
      greeting: "none",
      spec: { firstSpeaker: "user" },
      tts: { afterMs: Number.POSITIVE_INFINITY },
    });
    mute.at(100, () => mute.handle({ kind: "leg-started", codec: "mulaw" }));
    mute.at(5_000, () => mute.handle({ kind: "stt-failed", code: "provider_failed" }));
    mute.run(20_000);
    expect([mute.endReason, mute.endMs]).toEqual(["provider_error", 5_000 + GOODBYE_MS_MAX]);
  });

  test("needs no STT", () => {
    const call = leaving(5_000);
    call.at(5_500, () => call.handle({ kind: "stt-failed", code: "provider_failed" }));
    call.run(20_000);
    expect([call.endReason, said(call).at(-1)]).toEqual(["drain_timeout", [GOODBYE, false]]);
  });
});
