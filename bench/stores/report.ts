import { verdictLines } from "../harness/verdict.ts";
import { type Column, escaped, page, short, table, whole } from "../report/html.ts";
import { machineLine } from "../report/machine-line.ts";
import { budgetSection, invalidity } from "../report/sections.ts";
import { textTable } from "../report/text-table.ts";
import { grossExcess, interferenceOf, settingOf } from "./goals.ts";
import type { StoresResult } from "./result.ts";

// The result for the terminal, for bench/RESULTS.md, and as a page.

interface Table {
  title: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

/** Where there are more lists than these, the shorter ones are left out of the text. */
const LISTS_SHOWN_MAX = 12;

const spreadCells = ({ p50, p95, p99, max }: { p50: number; p95: number; p99: number; max: number }): string[] =>
  [p50, p95, p99, max].map(short);

function tablesOf(result: StoresResult, listsMax = Number.POSITIVE_INFINITY): Table[] {
  const longestFirst = result.lists.toSorted((one, other) => other.tookMs.p99 - one.tookMs.p99);
  const perStore = result.options.stores.flatMap((name) =>
    longestFirst.filter(({ store }) => store === name).slice(0, listsMax),
  );
  return [
    {
      title: "requests, ms",
      head: ["requests", "store", "count", "p50", "p95", "p99", "most"],
      rows: [...result.creation, ...result.redemptions].map(({ name, store, tookMs }) => [
        name,
        store ?? "",
        whole(tookMs.count),
        ...spreadCells(tookMs),
      ]),
    },
    {
      title: "GET /calls, ms, the longest first",
      head: ["filter", "page", "store", "calls", "p50", "p95", "p99", "most"],
      rows: perStore.map(({ filter, place, store, items, tookMs }) => [
        filter,
        place,
        store,
        whole(items),
        ...spreadCells(tookMs),
      ]),
    },
    {
      title: "many accounts, ms, the longest first",
      head: ["request", "store", "count", "p50", "p95", "p99", "most"],
      rows: result.accounts.flatMap(({ store, lists, authentication }) => [
        [
          "authentication, API key in use",
          store,
          whole(authentication.inUse.count),
          ...spreadCells(authentication.inUse),
        ],
        [
          "authentication, first use",
          store,
          whole(authentication.firstUse.count),
          ...spreadCells(authentication.firstUse),
        ],
        ...lists
          .toSorted((one, other) => other.tookMs.p99 - one.tookMs.p99)
          .slice(0, listsMax)
          .map(({ path, tookMs }) => [`GET ${path}`, store, whole(tookMs.count), ...spreadCells(tookMs)]),
      ]),
    },
    {
      title: "webhooks beside one slow endpoint, event → delivered, p95 ms",
      head: ["round", "store", "without", "with", "ratio", "delivered without", "with"],
      rows: result.slowEndpoint.flatMap(({ store, pairs }) =>
        pairs.map((pair, index) => [
          String(index + 1),
          store,
          short(pair.without.delayMs.p95),
          short(pair.with.delayMs.p95),
          short(pair.with.delayMs.p95 / pair.without.delayMs.p95),
          whole(pair.without.delivered),
          whole(pair.with.delivered),
        ]),
      ),
    },
    {
      title: "deliveries a second",
      head: [
        "store",
        "endpoints",
        "s",
        "offered/s",
        "delivered/s",
        "p50 ms",
        "p95 ms",
        "p99 ms",
        "left over",
        "control cores",
        "Postgres cores",
      ],
      rows: result.deliveries.map((each) => [
        each.store,
        whole(each.endpoints),
        whole(each.seconds),
        whole(each.offeredPerSecond),
        whole(each.deliveredPerSecond),
        ...[each.delayMs.p50, each.delayMs.p95, each.delayMs.p99].map(short),
        whole(each.leftOver),
        short(each.controlCores),
        each.store === "Postgres" ? short(each.databaseCores) : "",
      ]),
    },
    {
      title: "live calls, frame due → written, p99 ms",
      head: [
        "round",
        "store",
        "quiet",
        "loaded",
        "ratio",
        "loop p99 quiet",
        "loaded",
        "calls/s",
        "lists/s",
        "deliveries/s",
        "renders/s",
      ],
      rows: result.interference.flatMap((each) =>
        each.pairs.map(({ quiet, loaded, load }, index) => [
          String(index + 1),
          settingOf(each),
          short(quiet.writtenMs.p99),
          short(loaded.writtenMs.p99),
          short(loaded.writtenMs.p99 / quiet.writtenMs.p99),
          short(quiet.loopP99Ms),
          short(loaded.loopP99Ms),
          short(load.callsPerSecond),
          short(load.listsPerSecond),
          whole(load.deliveriesPerSecond),
          short(load.rendersPerSecond),
        ]),
      ),
    },
  ].filter(({ rows }) => rows.length > 0);
}

/** How much two quiet rounds differ by themselves. */
const quietSpreads = ({ interference }: StoresResult): string[] =>
  interference.map((result) => {
    const quiet = result.pairs.map((pair) => pair.quiet.writtenMs.p99).sort((a, b) => a - b);
    const [least = Number.NaN, most = Number.NaN] = [quiet[0], quiet.at(-1)];
    const { times } = interferenceOf(result);
    return `${settingOf(result)}: quiet rounds from ${short(least)} to ${short(most)} ms at p99, ${short(most / least)}x; loaded against quiet ${short(times)}x in the median.`;
  });

/** The result for the terminal. */
export function storesText(result: StoresResult): string {
  const gross = result.options.reduced ? grossExcess(result) : [];
  return [
    ...tablesOf(result, LISTS_SHOWN_MAX).map(({ title, head, rows }) => `${title}\n${textTable(head, rows)}`),
    ...quietSpreads(result),
    verdictLines(result.goals).join("\n"),
    ...(gross.length > 0 ? [`Grown grossly:\n${gross.join("\n")}`] : []),
  ].join("\n\n");
}

/** And as a page by itself. */
export function storesPage(result: StoresResult): string {
  const columns = (head: readonly string[]): Column[] => head.map((title, at) => ({ title, numeric: at > 2 }));
  const sections = tablesOf(result).map(({ title, head, rows }) => ({
    title,
    body: table(
      columns(head),
      rows.map((row) => row.map(escaped)),
    ),
  }));
  return page("The stores under load", machineLine(result.machine), [
    ...invalidity(result.problems),
    budgetSection(result.goals),
    ...sections,
  ]);
}

/** What the tables mean, for RESULTS.md. */
export const STORES_EXPLANATION = `Whole services as built, each with one worker; Postgres 15 with fsync on the same disk and cores. Requests at a fixed rate are timed from
when they were to be sent. Of the lists the twelve longest of each store are shown.`;
