import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import wavefile from "wavefile";
import { callMs } from "../../../src/core/clocks.ts";
import { asTurnId } from "../../../src/core/ids.ts";
import { G711_LAWS, type G711Law, mulawEncode } from "../../../src/media/g711.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import { type Recording, type RenderProgress, renderRecording } from "../../../src/record/recording/render.ts";
import { NOT_RECORDED, SPEC, START } from "../../support/journals/example-call.ts";
import { JournalFile } from "../../support/journals/journal-file.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const RATE_HZ = 8_000;
const FRAME_SAMPLES = 160;
const LOUD = 1_000;

const makeResampler = await loadResampler();
const renderTo = (path: string, journal: JournalFile): Promise<Recording | undefined> =>
  renderRecording(journal.path, path, makeResampler);

/** Frames of a tone without a quiet sample at its beginning or end, so that its position is exact to the sample. */
function toneFrames(count: number): Uint8Array[] {
  return Array.from({ length: count }, () => {
    const samples = Int16Array.from({ length: FRAME_SAMPLES }, (_, i) => (i % 8 < 4 ? 8_000 : -8_000));
    const bytes = new Uint8Array(FRAME_SAMPLES);
    mulawEncode(samples, bytes);
    return bytes;
  });
}

interface Heard {
  samples: number;
  /** Spans of sound, in ms; a span with a NaN start is neither sound nor exact silence. */
  caller: [fromMs: number, toMs: number][];
  agent: [fromMs: number, toMs: number][];
}

async function render(journal: JournalFile): Promise<Heard> {
  const path = join(temporaryDirectory(), "call.wav");
  const recording = await renderTo(path, journal);
  const wav = new wavefile.WaveFile(readFileSync(path));
  expect(wav.fmt).toMatchObject({ audioFormat: 1, numChannels: 2, sampleRate: RATE_HZ, bitsPerSample: 16 });
  const [left, right] = wav.getSamples(false, Int16Array) as unknown as [Int16Array, Int16Array];
  expect(left.length).toBe(right.length);
  expect(recording).toMatchObject({ channels: 2, sampleRateHz: RATE_HZ, durationMs: left.length / 8 });
  return { samples: left.length, caller: spans(left), agent: spans(right) };
}

function spans(samples: Int16Array): [number, number][] {
  const found: [number, number][] = [];
  let from = -1;
  for (let i = 0; i <= samples.length; i += 1) {
    const sounds = Math.abs(samples[i] ?? 0) > LOUD;
    if (sounds && from < 0) from = i;
    if (!sounds && from >= 0) {
      found.push([from / 8, i / 8]);
      from = -1;
    }
    if (!sounds && (samples[i] ?? 0) !== 0) found.push([Number.NaN, i / 8]);
  }
  return found;
}

describe("recording", () => {
  test("of a long call says every few seconds of audio how much of it is written", async () => {
    const journal = new JournalFile();
    const [frame = new Uint8Array()] = toneFrames(1);
    for (let ms = 0; ms < 180_000; ms += 20) journal.frameIn(ms + 20, ms, frame);
    const progress: RenderProgress[] = [];
    const path = join(temporaryDirectory(), "call.wav");
    await renderRecording(journal.end(180_000).path, path, makeResampler, (latest) => void progress.push(latest));
    expect(progress.length).toBeGreaterThan(10);
    const written = progress.map(({ renderedMs }) => renderedMs);
    expect(written).toEqual([...written].sort((one, other) => one - other));
    expect(written.at(-1)).toBeGreaterThan(120_000);
    for (const { renderedMs, durationMs } of progress) {
      expect(durationMs).toBe(180_000);
      expect(renderedMs).toBeLessThanOrEqual(180_000);
    }
  });

  test("the caller is left, placed by media time, however late frames arrive, and gaps are exact silence", async () => {
    const journal = new JournalFile();
    // Spoken from 1000 to 1200 ms and from 1500 to 1700 ms of the call; media time lags it by 700 ms.
    const delaysMs = [35, 80, 60, 40, 20, 3, 90, 70, 50, 30];
    for (const startMs of [1_000, 1_500]) {
      for (const [index, frame] of toneFrames(10).entries()) {
        const spokenMs = startMs + index * 20;
        journal.frameIn(spokenMs + 20 + (delaysMs[index] ?? 0), spokenMs - 700, frame);
      }
    }
    const { samples, caller, agent } = await render(journal.end(2_500));
    expect(samples).toBe(2_500 * 8);
    // The least delayed frame is 3 ms late, which is the largest possible error.
    expect(caller).toEqual([
      [1_003, 1_203],
      [1_503, 1_703],
    ]);
    expect(agent).toEqual([]);
  });

  test("the agent is right, placed when it was played, not when it was sent, and a clear removes the rest", async () => {
    const journal = new JournalFile();
    // 100 ms are sent at once, then a frame every 20 ms: sound from 300 ms on without a seam.
    const frames = toneFrames(20);
    for (const [index, frame] of frames.entries()) journal.frameOut(300 + Math.max(0, index - 4) * 20, frame);
    journal.add({
      kind: "command",
      timeMs: callMs(610),
      command: { kind: "cancel-reply", turnId: asTurnId(1), clear: true, reason: "words", speechMs: 0, heardText: "" },
    });
    for (const frame of toneFrames(5)) journal.frameOut(900, frame);
    // This one drops unsent audio; sent audio is heard.
    journal.add({
      kind: "command",
      timeMs: callMs(905),
      command: { kind: "cancel-reply", turnId: asTurnId(2), clear: false, reason: "words", speechMs: 0, heardText: "" },
    });
    const { agent, caller } = await render(journal.end(2_000));
    expect(agent).toEqual([
      [300, 610],
      [900, 1_000],
    ]);
    expect(caller).toEqual([]);
  });

  test("both sides are within 20 ms of each other when the caller answers at once", async () => {
    const journal = new JournalFile();
    for (const frame of toneFrames(5)) journal.frameOut(1_000.4, frame);
    for (const [index, frame] of toneFrames(5).entries()) {
      journal.frameIn(1_120.9 + index * 20 + (index % 3) * 4, 102 + index * 20, frame);
    }
    const { agent, caller } = await render(journal.end(1_500));
    expect(agent[0]?.[1]).toBeCloseTo(1_100.4, 0);
    expect(caller[0]?.[0]).toBeCloseTo(1_100.9, 0);
  });

  test("audio before the call or after its end is left out", async () => {
    const journal = new JournalFile();
    for (const [index, frame] of toneFrames(3).entries()) journal.frameIn(10 + index * 20, index * 20, frame);
    for (const frame of toneFrames(50)) journal.frameOut(100, frame);
    const { samples, caller, agent } = await render(journal.end(500.0625));
    expect(samples).toBe(4_001);
    expect(caller).toEqual([[0, 50]]);
    expect(agent).toEqual([[100, 500.125]]);
  });

  test("a jump of the peer's timestamps moves no earlier audio", async () => {
    const journal = new JournalFile();
    const frames = toneFrames(20);
    for (const [index, frame] of frames.entries()) {
      journal.frameIn(520 + index * 20, index * 20 + (index < 10 ? 0 : 2_000), frame);
    }
    const { caller } = await render(journal.end(3_000));
    expect(caller).toEqual([[500, 900]]);
  });

  test("a pause that the peer's timestamps omit stays a pause, and a network stall leaves none", async () => {
    const pause = new JournalFile();
    const frames = toneFrames(20);
    for (const [index, frame] of frames.entries()) {
      pause.frameIn(520 + index * 20 + (index < 10 ? 0 : 2_000), index * 20, frame);
    }
    expect((await render(pause.end(4_000))).caller).toEqual([
      [500, 700],
      [2_700, 2_900],
    ]);
    const stall = new JournalFile();
    for (const [index, frame] of toneFrames(100).entries()) {
      const arrivalMs = 520 + index * 20;
      stall.frameIn(index < 10 ? arrivalMs : Math.max(arrivalMs, 2_000), index * 20, frame);
    }
    expect((await render(stall.end(4_000))).caller).toEqual([[500, 2_500]]);
  });

  test("rounded times leave no gap between frames", async () => {
    const journal = new JournalFile();
    for (const [index, frame] of toneFrames(50).entries()) {
      journal.frameIn(1_000.0625 + index * 20, index * 20 + (index % 2) * 0.125, frame);
      journal.frameOut(1_000.0625 + index * 19.999, frame);
    }
    const { caller, agent } = await render(journal.end(3_000));
    expect(caller).toHaveLength(1);
    expect(agent).toHaveLength(1);
  });

  test("each side is decoded by its own law: a caller in A-law with an agent in mu-law, and the reverse", async () => {
    const quarter = (law: G711Law): Uint8Array => new Uint8Array(FRAME_SAMPLES).fill(law.encodeTable[8_000] as number);
    for (const [codec, outboundCodec] of [
      ["alaw", "mulaw"],
      ["mulaw", "alaw"],
      ["alaw", "alaw"],
    ] as const) {
      const journal = new JournalFile({ ...START, leg: { ...START.leg, outboundCodec } });
      journal.add({ kind: "event", timeMs: callMs(10), event: { kind: "leg-started", codec } });
      journal.frameIn(120, 0, quarter(G711_LAWS[codec])).frameOut(200, quarter(G711_LAWS[outboundCodec])).end(400);
      const path = join(temporaryDirectory(), "call.wav");
      await renderTo(path, journal);
      const [left, right] = new wavefile.WaveFile(readFileSync(path)).getSamples(false, Int16Array) as unknown as [
        Int16Array,
        Int16Array,
      ];
      for (const [side, at, law] of [
        [left, 100, G711_LAWS[codec]],
        [right, 200, G711_LAWS[outboundCodec]],
      ] as const) {
        const sound = law.decodeTable[law.encodeTable[8_000] as number] as number;
        expect(Math.abs(sound - 8_000)).toBeLessThan(300);
        const expected = new Int16Array(400 * 8).fill(sound, at * 8, (at + 20) * 8);
        expect(Buffer.from(side.buffer).equals(Buffer.from(expected.buffer))).toBe(true);
      }
    }
  });

  test("audio that the disk did not accept is silence, and later audio keeps its place", async () => {
    const journal = new JournalFile();
    const lost = { turnId: asTurnId(1), samples: FRAME_SAMPLES, audio: new Uint8Array(), audioOmitted: true };
    const [first, second] = toneFrames(2) as [Uint8Array, Uint8Array];
    journal
      .frameOut(100, first)
      .add({ kind: "frame-out", timeMs: callMs(100), ...lost })
      .frameOut(100, second);
    expect((await render(journal.end(1_000))).agent).toEqual([
      [100, 120],
      [140, 160],
    ]);
    const path = join(temporaryDirectory(), "call.wav");
    expect(await renderTo(path, journal)).toMatchObject({ complete: false });
  });

  test("a complete journal makes a complete recording; one without an end makes an incomplete one of its length", async () => {
    const journal = new JournalFile();
    for (const [index, frame] of toneFrames(10).entries()) journal.frameIn(100 + index * 20, index * 20, frame);
    const path = join(temporaryDirectory(), "call.wav");
    expect(await renderTo(path, journal)).toMatchObject({ complete: false, durationMs: 280 });
    expect(await renderTo(path, journal.end(300))).toMatchObject({ complete: true, durationMs: 300 });
  });

  test("C18: a call without any audio has a recording, too", async () => {
    expect((await render(new JournalFile().end(50))).samples).toBe(400);
    expect((await render(new JournalFile().end(0))).samples).toBe(0);
  });

  test("a call that is not recorded has none", async () => {
    const path = join(temporaryDirectory(), "call.wav");
    expect(await renderTo(path, new JournalFile(NOT_RECORDED).end(50))).toBeUndefined();
    expect(existsSync(path)).toBe(false);
  });

  test("a call without words has the same recording as one with words, over a carrier and over a WebSocket", async () => {
    for (const connectionType of ["carrier_a", "websocket"] as const) {
      const [withWords, without] = [true, false].map((transcriptEnabled) => {
        const spec = { ...SPEC, connectionType, transcriptEnabled, maxDurationMs: 60_000 };
        const journal = new JournalFile({ ...START, spec });
        // Media time that runs ahead, of which only a carrier's is followed.
        for (const [index, frame] of toneFrames(20).entries()) {
          journal.frameIn(500 + index * 20, index * 25, frame).frameOut(1_500 + index * 20, frame);
        }
        return journal.end(200_000);
      });
      const paths = ["with.wav", "without.wav"].map((name) => join(temporaryDirectory(), name));
      const recordings = [await renderTo(paths[0] as string, withWords as JournalFile)];
      recordings.push(await renderTo(paths[1] as string, without as JournalFile));
      expect(recordings[1]).toMatchObject({ durationMs: 120_000, complete: true });
      expect(recordings[1]).toEqual(recordings[0]);
      expect(readFileSync(paths[1] as string).equals(readFileSync(paths[0] as string))).toBe(true);
      expect(readFileSync((without as JournalFile).path).includes("dentist")).toBe(false);
    }
  });

  test("a call with words and without audio has none", async () => {
    const path = join(temporaryDirectory(), "call.wav");
    const spec = { ...SPEC, recordingEnabled: false, transcriptEnabled: true };
    expect(await renderTo(path, new JournalFile({ ...START, spec }).end(50))).toBeUndefined();
    expect(existsSync(path)).toBe(false);
  });

  test("a clock that ran on for years costs no more than the longest call", async () => {
    const path = join(temporaryDirectory(), "call.wav");
    const spec = { ...SPEC, maxDurationMs: 60_000 };
    const recording = await renderTo(path, new JournalFile({ ...START, spec }).end(1e12));
    expect(recording?.durationMs).toBe(120_000);
  });

  test("only its owner can read the file, it replaces an older one, and no incomplete file is left", async () => {
    const path = join(temporaryDirectory(), "call.wav");
    writeFileSync(path, "old");
    await renderTo(path, new JournalFile().end(100));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(path).size).toBe(44 + 100 * 8 * 4);
    await expect(renderRecording(join(dirname(path), "none.tlj"), path, makeResampler)).rejects.toThrow("journal");
    expect(readdirSync(dirname(path)).sort()).toEqual(["call.peaks", "call.wav"]);
  });

  const sox = spawnSync("sox", ["--version"]).status === 0;
  test.skipIf(!sox)("opens in sox (only where sox is installed)", async () => {
    const journal = new JournalFile();
    for (const [index, frame] of toneFrames(50).entries()) journal.frameIn(100 + index * 20, index * 20, frame);
    const path = join(temporaryDirectory(), "call.wav");
    await renderTo(path, journal.end(2_000));
    const { status, stderr } = spawnSync("sox", [path, "-n", "stat"], { encoding: "utf8" });
    expect(status).toBe(0);
    expect(stderr).toMatch(/Length \(seconds\):\s+2\.0/);
    expect(stderr).not.toMatch(/WARN/);
  });
});
