import { type FileHandle, open, rename, rm, writeFile } from "node:fs/promises";
import { z } from "zod";
import { unavailable } from "../../core/errors.ts";
import type { CallId } from "../../core/ids.ts";
import type { Bucket } from "../../store/bucket/bucket.ts";
import { type RetryBudget, withRetries } from "../../store/bucket/retries.ts";
import { journalUnreadable } from "../journal/records.ts";
import { type Edition, isEdition, journalPrefix, manifestKey, segmentKey, segmentOf } from "./keys.ts";

/** Of a file that is being fetched; `deleteUnfinished` deletes those of processes that died. */
const UNFINISHED = ".fetched.unfinished";

/** A journal that is in the bucket as a whole. */
export interface JournalManifest {
  edition: Edition;
  bytes: number;
}

const Manifest = z.object({
  edition: z.custom<Edition>((text) => typeof text === "string" && isEdition(text)),
  bytes: z.int().min(0),
});

/**
 * The journals of calls in the bucket, as segments. A segment begins where the one before it ends, so that its key follows from it: no
 * list is needed to read a journal, and one that lacks what was just put is no harm.
 */
export class SharedJournals {
  readonly #bucket: Bucket;

  constructor(bucket: Bucket) {
    this.#bucket = bucket;
  }

  /** Stores a stretch of a journal. The same bytes may be put again; other bytes have another offset. */
  async put(callId: CallId, edition: Edition, offset: number, bytes: Uint8Array): Promise<void> {
    await this.#bucket.put(segmentKey(callId, edition, offset), bytes);
  }

  /** The first byte that is not in the bucket: all before it are. Of a journal of which there is none yet nothing is listed. */
  async shippedBytes(callId: CallId, edition: Edition): Promise<number> {
    if (!(await this.hasBeginning(callId, edition))) return 0;
    return (await this.#segments(callId, edition)).endBytes;
  }

  /** Where an edition ends, and how long ago its last segment was put, where the bucket says that; undefined where it has none. */
  async newest(callId: CallId, edition: Edition): Promise<{ endBytes: number; ageMs: number | undefined } | undefined> {
    // As many as a bucket needs that fails at every third request; one that hangs holds the caller up for each.
    const budget: RetryBudget = { left: 3 };
    const { keys, endBytes } = await this.#segments(callId, edition, budget);
    const last = keys.at(-1);
    if (last === undefined) return undefined;
    return { endBytes, ageMs: await withRetries(() => this.#bucket.ageMsOf(last), budget) };
  }

  /** The segments of an edition in their order, also those that no list shows yet, and where they end. */
  async #segments(
    callId: CallId,
    edition: Edition,
    budget: RetryBudget = { left: 0 },
  ): Promise<{ keys: readonly string[]; endBytes: number }> {
    const listed = await withRetries(() => this.#listed(callId, edition), budget);
    const offsets = new Set(listed.keys());
    let endBytes = 0;
    for (;;) {
      const key = segmentKey(callId, edition, endBytes);
      const bytes = listed.get(endBytes) ?? (await withRetries(() => this.#bucket.bytesOf(key), budget));
      if (bytes === undefined || bytes === 0) break;
      offsets.add(endBytes);
      endBytes += bytes;
    }
    const keys = [...offsets].sort((one, other) => one - other).map((offset) => segmentKey(callId, edition, offset));
    return { keys, endBytes };
  }

  /** The lengths of the segments that the bucket lists, by their offsets. */
  async #listed(callId: CallId, edition: Edition): Promise<ReadonlyMap<number, number>> {
    const listed = new Map<number, number>();
    for await (const { key, bytes } of this.#bucket.list(`${journalPrefix(callId)}${edition}/`))
      listed.set(segmentOf(key, callId)?.offset ?? 0, bytes);
    return listed;
  }

  /** The first bytes of the first segment, at most so many; undefined where there is none. */
  async head(callId: CallId, edition: Edition, bytes: number): Promise<Uint8Array | undefined> {
    return await this.#bucket.get(segmentKey(callId, edition, 0), { start: 0, end: bytes - 1 });
  }

  /** Whether the first segment is there, which a deletion takes last. It does not depend on a list. */
  async hasBeginning(callId: CallId, edition: Edition): Promise<boolean> {
    return (await this.#bucket.bytesOf(segmentKey(callId, edition, 0))) !== undefined;
  }

  /** Deletes the segments that begin with these bytes, the first one last. */
  async removeSegments(callId: CallId, edition: Edition, offsets: readonly number[]): Promise<void> {
    const descending = offsets.toSorted((one, other) => other - one);
    await this.#bucket.delete(descending.map((offset) => segmentKey(callId, edition, offset)));
  }

  /** Says that all segments of an edition are there. */
  async complete(callId: CallId, manifest: JournalManifest): Promise<void> {
    await this.#bucket.put(manifestKey(callId), Buffer.from(JSON.stringify(manifest)));
  }

  /** Whether all that the manifest names is there. */
  async isWhole(callId: CallId, { edition, bytes }: JournalManifest): Promise<boolean> {
    return (await this.shippedBytes(callId, edition)) >= bytes;
  }

  /** Undefined while the journal is not complete in the bucket. Rejects with `journal_unreadable` where it is no manifest, and as `Bucket` does. */
  async manifest(callId: CallId): Promise<JournalManifest | undefined> {
    const bytes = await this.#bucket.get(manifestKey(callId));
    if (bytes === undefined) return undefined;
    // Not every store shows an object only when all of it is there.
    if (bytes.length === 0) throw unavailable("the manifest of a journal is being written");
    try {
      return Manifest.parse(JSON.parse(Buffer.from(bytes).toString()));
    } catch (error) {
      throw journalUnreadable("its manifest in the bucket cannot be read", error);
    }
  }

  /**
   * Writes the journal to `path`, which gets its name once all of it is there. Without a manifest it is what the worker shipped so far.
   * Resolves with whether there is anything. Rejects with `unavailable` where a segment of a complete journal is missing.
   */
  async fetch(callId: CallId, path: string, manifest: JournalManifest | undefined): Promise<boolean> {
    const unfinished = `${path}.${process.pid}${UNFINISHED}`;
    try {
      const file = await open(unfinished, "w", 0o600);
      let bytes: number;
      try {
        bytes = await this.#copy(callId, manifest?.edition ?? "live", file);
        await file.datasync();
      } finally {
        await file.close();
      }
      if (manifest !== undefined && bytes < manifest.bytes)
        throw unavailable(`a journal in the bucket ends at ${bytes} of ${manifest.bytes} bytes`);
      if (bytes === 0) return false;
      await rename(unfinished, path);
      return true;
    } catch (error) {
      throw unavailable("a journal could not be fetched from the bucket", error);
    } finally {
      await rm(unfinished, { force: true });
    }
  }

  /**
   * Writes the beginning of the journal to `path`, with the header of the call; nothing where the bucket has none of it. Rejects as
   * `Bucket` does.
   */
  async fetchHead(callId: CallId, path: string): Promise<void> {
    const edition = (await this.manifest(callId))?.edition ?? "live";
    const first = await this.#bucket.get(segmentKey(callId, edition, 0));
    if (first === undefined) return;
    // A segment ends wherever the file did, also within the header.
    const second = await this.#bucket.get(segmentKey(callId, edition, first.length));
    await writeFile(path, Buffer.concat([first, second ?? new Uint8Array()]), { mode: 0o600 });
  }

  async #copy(callId: CallId, edition: Edition, file: FileHandle): Promise<number> {
    for (let offset = 0; ; ) {
      const segment = await withRetries(() => this.#bucket.get(segmentKey(callId, edition, offset)));
      if (segment === undefined || segment.length === 0) return offset;
      await file.writeFile(segment);
      offset += segment.length;
    }
  }

  /**
   * Deletes every edition but the one that is complete, whichever was expected to be that; where none is, but this one. Resolves with
   * whether there was anything to delete.
   */
  async removeOthers(callId: CallId, expected: Edition): Promise<boolean> {
    // The end may have been shipped again since, by another node or after a restart.
    const kept = (await this.manifest(callId))?.edition ?? expected;
    let found = false;
    for (const edition of await this.#editions(callId))
      if (edition !== kept && (await this.#removeEdition(callId, edition))) found = true;
    return found;
  }

  /**
   * Deletes everything of a journal. The manifest goes last: what is left of a deletion that was interrupted is found again. Resolves with
   * whether there was a segment to delete.
   */
  async remove(callId: CallId): Promise<boolean> {
    let found = false;
    for (const edition of await this.#editions(callId)) if (await this.#removeEdition(callId, edition)) found = true;
    await this.#bucket.delete([manifestKey(callId)]);
    return found;
  }

  /** Those that are listed, and those that need no list to be known. */
  async #editions(callId: CallId): Promise<ReadonlySet<Edition>> {
    const editions = new Set<Edition>(["live"]);
    const manifest = await this.manifest(callId);
    if (manifest !== undefined) editions.add(manifest.edition);
    for await (const { key } of this.#bucket.list(journalPrefix(callId))) {
      const segment = segmentOf(key, callId);
      if (segment !== undefined) editions.add(segment.edition);
    }
    return editions;
  }

  /** From the end, so that what is left of a deletion that was interrupted is found again. */
  async #removeEdition(callId: CallId, edition: Edition): Promise<boolean> {
    const { keys } = await this.#segments(callId, edition);
    await this.#bucket.delete(keys.toReversed());
    return keys.length > 0;
  }
}
