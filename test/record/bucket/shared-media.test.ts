import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { beforeEach, describe, expect, test } from "vitest";
import { openRecording, openSharedRecording } from "../../../src/api/calls/recordings/recording-file.ts";
import type { EpochMs } from "../../../src/core/clocks.ts";
import { type MediaKey, newMediaKey } from "../../../src/core/encryption/chunks.ts";
import { asCallId, type CallId } from "../../../src/core/ids.ts";
import {
  BUCKET_END_MS_MAX,
  BUCKET_READ_BYTES,
  INCOMPLETE_AFTER_MS,
  LOCAL_COPY_MS,
} from "../../../src/core/limits/storage/bucket.ts";
import { JobPostponed } from "../../../src/jobs/handler.ts";
import { JournalShipper } from "../../../src/record/bucket/journal-shipper.ts";
import type { BucketDeletion } from "../../../src/record/bucket/late-deletions.ts";
import { LocalFiles } from "../../../src/record/bucket/local-files.ts";
import { SharedJournals } from "../../../src/record/bucket/shared-journals.ts";
import { SharedMedia } from "../../../src/record/bucket/shared-media.ts";
import { SharedRecordings } from "../../../src/record/bucket/shared-recordings.ts";
import type { JournaledCall, JournalProcessor } from "../../../src/record/finalization/journal-processor.ts";
import { noKey } from "../../../src/record/finalization/journal-processor.ts";
import { journalPath } from "../../../src/record/journal/reader.ts";
import { recordingPath } from "../../../src/record/recording/render.ts";
import { writeAtomically } from "../../../src/record/recording/wav-file.ts";
import { waveformPath } from "../../../src/record/recording/waveform.ts";
import type { KeptCall } from "../../../src/store/calls/retention-store.ts";
import { FaultyBucket } from "../../support/bucket/faulty-bucket.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const CALL = asCallId("call_1");
/** A journal that was not shipped for so long has no worker any more. */
const QUIET_MS = 7_000;
const RECORDING = { channels: 2, sampleRateHz: 8_000, durationMs: 1_000, complete: true } as const;

/** One node of several that share a bucket and a store. */
class Node {
  readonly dataDir = temporaryDirectory();
  readonly shipper: JournalShipper;
  readonly recordings: SharedRecordings;
  readonly media: SharedMedia;
  readonly files: LocalFiles;
  readonly lines: string[];
  readonly planned: BucketDeletion[] = [];

  constructor(bucket: FaultyBucket, kept: Map<CallId, KeptCall>, clock: ManualClock) {
    const { dataDir } = this;
    const { log, lines } = memoryLog();
    this.lines = lines;
    for (const path of [this.journal, this.recording]) mkdirSync(dirname(path), { recursive: true });
    const journals = new SharedJournals(bucket);
    const lateDeletions = { plan: async (deletion: BucketDeletion) => void this.planned.push(deletion) };
    this.recordings = new SharedRecordings(bucket, dataDir);
    this.shipper = new JournalShipper({
      dataDir,
      journals,
      liveCalls: () => new Set([...kept].flatMap(([id, call]) => (call.endedAtMs === undefined ? [id] : []))),
      ownershipOf: () => "certain",
      findKey: noKey,
      lateDeletions,
      intervalMs: 5_000,
      clock,
      log,
      onShipped: () => {},
      onFailed: () => {},
    });
    const store = { listKept: async () => kept };
    const shared = { dataDir, journals, recordings: this.recordings, shipper: this.shipper, store, clock, log };
    this.files = new LocalFiles({ ...shared, withFiles: (_, work) => work() });
    this.media = new SharedMedia({
      ...shared,
      lateDeletions,
      quietMs: QUIET_MS,
      onUsed: (callId) => this.files.used(callId),
    });
  }

  get journal(): string {
    return journalPath(this.dataDir, CALL);
  }

  get recording(): string {
    return recordingPath(this.dataDir, CALL);
  }

  /** Makes records and recordings from what is on the disk of this node. */
  readonly processor: JournalProcessor = {
    project: async () => ({ read: readFileSync(this.journal, "utf8") }) as unknown as JournaledCall,
    render: async () => {
      writeFileSync(this.recording, `recording of ${readFileSync(this.journal, "utf8")}`);
      writeFileSync(waveformPath(this.recording), "peaks");
      return RECORDING;
    },
  };
}

describe("nodes that share a bucket", () => {
  let bucket: FaultyBucket;
  let clock: ManualClock;
  let kept: Map<CallId, KeptCall>;
  let [first, second]: [Node, Node] = [] as unknown as [Node, Node];

  const state = (changes: Partial<KeptCall>): void => {
    const before = kept.get(CALL);
    kept.set(CALL, {
      endedAtMs: undefined,
      isExpired: false,
      keepsRecording: true,
      keepsJournal: true,
      isRedacted: false,
      ...before,
      ...changes,
    });
  };
  const ended = (atMs: EpochMs = clock.epochMs()): void => state({ endedAtMs: atMs });

  beforeEach(() => {
    clock = new ManualClock();
    bucket = new FaultyBucket(clock);
    kept = new Map();
    state({});
    [first, second] = [new Node(bucket, kept, clock), new Node(bucket, kept, clock)];
    writeFileSync(first.journal, "a journal");
  });

  /** The first node makes the record of the call, which is over then. */
  async function finish(): Promise<void> {
    await first.media.processing(first.processor).project(CALL, undefined, false);
    ended();
  }

  test("the record of a lost node's call is made by another from what was shipped", async () => {
    await first.shipper.shipNow();
    writeFileSync(first.journal, "a journal whose end was not shipped");
    clock.advance(QUIET_MS);
    const projected = await second.media.processing(second.processor).project(CALL, undefined, false);
    expect(projected).toEqual({ read: "a journal" });
  });

  test("the record of a call that another node has taken waits while the first one, cut off from the store alone, ships its journal", async () => {
    const project = () => second.media.processing(second.processor).project(CALL, undefined, false);
    await first.shipper.shipNow();
    await expect(project()).rejects.toMatchObject({ code: "journal_growing" });
    clock.advance(QUIET_MS - 1);
    writeFileSync(first.journal, "a journal that has become longer");
    await first.shipper.shipNow();
    clock.advance(1);
    await expect(project()).rejects.toMatchObject({ code: "journal_growing" });
    clock.advance(QUIET_MS - 1);
    expect(await project()).toEqual({ read: "a journal that has become longer" });
    const said = "a node whose calls were taken still ships the journal of one: its record waits";
    expect(second.lines.filter((line) => line.includes(said))).toHaveLength(1);
  });

  test("a page of events that is asked for meanwhile does not make a record without the journal", async () => {
    await first.shipper.shipNow();
    clock.advance(QUIET_MS);
    const [page, project] = [
      second.media.fetchComplete(CALL),
      second.media.processing(second.processor).project(CALL, undefined, false),
    ];
    expect(await page).toBe(false);
    expect(await project).toEqual({ read: readFileSync(first.journal, "utf8") });
  });

  test("a journal that has grown since the last look is waited for, whatever age the bucket says", async () => {
    await first.shipper.shipNow();
    await expect(second.media.fetch(CALL)).rejects.toMatchObject({ code: "journal_growing" });
    writeFileSync(first.journal, "a journal that has become longer");
    await first.shipper.shipNow();
    bucket.ageMsOf = async () => QUIET_MS;
    clock.advance(QUIET_MS);
    await expect(second.media.fetch(CALL)).rejects.toMatchObject({ code: "journal_growing" });
    expect(await second.media.fetch(CALL)).toBe(true);
  });

  test("a journal that does not grow is waited for only so long, whatever age the bucket says", async () => {
    await first.shipper.shipNow();
    bucket.ageMsOf = async () => 0;
    await expect(second.media.fetch(CALL)).rejects.toMatchObject({ code: "journal_growing" });
    clock.advance(QUIET_MS);
    expect(await second.media.fetch(CALL)).toBe(true);
  });

  test("a call of which nothing was shipped has no journal", async () => {
    expect(await second.media.fetch(CALL)).toBe(false);
  });

  test("the end of a journal is in the bucket before its record is made, and any node renders the recording", async () => {
    await finish();
    expect(first.shipper.isComplete(CALL)).toBe(true);
    expect(await second.media.processing(second.processor).render(CALL)).toEqual(RECORDING);
    expect(await bucket.keys("recordings/")).toEqual(["recordings/call_1.peaks", "recordings/call_1.wav"]);
  });

  test("a record does not wait for a bucket that does not answer, and a recording does not", async () => {
    await first.shipper.shipNow();
    writeFileSync(first.journal, "a journal and its end");
    let release = (): void => {};
    bucket.hold = new Promise((resolve) => {
      release = resolve;
    });
    const projecting = first.media.processing(first.processor).project(CALL, undefined, false);
    await expect.poll(() => clock.pending).toBe(1);
    clock.advance(BUCKET_END_MS_MAX);
    await projecting;
    ended();
    await expect(second.media.processing(second.processor).render(CALL)).rejects.toMatchObject({ code: "unavailable" });
    expect(existsSync(second.journal)).toBe(false);
    release();
    await first.shipper.close();
  });

  test("a recording is made of what there is when its node has not brought the end for an hour", async () => {
    await first.shipper.shipNow();
    ended();
    await expect(second.media.fetch(CALL)).rejects.toMatchObject({ code: "unavailable" });
    clock.advance(INCOMPLETE_AFTER_MS);
    expect(await second.media.fetch(CALL)).toBe(true);
  });

  test("the events of a live call of another node are not those of a part of its journal", async () => {
    await first.shipper.shipNow();
    expect(await second.media.fetchComplete(CALL)).toBe(false);
    expect(existsSync(second.journal)).toBe(false);
  });

  test("a recording that the bucket does not take waits on its disk, and is brought there by a later check", async () => {
    await finish();
    bucket.isAway = true;
    expect(await first.media.processing(first.processor).render(CALL)).toEqual(RECORDING);
    await first.files.check();
    expect(await bucket.keys("recordings/")).toEqual([]);
    bucket.isAway = false;
    await first.files.check();
    expect(await bucket.keys("recordings/")).toHaveLength(2);
    expect(existsSync(first.recording)).toBe(true);
  });

  test("local copies are deleted when they have not been used for a while, and are fetched again", async () => {
    await finish();
    await first.media.processing(first.processor).render(CALL);
    await first.files.check();
    clock.advance(LOCAL_COPY_MS - 1);
    await first.media.fetchComplete(CALL);
    clock.advance(2);
    await first.files.check();
    expect(existsSync(first.journal)).toBe(true);
    clock.advance(LOCAL_COPY_MS);
    await first.files.check();
    expect([first.journal, first.recording, waveformPath(first.recording)].filter(existsSync)).toEqual([]);
    expect(await first.media.fetchComplete(CALL)).toBe(true);
    expect(await first.recordings.fetchWaveform(CALL)).toBe(true);
    expect(readFileSync(waveformPath(first.recording), "utf8")).toBe("peaks");
  });

  test("what is not in the bucket is not deleted from the disk, however long the bucket is away", async () => {
    bucket.isAway = true;
    await first.media
      .processing(first.processor)
      .project(CALL, undefined, false)
      .catch(() => {});
    ended();
    for (let at = 0; at < 5; at += 1) {
      await first.files.check();
      clock.advance(LOCAL_COPY_MS);
    }
    expect(existsSync(first.journal)).toBe(true);
  });

  test("a start after a crash brings the end of calls that are over to the bucket", async () => {
    await first.shipper.shipNow();
    writeFileSync(first.journal, "a journal and its end");
    ended();
    await first.files.check();
    expect(first.shipper.isComplete(CALL)).toBe(true);
  });

  test("the journal of a node that comes back is deleted where another has completed it", async () => {
    await first.shipper.shipNow();
    clock.advance(QUIET_MS);
    await second.media.processing(second.processor).project(CALL, undefined, false);
    ended();
    await first.files.check();
    expect(existsSync(first.journal)).toBe(false);
  });

  test("a deletion reaches the bucket, what arrives late there, and the disks of other nodes", async () => {
    await finish();
    await first.media.processing(first.processor).render(CALL);
    await second.media.fetchComplete(CALL);
    await first.media.remove(CALL, "record");
    expect(await bucket.keys()).toEqual([]);
    expect(first.planned).toEqual([{ callId: CALL, part: "record" }]);
    await bucket.put("journals/call_1/live/000000000000000", Buffer.from("late"));
    await second.media.removeNow(CALL, "record");
    expect(await bucket.keys()).toEqual([]);
    state({ keepsJournal: false, keepsRecording: false });
    await second.files.check();
    expect(existsSync(second.journal)).toBe(false);
  });

  test("nothing survives of a redacted call whose lost node had shipped nothing, but has sent the beginning", async () => {
    state({ isRedacted: true });
    await expect(second.media.processing(second.processor).project(CALL, undefined, true)).rejects.toThrow("ENOENT");
    const [deletion] = second.planned;
    if (deletion === undefined || !("kept" in deletion)) throw new Error("a late deletion is planned");
    await bucket.put("journals/call_1/live/000000000000000", Buffer.from("my name is Kim"));
    // Its worker may still have it.
    await expect(second.media.removeOriginal(CALL, deletion.kept)).rejects.toThrow(JobPostponed);
    ended();
    expect(await second.media.removeOriginal(CALL, deletion.kept)).toBe(true);
    expect(await bucket.keys()).toEqual([]);
  });

  test("a node that comes back ships nothing of a call whose journal the store has deleted", async () => {
    await first.media.processing(first.processor).project(CALL, undefined, undefined);
    expect(bucket.puts).toEqual([]);
  });

  test("the deletion of a transcript takes the journal and leaves the recording", async () => {
    await finish();
    await first.media.processing(first.processor).render(CALL);
    await first.media.remove(CALL, "transcript");
    expect(await bucket.keys()).toEqual(["recordings/call_1.peaks", "recordings/call_1.wav"]);
  });

  test("a deletion that the bucket does not take is refused, so that it is repeated", async () => {
    await finish();
    bucket.isAway = true;
    await expect(first.media.remove(CALL, "record")).rejects.toMatchObject({ code: "unavailable" });
  });

  test("journals of calls that the store does not know stay", async () => {
    kept.clear();
    await first.files.check();
    expect(existsSync(first.journal)).toBe(true);
    expect(first.lines.at(-1)).toContain("files of calls that the store does not know stay on this disk");
  });

  test.each([
    ["plain", undefined],
    ["encrypted", newMediaKey(CALL)],
  ] as const)("a %s recording in the bucket is read by ranges, with the tag that it has on a disk", async (_, key) => {
    const bytes = Buffer.alloc(2 * BUCKET_READ_BYTES + 12_345);
    for (let at = 0; at < bytes.length; at += 7) bytes[at] = at % 251;
    await writeAtomically({ path: first.recording, key: key as MediaKey | undefined }, (file) => file.write(bytes));
    await first.recordings.store(CALL);
    const local = await openRecording({ path: first.recording, key }, true);
    await local.handle.close();
    const found = await second.recordings.open(CALL);
    if (found === undefined) throw new Error("it was stored");
    const shared = await openSharedRecording(found.file, found.bytes, key);
    expect({ etag: shared.etag, bytes: shared.bytes }).toEqual({ etag: local.etag, bytes: bytes.length });
    const range = { start: BUCKET_READ_BYTES - 3, end: BUCKET_READ_BYTES + 70_000 };
    expect(await buffer(shared.stream(range))).toEqual(bytes.subarray(range.start, range.end + 1));
    expect((await buffer(shared.stream())).equals(bytes)).toBe(true);
    rmSync(join(first.dataDir, "recordings"), { recursive: true });
  });
});
