import { expect, test } from "vitest";
import { asCallId } from "../../../src/core/ids.ts";
import { BUCKET_LATE_MS } from "../../../src/core/limits/storage/bucket.ts";
import { JobPostponed } from "../../../src/jobs/handler.ts";
import { BucketDeletionJob, LateDeletions } from "../../../src/record/bucket/late-deletions.ts";
import { SharedJournals } from "../../../src/record/bucket/shared-journals.ts";
import { BUCKET_DELETION_JOB } from "../../../src/store/job-kinds.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import { FaultyBucket } from "../../support/bucket/faulty-bucket.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf } from "../../support/tokens.ts";

const CALL = asCallId("call_1");
const OTHER = asCallId("call_2");
const CLAIM = { runnerId: "runner", kinds: [BUCKET_DELETION_JOB], fullLanes: [], limit: 10 };

test("what arrives in the bucket after its deletion is deleted by a job, also where the process has died meanwhile", async () => {
  const [dataDir, clock, bucket] = [temporaryDirectory(), new ManualClock(), new FaultyBucket()];
  const open = () => openSqliteStores(dataDir, clock, { ageClock: ageClockOf(clock) });
  const before = await open();
  const late = new LateDeletions(before.jobs);
  await late.plan({ callId: CALL, part: "record" });
  await late.plan({ callId: CALL, part: "record" });
  await late.plan({ callId: OTHER, kept: "redacted-1" });
  expect(await before.jobs.claim(CLAIM)).toEqual([]);
  await before.close();

  const journals = new SharedJournals(bucket);
  await journals.put(CALL, "live", 0, Buffer.from("late"));
  await journals.put(OTHER, "live", 0, Buffer.from("my name is Kim"));
  await journals.put(OTHER, "redacted-1", 0, Buffer.from("redacted"));
  const stores = await open();
  try {
    clock.advance(BUCKET_LATE_MS);
    const jobs = await stores.jobs.claim(CLAIM);
    expect(jobs).toHaveLength(2);
    const handler = new BucketDeletionJob({
      removePart: (callId) => journals.remove(callId),
      removeOriginal: (callId, kept) => journals.removeOthers(callId, kept),
    });
    // The node that has sent that may be about to send more, until an attempt finds nothing.
    for (const job of jobs) await expect(handler.run(job)).rejects.toEqual(new JobPostponed(BUCKET_LATE_MS));
    await journals.put(OTHER, "live", 9, Buffer.from(" Miller"));
    for (const job of jobs) await handler.run(job).catch(() => {});
    for (const job of jobs) await handler.run(job);
    expect(await bucket.keys()).toEqual(["journals/call_2/redacted-1/000000000000000"]);
  } finally {
    await stores.close();
  }
});
