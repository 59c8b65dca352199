import { type CallActivity, isSameActivity } from "../../core/calls/activity.ts";
import type { Clock } from "../../core/clock.ts";
import type { CallId } from "../../core/ids.ts";
import { ACTIVITY_REPORT_MS } from "../../core/limits/control-api/events.ts";

export interface ActivityReportsOptions {
  /** What the calls of this worker do at present. */
  activity: () => readonly CallActivity[];
  /** Sends what has changed; false where that is not possible at present. */
  send: (calls: readonly CallActivity[]) => boolean;
  clock: Pick<Clock, "after">;
}

/**
 * A worker's reports of what its calls do, while somebody looks: every ACTIVITY_REPORT_MS those that have changed. Calls are looked at
 * then and do nothing for it themselves.
 */
export class ActivityReports {
  readonly #options: ActivityReportsOptions;
  #reported = new Map<CallId, CallActivity>();
  #cancelTimer: (() => void) | undefined;

  constructor(options: ActivityReportsOptions) {
    this.#options = options;
  }

  /** Reports all calls, at once or with the next report of those that have begun before, and what changes from then on. */
  start(): void {
    this.#reported = new Map();
    if (this.#cancelTimer === undefined) this.#report();
  }

  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#reported = new Map();
  }

  #report(): void {
    const { activity, send, clock } = this.#options;
    this.#cancelTimer = clock.after(ACTIVITY_REPORT_MS, () => this.#report());
    const calls = activity();
    const changed = calls.filter((call) => {
      const before = this.#reported.get(call.callId);
      return before === undefined || !isSameActivity(before, call);
    });
    if (changed.length > 0 && !send(changed)) return;
    this.#reported = new Map(calls.map((call) => [call.callId, call]));
  }
}
