import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import { projectJournal } from "../../../src/record/finalization/projection.ts";
import { readJournal } from "../../../src/record/journal/reader.ts";
import type { JournalRecord } from "../../../src/record/journal/records.ts";
import { renderRecording } from "../../../src/record/recording/render.ts";
import { compareJournal } from "../../../src/record/replay/comparison.ts";
import { leg } from "../../callers/leg.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";
import { ScriptedStt } from "../../support/providers/scripted-stt.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const makeResampler = await loadResampler();

/** A call that is paused from 3 to 6 s, in which keys are pressed at about 4 s. */
async function call() {
  const clock = new ManualClock();
  const stt = new ScriptedStt(clock, []);
  const llm = new ScriptedLlm(clock, [textReply("Thank you.")]);
  const held = leg({ stt, llm, shared: { clock, ticker: new Ticker(clock) }, spec: { greeting: "Hello." } });
  held.start();
  await held.listen(3_000);
  expect(held.connection.changeRecording({ kind: "pause-recording" })).toBe("done");
  expect(held.connection.changeRecording({ kind: "pause-recording" })).toBe("recording_paused");
  await held.listen(3_000);
  expect(held.connection.changeRecording({ kind: "resume-recording" })).toBe("done");
  await held.listen(3_000);
  held.connection.closed(1_000, false);
  await held.listen(100);
  return held;
}

describe("the recording of a call that is paused", () => {
  test("has no audio of either side in the journal while it is paused, and the record says when that was", async () => {
    const { journalPath: path } = await call();
    const records: JournalRecord[] = [];
    await readJournal(path, (record) => {
      records.push("audio" in record ? { ...record, audio: record.audio.slice() } : record);
    });
    const { recordingPauses, complete } = await projectJournal(path);
    expect(recordingPauses).toHaveLength(1);
    expect(complete).toBe(true);
    const [{ startMs, endMs } = { startMs: 0, endMs: 0 }] = recordingPauses;
    expect(endMs - startMs).toBeGreaterThanOrEqual(2_900);
    const frames = records.filter((record) => record.kind === "frame-in");
    const inPause = ({ timeMs }: JournalRecord): boolean => Number(timeMs) > startMs && Number(timeMs) < endMs;
    expect(frames.filter(inPause).length).toBeGreaterThan(100);
    expect(frames.filter(inPause).every(({ audio }) => audio.length === 0)).toBe(true);
    expect(frames.filter((frame) => !inPause(frame)).some(({ audio }) => audio.length > 0)).toBe(true);
  });

  test("is as long as the call, and a replay says from when on words are missing", async () => {
    const { journalPath: path } = await call();
    const wav = join(temporaryDirectory(), "call.wav");
    const recording = await renderRecording(path, wav, makeResampler);
    expect(recording?.durationMs).toBeGreaterThan(8_500);
    expect(readFileSync(wav).length).toBeGreaterThan(8.5 * 8_000 * 4);
    const { pausedAtMs, difference } = await compareJournal(path);
    expect(difference).toBeUndefined();
    expect(pausedAtMs).toBeGreaterThanOrEqual(2_900);
  });
});
