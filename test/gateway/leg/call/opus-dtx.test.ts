import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import wavefile from "wavefile";
import { DEFAULT_TURN_PARAMETERS } from "../../../../src/call/parameters.ts";
import { elapsedMs } from "../../../../src/core/clocks.ts";
import { FRAME_MS } from "../../../../src/core/limits/streams/media.ts";
import { loadResampler } from "../../../../src/media/resampler.ts";
import { EventLister } from "../../../../src/record/events/event-list.ts";
import { readJournal } from "../../../../src/record/journal/reader.ts";
import { renderRecording } from "../../../../src/record/recording/render.ts";
import { websocketLeg } from "../../../callers/websocket-leg.ts";
import { type OpusClient, opusStream } from "../../../support/audio/opus-packets.ts";
import { vowelAt } from "../../../support/audio/vowel.ts";
import { Random } from "../../../support/random.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";

const { hangoverMs } = DEFAULT_TURN_PARAMETERS;
const makeResampler = await loadResampler();

/** When the caller speaks, in seconds of the stream: the pauses between are shorter and longer than those of DTX. */
const SPEECH = [
  [0.8, 1.6],
  [2.3, 2.9],
  [3.15, 3.8],
  [4.15, 4.7],
  [5.7, 6.3],
] as const;
const STREAM_MS = 7_200;
const OPENED_MS = 330;
const random = new Random(18);
const NOISE = Array.from({ length: 16_000 }, () => random.between(-20, 20));

const spokenAt = (noise: boolean) => (seconds: number) =>
  (SPEECH.some(([from, to]) => seconds >= from && seconds < to) ? vowelAt(seconds) : 0) +
  (noise ? (NOISE[Math.round(seconds * 16_000) % NOISE.length] as number) : 0);

/** Sends a packet unless it is `undefined`, each at its time and late by what `lateMs` says; returns the call's journal. */
async function journalOf(client: OpusClient, packets: readonly (Uint8Array | undefined)[], lateMs = () => 0) {
  const call = websocketLeg({
    spec: { firstSpeaker: "user", recordingEnabled: true },
    format: { codec: "opus", inputRateHz: 16_000, outputRateHz: 16_000 },
  });
  let nowMs = 0;
  const until = async (atMs: number): Promise<void> => {
    if (atMs > nowMs) await call.clock.play(atMs - nowMs);
    nowMs = Math.max(nowMs, atMs);
  };
  for (const [index, packet] of packets.entries()) {
    await until(OPENED_MS + (index + 1) * client.frameMs + lateMs());
    if (packet !== undefined) call.connection.message(packet, true);
  }
  await until(OPENED_MS + STREAM_MS + 1_000);
  call.hangUp();
  expect(call.logged.filter((line) => line.includes('"fault":"bug"'))).toEqual([]);
  await expect.poll(() => call.done(), { timeout: 10_000 }).toBe(1);
  return call.journalPath;
}

/** For each end of speech, how long after its last voiced frame the call noticed it, ms. */
async function hangoversMs(journal: string): Promise<number[]> {
  const endsMs: number[] = [];
  let lister: EventLister | undefined;
  await readJournal(journal, (record) => {
    if (record.kind !== "header") lister?.take(record);
    else {
      lister = new EventLister(record.header, (event) => {
        if (event.kind === "speech-ended") endsMs.push(elapsedMs(event.endMs, event.atMs));
      });
    }
  });
  return endsMs;
}

/** The caller's channel, at 16,000 Hz. */
async function recordingOf(journal: string): Promise<Int16Array> {
  const path = join(temporaryDirectory(), "call.wav");
  await renderRecording(journal, path, makeResampler);
  const [left] = new wavefile.WaveFile(readFileSync(path)).getSamples(false, Int16Array) as unknown as [Int16Array];
  return left;
}

/** When each stretch of speech becomes loud, ms. */
function loudFromMs(samples: Int16Array): number[] {
  return SPEECH.map(([from, to]) => {
    const fromAt = Math.round((from + OPENED_MS / 1_000) * 16_000) - 16 * 200;
    const stretch = samples.subarray(fromAt, fromAt + (to - from) * 16_000);
    const at = stretch.findIndex((sample) => Math.abs(sample) > 1_500);
    expect(at).toBeGreaterThan(0);
    return (fromAt + at) / 16;
  });
}

/** By how many ms each stretch of speech lies later in `other` than in `expected`. */
function shiftsMs(expected: Int16Array, other: Int16Array): number[] {
  const expectedMs = loudFromMs(expected);
  return loudFromMs(other).map((loudMs, n) => Math.round(loudMs - (expectedMs[n] as number)));
}

const CLIENTS: [what: string, client: OpusClient][] = [
  ["speech coder", { rateHz: 16_000, channels: 1, frameMs: 20, bitrateBps: 20_000 }],
  ["waveform coder", { rateHz: 16_000, channels: 1, frameMs: 20, application: "audio", bitrateBps: 64_000 }],
  ["speech coder in packets of 60 ms", { rateHz: 16_000, channels: 1, frameMs: 60, bitrateBps: 20_000 }],
  [
    "waveform coder in packets of 10 ms",
    { rateHz: 16_000, channels: 1, frameMs: 10, application: "restrictedLowDelay", bitrateBps: 64_000 },
  ],
];

describe("a client whose Opus encoder has DTX", () => {
  for (const [what, client] of CLIENTS) {
    for (const noise of [false, true]) {
      test(`that sends no packets in silence: ${what}, ${noise ? "with noise" : "on a quiet line"}`, async () => {
        const sampleAt = spokenAt(noise);
        const whole = await journalOf(client, opusStream(client, STREAM_MS, sampleAt));
        const packets = opusStream({ ...client, dtx: true }, STREAM_MS, sampleAt);
        const sent = packets.map((packet) => (packet.length <= 2 ? undefined : packet));
        expect(sent.filter((packet) => packet === undefined).length).toBeGreaterThan(packets.length / 10);
        const journal = await journalOf(client, sent);
        const endsMs = await hangoversMs(journal);
        expect(endsMs.length).toBeGreaterThanOrEqual(3);
        expect(endsMs).toHaveLength((await hangoversMs(whole)).length);
        expect(Math.max(...endsMs), `${endsMs}`).toBeLessThanOrEqual(hangoverMs + Math.max(FRAME_MS, client.frameMs));
        const shifts = shiftsMs(await recordingOf(whole), await recordingOf(journal));
        expect(Math.max(...shifts.map(Math.abs)), `${shifts}`).toBeLessThanOrEqual(FRAME_MS);
      });
    }
  }

  test.each(CLIENTS)("that sends no packets in silence, on a line with jitter: %s", async (_, client) => {
    const JITTER_MS = 15;
    const jitter = new Random(5);
    const lateMs = () => jitter.between(0, JITTER_MS);
    const whole = await journalOf(client, opusStream(client, STREAM_MS, spokenAt(false)));
    const packets = opusStream({ ...client, dtx: true }, STREAM_MS, spokenAt(false));
    const sent = packets.map((packet) => (packet.length <= 2 ? undefined : packet));
    const journal = await journalOf(client, sent, lateMs);
    const endsMs = await hangoversMs(journal);
    expect(endsMs).toHaveLength((await hangoversMs(whole)).length);
    expect(Math.max(...endsMs), `${endsMs}`).toBeLessThanOrEqual(
      hangoverMs + Math.max(FRAME_MS, client.frameMs) + JITTER_MS,
    );
    const shifts = shiftsMs(await recordingOf(whole), await recordingOf(journal));
    expect(Math.max(...shifts.map(Math.abs)), `${shifts}`).toBeLessThanOrEqual(FRAME_MS);
  });

  test("that sends its packets of one byte: speech ends and is recorded as without DTX", async () => {
    const [, client] = CLIENTS[0] as (typeof CLIENTS)[number];
    const sampleAt = spokenAt(false);
    const whole = await journalOf(client, opusStream(client, STREAM_MS, sampleAt));
    const journal = await journalOf(client, opusStream({ ...client, dtx: true }, STREAM_MS, sampleAt));
    expect(await hangoversMs(journal)).toEqual(await hangoversMs(whole));
    expect(shiftsMs(await recordingOf(whole), await recordingOf(journal))).toEqual(SPEECH.map(() => 0));
  });
});

test("packets that the network holds up while the caller speaks are no pause", async () => {
  const [, client] = CLIENTS[0] as (typeof CLIENTS)[number];
  const packets = opusStream(client, STREAM_MS, spokenAt(false));
  // Those from 1.1 s on arrive together 400 ms later.
  let index = -1;
  const lateMs = (): number => {
    index += 1;
    const dueMs = (index + 1) * FRAME_MS;
    return dueMs > 1_100 && dueMs < 1_500 ? 1_500 - dueMs : 0;
  };
  const whole = await journalOf(client, packets);
  const journal = await journalOf(client, packets, lateMs);
  expect(await hangoversMs(journal)).toEqual(await hangoversMs(whole));
  expect(shiftsMs(await recordingOf(whole), await recordingOf(journal))).toEqual(SPEECH.map(() => 0));
});
