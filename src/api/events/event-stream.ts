import { Readable } from "node:stream";
import type { Clock } from "../../core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../../core/clocks.ts";
import type { AccountId } from "../../core/ids.ts";
import {
  EVENT_BUFFER_BYTES_MAX,
  EVENT_HEARTBEAT_MS,
  EVENT_RETRY_MS,
  EVENT_UNREAD_MS_MAX,
  EVENTS_PER_READ,
} from "../../core/limits/control-api/events.ts";
import type { EventStreamEnd } from "../../core/metrics/control-metrics.ts";
import type { StreamPosition } from "../../store/webhooks/event-stream-store.ts";
import { messageOf } from "./documents.ts";
import { EventReads, type EventReadsOptions, type ReadEvent } from "./event-reads.ts";

export interface EventStreamOptions extends EventReadsOptions {
  accountId: AccountId;
  /** Where the account's events are. */
  position: StreamPosition;
  /** The number of the last event that the client has; undefined: events from now on. */
  after: number | undefined;
  /** Whether the stream goes on when all events were sent. */
  follows: boolean;
  /** Called where the stream is to have what live calls do, and did not get all of it; undefined where it is not to have it. */
  onActivityMissed: (() => void) | undefined;
  clock: Clock;
  /** Called once, when nothing more is sent. */
  onEnd: (reason: EventStreamEnd) => void;
}

/**
 * The events of an account for one client, as the body of a response. Events are read from the store as fast as the client reads
 * them: no more than EVENT_BUFFER_BYTES_MAX and one read of events wait in memory.
 */
export class EventStream {
  readonly accountId: AccountId;
  readonly body: Readable;
  readonly #options: EventStreamOptions;
  #after: number;
  /** The client has read what was sent; otherwise since when it has not. */
  #unreadSinceMs: MonotonicMs | undefined;
  #sentAtMs: MonotonicMs;
  #isReading = false;
  #hasMissedActivity = false;
  #hasEnded = false;

  constructor(options: EventStreamOptions) {
    const { accountId, position, after, clock } = options;
    this.accountId = accountId;
    this.#options = options;
    this.#sentAtMs = clock.nowMs();
    this.body = new Readable({ highWaterMark: EVENT_BUFFER_BYTES_MAX, read: () => this.#onWanted() });
    this.body.once("close", () => this.end("client"));
    // A number that was never given is of another database.
    const isKnown = after === undefined || (after >= position.lostThrough && after <= position.last);
    this.#after = after !== undefined && isKnown ? after : position.last;
    if (after !== undefined && !isKnown) this.#after = Math.min(position.lostThrough, position.last);
    this.#push(`retry: ${EVENT_RETRY_MS}\nid: ${this.#after}\n\n`);
    if (!isKnown) this.#push(messageOf(this.#after, "events.lost", { type: "events.lost" }));
  }

  /**
   * There may be new events, up to the number `last` where that is known. Streams that look at the same moment share their `reads`.
   * Resolves when all were sent that the client can take. Rejects with the store's errors.
   */
  async advance(last?: number, reads = new EventReads(this.#options)): Promise<void> {
    const { follows } = this.#options;
    const isUpToDate = last !== undefined && last <= this.#after;
    if (this.#isReading || (isUpToDate && follows)) return;
    this.#isReading = true;
    try {
      while (!this.#hasEnded && this.#unreadSinceMs === undefined) {
        const found = await reads.read(this.accountId, this.#after);
        await this.#send(found);
        if (this.#hasEnded || this.#unreadSinceMs !== undefined) return;
        if (found.length < EVENTS_PER_READ) {
          // The events of the numbers that were not found are deleted.
          this.#after = Math.max(this.#after, last ?? 0);
          break;
        }
      }
      if (!follows && !this.#hasEnded && this.#unreadSinceMs === undefined) this.end("complete");
    } finally {
      this.#isReading = false;
    }
  }

  /** The stream is to have what live calls do. */
  get hasActivity(): boolean {
    return this.#options.onActivityMissed !== undefined && !this.#hasEnded;
  }

  /** What live calls do, as a message without an id: it is not repeated to a client that resumes. Left out while the client does not read. */
  activity(message: string): void {
    if (!this.hasActivity) return;
    if (this.#unreadSinceMs === undefined) this.#push(message);
    else this.#hasMissedActivity = true;
  }

  /** Time has passed: sends a comment when nothing was sent for a while, and disconnects a client that does not read. */
  tick(): void {
    const nowMs = this.#options.clock.nowMs();
    const unreadMs = this.#unreadSinceMs === undefined ? 0 : elapsedMs(this.#unreadSinceMs, nowMs);
    if (unreadMs >= EVENT_UNREAD_MS_MAX) this.end("slow");
    else if (unreadMs === 0 && elapsedMs(this.#sentAtMs, nowMs) >= EVENT_HEARTBEAT_MS) this.#push(": no event\n\n");
  }

  end(reason: EventStreamEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (reason === "slow" || reason === "client") this.body.destroy();
    else this.body.push(null);
    this.#options.onEnd(reason);
  }

  /** Sends events in as few writes as possible, until they are all sent or the client does not read them. */
  async #send(events: readonly ReadEvent[]): Promise<void> {
    let text = "";
    for (const [at, event] of events.entries()) {
      text += (await event.message()) ?? "";
      if (this.#hasEnded) return;
      if (text.length < EVENT_BUFFER_BYTES_MAX && at < events.length - 1) continue;
      this.#after = event.sequence;
      if (text !== "") this.#push(text);
      text = "";
      if (this.#unreadSinceMs !== undefined) return;
    }
  }

  #push(text: string): void {
    this.#sentAtMs = this.#options.clock.nowMs();
    if (!this.body.push(text)) this.#unreadSinceMs ??= this.#sentAtMs;
  }

  #onWanted(): void {
    if (this.#unreadSinceMs === undefined) return;
    this.#unreadSinceMs = undefined;
    if (this.#hasMissedActivity) this.#options.onActivityMissed?.();
    this.#hasMissedActivity = false;
    // What failed here fails again with the next poll, which handles it.
    this.advance().catch(() => {});
  }
}
