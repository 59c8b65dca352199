import { expect, test } from "vitest";
import { JOB_PROGRESS_MS } from "../../src/core/limits/service/jobs.ts";
import { ProgressReports } from "../../src/jobs/progress.ts";
import { ManualClock } from "../support/manual-clock.ts";

function scene(store: () => Promise<void> = async () => {}) {
  const clock = new ManualClock();
  const stored: unknown[] = [];
  const reports = new ProgressReports((progress) => {
    stored.push(progress);
    return store();
  }, clock);
  return { clock, stored, reports };
}

test("of many reports the latest is stored at each interval", async () => {
  const { clock, stored, reports } = scene();
  for (let calls = 1; calls <= 30; calls++) {
    reports.report({ calls });
    await clock.play(JOB_PROGRESS_MS / 10);
  }
  expect(stored).toEqual([{ calls: 10 }, { calls: 20 }, { calls: 30 }]);
});

test("an attempt that is over stores nothing more", async () => {
  const { clock, stored, reports } = scene();
  reports.report(1);
  reports.stop();
  reports.report(2);
  await clock.play(2 * JOB_PROGRESS_MS);
  expect([stored, clock.pending]).toEqual([[], 0]);
});

test("a store that does not answer fails no attempt, and the next report is stored", async () => {
  const { clock, stored, reports } = scene(() => Promise.reject(new Error("the store is away")));
  reports.report(1);
  await clock.play(JOB_PROGRESS_MS);
  reports.report(2);
  await clock.play(JOB_PROGRESS_MS);
  expect(stored).toEqual([1, 2]);
});
