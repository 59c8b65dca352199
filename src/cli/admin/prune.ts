import { readRetentionRules } from "../../config/environment.ts";
import { systemClock } from "../../core/clock.ts";
import type { CallId } from "../../core/ids.ts";
import { deletesAnything, type RetainedPart } from "../../core/retention.ts";
import { LateDeletions } from "../../record/bucket/late-deletions.ts";
import { SharedJournals } from "../../record/bucket/shared-journals.ts";
import { SharedRecordings } from "../../record/bucket/shared-recordings.ts";
import { FilesElsewhere } from "../../record/retention/elsewhere.ts";
import { RetentionJob, type RetentionProgress, type RetentionTotal } from "../../record/retention/job.ts";
import { TranscriptionRetention, type TranscriptionTotal } from "../../record/retention/transcriptions.ts";
import type { Bucket } from "../../store/bucket/bucket.ts";
import { SharedFiles } from "../../store/bucket/shared-files.ts";
import { TranscriptionAudio } from "../../store/data-dir/transcription-audio.ts";
import { openStores, type StorePlace } from "../../store/open-stores.ts";
import type { Stores } from "../../store/stores.ts";
import { openBucket } from "./bucket.ts";
import type { AdminOutput } from "./output.ts";

/**
 * Deletes now what retention would delete within the hour, here, in the bucket and on the disks of other nodes, or with `dryRun` only
 * prints it; also while the service runs. Throws when RETENTION is wrong, or neither set nor an account has days of its own, or the data
 * cannot be opened.
 */
export async function prune(place: StorePlace, dryRun: boolean, { say, progress }: AdminOutput): Promise<void> {
  const rules = readRetentionRules();
  const stores = await openStores(place, systemClock, { migrates: false });
  const log = { info: () => {}, error: (fields: object, message: string) => say(`${message}: ${describe(fields)}`) };
  try {
    const { accounts, calls, retention: store } = stores;
    const isOfAccount = (await accounts.list()).some(({ settings }) => settings.retention !== undefined);
    if (!isOfAccount && !deletesAnything(rules)) {
      throw new Error(
        'RETENTION is not set, and no account has days of its own, so everything is kept: set it, for example to {"recordingDays": 30}',
      );
    }
    const { dataDir } = place;
    const bucket = await openBucket(stores);
    const retention = new RetentionJob({
      rules,
      accounts,
      calls,
      store,
      dataDir,
      elsewhere: new FilesElsewhere({ own: undefined, calls, jobs: stores.jobs }),
      removeShared: bucket && removalFrom(bucket, dataDir, stores),
      clock: systemClock,
      log,
    });
    // It fetches none, and needs no room.
    const requireRoom = (): void => {};
    const files = bucket && new SharedFiles({ bucket, jobs: stores.jobs, clock: systemClock, requireRoom });
    const transcriptions = new TranscriptionRetention({
      rules,
      accounts,
      transcriptions: stores.transcriptions,
      audio: new TranscriptionAudio(dataDir, files),
      store,
      clock: systemClock,
      log,
    });
    const onProgress = (latest: RetentionProgress): void => progress(() => progressLine(latest, dryRun));
    const sums = await (dryRun ? retention.preview({ onProgress }) : retention.run({ onProgress }));
    for (const sum of sums) say(lineOf(sum, dryRun, bucket !== undefined));
    const others = await (dryRun ? transcriptions.preview() : transcriptions.run());
    for (const sum of others) say(transcriptionLineOf(sum, dryRun));
    if (sums.length === 0 && others.length === 0)
      say(dryRun ? "nothing would be deleted" : "nothing was to be deleted");
  } finally {
    await stores.close();
  }
}

const progressLine = ({ records, recordings, transcripts, failed }: RetentionProgress, dryRun: boolean): string =>
  `${dryRun ? "found" : "deleted"} ${records} records, ${recordings} recordings, ${transcripts} transcripts` +
  (failed > 0 ? `, and failed ${failed} times` : "");

const lineOf = ({ accountName, part, calls, bytes }: RetentionTotal, dryRun: boolean, hasBucket: boolean): string =>
  `account ${JSON.stringify(accountName)}: ${calls} ${part}${calls === 1 ? "" : "s"}, ` +
  `${bytes} bytes of files${hasBucket ? " of this disk and what the bucket has" : ""}, ` +
  (dryRun ? "would be deleted" : "deleted");

/** Deletes what the bucket has of a part of a call, and has it deleted again later by the service. */
function removalFrom(
  bucket: Bucket,
  dataDir: string,
  { jobs }: Pick<Stores, "jobs">,
): (callId: CallId, part: RetainedPart) => Promise<void> {
  const [journals, recordings, late] = [
    new SharedJournals(bucket),
    new SharedRecordings(bucket, dataDir),
    new LateDeletions(jobs),
  ];
  return async (callId, part) => {
    await late.plan({ callId, part });
    if (part !== "transcript") await recordings.remove(callId);
    await journals.remove(callId);
  };
}

const transcriptionLineOf = (
  { accountName, part, transcriptions, bytes }: TranscriptionTotal,
  dryRun: boolean,
): string =>
  `account ${JSON.stringify(accountName)}: ${PARTS_OF_TRANSCRIPTIONS[part]} of ${transcriptions} ` +
  `transcription${transcriptions === 1 ? "" : "s"}, ${bytes} bytes of files, ${dryRun ? "would be deleted" : "deleted"}`;

/** What is deleted of a transcription with each part of a call. */
const PARTS_OF_TRANSCRIPTIONS = { recording: "the audio", transcript: "the result", record: "all" } as const;

function describe(fields: object): string {
  const {
    callId = "",
    transcriptionId = "",
    err,
  }: { callId?: string; transcriptionId?: string; err?: unknown } = fields;
  return `${callId}${transcriptionId} ${err instanceof Error ? err.message : String(err)}`;
}
