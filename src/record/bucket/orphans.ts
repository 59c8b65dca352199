import type { Clock } from "../../core/clock.ts";
import { elapsedMs } from "../../core/clocks.ts";
import type { CallId } from "../../core/ids.ts";
import { LOCAL_FILES_PER_QUERY, ORPHAN_AGE_MS } from "../../core/limits/storage/bucket.ts";
import { createdAtMsOf } from "../../core/new-id.ts";
import type { Bucket, ListedObject } from "../../store/bucket/bucket.ts";
import { DOCUMENTS_PREFIX, ownerOfKey, TRANSCRIPTIONS_PREFIX } from "../../store/bucket/shared-files.ts";
import type { KeptCall, RetentionStore } from "../../store/calls/retention-store.ts";
import { type FileRecords, stateOfFile } from "./file-check-job.ts";
import { callOfKey, JOURNALS_PREFIX, RECORDINGS_PREFIX } from "./keys.ts";

/** Why nothing has an object: the database knows no such call, transcription or document, or has deleted this part of it. */
export type OrphanReason = "unknown" | "deleted";

export interface Orphan extends ListedObject {
  reason: OrphanReason;
}

export interface OrphansOptions {
  bucket: Pick<Bucket, "list">;
  records: FileRecords & { retention: Pick<RetentionStore, "listKept"> };
  clock: Pick<Clock, "epochMs">;
  /** Called for each object. */
  onListed: () => void;
}

/**
 * The objects of the bucket that belong to nothing. Those of calls and files that began within the last day are left out: a record may be
 * about to be stored. Rejects as `Bucket` and the stores do.
 */
export async function* orphansIn(options: OrphansOptions): AsyncGenerator<Orphan> {
  yield* orphansOfCalls(options, JOURNALS_PREFIX, ({ keepsJournal }) => keepsJournal);
  yield* orphansOfCalls(options, RECORDINGS_PREFIX, ({ keepsRecording }) => keepsRecording);
  for (const prefix of [TRANSCRIPTIONS_PREFIX, DOCUMENTS_PREFIX]) yield* orphansOfFiles(options, prefix);
}

async function* orphansOfCalls(
  { bucket, records, clock, onListed }: OrphansOptions,
  prefix: string,
  isKept: (call: KeptCall) => boolean,
): AsyncGenerator<Orphan> {
  /** The objects of some calls. A list is in the order of keys: those of a call follow one another. */
  let some = new Map<CallId, ListedObject[]>();
  const orphans = async (): Promise<readonly Orphan[]> => {
    const kept = await records.retention.listKept([...some.keys()]);
    const found = [...some].flatMap(([callId, objects]) => {
      const call = kept.get(callId);
      if (call === undefined ? isYoung(callId, clock) : isKept(call)) return [];
      const reason: OrphanReason = call === undefined ? "unknown" : "deleted";
      return objects.map((object) => ({ ...object, reason }));
    });
    some = new Map();
    return found;
  };
  for await (const object of bucket.list(prefix)) {
    onListed();
    const callId = callOfKey(object.key);
    if (callId === undefined) continue;
    if (some.size === LOCAL_FILES_PER_QUERY && !some.has(callId)) yield* await orphans();
    const objects = some.get(callId) ?? [];
    objects.push(object);
    some.set(callId, objects);
  }
  yield* await orphans();
}

async function* orphansOfFiles(
  { bucket, records, clock, onListed }: OrphansOptions,
  prefix: string,
): AsyncGenerator<Orphan> {
  for await (const object of bucket.list(prefix)) {
    onListed();
    const owner = ownerOfKey(object.key);
    if (owner === undefined) continue;
    const id = "transcriptionId" in owner ? owner.transcriptionId : owner.documentId;
    if (isYoung(id, clock) || (await stateOfFile(records, owner)) !== "unused") continue;
    yield { ...object, reason: "unknown" };
  }
}

/** Ids that have no time are not made by a service: their objects stay. */
function isYoung(id: string, clock: Pick<Clock, "epochMs">): boolean {
  const createdAtMs = createdAtMsOf(id);
  return createdAtMs === undefined || elapsedMs(createdAtMs, clock.epochMs()) < ORPHAN_AGE_MS;
}
