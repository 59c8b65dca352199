import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import wavefile from "wavefile";
import { childModule } from "../../../src/core/child-processes/child-module.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import { projectJournal } from "../../../src/record/finalization/projection.ts";
import { journalPath, readJournal } from "../../../src/record/journal/reader.ts";
import { renderRecording } from "../../../src/record/recording/render.ts";
import { START } from "../../support/journals/example-call.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const KILLS = 12;
const AT_ONCE = 5;
const LOST_MS_MAX = 1_000;

/**
 * Runs a program that journals a call for `lifeMs` from its first frame on and kills it. Returns how many frames it had
 * journaled.
 */
async function killed(dataDir: string, lifeMs: number): Promise<number> {
  const { path, execArgv } = childModule(import.meta.url, "./programs/crash-victim");
  const victim = spawn(process.execPath, [...execArgv, path, dataDir], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    victim.kill("SIGKILL");
  });
  let said = "";
  victim.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  await once(victim.stdout, "data");
  await delay(lifeMs);
  victim.kill("SIGKILL");
  const [, signal] = await once(victim, "close");
  expect(signal).toBe("SIGKILL");
  return Number(said.slice(0, said.lastIndexOf("\n")).split("\n").at(-1));
}

/** The number of frames in a journal, each at its expected place. */
async function framesIn(journal: string): Promise<number> {
  let frames = 0;
  await readJournal(journal, (record) => {
    if (record.kind !== "frame-in") return;
    expect(record.mediaMs).toBe(frames * FRAME_MS);
    expect(record.audio).toHaveLength(160);
    frames += 1;
  });
  return frames;
}

test("K5: a process killed at any moment loses at most the last second of its journal, and the recording opens", {
  retry: ifMachineStalled,
  timeout: 60_000,
}, async () => {
  const kill = async (index: number): Promise<void> => {
    const dataDir = temporaryDirectory();
    const journaled = await killed(dataDir, 100 + index * 67 + Math.random() * 67);
    const journal = journalPath(dataDir, START.callId);
    const kept = await framesIn(journal);
    const lostMs = (journaled - kept) * FRAME_MS;
    expect(lostMs, `frames journaled ${journaled}, kept ${kept}`).toBeLessThanOrEqual(LOST_MS_MAX);

    const record = await projectJournal(journal);
    expect(record).toMatchObject({ endReason: "worker_lost", complete: false, frames: { in: kept } });

    const path = join(dataDir, "call.wav");
    const recording = await renderRecording(journal, path, await loadResampler());
    expect(recording?.complete).toBe(false);
    const wav = new wavefile.WaveFile(readFileSync(path));
    const [left, right] = wav.getSamples(false, Int16Array) as unknown as [Int16Array, Int16Array];
    expect(left.length).toBe(right.length);
    expect(left.length / 8).toBeGreaterThanOrEqual(journaled * FRAME_MS - LOST_MS_MAX);
    const loud = left.filter((sample) => sample !== 0).length;
    expect(loud / 8).toBeGreaterThanOrEqual(Math.min(left.length / 8, kept * FRAME_MS) - FRAME_MS);
  };
  const indexes = Array.from({ length: KILLS }, (_, index) => index);
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let index = indexes.shift(); index !== undefined; index = indexes.shift()) await kill(index);
    }),
  );
});
