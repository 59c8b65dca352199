import { SilenceExplainer, silencesOf } from "../model/silences.ts";
import { joinedTimelines, type Timeline, timelineOf, timelineOfTurns } from "../model/timeline.ts";
import type { Call, CallEvent, Span, Turn } from "../model/types.ts";

/** What the page shows of a call, from what has been loaded so far. */
export interface CallModel {
  readonly timeline: Timeline;
  readonly silences: readonly Span[];
  readonly explainer: SilenceExplainer;
}

export interface LoadedParts {
  readonly events: readonly CallEvent[];
  readonly turns: readonly Turn[];
  /** All events are there. */
  readonly isComplete: boolean;
}

export function modelOf(call: Call, { events, turns, isComplete }: LoadedParts): CallModel {
  const lastMs = events.at(-1)?.atMs ?? -1;
  const loaded = timelineOf(call, events);
  const timeline = isComplete ? loaded : joinedTimelines(loaded, lastMs, timelineOfTurns(call, turns));
  // What comes after the last event cannot be explained yet.
  const silences = silencesOf(timeline).filter(({ endMs }) => isComplete || endMs <= lastMs);
  return { timeline, silences, explainer: new SilenceExplainer(timeline, call) };
}
