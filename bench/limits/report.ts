import { escaped, page, table, whole } from "../report/html.ts";
import { coresLine, machineLine } from "../report/machine-line.ts";
import { invalidity } from "../report/sections.ts";
import { textTable } from "../report/text-table.ts";
import { BURST_MS_MAX, LOOP_SHARE_MAX, REDEMPTION_DELAY_MS_MAX } from "./limit.ts";
import type { BurstCost, LimitsResult, RateCost, RedemptionDelay, UnlimitedRequestCost } from "./result.ts";
import { burstVerdict, isGrossBurst, isGrossRate, rateVerdict } from "./verdict.ts";

// What one peer at each of its limits costs the loop of its worker: for the terminal and as a page.

const RATE_COLUMNS = [
  "one peer sends",
  "stream",
  "bounded by",
  "a second",
  "µs each",
  "±",
  "% of the loop",
  "±",
  "bound",
];
const BURST_COLUMNS = ["one peer sends at once", "stream", "bounded by", "KiB", "ms, median", "ms, most", "bound"];

const OPEN_COLUMNS = ["no limit for one client", "process", "µs each", "a second for 10 %"];

const openRow = ({ name, process, unitUs, perSecondAtBound }: UnlimitedRequestCost): string[] => [
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
  delayMs <= REDEMPTION_DELAY_MS_MAX ? "holds" : "exceeded",
];

const perSecondText = (value: number): string => (value < 10 ? value.toFixed(2) : whole(value));

const rateRow = (cost: RateCost): string[] => [
  cost.name,
  cost.stream,
  cost.bounds,
  perSecondText(cost.perSecond),
  cost.unitUs.toFixed(1),
  cost.errorUs.toFixed(1),
  (100 * cost.share).toFixed(2),
  (100 * cost.shareError).toFixed(2),
  rateVerdict(cost),
];

const burstRow = (cost: BurstCost): string[] => [
  cost.name,
  cost.stream,
  cost.bounds,
  whole(cost.bytes / 1_024),
  cost.medianMs.toFixed(1),
  cost.maxMs.toFixed(1),
  burstVerdict(cost),
];

const bySize = (result: LimitsResult): Pick<LimitsResult, "rates" | "bursts"> => ({
  rates: result.rates.toSorted((a, b) => b.share - a.share),
  bursts: result.bursts.toSorted((a, b) => b.medianMs - a.medianMs),
});

/** Bounds that are exceeded; none when all hold. */
const exceeded = ({ rates, bursts, redemptions }: LimitsResult): string[] => [
  ...rates
    .filter(({ share }) => share > LOOP_SHARE_MAX)
    .map(({ stream, name, share }) => `${stream}, ${name}: ${(100 * share).toFixed(1)} % of the loop`),
  ...bursts
    .filter(({ medianMs }) => medianMs > BURST_MS_MAX)
    .map(({ stream, name, medianMs }) => `${stream}, ${name}, at once: ${medianMs.toFixed(1)} ms`),
  ...redemptions
    .filter(({ delayMs }) => delayMs > REDEMPTION_DELAY_MS_MAX)
    .map(({ beside, delayMs }) => `redemptions beside ${beside}: ${delayMs.toFixed(1)} ms later at p99`),
];

/** Limits of which the figures do not tell whether their bound holds. */
const notMeasured = ({ rates, bursts }: LimitsResult): string[] => [
  ...rates
    .filter((cost) => rateVerdict(cost) === "not measured")
    .map(
      ({ stream, name, unitUs, errorUs }) => `${stream}, ${name}: ${unitUs.toFixed(1)} ± ${errorUs.toFixed(1)} µs each`,
    ),
  ...bursts
    .filter((cost) => burstVerdict(cost) === "not measured")
    .map(
      ({ stream, name, minMs, maxMs }) => `${stream}, ${name}, at once: ${minMs.toFixed(1)} to ${maxMs.toFixed(1)} ms`,
    ),
];

/** What grew grossly; none in a run of the full form that holds. */
const gross = ({ rates, bursts }: LimitsResult): boolean => rates.some(isGrossRate) || bursts.some(isGrossBurst);

/** Whether the run has failed: the reduced form only on gross excess, the full one also where a limit could not be measured. */
export const limitsFailed = (result: LimitsResult): boolean =>
  result.options.reduced ? gross(result) : exceeded(result).length > 0 || notMeasured(result).length > 0;

/** How slow the machine was at most, for the reduced form. */
function slowdownLine({ rates, bursts }: LimitsResult): string[] {
  const slowdowns = [...rates, ...bursts].flatMap(({ slowdown }) => slowdown ?? []);
  if (slowdowns.length === 0) return [];
  const most = Math.max(...slowdowns).toFixed(1);
  return [`The machine took at most ${most} times as long for equal work as the one that the bounds are set for.`];
}

/** The result for the terminal. */
export function limitsText(result: LimitsResult): string {
  const { rates, bursts } = bySize(result);
  const over = exceeded(result);
  const unknown = notMeasured(result);
  return [
    textTable(RATE_COLUMNS, rates.map(rateRow)),
    textTable(BURST_COLUMNS, bursts.map(burstRow)),
    ...(result.open.length === 0 ? [] : [textTable(OPEN_COLUMNS, result.open.map(openRow))]),
    ...(result.redemptions.length === 0 ? [] : [textTable(REDEMPTION_COLUMNS, result.redemptions.map(redemptionRow))]),
    coresLine(result.cores),
    ...slowdownLine(result),
    ...(over.length === 0 ? [] : [`Exceeded:\n${over.join("\n")}`]),
    ...(unknown.length === 0 ? [] : [`Not measured:\n${unknown.join("\n")}`]),
    ...(over.length + unknown.length === 0
      ? [`Every limit holds: at most ${100 * LOOP_SHARE_MAX} % of the loop, and ${BURST_MS_MAX} ms at once.`]
      : []),
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
        lead: `CPU time of the loop's thread beyond that of an idle call, ± twice the standard error. Bound: ${100 * LOOP_SHARE_MAX} % of the loop.`,
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

/** What the tables mean, for RESULTS.md. */
export const LIMITS_EXPLANATION = `CPU time of a worker's loop thread while one peer sends the maximum that its limits allow, minus that of an idle call; ± twice the
standard error. No seed: every message is made from its number.`;
