import type { AccountId } from "../../core/ids.ts";
import { EVENT_PAGES_SHARED_MAX, EVENTS_PER_READ } from "../../core/limits/control-api/events.ts";
import type { EventStreamStore, StreamEvent } from "../../store/webhooks/event-stream-store.ts";
import { messageOf, type StreamDocumentDeps, streamDocument } from "./documents.ts";

export interface EventReadsOptions {
  events: Pick<EventStreamStore, "read">;
  documents: StreamDocumentDeps;
}

/** An event that was read for streams. */
export interface ReadEvent {
  readonly sequence: number;
  /** As streams send it; undefined when what it is about was deleted. Rejects with the store's errors. */
  message(): Promise<string | undefined>;
}

/**
 * Reads of the stored events at one moment: what several streams of an account read is read, and made a message, once. Streams that look
 * at another moment need another one.
 */
export class EventReads {
  readonly #options: EventReadsOptions;
  readonly #pages = new Map<string, Promise<readonly ReadEvent[]>>();

  constructor(options: EventReadsOptions) {
    this.#options = options;
  }

  /** The next EVENTS_PER_READ events of the account after this number, or those that there are. Rejects with the store's errors. */
  read(accountId: AccountId, after: number): Promise<readonly ReadEvent[]> {
    const key = `${accountId} ${after}`;
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const page = this.#read(accountId, after);
    // Streams that catch up read many that no other one wants.
    if (this.#pages.size >= EVENT_PAGES_SHARED_MAX) this.#pages.clear();
    this.#pages.set(key, page);
    return page;
  }

  async #read(accountId: AccountId, after: number): Promise<readonly ReadEvent[]> {
    const events = await this.#options.events.read(accountId, after, EVENTS_PER_READ);
    return events.map((event) => {
      let message: Promise<string | undefined> | undefined;
      return {
        sequence: event.sequence,
        message: () => {
          message ??= this.#messageOf(event);
          return message;
        },
      };
    });
  }

  async #messageOf(event: StreamEvent): Promise<string | undefined> {
    const document = await streamDocument(event, this.#options.documents);
    return document && messageOf(event.sequence, event.type, document);
  }
}
