import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import wavefile from "wavefile";
import type { StreamFormat } from "../../../src/core/calls/spec.ts";
import { callMs } from "../../../src/core/clocks.ts";
import { asTurnId } from "../../../src/core/ids.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { type FrameCodec, pcmBytes } from "../../../src/media/frame-codec.ts";
import { G711_LAWS } from "../../../src/media/g711.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import type { JournalStart } from "../../../src/record/journal/records.ts";
import { renderRecording } from "../../../src/record/recording/render.ts";
import { SPEC, START } from "../../support/journals/example-call.ts";
import { JournalFile } from "../../support/journals/journal-file.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const makeResampler = await loadResampler();

interface Direction {
  rateHz: number;
  codec: FrameCodec;
}

/** A call over the raw WebSocket protocol, whose client sends no media times. */
function journalOf(caller: Direction, agent: Direction): JournalFile {
  const websocket: StreamFormat = { codec: "pcm_s16le", inputRateHz: 16_000, outputRateHz: 16_000 };
  const spec = { ...SPEC, connectionType: "websocket" as const, websocket, maxDurationMs: 7_200_000 };
  const leg = { inboundRateHz: caller.rateHz, outboundRateHz: agent.rateHz, outboundCodec: agent.codec };
  const start: JournalStart = { ...START, spec, leg };
  return new JournalFile(start).add({
    kind: "event",
    timeMs: callMs(5),
    event: { kind: "leg-started", codec: caller.codec },
  });
}

/** Frame `index` of a sine of 440 Hz that is continuous across frames. */
function sineFrame({ rateHz, codec }: Direction, index: number): Uint8Array {
  const count = (rateHz / 1_000) * FRAME_MS;
  const sample = (_: unknown, i: number): number => Math.round(sine(index * FRAME_MS + (i * 1_000) / rateHz));
  const samples = Int16Array.from({ length: count }, sample);
  if (codec === "pcm_s16le") return pcmBytes(samples);
  const { encodeTable } = G711_LAWS[codec];
  return Uint8Array.from(samples, (each) => encodeTable[each & 0xffff] as number);
}

const sine = (atMs: number): number => 8_000 * Math.sin((2 * Math.PI * 440 * atMs) / 1_000);

interface Rendered {
  rateHz: number;
  left: Int16Array;
  right: Int16Array;
  path: string;
}

async function render(journal: JournalFile): Promise<Rendered> {
  const path = join(temporaryDirectory(), "call.wav");
  const recording = await renderRecording(journal.path, path, makeResampler);
  const wav = new wavefile.WaveFile(readFileSync(path));
  const [left, right] = wav.getSamples(false, Int16Array) as unknown as [Int16Array, Int16Array];
  const rateHz = recording?.sampleRateHz ?? Number.NaN;
  expect(wav.fmt).toMatchObject({ audioFormat: 1, numChannels: 2, sampleRate: rateHz, bitsPerSample: 16 });
  return { rateHz, left, right, path };
}

/**
 * The largest difference from a sine that sounds from `fromMs` to `toMs` and silence elsewhere; edges of 5 ms are not
 * checked.
 */
function worst(samples: Int16Array, rateHz: number, fromMs: number, toMs: number): number {
  return samples.reduce((most, sample, at) => {
    const atMs = (at * 1_000) / rateHz;
    if (Math.abs(atMs - fromMs) < 5 || Math.abs(atMs - toMs) < 5) return most;
    const expected = atMs > fromMs && atMs < toMs ? sine(atMs - fromMs) : 0;
    return Math.max(most, Math.abs(sample - expected));
  }, 0);
}

const pcm = (rateHz: number): Direction => ({ rateHz, codec: "pcm_s16le" });
const law = (codec: "mulaw" | "alaw"): Direction => ({ rateHz: 8_000, codec });

describe("a recording's rate", () => {
  test.each([
    { caller: pcm(8_000), agent: pcm(8_000), rateHz: 8_000 },
    { caller: law("mulaw"), agent: pcm(8_000), rateHz: 8_000 },
    { caller: pcm(16_000), agent: pcm(16_000), rateHz: 16_000 },
    { caller: pcm(16_000), agent: pcm(24_000), rateHz: 16_000 },
    { caller: pcm(16_000), agent: pcm(48_000), rateHz: 16_000 },
    { caller: pcm(16_000), agent: law("alaw"), rateHz: 16_000 },
    { caller: pcm(8_000), agent: pcm(48_000), rateHz: 16_000 },
    { caller: law("mulaw"), agent: pcm(24_000), rateHz: 16_000 },
  ])("M11: $caller.codec at $caller.rateHz and $agent.codec at $agent.rateHz become $rateHz Hz, each sample where it belongs", async ({
    caller,
    agent,
    rateHz,
  }) => {
    const journal = journalOf(caller, agent);
    // Longer than a stride, so that the timelines move on during the sine.
    for (let index = 0; index < 1_000; index += 1) {
      journal.frameIn(1_020 + index * FRAME_MS, index * FRAME_MS, sineFrame(caller, index));
      journal.frameOut(1_000 + index * FRAME_MS, sineFrame(agent, index), (agent.rateHz / 1_000) * FRAME_MS);
    }
    const rendered = await render(journal.end(22_000.4));
    expect(rendered.rateHz).toBe(rateHz);
    expect(rendered.left).toHaveLength(Math.round(22.0004 * rateHz));
    expect(rendered.right).toHaveLength(rendered.left.length);
    // G.711 is coarser than PCM; a seam or a shift by one sample at 8,000 Hz would differ by 2,700.
    const near = ({ codec }: Direction): number => (codec === "pcm_s16le" ? 40 : 300);
    expect(worst(rendered.left, rateHz, 1_000, 21_000)).toBeLessThan(near(caller));
    expect(worst(rendered.right, rateHz, 1_000, 21_000)).toBeLessThan(near(agent));
  });

  test("a clear removes unplayed audio, to the sample, and a caller's audio after a silence is placed where it arrived", async () => {
    const [caller, agent] = [pcm(16_000), pcm(48_000)];
    const journal = journalOf(caller, agent);
    for (let index = 0; index < 10; index += 1)
      journal.frameIn(520 + index * FRAME_MS, index * FRAME_MS, sineFrame(caller, index));
    for (let index = 0; index < 10; index += 1) journal.frameOut(2_000, sineFrame(agent, index), 960);
    journal.add({
      kind: "command",
      timeMs: callMs(2_090),
      command: { kind: "cancel-reply", turnId: asTurnId(1), clear: true, reason: "words", speechMs: 0, heardText: "" },
    });
    // Muted for longer than the window. In the framer's view, media time follows the clock.
    for (let index = 0; index < 10; index += 1) {
      journal.frameIn(160_020 + index * FRAME_MS, 159_500 + index * FRAME_MS, sineFrame(caller, index));
      journal.frameOut(160_000 + index * FRAME_MS, sineFrame(agent, index), 960);
    }
    const { left, right, rateHz } = await render(journal.end(161_000));
    expect(left).toHaveLength(161 * rateHz);
    const span = (samples: Int16Array, fromMs: number, toMs: number): Int16Array =>
      samples.subarray((fromMs * rateHz) / 1_000, (toMs * rateHz) / 1_000);
    expect(worst(span(left, 0, 5_000), rateHz, 500, 700)).toBeLessThan(40);
    expect(worst(span(right, 0, 5_000), rateHz, 2_000, 2_090)).toBeLessThan(40);
    expect(span(left, 1_000, 159_900).every((sample) => sample === 0)).toBe(true);
    expect(span(right, 3_000, 159_900).every((sample) => sample === 0)).toBe(true);
    expect(worst(span(left, 159_000, 161_000), rateHz, 1_000, 1_200)).toBeLessThan(40);
    expect(worst(span(right, 159_000, 161_000), rateHz, 1_000, 1_200)).toBeLessThan(40);
  });

  test("half a sample at the end of a frame is dropped", async () => {
    const caller = pcm(16_000);
    const frame = sineFrame(caller, 0);
    const odd = new Uint8Array(frame.length + 1);
    odd.set(frame);
    const { left, right } = await render(
      journalOf(caller, caller).frameIn(120, 0, odd).frameOut(100, odd, 320).end(300),
    );
    expect(left.subarray(1_600, 1_920)).toEqual(new Int16Array(frame.buffer));
    expect(right).toEqual(left);
  });

  const sox = spawnSync("sox", ["--version"]).status === 0;
  test.skipIf(!sox)("opens in sox and has the length of the call (only where sox is installed)", async () => {
    const journal = journalOf(pcm(16_000), pcm(24_000));
    for (let index = 0; index < 100; index += 1)
      journal.frameOut(500 + index * FRAME_MS, sineFrame(pcm(24_000), index), 480);
    const { path } = await render(journal.end(3_000));
    const { stdout, stderr, status } = spawnSync("sox", ["--info", path], { encoding: "utf8" });
    expect(status).toBe(0);
    expect(stdout).toMatch(/Channels\s+: 2\n/);
    expect(stdout).toMatch(/Sample Rate\s+: 16000\n/);
    expect(stdout).toMatch(/Duration\s+: 00:00:03\.00 = 48000 samples/);
    expect(stderr).not.toMatch(/WARN/);
  });
});
