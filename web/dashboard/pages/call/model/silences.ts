import { type Activity, activitiesOf, type SilenceCause } from "./activities.ts";
import { seconds } from "./conditions.ts";
import type { Timeline } from "./timeline.ts";
import type { CallFacts, Span } from "./types.ts";

/** One reason for a part of a silence, or for all of it. */
export interface SilencePart extends Span {
  readonly cause: SilenceCause;
  /** What happened, with the decision, the parameter and the time that it went by: one or more sentences. */
  readonly text: string;
  /** The reply that it is about, if there is one. */
  readonly turnId?: number;
}

/** Why there was a silence. */
export interface SilenceExplanation {
  /** In the order of time; together they are the whole silence. */
  readonly parts: readonly SilencePart[];
  /** The longest of them. */
  readonly main: SilencePart;
}

/** Shorter gaps between sounds are within speech. */
const SILENCE_MS_MIN = 100;
/** Other activities cover what is shorter: the steps of a reply are rounded to whole ms. */
const SLIVER_MS = 30;

/** The times in which neither side was heard, in order. */
export function silencesOf({ callerSpeech, agentSound, tones, durationMs }: Timeline): Span[] {
  const sounds: Span[] = [...callerSpeech, ...agentSound, ...tones].sort((a, b) => a.startMs - b.startMs);
  const silences: Span[] = [];
  let quietSinceMs = 0;
  for (const { startMs, endMs } of sounds) {
    if (startMs - quietSinceMs >= SILENCE_MS_MIN) silences.push({ startMs: quietSinceMs, endMs: startMs });
    quietSinceMs = Math.max(quietSinceMs, endMs);
  }
  if (durationMs - quietSinceMs >= SILENCE_MS_MIN) silences.push({ startMs: quietSinceMs, endMs: durationMs });
  return silences;
}

/** Explains the silences of one time line. What it has explained once it does not explain again. */
export class SilenceExplainer {
  readonly #timeline: Timeline;
  readonly #facts: CallFacts;
  /** Computed with the first explanation: while events are loaded there are many time lines of which none is asked for. */
  #activities: readonly Activity[] | undefined;
  readonly #known = new WeakMap<Span, SilenceExplanation>();

  constructor(timeline: Timeline, facts: CallFacts) {
    this.#timeline = timeline;
    this.#facts = facts;
  }

  explain(silence: Span): SilenceExplanation {
    const known = this.#known.get(silence);
    if (known !== undefined) return known;
    const parts = this.#partsOf(silence);
    const main = parts.reduce((longest, part) => (lengthOf(part) > lengthOf(longest) ? part : longest));
    const explanation = { parts, main };
    this.#known.set(silence, explanation);
    return explanation;
  }

  #partsOf(silence: Span): [SilencePart, ...SilencePart[]] {
    this.#activities ??= activitiesOf(this.#timeline);
    const within = this.#activities.filter((one) => one.startMs < silence.endMs && one.endMs > silence.startMs);
    const edges = new Set([silence.startMs, silence.endMs]);
    for (const { startMs, endMs } of within) {
      if (startMs > silence.startMs) edges.add(startMs);
      if (endMs < silence.endMs) edges.add(endMs);
    }
    const times = [...edges].sort((a, b) => a - b);
    const stretches: { startMs: number; endMs: number; activity: Activity | undefined }[] = [];
    for (const [at, startMs] of times.slice(0, -1).entries()) {
      const endMs = times[at + 1] as number;
      const activity = foremost(within, startMs, endMs);
      const last = stretches.at(-1);
      const isSliver = activity === undefined && endMs - startMs < SLIVER_MS;
      if (last !== undefined && (isSliver || last.activity === activity)) last.endMs = endMs;
      else if (last !== undefined && isSliverOf(last)) Object.assign(last, { endMs, activity });
      else stretches.push({ startMs, endMs, activity });
    }
    const parts = stretches.map((stretch) => this.#partOf(stretch));
    // The silence is longer than a sliver, so that there is one.
    return parts as [SilencePart, ...SilencePart[]];
  }

  #partOf({ startMs, endMs, activity }: Span & { activity: Activity | undefined }): SilencePart {
    if (activity === undefined) return { startMs, endMs, ...this.#idle({ startMs, endMs }) };
    const { cause, text, turnId } = activity;
    return turnId === undefined ? { startMs, endMs, cause, text } : { startMs, endMs, cause, text, turnId };
  }

  /** The call waits for the caller, or has not begun, or is over. */
  #idle(part: Span): Pick<SilencePart, "cause" | "text"> {
    const { startedMs = 0, end, replies, agentSound, callerSpeech, durationMs } = this.#timeline;
    const length = seconds(lengthOf(part));
    if (part.endMs <= startedMs + SLIVER_MS)
      return { cause: "start", text: `The connection was there; its stream started after ${seconds(startedMs)}.` };
    const next = replies.find(({ startMs }) => Math.abs(startMs - part.endMs) < SLIVER_MS);
    const isBeforeAll = ![...agentSound, ...callerSpeech].some(({ startMs }) => startMs < part.startMs);
    const isLast = end !== undefined && part.endMs >= Math.min(end.atMs, durationMs) - SLIVER_MS;
    const sentences = [
      isBeforeAll && this.#facts.configuration.firstSpeaker === "user"
        ? `The caller speaks first in this call (firstSpeaker), and said nothing for ${length}.`
        : `The agent listened, and the caller said nothing for ${length}.`,
      ...this.#wordlessText(part),
      ...(isLast ? [this.#endText(end.reason)] : []),
      ...(next?.segments[0]?.reason === "inactivity" ? [this.#inactivityText()] : []),
    ];
    return { cause: "caller-silent", text: sentences.join(" ") };
  }

  #endText(reason: string): string {
    const parameter =
      reason === "inactivity" ? ` (inactivityTimeout is ${this.#facts.configuration.inactivityTimeout} s)` : "";
    return `Then the call ended: ${reason.replaceAll("_", " ")}${parameter}.`;
  }

  #inactivityText(): string {
    const { inactivityTimeout } = this.#facts.configuration;
    return `Then the agent asked whether the caller is there: the inactivity timeout (inactivityTimeout) is ${inactivityTimeout} s.`;
  }

  /** The last sound before, or one of the silence itself, had no words. */
  #wordlessText({ startMs, endMs }: Span): string[] {
    const spoken = this.#timeline.callerSpeech.findLast((speech) => speech.endMs <= startMs + SLIVER_MS);
    if (spoken === undefined) return [];
    const isWordless = this.#timeline.wordless.some((atMs) => atMs >= spoken.startMs && atMs <= endMs);
    return isWordless ? ["The caller's last sound had no words by the STT, so that there was nothing to answer."] : [];
  }
}

/** At the beginning of a silence: what follows explains it. */
const isSliverOf = ({ startMs, endMs, activity }: Span & { activity: Activity | undefined }): boolean =>
  activity === undefined && endMs - startMs < SLIVER_MS;

const lengthOf = ({ startMs, endMs }: Span): number => endMs - startMs;

function foremost(activities: readonly Activity[], startMs: number, endMs: number): Activity | undefined {
  let best: Activity | undefined;
  for (const activity of activities) {
    if (activity.startMs > startMs || activity.endMs < endMs) continue;
    if (best === undefined || activity.rank < best.rank) best = activity;
  }
  return best;
}
