import { describe, expect, test } from "vitest";
import type { CallEvent } from "../../src/call/events.ts";
import { RecordingPauses } from "../../src/call/recording-pause.ts";
import { callMs } from "../../src/core/clocks.ts";
import { STT_FINAL_MS_MAX, STT_WORDS_MS_MAX } from "../../src/core/limits/streams/caller-audio.ts";
import { VirtualCall, type VirtualCallOptions } from "../support/calls/virtual-call.ts";

const PAUSE: CallEvent = { kind: "recording-pause-requested" };
const RESUME: CallEvent = { kind: "recording-resume-requested" };
/** By then the greeting has been heard, and neither side speaks. */
const QUIET_MS = 4_000;

/** The agent has answered long before no more words can come. */
const SHORT: VirtualCallOptions = { answer: () => ({ text: "Yes." }) };

function paused(events: Readonly<Record<number, CallEvent>>, options: VirtualCallOptions = {}): VirtualCall {
  const call = new VirtualCall({ answer: (said) => ({ text: `You said ${said}.` }), ...options });
  call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  for (const [atMs, event] of Object.entries(events)) call.at(Number(atMs), () => call.handle(event));
  return call;
}

const timesOf = (call: VirtualCall, kind: string): number[] =>
  call.commands.flatMap(({ atMs, command }) => (command.kind === kind ? [atMs] : []));

describe("a pause of the recording", () => {
  test("begins at once and lasts until it is resumed, however long", () => {
    const call = paused({ [QUIET_MS]: PAUSE });
    call.run(20_000);
    expect(timesOf(call, "recording-paused")).toEqual([QUIET_MS]);
    expect(timesOf(call, "recording-resumed")).toEqual([]);
    expect(call.call.isRecordingPaused).toBe(true);
  });

  test("ends at once where neither side speaks", () => {
    const call = paused({ [QUIET_MS]: PAUSE, 6000: RESUME });
    call.run(8_000);
    expect(call.ofKind("recording-resumed")).toEqual([{ kind: "recording-resumed", pausedMs: 2_000 }]);
    expect(call.call.isRecordingPaused).toBe(false);
  });

  test("goes on, once resumed, until what was said in it has been answered", () => {
    const call = paused({ [QUIET_MS]: PAUSE, 6500: RESUME });
    call.says(5_500, "four one one one");
    call.run(20_000);
    const answer = call.turns.findLast(({ role }) => role === "agent");
    expect(answer?.text).toContain("four one one one");
    const [resumedMs = 0] = timesOf(call, "recording-resumed");
    expect(resumedMs).toBeGreaterThanOrEqual(Number(answer?.endMs));
  });

  test("goes on, once resumed, until an entry of digits that began in it is complete", () => {
    const call = paused({ [QUIET_MS]: PAUSE, 6000: { kind: "dtmf", digit: "4" }, 6500: RESUME });
    call.at(7_000, () => call.handle({ kind: "dtmf", digit: "1" }));
    call.run(20_000);
    const typed = call.commands.find(({ command }) => command.kind === "turn" && command.turn.text.includes("41"));
    const [resumedMs = 0] = timesOf(call, "recording-resumed");
    expect(typed).toBeDefined();
    expect(resumedMs).toBeGreaterThanOrEqual(Number(typed?.atMs));
  });

  test("goes on where it is paused again before it is over", () => {
    const call = paused({ [QUIET_MS]: PAUSE, 5800: RESUME, 5900: PAUSE });
    call.says(5_500, "one two three");
    call.run(20_000);
    expect(timesOf(call, "recording-paused")).toEqual([QUIET_MS]);
    expect(timesOf(call, "recording-resumed")).toEqual([]);
  });

  test("changes nothing of the conversation", () => {
    const script = (call: VirtualCall): string[] => {
      call.says(5_500, "what time is it");
      call.run(20_000);
      return call.turns.map(({ text }) => text);
    };
    expect(script(paused({ [QUIET_MS]: PAUSE, 9000: RESUME }))).toEqual(script(paused({})));
  });

  test("is refused with what is in the way", () => {
    const call = paused({});
    expect(call.call.recordingRefusal({ kind: "pause-recording" })).toBe("not_live");
    call.run(QUIET_MS);
    expect(call.call.recordingRefusal({ kind: "pause-recording" })).toBeUndefined();
    expect(call.call.recordingRefusal({ kind: "resume-recording" })).toBe("recording_not_paused");
    call.handle(PAUSE);
    expect(call.call.recordingRefusal({ kind: "pause-recording" })).toBe("recording_paused");
    const unrecorded = paused({}, { spec: { recordingEnabled: false, transcriptEnabled: false } });
    unrecorded.run(QUIET_MS);
    expect(unrecorded.call.recordingRefusal({ kind: "pause-recording" })).toBe("not_recorded");
  });

  test("goes on, once resumed, for as long as words of what was said in it may come, and until they are answered", () => {
    const call = paused({ [QUIET_MS]: PAUSE, 6000: RESUME, 7500: { kind: "stt-final", text: "four one" } }, SHORT);
    call.says(5_000, "card");
    call.run(20_000);
    const [first, second] = call.turns.filter(({ role, startMs }) => role === "agent" && startMs > callMs(QUIET_MS));
    expect(first?.endMs).toBeLessThan(7_500);
    const [resumedMs = 0] = timesOf(call, "recording-resumed");
    expect(second?.endMs).toBeLessThanOrEqual(resumedMs);
  });

  test("ends by itself when no more words come, also where the carrier sends no frames", () => {
    const call = paused({ [QUIET_MS]: PAUSE, 6000: RESUME }, { ...SHORT, isMuted: (nowMs) => nowMs > 5_600 });
    call.says(5_000, "card");
    call.run(20_000);
    const [resumedMs = 0] = timesOf(call, "recording-resumed");
    expect(resumedMs).toBeGreaterThanOrEqual(5_280 + STT_WORDS_MS_MAX);
    expect(resumedMs).toBeLessThanOrEqual(5_320 + STT_WORDS_MS_MAX);
  });

  test("is not ended by a second request to resume, and measures itself from the first pause", () => {
    const pauses = new RecordingPauses(false);
    expect(pauses.pause(callMs(1_000))).toBe(true);
    pauses.resume(false);
    expect(pauses.pause(callMs(2_000))).toBe(false);
    expect(pauses.silent(callMs(3_000))).toBeUndefined();
    pauses.resume(false);
    expect(pauses.silent(callMs(4_000))).toBe(3_000);
    expect(pauses.silent(callMs(5_000))).toBeUndefined();
  });

  describe("in which the caller spoke", () => {
    const spoken = (hasFinalForEach: boolean): RecordingPauses => {
      const pauses = new RecordingPauses(hasFinalForEach);
      pauses.utteranceEnded(callMs(900));
      pauses.pause(callMs(1_000));
      pauses.utteranceEnded(callMs(2_000));
      pauses.utteranceEnded(callMs(3_000));
      pauses.resume(false);
      return pauses;
    };

    test("awaits its words for STT_WORDS_MS_MAX, whatever finals come meanwhile", () => {
      const pauses = spoken(false);
      pauses.final();
      expect(pauses.awaitsWords(callMs(3_100))).toBe(true);
      expect(pauses.deadlineMs).toBe(3_000 + STT_WORDS_MS_MAX);
      expect(pauses.awaitsWords(pauses.deadlineMs)).toBe(false);
      expect(pauses.deadlineMs).toBe(Number.POSITIVE_INFINITY);
    });

    test("awaits the final of each utterance from an STT that sends one for each, for STT_FINAL_MS_MAX", () => {
      const pauses = spoken(true);
      for (let finals = 0; finals < 3; finals += 1) {
        expect(pauses.awaitsWords(callMs(9_000))).toBe(true);
        pauses.final();
      }
      expect(pauses.awaitsWords(callMs(9_000))).toBe(false);
      const unanswered = spoken(true);
      expect(unanswered.awaitsWords(callMs(3_000 + STT_FINAL_MS_MAX - 1))).toBe(true);
      expect(unanswered.awaitsWords(callMs(3_000 + STT_FINAL_MS_MAX))).toBe(false);
    });

    test("awaits nothing of what was said before it", () => {
      const pauses = new RecordingPauses(true);
      pauses.utteranceEnded(callMs(900));
      pauses.pause(callMs(1_000));
      pauses.resume(false);
      expect(pauses.awaitsWords(callMs(1_100))).toBe(false);
    });

    test("ends although an earlier utterance never gets its final and the caller goes on speaking", () => {
      const pauses = spoken(true);
      for (let atMs = 8_000; atMs < 3_000 + STT_FINAL_MS_MAX; atMs += 5_000) {
        pauses.utteranceEnded(callMs(atMs));
        pauses.final();
        pauses.utteranceEnded(callMs(atMs + 100));
        expect(pauses.awaitsWords(callMs(atMs + 200))).toBe(true);
        expect(pauses.deadlineMs).toBe(3_000 + STT_FINAL_MS_MAX);
      }
      expect(pauses.awaitsWords(callMs(3_000 + STT_FINAL_MS_MAX))).toBe(false);
    });

    test("awaits the words of the utterance that was under way when it was resumed, and of none after that", () => {
      const pauses = new RecordingPauses(false);
      pauses.pause(callMs(1_000));
      pauses.resume(true);
      pauses.resume(false);
      pauses.utteranceEnded(callMs(2_000));
      pauses.utteranceEnded(callMs(4_000));
      expect(pauses.awaitsWords(callMs(4_100))).toBe(true);
      expect(pauses.deadlineMs).toBe(2_000 + STT_WORDS_MS_MAX);
    });

    test("awaits them still where it was paused and resumed again meanwhile", () => {
      const pauses = spoken(true);
      pauses.pause(callMs(3_500));
      pauses.resume(false);
      expect(pauses.awaitsWords(callMs(4_000))).toBe(true);
    });
  });
});
