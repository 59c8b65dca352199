import type { CallActivity } from "../../../core/calls/activity.ts";
import type { HandoffThreadClient } from "../../../store/handoff/thread-client.ts";

/** Passes what live calls do from the workers to the streams of events that want it. */
export class LiveActivity {
  readonly #handoff: Pick<HandoffThreadClient, "watchActivity">;
  #onReported: (calls: readonly CallActivity[]) => void = () => {};

  constructor(handoff: Pick<HandoffThreadClient, "watchActivity">) {
    this.#handoff = handoff;
  }

  /** With `isOn` the workers report all live calls now, and then what changes; until they are asked to stop. */
  watch(isOn: boolean): void {
    this.#handoff.watchActivity(isOn);
  }

  /** Takes the place of the subscriber before. */
  subscribe(onReported: (calls: readonly CallActivity[]) => void): void {
    this.#onReported = onReported;
  }

  reported(calls: readonly CallActivity[]): void {
    this.#onReported(calls);
  }
}
