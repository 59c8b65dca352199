import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newMediaKey } from "../../../src/core/encryption/chunks.ts";
import { asCallId } from "../../../src/core/ids.ts";
import { pcmBytes } from "../../../src/media/frame-codec.ts";
import { mulawEncode } from "../../../src/media/g711.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import { wavHeader } from "../../../src/media/wav.ts";
import { recordingPath, renderRecording } from "../../../src/record/recording/render.ts";
import { makeWaveform, PeakMeter, readWaveform, waveformPath } from "../../../src/record/recording/waveform.ts";
import { WaveformReader } from "../../../src/record/recording/waveform-reader.ts";
import { NOT_RECORDED } from "../../support/journals/example-call.ts";
import { JournalFile } from "../../support/journals/journal-file.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const makeResampler = await loadResampler();
const CALL_ID = asCallId("call_01990000-0000-7000-8000-000000000001");
const KEY = newMediaKey(CALL_ID);
const FRAME_SAMPLES = 160;

/** A frame of 20 ms whose samples alternate between the two signs of `amplitude`. */
function frame(amplitude: number): Uint8Array {
  const bytes = new Uint8Array(FRAME_SAMPLES);
  mulawEncode(
    Int16Array.from(bytes, (_, i) => (i % 2 === 0 ? amplitude : -amplitude)),
    bytes,
  );
  return bytes;
}

/** A call of 200 ms: the caller is loud in its first 40 ms, the agent in the 60 ms from 100 ms on. */
function journal(): JournalFile {
  const file = new JournalFile();
  for (let at = 0; at < 40; at += 20) file.frameIn(at + 20, at, frame(16_000));
  for (let at = 100; at < 160; at += 20) file.frameOut(at, frame(8_000));
  return file.end(200);
}

const near = (value: number): unknown => expect.closeTo(value, -3);

/** Stereo samples through a meter, in blocks of so many pairs, and read in so many buckets. */
async function metered(stereo: Int16Array, pairsAtOnce: number, buckets: number) {
  const meter = new PeakMeter(stereo.length / 2, 8_000);
  for (let at = 0; at < stereo.length; at += 2 * pairsAtOnce) meter.take(stereo.subarray(at, at + 2 * pairsAtOnce));
  const path = join(temporaryDirectory(), "call.peaks");
  await meter.write({ path, key: undefined });
  return await readWaveform({ path, key: undefined }, buckets);
}

describe("the waveform of a recording", () => {
  test("is written beside the recording, with the peaks of both sides where they are", async () => {
    const path = join(temporaryDirectory(), "call.wav");
    await renderRecording(journal().path, path, makeResampler);
    const { bucketMs, caller, agent } = await readWaveform({ path: waveformPath(path), key: undefined }, 8_000);
    expect(bucketMs).toBe(20);
    expect(caller).toEqual([near(16_000), near(16_000), 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(agent).toEqual([0, 0, 0, 0, 0, near(8_000), near(8_000), near(8_000), 0, 0]);
  });

  test("has as many buckets as are asked for, each with the largest peak of its part", async () => {
    const path = join(temporaryDirectory(), "call.wav");
    await renderRecording(journal().path, path, makeResampler);
    const file = { path: waveformPath(path), key: undefined };
    expect(await readWaveform(file, 1)).toEqual({ bucketMs: 200, caller: [near(16_000)], agent: [near(8_000)] });
    const three = await readWaveform(file, 3);
    expect(three.bucketMs).toBeCloseTo(200 / 3);
    expect(three).toMatchObject({ caller: [near(16_000), 0, 0], agent: [0, near(8_000), near(8_000)] });
  });

  test("is the same whatever the length of the blocks in which the samples come", async () => {
    const stereo = Int16Array.from({ length: 2 * 1_000 }, (_, i) => (i * 7_919) % 30_000);
    const whole = await metered(stereo, 1_000, 8_000);
    expect(whole.caller).toHaveLength(7);
    for (const pairs of [1, 3, 159, 160, 161, 500]) expect(await metered(stereo, pairs, 8_000)).toEqual(whole);
  });

  test("never exceeds full scale, not even for the lowest sample", async () => {
    const stereo = Int16Array.from({ length: 320 }, (_, i) => (i === 5 ? -32_768 : 0));
    expect(await metered(stereo, 160, 1)).toMatchObject({ caller: [0], agent: [32_767] });
  });

  test("is not written for a call without audio", async () => {
    const path = join(temporaryDirectory(), "call.wav");
    await renderRecording(new JournalFile(NOT_RECORDED).end(40).path, path, makeResampler);
    expect(existsSync(waveformPath(path))).toBe(false);
  });

  test("is encrypted with the key of its call, where media are", async () => {
    const path = join(temporaryDirectory(), "call.peaks");
    await new PeakMeter(800, 8_000).write({ path, key: KEY });
    expect(readFileSync(path).toString("latin1")).not.toContain("TLKW");
    expect((await readWaveform({ path, key: KEY }, 5)).caller).toHaveLength(5);
    await expect(readWaveform({ path, key: undefined }, 5)).rejects.toMatchObject({ code: "media_unreadable" });
    await expect(readWaveform({ path, key: newMediaKey(CALL_ID) }, 5)).rejects.toMatchObject({
      code: "media_unreadable",
    });
  });

  test("is refused when it was cut off, or is of another version", async () => {
    const path = join(temporaryDirectory(), "call.peaks");
    await new PeakMeter(800, 8_000).write({ path, key: undefined });
    const whole = readFileSync(path);
    const other = Buffer.from(whole);
    other[4] = 2;
    for (const bytes of [Buffer.alloc(0), whole.subarray(0, 7), whole.subarray(0, -1), other]) {
      writeFileSync(path, bytes);
      await expect(readWaveform({ path, key: undefined }, 5)).rejects.toMatchObject({ code: "media_unreadable" });
    }
  });
});

describe("a recording of a version before there were waveforms", () => {
  test("gets the waveform that rendering would have given it", async () => {
    const path = join(temporaryDirectory(), "call.wav");
    await renderRecording(journal().path, path, makeResampler);
    const file = { path: waveformPath(path), key: undefined };
    const rendered = await readWaveform(file, 100);
    rmSync(file.path);
    await makeWaveform({ path, key: undefined });
    expect(await readWaveform(file, 100)).toEqual(rendered);
  });

  test("is refused when it is no stereo file", async () => {
    const path = join(temporaryDirectory(), "call.wav");
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from("RIFF"),
      Buffer.concat([wavHeader(1, 8_000, 1), Buffer.alloc(2)]),
    ]) {
      writeFileSync(path, bytes);
      await expect(makeWaveform({ path, key: undefined })).rejects.toMatchObject({ code: "media_unreadable" });
    }
  });

  test("has it made once, alone on the files of its call, however many ask for it", async () => {
    const dataDir = temporaryDirectory();
    mkdirSync(join(dataDir, "recordings"));
    const made: string[] = [];
    let queue: Promise<unknown> = Promise.resolve();
    const reader = new WaveformReader({
      dataDir,
      findKey: async () => undefined,
      withFiles: (_, work) => {
        const done = queue.then(work);
        queue = done.catch(() => {});
        return done;
      },
      makeWaveform: async (callId) => {
        made.push(callId);
        await new PeakMeter(800, 8_000).write({ path: waveformPath(recordingPath(dataDir, callId)), key: undefined });
      },
    });
    const read = await Promise.all([reader.read(CALL_ID, 5), reader.read(CALL_ID, 5), reader.read(CALL_ID, 5)]);
    expect(read.map(({ caller }) => caller.length)).toEqual([5, 5, 5]);
    expect(made).toEqual([CALL_ID]);
  });
});

test("the waveform of two hours is a hundredth of its recording, and gives 8,000 buckets", async () => {
  const second = Int16Array.from({ length: 2 * 8_000 }, (_, i) => i % 20_000);
  const meter = new PeakMeter(7_200 * 8_000, 8_000);
  meter.take(second);
  const path = join(temporaryDirectory(), "call.peaks");
  await meter.write({ path, key: KEY });
  expect(readFileSync(path).length).toBeLessThan((pcmBytes(second).length * 7_200) / 100);
  const { bucketMs, caller, agent } = await readWaveform({ path, key: KEY }, 8_000);
  expect([bucketMs, caller.length, agent.length]).toEqual([900, 8_000, 8_000]);
});
