// @module-tag stt

import { describe, expect, test } from "vitest";
import { providerFailed } from "../../../src/core/errors.ts";
import {
  STT_OUTAGE_MS_MAX,
  STT_REPLAY_MS_MAX,
  STT_STABLE_MS,
  STT_UTTERANCE_TRANSCRIPT_MS_MAX,
} from "../../../src/core/limits/speech-providers/stt.ts";
import type { Stt, SttEvent } from "../../../src/speech/contracts.ts";
import { EventQueue } from "../../../src/speech/event-queue.ts";
import { pump } from "../../../src/speech/pump.ts";
import { refusalFrom } from "../../../src/speech/resilience/provider-error.ts";
import { FallbackStt } from "../../../src/speech/stt/fallback.ts";
import { sttContract } from "../../contract/speech/stt.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { breakerFor } from "../../support/providers/breakers.ts";
import { CodedStt, coded, silence } from "../../support/providers/coded-stt.ts";
import { ScriptedStt } from "../../support/providers/scripted-stt.ts";
import { Random } from "../../support/random.ts";
import { activityOfStream } from "../../support/speech-activity.ts";

const WORDS = "I would like to book a table for two at eight on Friday please thank you".split(" ");
const FRAME_MS = 20;
const MUSIC_MS = 20 * 60_000;

sttContract("a fallback list of two, of which the first cannot be opened", async () => {
  const clock = new ManualClock();
  const failing = new ScriptedStt(clock, [{ atMs: 0, event: { kind: "fail" } }]);
  const hearing = new ScriptedStt(clock, [
    { atMs: 100, event: { kind: "interim", text: "good" } },
    { atMs: 500, event: { kind: "final", text: "good morning" } },
  ]);
  const { stt } = fallbackOf(clock, [failing, hearing]);
  return { stt, rateHz: 8_000, audio: new Int16Array(8_000), text: "good morning", play: (ms) => clock.play(ms) };
});

function fallbackOf(clock: ManualClock, stts: readonly Stt[]) {
  const candidates = stts.map((stt) => {
    const { circuitBreaker, reports } = breakerFor("stt", stt.provider, clock);
    return { stt, circuitBreaker, reports };
  });
  return { stt: new FallbackStt(candidates, clock), candidates };
}

function listen(clock: ManualClock, stts: readonly Stt[], activityOf = activityOfStream()) {
  const { stt, candidates } = fallbackOf(clock, stts);
  const abortController = new AbortController();
  const stream = stt.open({ language: "en-US", rateHz: 8_000 }, abortController.signal);
  const transcripts: SttEvent[] = [];
  const failures: unknown[] = [];
  const done = pump(
    stream.events,
    abortController.signal,
    (event) => transcripts.push(event),
    (error) => failures.push(error),
  );
  const sendAudio = async (frames: readonly { frame: Int16Array; voiced: boolean }[]): Promise<void> => {
    for (const { frame, voiced } of frames) {
      const borrowed = frame.slice();
      stream.write(borrowed, activityOf(voiced));
      borrowed.fill(-1);
      await clock.play(FRAME_MS);
    }
  };
  const finals = () => transcripts.flatMap((event) => (event.kind === "final" ? [event.text] : []));
  return { abortController, stream, transcripts, failures, done, sendAudio, finals, candidates };
}

const noise = (frames: number) => silence(frames).map(({ frame }) => ({ frame, voiced: true }));

/** Calls with silent callers over one STT that reports accepted streams, and closes them after `closesMs` if given. */
function silentCalls(count: number, closesMs = Number.POSITIVE_INFINITY) {
  const clock = new ManualClock();
  const failure = providerFailed("mortal", "went away");
  const streams: EventQueue<SttEvent>[] = [];
  let isDown = false;
  const restartable: Stt = {
    provider: "mortal",
    capabilities: { ratesHz: [8_000], interimTranscripts: true },
    open({ onOpened }, signal) {
      const events = new EventQueue<SttEvent>(signal);
      if (isDown) {
        events.fail(failure);
        return { write: () => {}, events };
      }
      streams.push(events);
      onOpened?.();
      if (Number.isFinite(closesMs)) clock.after(closesMs, () => events.fail(failure));
      return { write: () => {}, events };
    },
  };
  const { stt, candidates } = fallbackOf(clock, [restartable]);
  const failures: unknown[] = [];
  const calls = Array.from({ length: count }, () => {
    const abortController = new AbortController();
    const stream = stt.open({ language: "en-US", rateHz: 8_000 }, abortController.signal);
    const onFailure = (error: unknown) => failures.push(error);
    void pump(stream.events, abortController.signal, () => {}, onFailure);
    return stream;
  });
  const sendSilence = async (ms: number): Promise<void> => {
    for (const { frame } of silence(ms / FRAME_MS)) {
      for (const call of calls) call.write(frame);
      await clock.play(FRAME_MS);
    }
  };
  const goDown = (): void => {
    isDown = true;
    for (const events of streams.splice(0)) events.fail(failure);
  };
  const comeUp = (): void => {
    isDown = false;
  };
  return { calls, failures, streams, sendSilence, circuitBreaker: candidates[0]?.circuitBreaker, goDown, comeUp };
}

describe("FallbackStt", () => {
  test("P3: when a provider dies in the middle of a sentence, its fallback continues and no word is lost", async () => {
    const clock = new ManualClock();
    const [first, second] = [new CodedStt(WORDS, { failsAfter: [75] }), new CodedStt(WORDS, { provider: "second" })];
    const { sendAudio, finals, transcripts, failures, candidates } = listen(clock, [first, second]);
    await sendAudio(coded(WORDS, WORDS));
    await sendAudio(coded(["thank", "you"], WORDS));
    expect(finals()).toEqual([WORDS.join(" "), "thank you"]);
    expect(failures).toEqual([]);
    // The second one starts with the interims that the first one had emitted.
    expect(transcripts.slice(0, 8).map(({ text }) => text.split(" ").length)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(candidates[0]?.reports).toEqual(["registered", "provider_failed"]);
  });

  test("audio covered by a final is not replayed to the next provider", async () => {
    const clock = new ManualClock();
    const first = new CodedStt(WORDS, { failsAfter: [50 + 50 + 15] });
    const { sendAudio, finals } = listen(clock, [first, new CodedStt(WORDS, { provider: "second" })]);
    await sendAudio(coded(["thank", "you"], WORDS));
    await sendAudio(silence(50));
    await sendAudio(coded(["table", "for", "two"], WORDS));
    expect(finals()).toEqual(["thank you", "table for two"]);
  });

  test("the only provider is reopened at once and gets the audio of the gap", async () => {
    const clock = new ManualClock();
    const only = new CodedStt(WORDS, { failsAfter: [35, Number.POSITIVE_INFINITY] });
    const { sendAudio, finals, candidates } = listen(clock, [only]);
    await sendAudio(coded(WORDS, WORDS));
    expect([finals(), only.opened.length]).toEqual([[WORDS.join(" ")], 2]);
    expect(candidates[0]?.circuitBreaker.isAvailable).toBe(true);
  });

  test("streams opened after a language switch use the new language", async () => {
    const clock = new ManualClock();
    const failing = () => new ScriptedStt(clock, [{ atMs: 500, event: { kind: "fail" } }]);
    const candidates = [failing(), failing()] as const;
    const { stream, sendAudio, abortController } = listen(clock, candidates);
    await sendAudio(silence(20));
    stream.setLanguage?.("de");
    await sendAudio(silence(100));
    const [first, second] = candidates.map(({ opened }) => opened.map(({ language }) => language));
    expect(first?.slice(0, 2)).toEqual(["en-US", "de"]);
    expect(second?.[0]).toBe("de");
    abortController.abort();
  });

  test("P15: a provider that keeps failing is retried at a bounded rate, and the audio is buffered for it", async () => {
    const clock = new ManualClock();
    const only = new CodedStt(WORDS, { failsAfter: [35, 0, 0, Number.POSITIVE_INFINITY] });
    const { sendAudio, finals, failures } = listen(clock, [only]);
    await sendAudio(coded(WORDS, WORDS));
    await sendAudio(silence(150));
    expect([finals(), failures, only.opened.length]).toEqual([[WORDS.join(" ")], [], 4]);
  });

  test("P1: when all providers fail for too long, the stream fails with the provider's error", async () => {
    const clock = new ManualClock();
    const dead = ["a", "b"].map((provider) => new CodedStt(WORDS, { provider, failsAfter: [0] }));
    const { sendAudio, failures, done, candidates } = listen(clock, dead);
    await sendAudio(silence(STT_OUTAGE_MS_MAX / FRAME_MS + 50));
    await done;
    expect(failures).toEqual([expect.objectContaining({ code: "provider_failed" })]);
    for (const { opened } of dead) expect(opened.length).toBeLessThanOrEqual(5);
    expect(clock.pending).toBe(0);
    for (const { reports } of candidates) expect(reports).toContain("open");
  });

  test("P16: a provider that refuses the API key is not reopened; without a fallback the stream fails", async () => {
    const clock = new ManualClock();
    const revoked = new CodedStt(WORDS, { failsAfter: [35, 0], cause: refusalFrom(401) });
    const second = new CodedStt(WORDS, { provider: "second", failsAfter: [120, Number.POSITIVE_INFINITY] });
    const { sendAudio, finals } = listen(clock, [revoked, second]);
    await sendAudio(coded(WORDS, WORDS));
    expect([finals(), revoked.opened.length, second.opened.length]).toEqual([[WORDS.join(" ")], 1, 2]);
    const alone = listen(clock, [new CodedStt(WORDS, { failsAfter: [10], cause: refusalFrom(401) })]);
    await alone.sendAudio(silence(20));
    expect(alone.failures).toEqual([expect.objectContaining({ code: "provider_failed" })]);
  });

  test.each([
    true,
    false,
  ])("P2: a provider that sends no transcript although the caller speaks fails (interim transcripts: %s)", async (partials) => {
    const clock = new ManualClock();
    const deaf = new CodedStt(WORDS, { deaf: true, partials });
    const { sendAudio, finals } = listen(clock, [deaf, new CodedStt(WORDS, { provider: "second" })]);
    // More than six seconds of speech, all of it replayed.
    const long = [...WORDS, ...WORDS, ...WORDS.slice(0, 5)].slice(0, 35);
    await sendAudio(coded(long, WORDS));
    await sendAudio(silence(250));
    expect(finals()).toEqual([long.join(" ")]);
  });

  test.each([
    true,
    false,
  ])("P2: a provider that does not recognize two words has failed if the next one does (interim transcripts: %s)", async (partials) => {
    const clock = new ManualClock();
    const deaf = new CodedStt(WORDS, { deaf: true, partials });
    const { sendAudio, finals, candidates } = listen(clock, [deaf, new CodedStt(WORDS, { provider: "second" })]);
    await sendAudio(coded(["thank", "you"], WORDS));
    await sendAudio(silence(STT_UTTERANCE_TRANSCRIPT_MS_MAX / FRAME_MS + 10));
    expect([finals(), candidates[0]?.reports, candidates[1]?.reports]).toEqual([
      ["thank you"],
      ["registered", "provider_failed"],
      ["registered"],
    ]);
  });

  test.each([
    0.005, 0.02,
  ])("music that the detector takes for speech now and then, %d of all frames, is no verdict on a provider", async (share) => {
    const clock = new ManualClock();
    const stts = [new CodedStt(WORDS), new CodedStt(WORDS, { provider: "second" })];
    const { sendAudio, failures, candidates } = listen(clock, stts);
    const random = new Random(1);
    const [frame] = silence(1).map((sent) => sent.frame);
    const music = Array.from({ length: MUSIC_MS / FRAME_MS }, () => ({
      frame: frame as Int16Array,
      voiced: random.chance(share),
    }));
    await sendAudio(music);
    expect([failures, stts.map(({ opened }) => opened.length)]).toEqual([[], [1, 0]]);
    for (const { reports } of candidates) expect(reports).toEqual(["registered"]);
  });

  test("speech from the first frame on is replayed from its beginning, although the detector had not settled", async () => {
    const clock = new ManualClock();
    // It fails after a final that covers nothing of what is said: the caller has not paused yet.
    const script = [
      { atMs: 700, event: { kind: "final" as const, text: "" } },
      { atMs: 900, event: { kind: "fail" as const } },
    ];
    const second = new CodedStt(WORDS, { provider: "second" });
    const { sendAudio, finals } = listen(
      clock,
      [new ScriptedStt(clock, script), second],
      activityOfStream({ settleMs: 300 }),
    );
    const audio = coded(["table", "for", "two", "at", "eight"], WORDS);
    await sendAudio(audio);
    expect([finals(), second.opened]).toEqual([["table for two at eight"], [{ frames: audio.length }]]);
  });

  test("the replay of an utterance never includes words of the one before it", async () => {
    const clock = new ManualClock();
    // Its final comes, and it fails, while the second utterance is spoken.
    const first = new CodedStt(WORDS, { partials: false, answersAfterFrames: 25, failsAfter: [62] });
    const second = new CodedStt(WORDS, { provider: "second" });
    const { sendAudio, finals } = listen(clock, [first, second]);
    const thanks = coded(["thank", "you"], WORDS).filter(({ voiced }) => voiced);
    await sendAudio([...thanks, ...silence(16), ...coded(["table", "for", "two"], WORDS)]);
    expect(finals()).toEqual(["thank you", "table for two"]);
  });

  test("noise without words is cross-checked once, and no provider counts as failed", async () => {
    const clock = new ManualClock();
    const [first, second] = [new CodedStt(WORDS), new CodedStt(WORDS, { provider: "second" })];
    const { sendAudio, finals, candidates } = listen(clock, [first, second]);
    const answered = silence(STT_UTTERANCE_TRANSCRIPT_MS_MAX / FRAME_MS + 20);
    const streamCounts = () => [first.opened.length, second.opened.length];
    await sendAudio([...noise(10), ...answered]);
    expect(streamCounts()).toEqual([1, 0]);
    for (let times = 0; times < 3; times += 1) await sendAudio([...noise(30), ...answered]);
    expect(streamCounts()).toEqual([1, 1]);
    await sendAudio([...coded(["thank", "you"], WORDS), ...noise(30), ...answered]);
    expect([finals(), streamCounts()]).toEqual([["thank you"], [2, 1]]);
    for (const { reports } of candidates) expect(reports).toEqual(["registered"]);
  });

  test("a final that arrives after the end of the next utterance keeps that utterance for the next provider", async () => {
    const clock = new ManualClock();
    const slow = new CodedStt(WORDS, { partials: false, answersAfterFrames: 75, failsAfter: [130] });
    const { sendAudio, finals } = listen(clock, [slow, new CodedStt(WORDS, { provider: "second" })]);
    await sendAudio(coded(["thank", "you"], WORDS));
    await sendAudio(coded(["table", "for", "two"], WORDS));
    await sendAudio(silence(100));
    expect(finals()).toEqual(["thank you", "table for two"]);
  });

  test("an utterance that ends when the final of the one before it arrives is kept for the next provider", async () => {
    const clock = new ManualClock();
    // The first final comes 200 ms after the last word of the second utterance, which ends 100 ms later.
    const slow = new CodedStt(WORDS, { partials: false, answersAfterFrames: 25, failsAfter: [60] });
    const { sendAudio, finals } = listen(clock, [slow, new CodedStt(WORDS, { provider: "second" })]);
    const thanks = coded(["thank"], WORDS).filter(({ voiced }) => voiced);
    await sendAudio([...thanks, ...silence(20), ...coded(["two"], WORDS), ...silence(60)]);
    expect(finals()).toEqual(["thank", "two"]);
  });

  test.each([
    [true, 0],
    [true, 8],
    [false, 0],
    [false, 8],
    [false, 30],
  ])("P3: no word is lost or doubled where the call ends speech after 100 ms and it starts again at once, wherever the provider dies (interim transcripts: %s, finals %i frames late)", async (partials, answersAfterFrames) => {
    const voiced = (...words: string[]) => coded(words, WORDS).filter((sent) => sent.voiced);
    const audio = [
      ...voiced("table"),
      ...silence(6),
      ...voiced("for", "two"),
      ...silence(5),
      ...voiced("at"),
      ...silence(20),
      ...voiced("eight"),
      ...silence(60),
    ];
    for (let failsAfter = 1; failsAfter < audio.length; failsAfter += 1) {
      const clock = new ManualClock();
      const options = { partials, answersAfterFrames, endsWithSpeech: true };
      const first = new CodedStt(WORDS, { ...options, failsAfter: [failsAfter] });
      const second = new CodedStt(WORDS, { ...options, provider: "second" });
      const early = activityOfStream({ settleMs: 0, hangoverMs: 100 });
      const { sendAudio, finals } = listen(clock, [first, second], early);
      await sendAudio(audio);
      expect([failsAfter, finals().join(" ")]).toEqual([failsAfter, "table for two at eight"]);
    }
  });

  test("a stream that begins in the pause after speech waits for no transcript of that speech", async () => {
    for (const partials of [false, true]) {
      const clock = new ManualClock();
      const activityOf = activityOfStream();
      for (let n = 0; n < 50; n += 1) activityOf(true);
      const stt = new CodedStt(WORDS, { partials });
      const { sendAudio, candidates } = listen(clock, [stt], activityOf);
      await sendAudio(silence(STT_UTTERANCE_TRANSCRIPT_MS_MAX / FRAME_MS + 40));
      expect([stt.opened.length, candidates[0]?.reports]).toEqual([1, ["registered"]]);
    }
  });

  test("a request for an interim goes to the open stream, whose utterance still waits for its final", async () => {
    const clock = new ManualClock();
    const slow = new CodedStt(WORDS, { partials: false, deaf: true });
    const { stream, sendAudio, transcripts, finals } = listen(clock, [
      slow,
      new CodedStt(WORDS, { provider: "second" }),
    ]);
    await sendAudio(coded(["thank"], WORDS).slice(0, 10));
    stream.requestInterim?.();
    await clock.play(FRAME_MS);
    expect(transcripts).toEqual([{ kind: "interim", text: "thank" }]);
    // The interim is no answer to the whole utterance: without its final the provider has failed, and another gets it.
    await sendAudio(silence(STT_UTTERANCE_TRANSCRIPT_MS_MAX / FRAME_MS + 40));
    expect(finals()).toEqual(["thank"]);
  });

  test("an empty final of a provider without interims is emitted: there are no words in the utterance", async () => {
    const clock = new ManualClock();
    const script = [{ atMs: 1_000, event: { kind: "final" as const, text: "" } }];
    const { sendAudio, transcripts } = listen(clock, [new ScriptedStt(clock, script, { interimTranscripts: false })]);
    await sendAudio([...noise(30), ...silence(100)]);
    expect(transcripts).toEqual([{ kind: "final", text: "" }]);
  });

  test("an empty final resolves an utterance, and is emitted only where it withdraws interim words", async () => {
    const clock = new ManualClock();
    const script = [
      { atMs: 1_000, event: { kind: "final" as const, text: "" } },
      { atMs: 2_000, event: { kind: "interim" as const, text: "we" } },
      { atMs: 3_000, event: { kind: "final" as const, text: "" } },
    ];
    const { sendAudio, transcripts, candidates } = listen(clock, [new ScriptedStt(clock, script)]);
    await sendAudio([...noise(30), ...silence(300)]);
    expect(transcripts.map(({ kind, text }) => `${kind} ${text}`)).toEqual(["interim we", "final "]);
    expect(candidates[0]?.reports).toEqual(["registered"]);
  });

  test("an empty final of a provider that sends one for each utterance is emitted: the end of the turn waits for it", async () => {
    const clock = new ManualClock();
    const script = [{ atMs: 1_000, event: { kind: "final" as const, text: "" } }];
    const { sendAudio, transcripts } = listen(clock, [new ScriptedStt(clock, script, { finalPerUtterance: true })]);
    await sendAudio([...noise(30), ...silence(100)]);
    expect(transcripts).toEqual([{ kind: "final", text: "" }]);
  });

  test("P15: a provider that was down for a second recovers for all calls, even if no caller speaks", async () => {
    const { calls, failures, streams, sendSilence, circuitBreaker: breaker, goDown, comeUp } = silentCalls(10);
    await sendSilence(1_000);
    goDown();
    await sendSilence(1_000);
    comeUp();
    await sendSilence(8_000);
    expect([failures, streams.length, breaker?.isAvailable, calls.length]).toEqual([[], 10, true, 10]);
  });

  test("P15: a provider that accepts streams and closes them at once does not recover", async () => {
    const { failures, sendSilence, circuitBreaker: breaker } = silentCalls(1, STT_STABLE_MS / 2);
    await sendSilence(STT_OUTAGE_MS_MAX + 1_000);
    expect(failures).toEqual([expect.objectContaining({ code: "provider_failed" })]);
    expect(breaker?.isAvailable).toBe(false);
  });

  test("P4: a stream without speech does not count as failed", async () => {
    const clock = new ManualClock();
    const { sendAudio, finals, candidates } = listen(clock, [
      new CodedStt(WORDS),
      new CodedStt(WORDS, { provider: "second" }),
    ]);
    await sendAudio(silence(2_000));
    await sendAudio(coded(["thank", "you"], WORDS));
    expect([finals(), candidates[0]?.reports]).toEqual([["thank you"], ["registered"]]);
  });

  test("the replay buffer drops the oldest speech when full, and holds little silence", async () => {
    const frames = STT_REPLAY_MS_MAX / FRAME_MS;
    const [word] = coded(["table"], WORDS);
    const speech = Array.from({ length: 2 * frames }, () => word ?? { frame: new Int16Array(160), voiced: true });
    for (const [audio, keptMin, keptMax] of [
      [speech, frames, frames + 25],
      [silence(2 * frames), 25, 25],
    ] as const) {
      const clock = new ManualClock();
      const second = new CodedStt(WORDS, { provider: "second" });
      const { sendAudio } = listen(clock, [
        new CodedStt(WORDS, { failsAfter: [audio.length], partials: false }),
        second,
      ]);
      await sendAudio(audio);
      expect(second.opened[0]?.frames).toBeGreaterThanOrEqual(keptMin);
      expect(second.opened[0]?.frames).toBeLessThanOrEqual(keptMax);
    }
  });

  test("after the end of a call no stream, timer or stream permit remains", async () => {
    const clock = new ManualClock();
    const { abortController, sendAudio, done, transcripts, candidates } = listen(clock, [new CodedStt(WORDS)]);
    await sendAudio(coded(WORDS, WORDS).slice(0, 20));
    abortController.abort();
    await done;
    const before = transcripts.length;
    await sendAudio(coded(WORDS, WORDS));
    expect([transcripts.length, clock.pending, candidates[0]?.circuitBreaker.isAvailable]).toEqual([before, 0, true]);
  });
});
