import { signal } from "@preact/signals";
import { TrunklineApiError, type TrunklineClient } from "../../../../client/src/index.ts";
import { api } from "../../../app/api.ts";
import type { Call, CallEvent, Turn } from "../model/types.ts";

/** How far something has been loaded. */
export type LoadState =
  | { status: "loading" }
  | { status: "complete" }
  | { status: "gone" }
  | { status: "failed"; error: unknown };

/** How loud both sides are in each bucket of the recording, 0 to 32,767. */
export interface Waveform {
  readonly bucketMs: number;
  readonly caller: readonly number[];
  readonly agent: readonly number[];
}

const EVENTS_A_PAGE = 1_000;
/** The finest that the service has for a long call. */
const BUCKETS = 8_000;
/** While they load, the page is drawn anew each time that there are so many times as many: not for every page of them. */
const PUBLISH_GROWTH = 2;

/**
 * What the page loads of one call beside the call itself: the transcript at once, which is enough to show it, then the events page by
 * page, and the waveform where there is a recording.
 */
export class CallData {
  readonly turns = signal<readonly Turn[]>([]);
  readonly turnsState = signal<LoadState>({ status: "loading" });
  /** All that have come so far, in the order of time. */
  readonly events = signal<readonly CallEvent[]>([]);
  readonly eventsState = signal<LoadState>({ status: "loading" });
  readonly waveform = signal<Waveform | undefined>(undefined);
  readonly #id: Call["id"];
  readonly #api: Pick<TrunklineClient, "get" | "list">;
  readonly #closed = new AbortController();
  #events: CallEvent[] = [];
  #cursor: string | undefined;
  /** The call's last event is there. */
  #hasEnd = false;
  #isLoading = false;
  /** More events were asked for while some were being loaded. */
  #isStale = false;

  constructor(id: Call["id"], from: Pick<TrunklineClient, "get" | "list"> = api) {
    this.#id = id;
    this.#api = from;
  }

  /** Loads everything once. The transcript does not share the service with the events of a long call. */
  open(): void {
    void this.#loadTurns().then(() => this.follow());
  }

  /** The page is left: nothing that comes now is wanted. */
  close(): void {
    this.#closed.abort();
  }

  /** The call is over: its transcript is there, and its last events. */
  ended(): void {
    void this.#loadTurns();
    void this.follow();
  }

  /** Loads the events that have come since. */
  async follow(): Promise<void> {
    if (this.#isLoading) {
      this.#isStale = true;
      return;
    }
    this.#isLoading = true;
    try {
      do {
        this.#isStale = false;
        await this.#loadEvents();
      } while (this.#isStale);
      this.eventsState.value = { status: "complete" };
    } catch (error) {
      this.eventsState.value = stateOf(error);
    } finally {
      this.#isLoading = false;
    }
  }

  async #loadEvents(): Promise<void> {
    while (!this.#hasEnd) {
      const query = { limit: EVENTS_A_PAGE, ...(this.#cursor !== undefined && { cursor: this.#cursor }) };
      const page = await this.#api.get("/calls/{id}/events", {
        path: { id: this.#id },
        query,
        signal: this.#closed.signal,
      });
      this.#events.push(...page.data);
      const isDone = page.nextCursor === null || page.data.length === 0;
      this.#hasEnd = page.nextCursor === null;
      this.#cursor = page.nextCursor ?? undefined;
      const published = this.events.value.length;
      const isNews = isDone ? this.#events.length > published : this.#events.length >= PUBLISH_GROWTH * published;
      if (isNews) this.events.value = [...this.#events];
      if (isDone) return;
    }
  }

  async #loadTurns(): Promise<void> {
    try {
      const turns: Turn[] = [];
      const options = { path: { id: this.#id }, query: {}, signal: this.#closed.signal };
      for await (const turn of this.#api.list("/calls/{id}/transcript", options)) turns.push(turn);
      this.turns.value = turns;
      this.turnsState.value = { status: "complete" };
    } catch (error) {
      this.turnsState.value = stateOf(error);
    }
  }

  /** Loads the waveform of a recording that can be downloaded. */
  async loadWaveform(): Promise<void> {
    if (this.waveform.value !== undefined) return;
    const path = { id: this.#id };
    // Without it the time line shows speech alone, which the legend says.
    this.waveform.value = await this.#api
      .get("/calls/{id}/waveform", { path, query: { buckets: BUCKETS }, signal: this.#closed.signal })
      .catch(() => undefined);
  }
}

const stateOf = (error: unknown): LoadState =>
  error instanceof TrunklineApiError && error.code === "not_found" ? { status: "gone" } : { status: "failed", error };
