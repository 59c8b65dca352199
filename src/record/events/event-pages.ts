import { strict as assert } from "node:assert";
import { isRedacted } from "../../core/calls/spec.ts";
import { systemErrorCodeOf } from "../../core/errors.ts";
import type { CallId } from "../../core/ids.ts";
import { EVENT_CURSORS_MAX, LIST_BYTES_MAX } from "../../core/limits/control-api/api.ts";
import { type FindMediaKey, noKey } from "../finalization/journal-processor.ts";
import { type JournalFile, JournalReader, journalFileOf } from "../journal/reader.ts";
import { recordWithoutWords } from "../journal/redact.ts";
import { EventLister, type ListedEvent } from "./event-list.ts";

/** One page of a call's events, in the order of time. */
export interface EventPage {
  events: readonly ListedEvent[];
  /** The number of the first event of the next page. */
  next: number;
  /**
   * Whether more events follow: `now`; `later`, perhaps, if the call is still active; or `never`, because this page has
   * its end.
   */
  more: "now" | "later" | "never";
}

/**
 * Lists the events of calls page by page, from their journals. The list of a live call goes as far as its journal has
 * been written.
 *
 * Derived events depend on all frames before them, so a journal is read from its beginning. The reader is cached where
 * a page ended, and the next page continues there. Pages can be requested in any order and repeatedly.
 */
export class EventPager {
  readonly #dataDir: string;
  readonly #findKey: FindMediaKey;
  /** By call and event number, in order of last use. */
  readonly #readers = new Map<string, EventPageReader>();

  constructor(dataDir: string, findKey: FindMediaKey = noKey) {
    this.#dataDir = dataDir;
    this.#findKey = findKey;
  }

  /**
   * At most `limit` events, at least 1, from number `from` on; fewer when they are long. Empty when the call has no
   * journal. Rejects with `journal_unreadable`.
   */
  async page(callId: CallId, from: number, limit: number): Promise<EventPage> {
    const key = readerKey(callId, from);
    const cached = this.#readers.get(key);
    // A reader in use must not serve another request.
    this.#readers.delete(key);
    const continued = await cached?.page(limit);
    if (cached !== undefined && continued !== undefined) return this.#rememberAt(callId, continued, cached);
    const reader = await this.#open(callId, from);
    const page = (await reader.page(limit)) ?? assert.fail("a reader that has read nothing cannot be outdated");
    return this.#rememberAt(callId, page, reader);
  }

  #rememberAt(callId: CallId, page: EventPage, reader: EventPageReader): EventPage {
    if (page.more !== "never") this.#remember(readerKey(callId, page.next), reader);
    return page;
  }

  async #open(callId: CallId, from: number): Promise<EventPageReader> {
    return new EventPageReader(journalFileOf(this.#dataDir, callId, await this.#findKey(callId)), from);
  }

  #remember(key: string, reader: EventPageReader): void {
    this.#readers.delete(key);
    this.#readers.set(key, reader);
    const [oldest] = this.#readers.keys();
    if (this.#readers.size > EVENT_CURSORS_MAX && oldest !== undefined) this.#readers.delete(oldest);
  }
}

const readerKey = (callId: CallId, from: number): string => `${callId} ${from}`;

/** Reads the events of one journal, page after page. */
class EventPageReader {
  readonly #journal: JournalReader;
  #lister: EventLister | undefined;
  /** Events still to be skipped. */
  #skip: number;
  #next: number;
  /** Events that are read but not returned yet. Between two pages these come from one record at most. */
  #pending: ListedEvent[] = [];
  #pendingBytes = 0;

  constructor(journal: JournalFile, from: number) {
    this.#skip = from;
    this.#next = from;
    const take = (event: ListedEvent): void => this.#take(event);
    let awaitsRedaction = false;
    this.#journal = new JournalReader(journal, (record) => {
      if (record.kind === "header") {
        this.#lister = new EventLister(record.header, take);
        awaitsRedaction = record.header.spec !== undefined && isRedacted(record.header.spec);
      } else this.#lister?.take(awaitsRedaction ? recordWithoutWords(record) : record);
    });
  }

  /** Undefined where the journal was replaced since the page before, because it was redacted: this reader is of no use any more. */
  async page(limit: number): Promise<EventPage | undefined> {
    // One event more than the page holds tells whether others follow.
    const isFull = (): boolean => this.#pending.length > limit || this.#pendingBytes > LIST_BYTES_MAX;
    const stoppedAt = await this.#journal.readMore(isFull).catch(endIfMissing);
    if (stoppedAt === "replaced") return undefined;
    const events = this.#pending.splice(0, limit);
    this.#next += events.length;
    this.#pendingBytes = 0;
    // One record may yield more events than the page holds, and so may the last record.
    const more = stoppedAt === "stopped" || this.#pending.length > 0 ? "now" : this.#lister?.ended ? "never" : "later";
    return { events, next: this.#next, more };
  }

  #take(event: ListedEvent): void {
    if (this.#skip > 0) {
      this.#skip -= 1;
      return;
    }
    this.#pending.push(event);
    this.#pendingBytes += Buffer.byteLength(JSON.stringify(event));
  }
}

/** A call whose stream never connected has no journal, and a call that has just begun may have none yet. */
function endIfMissing(error: unknown): "end" {
  if (systemErrorCodeOf(error) === "ENOENT") return "end";
  throw error;
}
