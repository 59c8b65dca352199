import type { CallEvent } from "../../call/events.ts";
import type { JournalRecord } from "../journal/records.ts";

type UsageEvent = Extract<CallEvent, { kind: "usage" }>;

/** What one request to a provider used; `discarded`: for a preemptive reply that was not used. */
export type RecordedUsage = Omit<UsageEvent, "preemptive"> & { readonly discarded?: true };

/**
 * Gathers the usage of a call from its journal. Whether a preemptive reply is used is known only after it: the next
 * `generate-reply` uses it, unless `preemptive-cancel` or the call's end comes first.
 */
export class UsageGatherer {
  readonly #events: UsageEvent[] = [];
  readonly #used = new Set<number>();
  #started = 0;
  #isPending = false;

  take(record: JournalRecord): void {
    if (record.kind === "event" && record.event.kind === "usage") this.#events.push(record.event);
    if (record.kind !== "command") return;
    switch (record.command.kind) {
      case "preemptive-start":
        this.#started += 1;
        this.#isPending = true;
        return;
      case "preemptive-cancel":
        this.#isPending = false;
        return;
      case "generate-reply":
        if (this.#isPending) this.#used.add(this.#started);
        this.#isPending = false;
    }
  }

  /** All usage so far, in its order. */
  get usage(): readonly RecordedUsage[] {
    return this.#events.map(({ preemptive, ...event }) =>
      preemptive === undefined || this.#used.has(preemptive) ? event : { ...event, discarded: true },
    );
  }
}
