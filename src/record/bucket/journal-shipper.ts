import { randomUUID } from "node:crypto";
import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import type { Clock } from "../../core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../../core/clocks.ts";
import { codeOf, systemErrorCodeOf, unavailable } from "../../core/errors.ts";
import { asCallId, type CallId } from "../../core/ids.ts";
import {
  BUCKET_BEGINNING_MS,
  BUCKET_LATE_MS,
  SEGMENT_BYTES_MAX,
  SHIPMENTS_CONCURRENT_MAX,
} from "../../core/limits/storage/bucket.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { FindMediaKey } from "../finalization/journal-processor.ts";
import { PerCallQueue } from "../finalization/per-call-queue.ts";
import { journalDirectory, journalFileOf, journalPath } from "../journal/reader.ts";
import { isRedactedJournal } from "../redaction/redact-journal.ts";
import type { Edition } from "./keys.ts";
import type { LateDeletions } from "./late-deletions.ts";
import type { SharedJournals } from "./shared-journals.ts";

const SUFFIX = ".tlj";
/** In so many first bytes a journal differs from the one that replaced it: its header, or the salt of its encryption. */
const HEAD_BYTES = 4_096;

/** What the bucket and the store answer when they cannot at present, or not to this service: all journals wait then. */
export const BUCKET_ERRORS: readonly string[] = ["unavailable", "bucket_refused", "wrong_bucket"];

/** What a journal on this disk is to this node. */
export type JournalRole =
  /** A worker of this node writes it. */
  | "live"
  /** Its call is over, or of another node, or unknown: nothing is shipped by itself. */
  | "other";

/**
 * What is known of whose a call is. `certain`: no other node can have taken it. `possible`: the lease of this node could not be renewed
 * in time. `unknown`: a worker has carried it since before this start, and the store has not said that it is still this node's.
 */
export type CallOwnership = "certain" | "possible" | "unknown";

export interface JournalShipperOptions {
  dataDir: string;
  journals: SharedJournals;
  /** The calls that workers of this node carry, which are known without the store. */
  liveCalls: () => ReadonlySet<CallId>;
  ownershipOf: (callId: CallId) => CallOwnership;
  findKey: FindMediaKey;
  /** Has the deletion of an original repeated. */
  lateDeletions: Pick<LateDeletions, "plan">;
  /** How often the journals of live calls are shipped. */
  intervalMs: number;
  clock: Clock;
  log: Pick<Logger, "info" | "warn" | "error">;
  onShipped: (bytes: number) => void;
  onFailed: () => void;
}

/** What is known of a journal on this disk. */
interface Shipment {
  /** Undefined until it has been compared with the bucket. */
  shippedBytes: number | undefined;
  /** The beginnings of the segments of the original that this process has put, or tried to. */
  putOffsets: Set<number>;
  /** The file whose bytes were shipped: a journal that is rewritten is another file. */
  inode: number | undefined;
  sizeBytes: number;
  /** When the first byte that is not shipped was seen; undefined while there is none. */
  waitingSinceMs: MonotonicMs | undefined;
  role: JournalRole;
  /** Its call is over: the edition that is complete then. */
  end: Edition | undefined;
}

/** What waits to be shipped. */
export interface ShipperReading {
  bytesWaiting: number;
  /** The age of the oldest byte that waits; 0 where none does. */
  oldestMs: number;
}

/**
 * Ships the journals of this node's live calls to the bucket, in segments, and what is left of them when the calls are over. A journal
 * whose end could not be shipped is tried again with each interval; how far it is is asked of the bucket when that is not known. It
 * reads files and never writes them.
 *
 * A node that is cut off from the store goes on shipping, while another may take its calls, record them, and delete the originals. So
 * while its lease is not certain it looks before each segment whether the bucket still has the first one, which every deletion takes
 * last: where it is gone, nothing more is shipped. docs/decisions/cluster/cut-off-nodes-ship-on.md has the reasons.
 */
export class JournalShipper {
  readonly #options: JournalShipperOptions;
  readonly #shipments = new Map<CallId, Shipment>();
  /** The journals that are in the bucket as a whole. */
  readonly #complete = new Set<CallId>();
  /** The journals that must not be shipped: also not while the slot of a call is still that of a worker. */
  readonly #refused = new Set<CallId>();
  /** The journals whose beginnings are being shipped. */
  readonly #beginnings = new Set<CallId>();
  readonly #work = new PerCallQueue(SHIPMENTS_CONCURRENT_MAX);
  #isAway = false;
  #cancelInterval = (): void => {};
  #cancelBeginnings = (): void => {};
  #isClosed = false;

  constructor(options: JournalShipperOptions) {
    this.#options = options;
  }

  /** Begins the intervals. Beginnings do not wait for them: one may take seconds where the bucket is slow. */
  start(): void {
    this.#nextInterval(this.#options.intervalMs);
    this.#nextBeginnings();
  }

  /** Ends the intervals; what is in progress is completed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelInterval();
    this.#cancelBeginnings();
    await this.#work.idle();
  }

  /** Of the last interval. */
  get reading(): ShipperReading {
    const nowMs = this.#options.clock.nowMs();
    let [bytesWaiting, oldestMs] = [0, 0];
    for (const { sizeBytes, shippedBytes = 0, waitingSinceMs, role, end } of this.#shipments.values()) {
      if (role === "other" && end === undefined) continue;
      bytesWaiting += Math.max(0, sizeBytes - shippedBytes);
      if (waitingSinceMs !== undefined) oldestMs = Math.max(oldestMs, elapsedMs(waitingSinceMs, nowMs));
    }
    return { bytesWaiting, oldestMs };
  }

  /** Whether the journal is known to be in the bucket as a whole. */
  isComplete(callId: CallId): boolean {
    return this.#complete.has(callId);
  }

  /** The journal on this disk was fetched from the bucket, or is known to be there as a whole. */
  noteComplete(callId: CallId): void {
    this.#complete.add(callId);
    this.#shipments.delete(callId);
  }

  /**
   * Deletes everything of the journal from the bucket, after what is being shipped of it. Resolves with whether there was something.
   * Rejects as `Bucket` does.
   */
  remove(callId: CallId): Promise<boolean> {
    return this.#work.run(callId, async () => {
      this.forget(callId);
      return await this.#options.journals.remove(callId);
    });
  }

  /** The journal is not on this disk any more. */
  forget(callId: CallId): void {
    this.#complete.delete(callId);
    this.#refused.delete(callId);
    this.#shipments.delete(callId);
  }

  /**
   * The call is over, and its journal is as it stays: ships what is left of it, and says in the bucket that it is complete. Where it was
   * redacted, the new journal replaces all that was shipped before. Resolves with whether that is done; where it is not, each interval
   * tries again. Never rejects. While the bucket is known to be away it resolves at once.
   */
  async finish(callId: CallId, isRedacted: boolean): Promise<boolean> {
    if (this.#complete.has(callId)) return true;
    this.#shipmentOf(callId).end ??= isRedacted ? `redacted-${randomUUID()}` : "live";
    if (this.#isAway) return false;
    await this.#run(callId);
    return this.#complete.has(callId);
  }

  /** Ships everything that is there now. Never rejects. */
  async shipNow(): Promise<void> {
    try {
      await this.#survey();
    } catch (error) {
      this.#failed(error);
      return;
    }
    const waiting = [...this.#shipments].filter(([, { role, end }]) => role === "live" || end !== undefined);
    // Where the bucket was away, one journal finds out whether it still is.
    if (this.#isAway) for (const [callId] of waiting.splice(0, 1)) await this.#run(callId);
    if (this.#isAway) return;
    const beginningsFirst = waiting.toSorted(
      ([, one], [, other]) => Number(isBeginning(other)) - Number(isBeginning(one)),
    );
    await Promise.all(
      beginningsFirst.map(([callId, shipment]) => this.#run(callId, { isUrgent: isBeginning(shipment) })),
    );
  }

  /** The interval runs from begin to begin: other nodes take a journal that is not shipped for longer for one without a worker. */
  #nextInterval(delayMs: number): void {
    const { clock, intervalMs } = this.#options;
    if (this.#isClosed) return;
    this.#cancelInterval = clock.after(delayMs, () => {
      const begunMs = clock.nowMs();
      void this.shipNow().then(() => this.#nextInterval(Math.max(0, intervalMs - elapsedMs(begunMs, clock.nowMs()))));
    });
  }

  #nextBeginnings(): void {
    if (this.#isClosed) return;
    this.#cancelBeginnings = this.#options.clock.after(BUCKET_BEGINNING_MS, () => {
      this.#shipBeginnings();
      this.#nextBeginnings();
    });
  }

  /** Ships what there is of live calls of which nothing was shipped, before what other journals wait for. */
  #shipBeginnings(): void {
    if (this.#isAway) return;
    for (const callId of this.#options.liveCalls()) {
      const isKnown = this.#complete.has(callId) || this.#refused.has(callId) || this.#beginnings.has(callId);
      if (isKnown || (this.#shipments.get(callId)?.shippedBytes ?? 0) > 0) continue;
      this.#shipmentOf(callId).role = "live";
      this.#beginnings.add(callId);
      void this.#run(callId, { isUrgent: true }).then(() => this.#beginnings.delete(callId));
    }
  }

  /** Finds the journals that are new on this disk, and those that are gone. */
  async #survey(): Promise<void> {
    // What is added while the folder is read may not be in it.
    const before = [...this.#shipments.keys()];
    const names = await readdir(journalDirectory(this.#options.dataDir));
    const found = new Set(
      names.filter((name) => name.endsWith(SUFFIX)).map((name) => asCallId(name.slice(0, -SUFFIX.length))),
    );
    for (const callId of before) if (!found.has(callId)) this.#shipments.delete(callId);
    for (const known of [this.#complete, this.#refused])
      for (const callId of known) if (!found.has(callId)) known.delete(callId);
    const live = this.#options.liveCalls();
    for (const callId of found)
      if (live.has(callId) && !this.#complete.has(callId) && !this.#refused.has(callId))
        this.#shipmentOf(callId).role = "live";
    for (const [callId, shipment] of this.#shipments) await this.#measure(callId, shipment);
  }

  async #measure(callId: CallId, shipment: Shipment): Promise<void> {
    try {
      this.#sized(shipment, (await stat(journalPath(this.#options.dataDir, callId))).size);
    } catch {
      // It is shipped, and so read, next.
    }
  }

  #sized(shipment: Shipment, sizeBytes: number): void {
    shipment.sizeBytes = sizeBytes;
    if (sizeBytes > (shipment.shippedBytes ?? 0)) shipment.waitingSinceMs ??= this.#options.clock.nowMs();
  }

  #shipmentOf(callId: CallId): Shipment {
    const known = this.#shipments.get(callId);
    if (known !== undefined) return known;
    const shipment: Shipment = {
      shippedBytes: undefined,
      putOffsets: new Set(),
      inode: undefined,
      sizeBytes: 0,
      waitingSinceMs: undefined,
      role: "other",
      end: undefined,
    };
    this.#shipments.set(callId, shipment);
    return shipment;
  }

  /** Ships what can be shipped of one journal. Never rejects. */
  async #run(callId: CallId, { isUrgent = false } = {}): Promise<void> {
    const ship = async (): Promise<void> => {
      const shipment = this.#shipments.get(callId);
      if (shipment === undefined) return;
      try {
        if (shipment.end === undefined) await this.#shipLive(callId, shipment);
        else await this.#shipEnd(callId, shipment, shipment.end);
        this.#recovered();
      } catch (error) {
        // The call has no journal, or was deleted meanwhile.
        if (systemErrorCodeOf(error) === "ENOENT") this.#shipments.delete(callId);
        else if (BUCKET_ERRORS.includes(codeOf(error))) this.#failed(error, callId);
        else this.#unreadable(callId, error);
      }
    };
    await this.#work.run(callId, ship, { isUrgent });
  }

  async #shipLive(callId: CallId, shipment: Shipment): Promise<void> {
    if (shipment.end === undefined && this.#options.ownershipOf(callId) === "unknown") return;
    await this.#withFile(callId, shipment, async (file, inode) => {
      shipment.shippedBytes ??= await this.#agreement(callId, file);
      shipment.inode ??= inode;
      // A journal that was rewritten is shipped when the end of its call says how.
      if (shipment.shippedBytes === undefined || shipment.inode !== inode) return;
      const { sizeBytes } = shipment;
      shipment.shippedBytes = await this.#shipFrom(callId, "live", file, shipment, shipment.shippedBytes);
      if (shipment.shippedBytes >= sizeBytes) shipment.waitingSinceMs = undefined;
    });
  }

  async #shipEnd(callId: CallId, shipment: Shipment, edition: Edition): Promise<void> {
    const { dataDir, journals, findKey, log } = this.#options;
    if (edition === "live") {
      await this.#shipLive(callId, shipment);
      // Another node has deleted it.
      if (this.#shipments.get(callId) !== shipment) return;
      const bytes = shipment.shippedBytes;
      if (bytes === undefined || bytes < shipment.sizeBytes) {
        log.error({ callId }, "the journal is not the one that was shipped: it stays on this disk");
        this.#refuse(callId);
        return;
      }
      await journals.complete(callId, { edition: "live", bytes });
    } else if (await isRedactedJournal(journalFileOf(dataDir, callId, await findKey(callId)))) {
      await this.#shipRedacted(callId, shipment, edition);
    } else {
      // Another node has made the record, from what was shipped: this is the original of what was redacted there.
      log.warn({ callId }, "a journal that was not redacted is not shipped");
      this.#refuse(callId);
      return;
    }
    this.noteComplete(callId);
  }

  /**
   * Ships a redacted journal, unless one is in the bucket already: that of another node, or of this one before a restart. Nothing of the
   * original survives, also not what was on its way when it was replaced.
   */
  async #shipRedacted(callId: CallId, shipment: Shipment, edition: Edition): Promise<void> {
    const { journals, lateDeletions } = this.#options;
    const earlier = await journals.manifest(callId);
    if (earlier !== undefined && earlier.edition !== "live" && (await journals.isWhole(callId, earlier))) {
      await lateDeletions.plan({ callId, kept: earlier.edition });
      await journals.removeOthers(callId, earlier.edition);
      return;
    }
    let bytes = 0;
    await this.#withFile(callId, shipment, async (file) => {
      bytes = await this.#shipFrom(callId, edition, file, shipment, 0);
      // Before the journal is complete: who finds it so, where this process dies meanwhile, deletes nothing.
      await lateDeletions.plan({ callId, kept: edition });
      await journals.complete(callId, { edition, bytes });
    });
    await journals.removeOthers(callId, edition);
    // Another node that completed its own at the same time may have deleted this one.
    const last = await journals.manifest(callId);
    if (last === undefined || !(await journals.isWhole(callId, last)))
      throw unavailable("a redacted journal was deleted from the bucket while it was shipped");
  }

  #refuse(callId: CallId): void {
    this.#refused.add(callId);
    this.#shipments.delete(callId);
  }

  /**
   * How much of this file is in the bucket. Undefined where the bucket has the bytes of another file, which this one replaced before this
   * process began.
   */
  async #agreement(callId: CallId, file: FileHandle): Promise<number | undefined> {
    const { journals } = this.#options;
    const shipped = await journals.shippedBytes(callId, "live");
    if (shipped === 0) return 0;
    const head = await journals.head(callId, "live", Math.min(HEAD_BYTES, shipped));
    const local = Buffer.alloc(head?.length ?? 0);
    await file.read(local, 0, local.length, 0);
    return head !== undefined && local.equals(head) ? shipped : undefined;
  }

  /** Puts the bytes of a file from an offset on. Resolves with the offset of the first byte that is not shipped. */
  async #shipFrom(
    callId: CallId,
    edition: Edition,
    file: FileHandle,
    shipment: Shipment,
    fromBytes: number,
  ): Promise<number> {
    const { journals, onShipped } = this.#options;
    const { sizeBytes } = shipment;
    let offset = fromBytes;
    while (offset < sizeBytes) {
      const segment = Buffer.allocUnsafe(Math.min(SEGMENT_BYTES_MAX, sizeBytes - offset));
      const { bytesRead } = await file.read(segment, 0, segment.length, offset);
      if (bytesRead === 0) break;
      const bytes = segment.subarray(0, bytesRead);
      if (edition !== "live") await journals.put(callId, edition, offset, bytes);
      else if (!(await this.#putOriginal(callId, shipment, offset, bytes))) break;
      offset += bytesRead;
      onShipped(bytesRead);
      if (edition === "live") shipment.shippedBytes = offset;
    }
    return offset;
  }

  /** Puts a segment of what the worker wrote, unless another node has deleted the journal. Resolves with whether it is there now. */
  async #putOriginal(callId: CallId, shipment: Shipment, offset: number, bytes: Uint8Array): Promise<boolean> {
    const { journals, clock, log } = this.#options;
    const askedMs = clock.nowMs();
    const mayPut = await this.#mayPut(callId, shipment, offset);
    if (mayPut) {
      shipment.putOffsets.add(offset);
      await journals.put(callId, "live", offset, bytes);
      // A process that stood still meanwhile has put it after the last deletion.
      const isLate = elapsedMs(askedMs, clock.nowMs()) >= BUCKET_LATE_MS;
      if (!isLate || (await this.#mayPut(callId, shipment, offset))) return true;
    }
    if (!mayPut && offset === 0) return false;
    // All of it, for a list may not show the other node what this one has put.
    await journals.removeSegments(callId, "live", [...shipment.putOffsets]);
    shipment.putOffsets.clear();
    if (offset === 0) return false;
    log.warn({ callId }, "another node has deleted what was shipped of a journal: no more of it is shipped");
    this.#refuse(callId);
    return false;
  }

  async #mayPut(callId: CallId, { end }: Shipment, offset: number): Promise<boolean> {
    const { journals, ownershipOf } = this.#options;
    if (ownershipOf(callId) === "certain") return true;
    // Of a call that is over the store has just said that its journal is kept. Of another one nothing tells whether the first segment
    // was deleted or never there: it waits until the lease is certain.
    if (offset === 0) return end !== undefined;
    return await journals.hasBeginning(callId, "live");
  }

  async #withFile(
    callId: CallId,
    shipment: Shipment,
    use: (file: FileHandle, inode: number) => Promise<void>,
  ): Promise<void> {
    const file = await open(journalPath(this.#options.dataDir, callId), "r");
    try {
      const { ino, size } = await file.stat();
      this.#sized(shipment, size);
      await use(file, ino);
    } finally {
      await file.close();
    }
  }

  #failed(error: unknown, callId?: CallId): void {
    const { log, onFailed } = this.#options;
    onFailed();
    // When the bucket is away, one line is enough.
    if (this.#isAway) return;
    this.#isAway = true;
    log.error(
      { ...(callId !== undefined && { callId }), err: error, code: codeOf(error) },
      "journals cannot be shipped to the bucket: they wait on this disk",
    );
  }

  /** It stays on this disk; the check of local files tries it again. */
  #unreadable(callId: CallId, error: unknown): void {
    this.#shipments.delete(callId);
    this.#options.onFailed();
    this.#options.log.error({ callId, err: error, code: codeOf(error) }, "a journal cannot be shipped to the bucket");
  }

  #recovered(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#options.log.info(this.reading, "journals are shipped to the bucket again");
  }
}

/** Nothing was shipped of the journal of a live call. */
const isBeginning = ({ role, end, shippedBytes = 0 }: Shipment): boolean =>
  role === "live" && end === undefined && shippedBytes === 0;
