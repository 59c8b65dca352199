import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MU_LAW } from "../../../../src/media/g711.ts";
import { NO_SPEECH } from "../../../../src/media/voice-activity/speech-activity.ts";
import type { CallSttStream, Stt, TtsChunk } from "../../../../src/speech/contracts.ts";
import { leg } from "../../../callers/leg.ts";
import { speechLike } from "../../../support/audio/speech-like.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { ScriptedTts } from "../../../support/providers/scripted-tts.ts";
import { Random } from "../../../support/random.ts";

const FRAME = 160;
const REPLY_S = 5;
const GAIN = 0.1;

/** Speaks the same seeded sounds, whatever the text. */
class SpeechLikeTts extends ScriptedTts {
  override async *speak(): AsyncGenerator<TtsChunk> {
    const samples = speechLike(new Random(11), REPLY_S);
    for (let at = 0; at < samples.length; at += 800)
      yield { samples: samples.subarray(at, at + 800), rateHz: 8_000, words: [] };
  }
}

/** Keeps the loudest sample of each frame. */
class RecordingStt implements Stt {
  readonly provider = "recording";
  readonly capabilities = { ratesHz: [8_000], interimTranscripts: true, anyLanguage: true };
  readonly peaks: number[] = [];
  voicedFrames = 0;

  open(): CallSttStream {
    return {
      write: (frame, { isSpeech } = NO_SPEECH) => {
        this.peaks.push(frame.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0));
        if (isSpeech) this.voicedFrames += 1;
      },
      events: (async function* () {})(),
    };
  }
}

const payloadOf = (samples: Float64Array): string =>
  Buffer.from(samples.map((sample) => MU_LAW.encodeTable[Math.round(sample) & 0xffff] as number)).toString("base64");

/** A call whose carrier returns what it plays, `delayMs` later. `caller` speaks over it. */
async function callWithEcho(delayMs: number, caller?: { speech: Int16Array; atMs: number }) {
  const clock = new ManualClock();
  const stt = new RecordingStt();
  const call = leg({
    stt,
    tts: new SpeechLikeTts(clock),
    vad: { isSpeech: (frame) => frame.some((sample) => Math.abs(sample) > 100), destroy: () => {} },
    spec: { firstSpeaker: "agent", interruptible: true, greeting: "Hello, this is a long greeting." },
  });
  call.start();
  const line = new Float64Array(12 * 8_000);
  let playedTo = 0;
  let read = 0;
  const sentAtMs: number[] = [];
  for (let ms = 0; ms < 7_000; ms += 20) {
    await call.clock.play(20);
    for (; read < call.socket.sent.length; read += 1) {
      const message = JSON.parse(call.socket.sent[read] as string) as { event: string; media?: { payload: string } };
      if (message.media === undefined) continue;
      sentAtMs.push(ms);
      const bytes = Buffer.from(message.media.payload, "base64");
      playedTo = Math.max(playedTo, ms * 8);
      bytes.forEach((byte, i) => {
        line[playedTo + i + delayMs * 8] = GAIN * (MU_LAW.decodeTable[byte] as number);
      });
      playedTo += bytes.length;
    }
    const frame = line.slice(ms * 8, ms * 8 + FRAME);
    const at = (ms - (caller?.atMs ?? 0)) * 8;
    for (let i = 0; i < FRAME; i += 1) frame[i] = (frame[i] as number) + (caller?.speech[at + i] ?? 0);
    call.media(payloadOf(frame));
  }
  call.json({ event: "stop", streamSid: "MZ00000000000000000000000000000001" });
  return { call, stt, sentAtMs };
}

/** The longest time without a frame between the first and the last, ms. */
const longestGap = (atMs: readonly number[]): number =>
  atMs.reduce((gap, ms, i) => (i === 0 ? 0 : Math.max(gap, ms - (atMs[i - 1] as number))), 0);

test("the agent's echo does not pause it, is silence for the STT, and stays in the recording", async () => {
  const { call, stt, sentAtMs } = await callWithEcho(160);
  expect(sentAtMs.length).toBe(REPLY_S * 50);
  expect(longestGap(sentAtMs)).toBeLessThanOrEqual(40);
  expect(stt.voicedFrames).toBe(0);
  const loud = stt.peaks.filter((peak) => peak > 100).length;
  expect(loud).toBeLessThan(20);
  const [end] = call.ends();
  expect(end?.echoFrames).toBeGreaterThan(100);
  expect(end?.echoDelayMs).toBeGreaterThan(120);
  expect(end?.echoDelayMs).toBeLessThan(200);
  expect(end?.echoGainDb).toBeLessThan(-10);
  await expect.poll(() => call.done()).toBe(1);
  const recorded = readFileSync(call.journalPath);
  expect(recorded.filter((byte) => byte !== MU_LAW.silenceByte).length).toBeGreaterThan(100 * FRAME);
});

test("somebody who speaks over the agent pauses it within 100 ms, and the STT gets the words", async () => {
  const caller = { speech: speechLike(new Random(12), 1), atMs: 2_500 };
  const { stt, sentAtMs } = await callWithEcho(160, caller);
  const pausedMs = sentAtMs.find((ms, i) => (sentAtMs[i + 1] ?? ms) - ms > 200);
  expect(pausedMs).toBeGreaterThan(caller.atMs);
  expect(pausedMs).toBeLessThan(caller.atMs + 100);
  expect(stt.voicedFrames).toBeGreaterThan(25);
});
