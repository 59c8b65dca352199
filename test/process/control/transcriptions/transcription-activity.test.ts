import { expect, test } from "vitest";
import { type AccountId, asTranscriptionId } from "../../../../src/core/ids.ts";
import { ACTIVITY_REPORT_MS } from "../../../../src/core/limits/control-api/events.ts";
import type { TranscriptionProgress } from "../../../../src/core/transcriptions/progress.ts";
import { TranscriptionActivity } from "../../../../src/process/control/transcriptions/transcription-activity.ts";
import { ManualClock } from "../../../support/manual-clock.ts";

const progress = (id: string, doneMs: number): TranscriptionProgress => ({
  transcriptionId: asTranscriptionId(id),
  accountId: "account_1" as AccountId,
  doneMs,
  durationMs: 60_000,
});

test("the latest of each transcription is passed, once in a while", () => {
  const clock = new ManualClock();
  const activity = new TranscriptionActivity(clock);
  const passed: (readonly TranscriptionProgress[])[] = [];
  activity.subscribe((all) => passed.push(all));
  activity.report(progress("transcription_1", 500));
  activity.report(progress("transcription_2", 100));
  activity.report(progress("transcription_1", 900));
  expect(passed).toEqual([]);
  clock.advance(ACTIVITY_REPORT_MS);
  expect(passed).toEqual([[progress("transcription_1", 900), progress("transcription_2", 100)]]);
  clock.advance(10 * ACTIVITY_REPORT_MS);
  expect(passed).toHaveLength(1);
  activity.report(progress("transcription_1", 1_500));
  clock.advance(ACTIVITY_REPORT_MS);
  expect(passed.at(-1)).toEqual([progress("transcription_1", 1_500)]);
});
