import { BURST_MS_MAX, GROSS_TIMES, LOOP_SHARE_MAX, REDEMPTION_DELAY_MS_MAX } from "../limits/limit.ts";
import type { BurstCost, LimitsResult, OpenCost, RateCost, RedemptionDelay } from "../limits/limits-result.ts";
import { escaped, page, table, whole } from "./html.ts";
import { coresLine, machineLine } from "./machine-line.ts";
import { invalidity } from "./sections.ts";
import { textTable } from "./text-table.ts";

// What one peer at each of its limits costs the loop of its worker: for the terminal, as a page, and for RESULTS.md.

const RATE_COLUMNS = ["one peer sends", "stream", "bounded by", "a second", "µs each", "% of the loop", "bound"];
const BURST_COLUMNS = ["one peer sends at once", "stream", "bounded by", "KiB", "ms, median", "ms, most", "bound"];

const OPEN_COLUMNS = ["no limit for one client", "process", "µs each", "a second for 10 %"];

const openRow = ({ name, process, unitUs, perSecondAtBound }: OpenCost): string[] => [
  name,
  process,
  whole(unitUs),
  whole(perSecondAtBound),
];

const REDEMPTION_COLUMNS = ["redemptions beside", "count", "ms, p50", "ms, p99", "ms, most", "ms, later", "bound"];

const redemptionRow = ({ beside, count, p50Ms, p99Ms, maxMs, delayMs }: RedemptionDelay): string[] => [
  beside,
  whole(count),
  p50Ms.toFixed(1),
  p99Ms.toFixed(1),
  maxMs.toFixed(1),
  delayMs.toFixed(1),
  verdict(delayMs, REDEMPTION_DELAY_MS_MAX),
];

const perSecondText = (value: number): string => (value < 10 ? value.toFixed(2) : whole(value));
const verdict = (value: number, max: number): string => (value <= max ? "holds" : "exceeded");

const rateRow = ({ name, stream, bounds, perSecond, unitUs, share }: RateCost): string[] => [
  name,
  stream,
  bounds,
  perSecondText(perSecond),
  unitUs.toFixed(1),
  (100 * share).toFixed(2),
  verdict(share, LOOP_SHARE_MAX),
];

const burstRow = ({ name, stream, bounds, bytes, medianMs, maxMs }: BurstCost): string[] => [
  name,
  stream,
  bounds,
  whole(bytes / 1_024),
  medianMs.toFixed(1),
  maxMs.toFixed(1),
  verdict(medianMs, BURST_MS_MAX),
];

const bySize = (result: LimitsResult): Pick<LimitsResult, "rates" | "bursts"> => ({
  rates: result.rates.toSorted((a, b) => b.share - a.share),
  bursts: result.bursts.toSorted((a, b) => b.medianMs - a.medianMs),
});

/** Bounds that are exceeded, by `times` and more; none when all hold. */
export const exceeded = ({ rates, bursts, redemptions }: LimitsResult, times = 1): string[] => [
  ...rates
    .filter(({ share }) => share > times * LOOP_SHARE_MAX)
    .map(({ stream, name, share }) => `${stream}, ${name}: ${(100 * share).toFixed(1)} % of the loop`),
  ...bursts
    .filter(({ medianMs }) => medianMs > times * BURST_MS_MAX)
    .map(({ stream, name, medianMs }) => `${stream}, ${name}, at once: ${medianMs.toFixed(1)} ms`),
  ...redemptions
    .filter(({ delayMs }) => delayMs > times * REDEMPTION_DELAY_MS_MAX)
    .map(({ beside, delayMs }) => `redemptions beside ${beside}: ${delayMs.toFixed(1)} ms later at p99`),
];

/** Whether the run has failed: the reduced form only on gross excess. */
export const limitsFailed = (result: LimitsResult): boolean =>
  exceeded(result, result.options.reduced ? GROSS_TIMES : 1).length > 0;

/** The result for the terminal. */
export function limitsText(result: LimitsResult): string {
  const { rates, bursts } = bySize(result);
  const over = exceeded(result);
  return [
    textTable(RATE_COLUMNS, rates.map(rateRow)),
    textTable(BURST_COLUMNS, bursts.map(burstRow)),
    ...(result.open.length === 0 ? [] : [textTable(OPEN_COLUMNS, result.open.map(openRow))]),
    ...(result.redemptions.length === 0 ? [] : [textTable(REDEMPTION_COLUMNS, result.redemptions.map(redemptionRow))]),
    coresLine(result.cores),
    over.length === 0
      ? `Every limit holds: at most ${100 * LOOP_SHARE_MAX} % of the loop, and ${BURST_MS_MAX} ms at once.`
      : `Exceeded:\n${over.join("\n")}`,
  ].join("\n\n");
}

/** And as a page by itself. */
export function limitsPage(result: LimitsResult): string {
  const { rates, bursts } = bySize(result);
  const columns = (titles: readonly string[]) => titles.map((title, at) => ({ title, numeric: at > 2 }));
  const cells = (rows: readonly string[][]) => rows.map((row) => row.map(escaped));
  return page(
    "What one peer at its limits costs",
    `${machineLine(result.machine)} ${escaped(coresLine(result.cores))}`,
    [
      ...invalidity(result.problems),
      {
        title: "Rates",
        lead: `CPU time of the loop's thread beyond that of an idle call. Bound: ${100 * LOOP_SHARE_MAX} % of the loop.`,
        body: table(columns(RATE_COLUMNS), cells(rates.map(rateRow))),
      },
      {
        title: "Bursts",
        lead: `CPU time of the loop's thread for all of a burst. Bound: ${BURST_MS_MAX} ms.`,
        body: table(columns(BURST_COLUMNS), cells(bursts.map(burstRow))),
      },
    ],
  );
}

/** The section of RESULTS.md. */
export function limitsSection(result: LimitsResult): string {
  const { machine } = result;
  const measuredOn = `${machine.measuredAt.slice(0, 10)}, ${machine.cpu}, ${machine.cores} cores, ${machine.system}, Node ${machine.node}`;
  return `\`npm run bench:limits\`, ${measuredOn}.
CPU time of a worker's loop thread while one peer sends the most that its limits allow, beyond that of an idle call.

\`\`\`
${limitsText(result)}
\`\`\``;
}
