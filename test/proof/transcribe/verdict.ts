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

export interface Kill {
  /** Unix time. */
  readonly atMs: number;
  /** The parts whose result the store had right before. */
  readonly stored: ReadonlySet<string>;
}

export interface KillEvidence {
  readonly jobs: readonly JobEvidence[];
  readonly requests: readonly PartRequest[];
  readonly kills: readonly Kill[];
  /** How many parts each file has. */
  readonly partsPerJob: number;
  /** How many parts may be in flight at once. */
  readonly partsAtOnceMax: number;
}

export interface KillVerdict {
  /** Not completed, or without some of its words. */
  readonly lost: readonly string[];
  /** With a word twice, or with two events of its end. */
  readonly doubled: readonly string[];
  /** Completed, without an event of its end. */
  readonly unannounced: readonly string[];
  /** Parts that were asked for again although no kill and no refusal explains it: stored ones above all. */
  readonly askedAgain: readonly string[];
  /** Kills after which more parts were asked for again than may be in flight. */
  readonly costly: readonly string[];
  /** Requests at the provider, and those that the records count. */
  readonly requests: number;
  readonly counted: number;
  /** Requests at the provider beyond those that are counted. */
  readonly uncounted: number;
}

/** What the evidence shows. */
export function verdictOf({ jobs, requests, kills, partsPerJob, partsAtOnceMax }: KillEvidence): KillVerdict {
  const lost = jobs.filter(({ status, words }) => status !== "completed" || new Set(words).size < partsPerJob);
  const doubled = jobs.filter(
    ({ words, eventIds }) => words.length > new Set(words).size || new Set(eventIds).size > 1,
  );
  const unannounced = jobs.filter(({ status, eventIds }) => status === "completed" && eventIds.length === 0);
  const repeated = requests.filter(
    (request, at) => request.isRefused !== true && requests.slice(at + 1).some(({ part }) => part === request.part),
  );
  const causes = repeated.map((request) => ({ part: request.part, kill: causeOf(request, kills) }));
  const costly = kills.filter((kill) => causes.filter((cause) => cause.kill === kill).length > partsAtOnceMax);
  const counted = jobs.flatMap(({ parts }) => parts).reduce((sum, part) => sum + part.requests, 0);
  return {
    lost: lost.map(({ id, status }) => `${id} ${status}`),
    doubled: doubled.map(({ id }) => id),
    unannounced: unannounced.map(({ id }) => id),
    askedAgain: [...new Set(causes.filter(({ kill }) => kill === undefined).map(({ part }) => part))],
    costly: costly.map(({ atMs }) => new Date(atMs).toISOString()),
    requests: requests.length,
    counted,
    uncounted: Math.max(0, requests.length - counted),
  };
}

/** The kill because of which the same part had to be asked for once more: the first one since, at which it was not stored. */
const causeOf = ({ part, startedMs }: PartRequest, kills: readonly Kill[]): Kill | undefined => {
  const first = kills.find(({ atMs }) => atMs >= startedMs);
  return first?.stored.has(part) === false ? first : undefined;
};
