import { describe, expect, test } from "vitest";
import { callMs } from "../../../src/core/clocks.ts";
import { LEG_START_MS_MAX } from "../../../src/core/limits/streams/connections.ts";
import { VirtualTranscription } from "../../support/calls/virtual-transcription.ts";

const FINALIZE = { kind: "finalize-requested" } as const;
const FINISH = { kind: "finalize-requested", endReason: "caller_hangup" } as const;

describe("a live transcription", () => {
  test("makes an utterance of each final, with the times of its speech, and says nothing itself", () => {
    const live = new VirtualTranscription();
    live.says(1_000, "good morning to you");
    live.says(4_000, "and goodbye");
    live.run(8_000);
    expect(live.ofKind("utterance")).toEqual([
      { kind: "utterance", text: "good morning to you", startMs: 1_000, endMs: 2_200 },
      { kind: "utterance", text: "and goodbye", startMs: 4_000, endMs: 4_600 },
    ]);
    expect(new Set(live.commands.map(({ command }) => command.kind))).toEqual(new Set(["interim", "utterance"]));
  });

  test("shows every word as an interim, from where its utterance began", () => {
    const live = new VirtualTranscription();
    live.says(1_000, "one two");
    live.run(3_000);
    expect(live.ofKind("interim")).toEqual([
      { kind: "interim", text: "one", startMs: 1_000 },
      { kind: "interim", text: "one two", startMs: 1_000 },
    ]);
  });

  test("is not ended by an hour of silence", () => {
    const live = new VirtualTranscription({ spec: { maxDurationMs: 7_200_000, inactivityTimeoutMs: 10_000 } });
    live.run(3_600_000);
    expect(live.commands).toEqual([]);
  });

  test("gives each final its own speech where the STT has one for each, even if they come late", () => {
    const live = new VirtualTranscription({ sttFinalPerUtterance: true });
    live.says(1_000, "one two three", Number.POSITIVE_INFINITY);
    live.says(3_000, "four five six", Number.POSITIVE_INFINITY);
    live.at(4_500, { kind: "stt-final", text: "one two three" }, { kind: "stt-final", text: "four five six" });
    live.run(6_000);
    expect(live.ofKind("utterance").map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
      [1_000, 1_900],
      [3_000, 3_900],
    ]);
  });

  test("gives a final all speech that is over where the STT decides what an utterance is", () => {
    const live = new VirtualTranscription();
    live.says(1_000, "one two", Number.POSITIVE_INFINITY);
    live.says(2_100, "one two three four");
    live.run(6_000);
    expect(live.ofKind("utterance")).toEqual([
      { kind: "utterance", text: "one two three four", startMs: 1_000, endMs: 3_300 },
    ]);
  });

  test("does not begin an utterance with the end of the word before it, which is still heard when its final comes", () => {
    const live = new VirtualTranscription();
    live.sounds(1_000, 700);
    live.at(1_600, { kind: "stt-final", text: "one two" });
    live.says(2_600, "three");
    live.run(5_000);
    expect(live.ofKind("utterance").map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
      [1_000, 1_600],
      [2_600, 2_900],
    ]);
  });

  test("begins an utterance after the pause in which the final before it came", () => {
    const live = new VirtualTranscription();
    live.sounds(1_000, 640);
    live.at(1_600, { kind: "stt-final", text: "one two" });
    live.sounds(1_800, 600);
    live.at(2_600, { kind: "stt-final", text: "three" });
    live.run(5_000);
    expect(live.ofKind("utterance").map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
      [1_000, 1_600],
      [1_800, 2_400],
    ]);
  });

  test("takes no noise for the beginning of an utterance that comes long after it", () => {
    const live = new VirtualTranscription();
    live.sounds(1_000, 500);
    live.says(10_000, "hello");
    live.run(12_000);
    expect(live.ofKind("utterance")).toEqual([{ kind: "utterance", text: "hello", startMs: 10_000, endMs: 10_300 }]);
  });

  test("has words of which no speech was detected, up to where the audio is", () => {
    const live = new VirtualTranscription();
    live.at(5_000, { kind: "stt-final", text: "psst" });
    live.run(6_000);
    expect(live.ofKind("utterance")).toEqual([{ kind: "utterance", text: "psst", startMs: 4_000, endMs: 5_000 }]);
  });

  test("takes back the words of an interim whose final has none", () => {
    const live = new VirtualTranscription();
    live.says(1_000, "hm", Number.POSITIVE_INFINITY);
    live.at(1_800, { kind: "stt-final", text: "" });
    live.run(3_000);
    expect(live.texts).toEqual([""]);
  });

  test("says in which language an utterance was, where the STT has detected it", () => {
    const live = new VirtualTranscription();
    live.at(1_500, { kind: "stt-final", text: "guten Tag", language: "de" });
    live.run(2_000);
    expect(live.ofKind("utterance")).toMatchObject([{ text: "guten Tag", language: "de" }]);
    expect(live.ofKind("language")).toEqual([]);
  });

  test("goes on with its times where another stream continues", () => {
    const live = new VirtualTranscription();
    live.says(1_000, "before");
    live.at(3_000, { kind: "leg-detached" });
    live.at(9_000, { kind: "leg-started", codec: "pcm_s16le" });
    live.says(10_000, "after");
    live.run(12_000);
    // The streams are of 3 s and of what is after 9 s.
    expect(live.ofKind("utterance").map(({ text, startMs, endMs }) => [text, startMs, endMs])).toEqual([
      ["before", 1_000, 1_300],
      ["after", 4_000, 4_300],
    ]);
  });
});

describe("the longest duration", () => {
  test("ends it with the final of what was said until then", () => {
    const live = new VirtualTranscription({ spec: { maxDurationMs: 4_000 } });
    live.sounds(3_200, 1_500);
    live.at(3_900, { kind: "stt-interim", text: "one two" });
    live.at(4_200, { kind: "stt-final", text: "one two three" });
    live.run(9_000);
    expect(live.texts).toEqual(["one two three"]);
    expect(live.timesOf("finalize-stt")).toEqual([4_000]);
    expect(live.ofKind("end")).toMatchObject([{ reason: "max_duration" }]);
    expect(live.timesOf("end")[0]).toBeLessThan(6_000);
  });

  test("ends it at once where nothing was said, and where its client is gone", () => {
    const silent = new VirtualTranscription({ spec: { maxDurationMs: 4_000 } });
    silent.run(9_000);
    expect([silent.timesOf("end"), silent.ofKind("end")[0]?.reason]).toEqual([[4_000], "max_duration"]);
    const gone = new VirtualTranscription({ spec: { maxDurationMs: 4_000 } });
    gone.says(3_200, "one two three four five", Number.POSITIVE_INFINITY);
    gone.at(4_100, { kind: "leg-closed", reason: "caller_hangup" });
    gone.run(9_000);
    expect([gone.timesOf("end"), gone.ofKind("end")[0]?.reason]).toEqual([[4_100], "max_duration"]);
  });
});

describe("a final that the client asks for", () => {
  test("comes in the middle of speech as soon as the STT has it", () => {
    const live = new VirtualTranscription();
    live.says(1_000, "one two three four", Number.POSITIVE_INFINITY);
    live.at(1_700, FINALIZE);
    live.at(1_760, { kind: "stt-final", text: "one two" });
    live.run(1_800);
    expect(live.timesOf("finalize-stt")).toEqual([1_700]);
    expect(live.ofKind("utterance")).toEqual([{ kind: "utterance", text: "one two", startMs: 1_000, endMs: 1_700 }]);
  });

  test("is empty, and comes at once, where nothing was said", () => {
    const live = new VirtualTranscription();
    live.at(1_000, FINALIZE);
    live.run(2_000);
    expect(live.ofKind("utterance")).toEqual([{ kind: "utterance", text: "", startMs: 1_000, endMs: 1_000 }]);
    expect(live.timesOf("utterance")).toEqual([1_000]);
    expect(live.ofKind("finalize-stt")).toEqual([]);
  });

  test("is empty where the STT finds no words in a sound", () => {
    const live = new VirtualTranscription({ sttFinalPerUtterance: true });
    live.sounds(1_000, 300);
    live.at(1_400, FINALIZE);
    live.at(1_500, { kind: "stt-final", text: "" });
    live.run(2_000);
    expect(live.texts).toEqual([""]);
    expect(live.timesOf("utterance")).toEqual([1_500]);
  });

  test("is the interim where the STT does not send it in time, and its late words are not repeated", () => {
    const live = new VirtualTranscription();
    live.says(1_000, "one two", Number.POSITIVE_INFINITY);
    live.at(1_700, FINALIZE);
    live.at(6_000, { kind: "stt-final", text: "One two. Three." });
    live.run(8_000);
    expect(live.timesOf("utterance")).toEqual([4_700, 6_000]);
    expect(live.texts).toEqual(["one two", "Three."]);
  });

  test("is asked of the STT once, however often the client asks", () => {
    const live = new VirtualTranscription();
    live.says(1_000, "one two three", Number.POSITIVE_INFINITY);
    for (const atMs of [1_500, 1_520, 1_540, 1_560]) live.at(atMs, FINALIZE);
    live.at(1_700, { kind: "stt-final", text: "one" });
    live.run(1_800);
    expect(live.ofKind("finalize-stt")).toHaveLength(1);
    expect(live.texts).toEqual(["one"]);
  });
});

describe("the end of a live transcription", () => {
  const ends = (live: VirtualTranscription) => live.ofKind("end");

  test("by the client comes after the final of what was said", () => {
    const live = new VirtualTranscription();
    live.says(1_000, "one two three", Number.POSITIVE_INFINITY);
    live.at(1_900, FINISH);
    live.at(2_000, { kind: "stt-final", text: "one two three" });
    live.run(4_000);
    expect(live.texts).toEqual(["one two three"]);
    expect(ends(live)).toEqual([{ kind: "end", reason: "caller_hangup", audioMs: 2_320 }]);
    expect(live.timesOf("end")).toEqual([2_300]);
  });

  test("by the client waits for a second final: the first may have been of earlier words", () => {
    const live = new VirtualTranscription();
    live.says(1_000, "one two three", Number.POSITIVE_INFINITY);
    live.at(1_900, FINISH);
    live.at(1_950, { kind: "stt-final", text: "one two" });
    live.at(2_150, { kind: "stt-final", text: "three" });
    live.run(4_000);
    expect(live.texts).toEqual(["one two", "three"]);
    expect(ends(live)).toHaveLength(1);
  });

  test("by the client comes at once where nothing is pending, and in time where the STT is silent", () => {
    const live = new VirtualTranscription();
    live.at(1_000, FINISH);
    live.run(2_000);
    expect(live.timesOf("end")).toEqual([1_000]);
    const silent = new VirtualTranscription();
    silent.sounds(1_000, 800);
    silent.at(1_500, FINISH);
    silent.run(9_000);
    expect(silent.timesOf("end")).toEqual([4_500]);
    expect(silent.texts).toEqual([]);
  });

  test.each([
    [{ kind: "leg-closed", reason: "connection_lost" }, "connection_lost"],
    [{ kind: "end-requested", reason: "api_hangup" }, "api_hangup"],
    [{ kind: "stt-failed", code: "provider_failed" }, "provider_error"],
    [{ kind: "internal-error", code: "internal" }, "worker_lost"],
    [{ kind: "limit-reached", scope: "call", limit: "cost", action: "refuse" }, "spend_limit"],
  ] as const)("by %j makes an utterance of the words so far", (event, reason) => {
    const live = new VirtualTranscription();
    live.says(1_000, "one two three", Number.POSITIVE_INFINITY);
    live.at(1_700, event);
    live.run(4_000);
    expect(live.commands.slice(-2).map(({ command }) => command)).toEqual([
      { kind: "utterance", text: "one two", startMs: 1_000, endMs: 1_700 },
      { kind: "end", reason, audioMs: 1_700 },
    ]);
  });

  test("by a drain waits for the final of what was said", () => {
    const live = new VirtualTranscription();
    live.says(1_000, "one two", 250);
    live.at(1_700, { kind: "goodbye-requested", reason: "drain_timeout" });
    live.run(4_000);
    expect(live.texts).toEqual(["one two"]);
    expect(ends(live)).toMatchObject([{ reason: "drain_timeout" }]);
  });

  test("by its longest time has the words so far, where their final does not come", () => {
    const live = new VirtualTranscription({ spec: { maxDurationMs: 1_700 } });
    live.sounds(1_000, 900);
    live.at(1_600, { kind: "stt-interim", text: "one two" });
    live.run(9_000);
    expect(live.texts).toEqual(["one two"]);
    expect(ends(live)).toMatchObject([{ reason: "max_duration" }]);
    expect(live.machine.nextDeadlineMs).toBe(callMs(Number.POSITIVE_INFINITY));
  });

  test("comes where no stream has started", () => {
    const live = new VirtualTranscription();
    const machine = new VirtualTranscription().machine;
    expect(machine.nextDeadlineMs).toBe(callMs(LEG_START_MS_MAX));
    live.run(LEG_START_MS_MAX);
    expect(ends(live)).toEqual([]);
  });

  test("is one: nothing follows it", () => {
    const live = new VirtualTranscription();
    live.at(1_000, { kind: "end-requested", reason: "api_hangup" }, { kind: "leg-closed", reason: "caller_hangup" });
    live.at(2_000, { kind: "stt-final", text: "late" });
    live.run(3_000);
    expect(live.commands.map(({ command }) => command)).toEqual([
      { kind: "end", reason: "api_hangup", audioMs: 1_000 },
    ]);
  });
});

describe("requests of conversations", () => {
  test("have no effect: typed text, keys, hold and transfers", () => {
    const live = new VirtualTranscription();
    live.at(
      1_000,
      { kind: "typed", text: "hello" },
      { kind: "dtmf", digit: "5" },
      { kind: "hold-requested", msMax: 1_000 },
      { kind: "transfer-started", target: "+4312345" },
    );
    live.run(60_000);
    expect(live.commands).toEqual([]);
    expect(live.machine.holdRefusal({ kind: "hold" })).toBe("not_live");
  });
});
