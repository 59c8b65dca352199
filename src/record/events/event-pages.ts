import { EVENT_CURSORS_MAX, LIST_BYTES_MAX } from "../../core/limits/api.ts";
import { JournalReader, journalPath, systemErrorCodeOf } from "../journal/reader.ts";
import { EventLister, type ListedEvent } from "./event-list.ts";

/** Some of a call's events, in the order of time. */
export interface EventPage {
  events: readonly ListedEvent[];
  /** Where the next page begins: how many events stand in front of it. */
  next: number;
  /** Whether there are others: `now`; perhaps `later`, if the call goes on; or `never`, for this was its end. */
  more: "now" | "later" | "never";
}

/**
 * Lists what happened in calls, from their journals, page by page; a live one's as far as it has been written.
 *
 * What the frames of a journal come to hangs on all of them, so it is read from its beginning; but the reading is
 * remembered where a page ended, and the next page goes on there. Pages can be asked for in any order, and again.
 */
export class EventPager {
  readonly #dataDir: string;
  /** By call and place; the one that was used last stands last. */
  readonly #readers = new Map<string, EventPageReader>();

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /**
   * At most `limit` events, at least 1, from number `from` on; fewer when they are long. None when the call has no
   * journal. Rejects with `journal_unreadable`.
   */
  async page(callId: string, from: number, limit: number): Promise<EventPage> {
    const place = readerKey(callId, from);
    const reading = this.#readers.get(place) ?? new EventPageReader(journalPath(this.#dataDir, callId), from);
    // Nobody else goes on with a reading that is under way.
    this.#readers.delete(place);
    const page = await reading.page(limit);
    if (page.more !== "never") this.#remember(readerKey(callId, page.next), reading);
    return page;
  }

  #remember(place: string, reading: EventPageReader): void {
    this.#readers.delete(place);
    this.#readers.set(place, reading);
    const [oldest] = this.#readers.keys();
    if (this.#readers.size > EVENT_CURSORS_MAX && oldest !== undefined) this.#readers.delete(oldest);
  }
}

const readerKey = (callId: string, from: number): string => `${callId} ${from}`;

/** The events of one journal, read on from page to page. */
class EventPageReader {
  readonly #journal: JournalReader;
  #lister: EventLister | undefined;
  /** Still to be passed over. */
  #skip: number;
  #next: number;
  /** Read and not given yet. From one page to the next that is no more than one record came to. */
  #pending: ListedEvent[] = [];
  #pendingBytes = 0;

  constructor(path: string, from: number) {
    this.#skip = from;
    this.#next = from;
    const take = (event: ListedEvent): void => this.#take(event);
    this.#journal = new JournalReader(path, (record) => {
      if (record.kind === "header") this.#lister = new EventLister(record.header, take);
      else this.#lister?.take(record);
    });
  }

  async page(limit: number): Promise<EventPage> {
    // One more than is given: whether there are others is then known.
    const isFull = (): boolean => this.#pending.length > limit || this.#pendingBytes > LIST_BYTES_MAX;
    const stoppedAt = await this.#journal.readMore(isFull).catch(endIfMissing);
    const events = this.#pending.splice(0, limit);
    this.#next += events.length;
    this.#pendingBytes = 0;
    // What one record came to may be more than the page holds, the last record of all too.
    const more = stoppedAt === "enough" || this.#pending.length > 0 ? "now" : this.#lister?.ended ? "never" : "later";
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

/** A call that nobody came for has no journal, and one that has just begun may have none yet. */
function endIfMissing(error: unknown): "end" {
  if (systemErrorCodeOf(error) === "ENOENT") return "end";
  throw error;
}
