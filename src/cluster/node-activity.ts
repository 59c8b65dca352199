import type { CallActivity } from "../core/calls/activity.ts";
import type { Clock } from "../core/clock.ts";
import { addMs, type MonotonicMs } from "../core/clocks.ts";
import {
  ACTIVITIES_PER_ANNOUNCEMENT,
  ACTIVITY_WANTED_LASTS_MS,
  ACTIVITY_WANTED_MS,
} from "../core/limits/cluster/node-messages.ts";
import type { TranscriptionProgress } from "../core/transcriptions/progress.ts";
import type { NodeMessages } from "./node-messages.ts";

/** What live calls of one node do. */
export interface CallActivities {
  /** With `isOn` all live calls are reported, and then what changes, until it is off. */
  watch(isOn: boolean): void;
  /** Takes the place of the subscriber before. */
  subscribe(onReported: (calls: readonly CallActivity[]) => void): void;
}

/** How far transcriptions of one node are. */
export interface TranscriptionActivities {
  subscribe(onReported: (transcriptions: readonly TranscriptionProgress[]) => void): void;
}

export interface NodeActivityOptions {
  calls: CallActivities;
  transcriptions: TranscriptionActivities;
  messages: Pick<NodeMessages, "announce" | "onAnnouncement">;
  clock: Pick<Clock, "nowMs" | "after">;
}

/**
 * What live calls and transcriptions of all nodes do, for the streams of events of this one. A node with such a stream says so again and
 * again, and the others announce theirs to it for as long as it does: nothing is sent where no node has such a stream.
 */
export class NodeActivity implements CallActivities {
  readonly transcriptions: TranscriptionActivities;
  readonly #options: NodeActivityOptions;
  #isWantedHere = false;
  /** Until when another node wants it. */
  #wantedUntilMs: MonotonicMs | undefined;
  #onCalls: (calls: readonly CallActivity[]) => void = () => {};
  #onTranscriptions: (transcriptions: readonly TranscriptionProgress[]) => void = () => {};
  #cancelRepeat = (): void => {};

  constructor(options: NodeActivityOptions) {
    this.#options = options;
    this.transcriptions = {
      subscribe: (onReported) => {
        this.#onTranscriptions = onReported;
      },
    };
  }

  /** Reports to other nodes from now on, when they want it. */
  start(): void {
    const { calls, transcriptions, messages } = this.#options;
    calls.subscribe((reported) => {
      this.#onCalls(reported);
      if (!this.#isWantedElsewhere) return;
      for (const part of partsOf(reported)) messages.announce("activity", { calls: part });
    });
    transcriptions.subscribe((reported) => {
      this.#onTranscriptions(reported);
      if (!this.#isWantedElsewhere) return;
      for (const part of partsOf(reported)) messages.announce("transcription-activity", { transcriptions: part });
    });
    messages.onAnnouncement("activity-wanted", ({ isFirst }) => this.#wanted(isFirst));
    messages.onAnnouncement("activity", ({ calls: heard }) => {
      if (this.#isWantedHere) this.#onCalls(heard);
    });
    messages.onAnnouncement("transcription-activity", ({ transcriptions: heard }) => {
      if (this.#isWantedHere) this.#onTranscriptions(heard);
    });
  }

  watch(isOn: boolean): void {
    const { calls } = this.#options;
    this.#isWantedHere = isOn;
    this.#cancelRepeat();
    if (isOn) {
      calls.watch(true);
      this.#sayWanted(true);
    } else if (!this.#isWantedElsewhere) calls.watch(false);
  }

  subscribe(onReported: (calls: readonly CallActivity[]) => void): void {
    this.#onCalls = onReported;
  }

  get #isWantedElsewhere(): boolean {
    return this.#wantedUntilMs !== undefined && this.#wantedUntilMs > this.#options.clock.nowMs();
  }

  #sayWanted(isFirst: boolean): void {
    const { messages, clock } = this.#options;
    messages.announce("activity-wanted", { isFirst });
    this.#cancelRepeat = clock.after(ACTIVITY_WANTED_MS, () => this.#sayWanted(false));
  }

  #wanted(isFirst: boolean): void {
    const { calls, clock } = this.#options;
    const reports = this.#isWantedElsewhere;
    this.#wantedUntilMs = addMs(clock.nowMs(), ACTIVITY_WANTED_LASTS_MS);
    // Streams of this node get all calls again, too, which shows them nothing new.
    if (isFirst || !reports) calls.watch(true);
    clock.after(ACTIVITY_WANTED_LASTS_MS, () => {
      if (!this.#isWantedElsewhere && !this.#isWantedHere) calls.watch(false);
    });
  }
}

function* partsOf<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += ACTIVITIES_PER_ANNOUNCEMENT)
    yield items.slice(from, from + ACTIVITIES_PER_ANNOUNCEMENT);
}
