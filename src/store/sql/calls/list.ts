import { setImmediate } from "node:timers/promises";
import type { AgeClock } from "../../../core/age-clock.ts";
import type { AccountId, CallId } from "../../../core/ids.ts";
import type { CallPage, CallQuery } from "../../calls/call-store.ts";
import type { SqlDatabase } from "../database.ts";
import { type IdBounds, type IndexRange, ListFilters } from "./filters.ts";
import { currentRecordOf, hasValidToken, LISTED_COLUMNS, lastExpiry } from "./rows.ts";

/** How far a search goes. */
export interface SearchLimits {
  /**
   * Entries of an index that one query reads. SQLite runs while the process waits, and filters that rarely meet read many.
   * Between two queries the event loop runs.
   */
  windowEntriesMax: number;
  /** After so many windows a page ends, though it has fewer calls than requested: the next one continues there. */
  windowsMax: number;
  /** The same of entries of metadata, each of which costs a look at another index: on Postgres 2,000 take about 25 ms. */
  metadataWindowsMax: number;
  /** A filter that no more calls match than this is where the search begins. */
  rareCallsMax: number;
}

const LIMITS: SearchLimits = { windowEntriesMax: 2_000, windowsMax: 15, metadataWindowsMax: 1, rareCallsMax: 1_000 };

/** The account's calls that match the query, newest first. */
export async function listCalls(
  { db }: SqlDatabase,
  accountId: AccountId,
  { afterCallId, limit, ...filters }: CallQuery,
  age: AgeClock,
  limits = LIMITS,
): Promise<CallPage> {
  const list = new ListFilters(db, accountId, filters, age);
  // One call more than requested shows whether others follow.
  const { ids, stoppedAtId } = await findIds(list, { afterCallId, count: limit + 1, limits });
  const shown = ids.slice(0, limit);
  const calls =
    shown.length === 0
      ? []
      : await list
          .among(shown)
          .select(LISTED_COLUMNS)
          .select((eb) => [lastExpiry(eb).as("expires_at"), hasValidToken(eb, age).as("has_valid_token")])
          .execute();
  const continueAfterId = ids.length > limit ? shown.at(-1) : stoppedAtId;
  return {
    // One that no longer matches, or was removed meanwhile, is left out.
    calls: calls.map(currentRecordOf),
    more: continueAfterId !== undefined,
    ...(continueAfterId !== undefined && { continueAfterId }),
  };
}

interface Found {
  ids: readonly CallId[];
  /** Where the search was given up for now; undefined where nothing else matches, or `count` were found. */
  stoppedAtId?: CallId | undefined;
}

interface Search {
  afterCallId: CallId | undefined;
  count: number;
  limits: SearchLimits;
}

/** The next calls that match, at most `count`. They are found by indexes alone, so that long settings and prompts are not read. */
async function findIds(list: ListFilters, search: Search): Promise<Found> {
  const { afterCallId: after, count, limits } = search;
  const { before, from } = list.bounds;
  const bounds = { from, before: before === undefined || (after !== undefined && after < before) ? after : before };
  const { ranges } = list;
  for (const parts of ranges) {
    const rare = await rareIds(list, parts, bounds, limits.rareCallsMax);
    if (rare === undefined) continue;
    if (rare.length === 0) return { ids: [] };
    const rows = await list.among(rare).select("calls.id").limit(count).execute();
    return { ids: rows.map(({ id }) => id) };
  }
  const [parts = [undefined]] = ranges;
  const found: Found[] = [];
  for (const part of parts) found.push(await scan(list, part, bounds, search));
  return merged(found, count);
}

/** All calls of these ranges within the bounds, where they are few. */
async function rareIds(
  list: ListFilters,
  ranges: readonly IndexRange[],
  bounds: IdBounds,
  callsMax: number,
): Promise<readonly CallId[] | undefined> {
  const ids: CallId[] = [];
  for (const range of ranges) {
    if ((await list.idsOf(range, bounds, 1, callsMax)).length > 0) return undefined;
    ids.push(...(await list.idsOf(range, bounds, callsMax)));
  }
  return ids;
}

/** Searches a range, or all calls, window by window. */
async function scan(
  list: ListFilters,
  range: IndexRange | undefined,
  bounds: IdBounds,
  { count, limits }: Search,
): Promise<Found> {
  const ids: CallId[] = [];
  let { before } = bounds;
  const windowsMax = range !== undefined && "pairHash" in range ? limits.metadataWindowsMax : limits.windowsMax;
  for (let windows = 1; ; windows++) {
    const [last] = await list.idsOf(range, { ...bounds, before }, 1, limits.windowEntriesMax - 1);
    ids.push(...(await list.matching(range, { before, from: last ?? bounds.from }, count - ids.length)));
    if (ids.length === count || last === undefined) return { ids };
    if (windows === windowsMax) return { ids, stoppedAtId: last };
    before = last;
    await setImmediate();
  }
}

/** The newest of what was found in several ranges, down to where all of them were searched. */
function merged(parts: readonly Found[], count: number): Found {
  const full = parts.filter(({ ids }) => ids.length === count).map(({ ids }) => ids.at(-1) as CallId);
  const stops = [...full, ...parts.flatMap(({ stoppedAtId }) => stoppedAtId ?? [])].sort();
  const stoppedAtId = stops.at(-1);
  const ids = parts
    .flatMap((part) => part.ids)
    .filter((id) => stoppedAtId === undefined || id >= stoppedAtId)
    .sort()
    .reverse()
    .slice(0, count);
  return ids.length === count ? { ids } : { ids, stoppedAtId };
}
