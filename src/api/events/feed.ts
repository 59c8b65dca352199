import type { CallActivity } from "../../core/calls/activity.ts";
import { type Clock, isoTime } from "../../core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../../core/clocks.ts";
import { codeOf } from "../../core/errors.ts";
import type { AccountId } from "../../core/ids.ts";
import {
  EVENT_POLL_MS,
  EVENT_STREAMS_MAX,
  EVENT_STREAMS_PER_ACCOUNT_MAX,
  EVENTS_RENEWED_MS,
} from "../../core/limits/control-api/events.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { ControlMetrics } from "../../core/metrics/control-metrics.ts";
import type { TranscriptionProgress } from "../../core/transcriptions/progress.ts";
import type { EventStreamStore, StreamPosition } from "../../store/webhooks/event-stream-store.ts";
import { ApiError } from "../http/errors.ts";
import { passingMessageOf, type StreamDocumentDeps } from "./documents.ts";
import { EventReads } from "./event-reads.ts";
import { EventStream } from "./event-stream.ts";

/** Where what live calls do comes from. */
export interface ActivitySource {
  /** With `isOn` all live calls are reported, and then what changes, until it is off. */
  watch(isOn: boolean): void;
  subscribe(onReported: (calls: readonly CallActivity[]) => void): void;
}

/** Where it is known how far transcriptions are. */
export interface TranscriptionActivitySource {
  subscribe(onReported: (transcriptions: readonly TranscriptionProgress[]) => void): void;
}

export interface EventFeedOptions {
  events: EventStreamStore;
  activity: ActivitySource;
  transcriptionActivity: TranscriptionActivitySource;
  documents: StreamDocumentDeps;
  clock: Clock;
  metrics: Pick<ControlMetrics, "eventStreamEnded">;
  log: Logger;
}

interface OpenStream {
  stream: EventStream;
  /** Whether the API key or the session of the stream is still valid. Rejects when that cannot be decided at present. */
  isAllowed: () => Promise<boolean>;
}

/** A request for a stream. */
export interface StreamRequest extends Pick<OpenStream, "isAllowed"> {
  accountId: AccountId;
  after: number | undefined;
  follows: boolean;
  /** The stream is to have what live calls do, too. */
  wantsActivity: boolean;
}

/** The open streams of this process. While there is one, the store is asked for new events every EVENT_POLL_MS. */
export class EventFeed {
  readonly #options: EventFeedOptions;
  readonly #open = new Set<OpenStream>();
  /** When the events of each account were last asked to be kept. */
  readonly #renewedAtMs = new Map<AccountId, MonotonicMs>();
  /** Streams that are being opened, by account. */
  readonly #opening = new Map<AccountId, number>();
  #isPolling = false;
  #isClosed = false;
  /** The last error that was logged, so that a lasting one is logged once. */
  #failure: string | undefined;

  constructor(options: EventFeedOptions) {
    this.#options = options;
    options.activity.subscribe((calls) => {
      this.#onActivity(calls, "calls.activity", (data: readonly CallActivity[]) => ({
        calls: data.map(activityItemOf),
      }));
    });
    options.transcriptionActivity.subscribe((all) => {
      this.#onActivity(all, "transcriptions.activity", (data: readonly TranscriptionProgress[]) => ({
        transcriptions: data.map(progressItemOf),
      }));
    });
  }

  /** How many streams are open. */
  get count(): number {
    return this.#open.size;
  }

  /**
   * Opens a stream; its events follow as they are read. The caller ends it when the response is over. Throws ApiError
   * `rate_limited` and `overloaded` when there are too many, and `unavailable` at shutdown.
   */
  async open(request: StreamRequest): Promise<EventStream> {
    const { accountId } = request;
    this.#requireRoom(accountId);
    this.#opening.set(accountId, (this.#opening.get(accountId) ?? 0) + 1);
    try {
      const { events, clock } = this.#options;
      await events.number();
      const position = await events.open(accountId);
      this.#renewedAtMs.set(accountId, clock.nowMs());
      return this.#begin(request, position);
    } finally {
      const left = (this.#opening.get(accountId) ?? 1) - 1;
      if (left === 0) this.#opening.delete(accountId);
      else this.#opening.set(accountId, left);
    }
  }

  #begin({ isAllowed, wantsActivity, ...request }: StreamRequest, position: StreamPosition): EventStream {
    const { events, documents, clock, metrics, activity } = this.#options;
    const stream: EventStream = new EventStream({
      ...{ ...request, position, events, documents, clock },
      onActivityMissed: wantsActivity ? () => activity.watch(true) : undefined,
      onEnd: (reason) => {
        this.#open.delete(opened);
        if (wantsActivity && !this.#hasActivityStream) activity.watch(false);
        metrics.eventStreamEnded(reason);
      },
    });
    const opened: OpenStream = { stream, isAllowed };
    this.#open.add(opened);
    if (wantsActivity) activity.watch(true);
    if (this.#isClosed) stream.end("shutdown");
    // What fails here fails again with the next poll, which handles it.
    stream.advance().catch(() => {});
    this.#poll();
    return stream;
  }

  get #hasActivityStream(): boolean {
    return [...this.#open].some(({ stream }) => stream.hasActivity);
  }

  /** One message for each account, and the same text for all of its streams. `type` is that of the message. */
  #onActivity<Item extends { readonly accountId: AccountId }>(
    all: readonly Item[],
    type: string,
    dataOf: (items: readonly Item[]) => object,
  ): void {
    const streams = [...this.#open].map(({ stream }) => stream).filter(({ hasActivity }) => hasActivity);
    for (const accountId of new Set(streams.map((stream) => stream.accountId))) {
      const items = all.filter((item) => item.accountId === accountId);
      if (items.length === 0) continue;
      const timestamp = isoTime(this.#options.clock.epochMs());
      const message = passingMessageOf(type, { type, timestamp, data: dataOf(items) });
      for (const stream of streams) if (stream.accountId === accountId) stream.activity(message);
    }
  }

  /** Ends all streams; no other is opened. */
  close(): void {
    this.#isClosed = true;
    for (const { stream } of this.#open) stream.end("shutdown");
  }

  #requireRoom(accountId: AccountId): void {
    if (this.#isClosed) throw new ApiError("unavailable", "the service is about to stop");
    const opening = [...this.#opening.values()].reduce((sum, count) => sum + count, 0);
    if (this.#open.size + opening >= EVENT_STREAMS_MAX) {
      throw new ApiError("overloaded", "the service has reached its limit of streams of events");
    }
    const ofAccount = [...this.#open].filter(({ stream }) => stream.accountId === accountId).length;
    if (ofAccount + (this.#opening.get(accountId) ?? 0) < EVENT_STREAMS_PER_ACCOUNT_MAX) return;
    const limit = `its limit of ${EVENT_STREAMS_PER_ACCOUNT_MAX} streams of events`;
    throw new ApiError("rate_limited", `this account has reached ${limit}`);
  }

  #poll(): void {
    if (this.#isPolling || this.#open.size === 0) return;
    this.#isPolling = true;
    this.#options.clock.after(EVENT_POLL_MS, () => {
      void this.#look().finally(() => {
        this.#isPolling = false;
        this.#poll();
      });
    });
  }

  /** Never rejects: while the store does not answer, streams stay open and get nothing. */
  async #look(): Promise<void> {
    const { events, log } = this.#options;
    for (const { stream } of this.#open) stream.tick();
    try {
      await Promise.all([...this.#open].map((open) => endIfForbidden(open)));
      await this.#renew();
      if (this.#open.size === 0) return;
      await events.number();
      const lastNumbers = await events.lastNumbers([...new Set([...this.#open].map(({ stream }) => stream.accountId))]);
      const reads = new EventReads(this.#options);
      await Promise.all([...this.#open].map(({ stream }) => stream.advance(lastNumbers.get(stream.accountId), reads)));
      this.#failure = undefined;
    } catch (error) {
      const code = String(codeOf(error));
      if (code !== this.#failure) log.warn({ code }, "events cannot be read at present");
      this.#failure = code;
    }
  }

  async #renew(): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    for (const accountId of new Set([...this.#open].map(({ stream }) => stream.accountId))) {
      const since = this.#renewedAtMs.get(accountId);
      if (since !== undefined && elapsedMs(since, nowMs) < EVENTS_RENEWED_MS) continue;
      await this.#options.events.open(accountId);
      this.#renewedAtMs.set(accountId, nowMs);
    }
    for (const accountId of this.#renewedAtMs.keys()) {
      const isOpen = [...this.#open].some(({ stream }) => stream.accountId === accountId);
      if (!isOpen) this.#renewedAtMs.delete(accountId);
    }
  }
}

const activityItemOf = ({ callId, state, agentTurns, callerTurns, turnDelayMs }: CallActivity) => ({
  ...{ id: callId, state, agentTurns, callerTurns },
  turnDelayMs: turnDelayMs ?? null,
});

const progressItemOf = ({ transcriptionId, doneMs, durationMs }: TranscriptionProgress) => ({
  id: transcriptionId,
  doneSeconds: doneMs / 1_000,
  durationSeconds: durationMs === undefined ? null : durationMs / 1_000,
});

async function endIfForbidden({ stream, isAllowed }: OpenStream): Promise<void> {
  if (!(await isAllowed())) stream.end("revoked");
}
