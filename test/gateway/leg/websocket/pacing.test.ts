import { describe, expect, test } from "vitest";
import { millisecondsOf } from "../../../../src/core/clocks.ts";
import { STT_SILENCE_FRAMES } from "../../../../src/core/limits/streams/caller-audio.ts";
import { Ticker } from "../../../../src/gateway/event-loop/ticker.ts";
import type { Stt } from "../../../../src/speech/contracts.ts";
import { pcm, websocketLeg } from "../../../callers/websocket-leg.ts";
import { vowelAt } from "../../../support/audio/vowel.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { ScriptedLlm, textReply } from "../../../support/providers/scripted-llm.ts";
import { ScriptedStt, type SttStep } from "../../../support/providers/scripted-stt.ts";

const RATE_HZ = 16_000;
const PER_MS = RATE_HZ / 1_000;

/** One frame as it reached the bus. */
interface Heard {
  atMs: number;
  mediaMs: number;
  isSpeech: boolean;
}

/** A caller at 16,000 Hz PCM with a scripted STT; every frame on the bus is stored. */
function caller(transcripts: readonly SttStep[] = []) {
  const clock = new ManualClock();
  const frames: Heard[] = [];
  const llm = new ScriptedLlm(clock, [textReply("I see.")]);
  const stt = new ScriptedStt(clock, transcripts);
  const call = websocketLeg({
    shared: { clock, ticker: new Ticker(clock) },
    spec: { firstSpeaker: "user", inactivityTimeoutMs: 300_000 },
    stt,
    llm,
    tamper({ journal }) {
      const { frameIn } = journal;
      journal.frameIn = (atMs, mediaMs, isSpeech, bytes) => {
        frames.push({ atMs: millisecondsOf(atMs), mediaMs: millisecondsOf(mediaMs), isSpeech });
        frameIn.call(journal, atMs, mediaMs, isSpeech, bytes);
      };
    },
  });
  return {
    ...call,
    frames,
    llm,
    /** The LLM's prompts so far. */
    userTexts: () => llm.requests.map(({ messages }) => messages.at(-1)?.text),
    sttSamples: () => stt.opened[0]?.samples ?? 0,
    /** Time passes, and at its end the audio recorded meanwhile comes in one message. */
    async send(samples: Int16Array): Promise<void> {
      await clock.play(samples.length / PER_MS);
      call.audio(pcm(samples));
    },
  };
}

/** The silence that an STT gets once for a pause in which nothing is sent; before the very first message, too. */
const PAUSE_SAMPLES = STT_SILENCE_FRAMES * 20 * PER_MS;

const voice = (durationMs: number, fromMs = 0): Int16Array =>
  Int16Array.from({ length: durationMs * PER_MS }, (_, i) => vowelAt(fromMs / 1_000 + i / RATE_HZ));
const quiet = (durationMs: number): Int16Array => new Int16Array(durationMs * PER_MS);

const heard = (atMs: number, kind: "interim" | "final", text: string): SttStep => ({ atMs, event: { kind, text } });

describe("a client that sends a second at a time", () => {
  test("M5: a caller who continues to speak is not taken to have stopped between messages, from the first one on", async () => {
    const call = caller([
      heard(1_100, "final", "are you"),
      heard(2_600, "interim", "open"),
      heard(4_100, "interim", "open on"),
      heard(5_200, "final", "open on Sunday"),
    ]);
    for (let second = 0; second < 5; second += 1) await call.send(voice(1_000, second * 1_000));
    await call.clock.play(900);
    expect(call.userTexts()).toEqual([]);
    // Nothing was inserted between the messages: the STT got no pause.
    expect(call.sttSamples()).toBe(PAUSE_SAMPLES + 5 * RATE_HZ);
    await call.clock.play(100);
    call.audio(pcm(quiet(1_000)));
    // The VAD may detect speech in the first frames of silence, which came with this message.
    await call.clock.play(600);
    expect(call.userTexts()).toEqual(["are you open on Sunday"]);
    expect(call.hangUp()).toMatchObject({ framesIn: 300, malformed: 0 });
  });

  test("a caller who stops sending in the middle of a word is taken to have stopped, a second later than others", async () => {
    const call = caller([heard(2_100, "final", "hello")]);
    await call.send(voice(1_000));
    await call.send(voice(1_000, 1_000));
    await call.clock.play(1_450);
    expect([call.userTexts(), call.sttSamples()]).toEqual([[], PAUSE_SAMPLES + 2 * RATE_HZ]);
    await call.clock.play(50);
    expect(call.userTexts()).toEqual(["hello"]);
    expect(call.sttSamples()).toBe(2 * PAUSE_SAMPLES + 2 * RATE_HZ);
    call.hangUp();
  });
});

/** Lengths of messages, ms, as a client may mix them, of this many ms in total. */
const MIXES: readonly (readonly [string, (index: number) => number])[] = [
  ["1 ms", () => 1],
  ["7 ms", () => 7],
  ["60 ms", () => 60],
  ["a second", () => 1_000],
  ["20, 40, 10, 60 and 120 ms in turn", (index) => [20, 40, 10, 60, 120][index % 5] as number],
  ["1 ms to a second in turn", (index) => [1, 1_000, 3, 333, 20, 500, 2][index % 7] as number],
];

describe("M5: the VAD tells speech from silence as in steady frames of 20 ms", () => {
  const spoken = Int16Array.from([
    ...quiet(1_000),
    ...voice(1_400, 1_000),
    ...quiet(700),
    ...voice(900, 3_100),
    ...quiet(1_000),
  ]);
  const decisions = async (lengthMs: (index: number) => number, stallAtMs = Number.NaN): Promise<Heard[]> => {
    const call = caller();
    for (let at = 0, index = 0; at < spoken.length; index += 1) {
      const message = spoken.subarray(at, at + lengthMs(index) * PER_MS);
      const stalls = at / PER_MS <= stallAtMs && stallAtMs < (at + message.length) / PER_MS;
      at += message.length;
      // Half a second late, and the time is made up for at once.
      if (stalls) await call.clock.play(480);
      if (stalls || !(at / PER_MS > stallAtMs && at / PER_MS - stallAtMs <= 480)) await call.send(message);
      else call.audio(pcm(message));
    }
    expect(call.hangUp()).toMatchObject({ malformed: 0 });
    return call.frames;
  };
  const steady = decisions(() => 20);

  test.each(MIXES)("in messages of %s", async (_, lengthMs) => {
    const [mixed, even] = [await decisions(lengthMs), await steady];
    expect(even.filter(({ isSpeech }) => isSpeech).length).toBeGreaterThan(60);
    expect(mixed.map(({ isSpeech }) => isSpeech)).toEqual(even.map(({ isSpeech }) => isSpeech));
    expect(mixed.map(({ mediaMs }) => mediaMs)).toEqual(even.map(({ mediaMs }) => mediaMs));
  });

  test.each([500, 1_800, 3_500])("with a stall of half a second at %i ms", async (stallAtMs) => {
    const [stalled, even] = [await decisions(() => 20, stallAtMs), await steady];
    expect(stalled.map(({ isSpeech }) => isSpeech)).toEqual(even.map(({ isSpeech }) => isSpeech));
    expect(stalled.map(({ mediaMs }) => mediaMs)).toEqual(even.map(({ mediaMs }) => mediaMs));
  });
});

describe("a client that sends nothing while its microphone is off", () => {
  test("for ten seconds: the caller's turn is over, the STT gets one pause, and later audio is placed where it was said", async () => {
    const call = caller([heard(1_100, "final", "one moment")]);
    for (let at = 0; at < 1_000; at += 20) await call.send(voice(20, at));
    await call.clock.play(480);
    expect(call.userTexts()).toEqual([]);
    await call.clock.play(9_520);
    expect(call.userTexts()).toEqual(["one moment"]);
    expect(call.sttSamples()).toBe(RATE_HZ + PAUSE_SAMPLES);
    for (let at = 0; at < 1_000; at += 20) await call.send(voice(20, at));
    expect(call.sttSamples()).toBe(2 * RATE_HZ + PAUSE_SAMPLES);
    const [last, first] = [call.frames[49], call.frames[50]];
    expect([last?.mediaMs, first?.mediaMs]).toEqual([980, 11_000]);
    // A frame is complete 20 ms after it began.
    for (const { atMs, mediaMs } of call.frames) expect(atMs - mediaMs).toBe(20);
    expect(call.hangUp()).toMatchObject({ framesIn: 100 });
  });

  test("for 300 ms at a time: one turn, and no frame is placed ahead of the clock, or late by half a second", async () => {
    const call = caller([
      heard(2_000, "interim", "one"),
      heard(4_400, "interim", "one two"),
      heard(6_400, "final", "one two"),
    ]);
    for (let burst = 0; burst < 10; burst += 1) {
      for (let at = 0; at < 400; at += 20) await call.send(voice(20, at));
      if (burst < 9) await call.clock.play(300);
    }
    expect(call.userTexts()).toEqual([]);
    for (const [index, { atMs, mediaMs }] of call.frames.entries()) {
      expect(atMs - mediaMs).toBeGreaterThanOrEqual(20);
      expect(atMs - mediaMs).toBeLessThanOrEqual(520);
      expect(mediaMs).toBeGreaterThan(call.frames[index - 1]?.mediaMs ?? -1);
    }
    await call.clock.play(1_000);
    expect(call.userTexts()).toEqual(["one two"]);
    expect(call.hangUp()).toMatchObject({ framesIn: 200 });
  });

  test("an STT that supports only its own rate gets the same audio from 8,000 Hz", async () => {
    const heardRates: number[] = [];
    const stt: Stt = {
      provider: "narrow",
      capabilities: { ratesHz: [8_000], interimTranscripts: true },
      open: ({ rateHz }) => {
        heardRates.push(rateHz);
        return { write: (frame) => heardRates.push(frame.length), events: (async function* () {})() };
      },
    };
    const call = websocketLeg({ stt, spec: { firstSpeaker: "user", inactivityTimeoutMs: 300_000 } });
    for (let at = 0; at < 1_000; at += 20) call.audio(pcm(voice(20, at)));
    expect(heardRates[0]).toBe(8_000);
    expect(heardRates.slice(1).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(7_900);
    call.hangUp();
  });
});
