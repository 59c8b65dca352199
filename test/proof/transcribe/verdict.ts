import type { PartRequest } from "./fake-stt.ts";

/** One transcription at the end. */
export interface JobEvidence {
  readonly id: string;
  readonly status: string;
  /** The words of its result. */
  readonly words: readonly string[];
  readonly parts: readonly { readonly requests: number }[];
  /** The ids of the webhook events of its end. */
  readonly eventIds: readonly string[];
}

export interface KillEvidence {
  readonly jobs: readonly JobEvidence[];
  readonly requests: readonly PartRequest[];
  /** Unix time. */
  readonly killsMs: readonly number[];
  /** How many parts each file has. */
  readonly partsPerJob: number;
}

export interface KillVerdict {
  /** Not completed, or without some of its words. */
  readonly lost: readonly string[];
  /** With a word twice, or with two events of its end. */
  readonly doubled: readonly string[];
  /** Completed, without an event of its end. */
  readonly unannounced: readonly string[];
  /** Parts that were asked for again although no kill and no refusal explains it. */
  readonly askedAgain: readonly string[];
  /** Requests at the provider, and those that the records count. */
  readonly requests: number;
  readonly counted: number;
  /** Requests at the provider beyond those that are counted. */
  readonly uncounted: number;
}

/** From the end of a request until its part is stored, unless something is killed. */
const STORE_MS_MAX = 250;

/** What the evidence shows. */
export function verdictOf({ jobs, requests, killsMs, partsPerJob }: KillEvidence): KillVerdict {
  const lost = jobs.filter(({ status, words }) => status !== "completed" || new Set(words).size < partsPerJob);
  const doubled = jobs.filter(
    ({ words, eventIds }) => words.length > new Set(words).size || new Set(eventIds).size > 1,
  );
  const unannounced = jobs.filter(({ status, eventIds }) => status === "completed" && eventIds.length === 0);
  const parts = [...new Set(requests.map(({ part }) => part))];
  const askedAgain = parts.filter((part) => {
    const ofPart = requests.filter((request) => request.part === part);
    return ofPart.slice(0, -1).some((request) => request.isRefused !== true && !isExplained(request, killsMs));
  });
  const counted = jobs.flatMap(({ parts }) => parts).reduce((sum, part) => sum + part.requests, 0);
  return {
    lost: lost.map(({ id, status }) => `${id} ${status}`),
    doubled: doubled.map(({ id }) => id),
    unannounced: unannounced.map(({ id }) => id),
    askedAgain,
    requests: requests.length,
    counted,
    uncounted: Math.max(0, requests.length - counted),
  };
}

/** Something was killed after it began and before its answer was stored. */
const isExplained = (
  { startedMs, endedMs = Number.POSITIVE_INFINITY }: PartRequest,
  killsMs: readonly number[],
): boolean => killsMs.some((atMs) => startedMs <= atMs && atMs <= endedMs + STORE_MS_MAX);
