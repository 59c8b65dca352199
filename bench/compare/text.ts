import { verdictLines } from "../harness/verdict.ts";
import { callsPerCore, latencyRows, memoryOf } from "../load/rows.ts";
import { short, whole } from "../report/html.ts";
import { coresLine } from "../report/machine-line.ts";
import { textTable } from "../report/text-table.ts";
import type { CompareResult } from "./result.ts";

/** The result for the terminal. */
export function compareText(result: CompareResult): string {
  const costs = textTable(
    ["CPU per frame pair", "µs", "user", "system", "x echo", "x typical", "calls a core", "KiB a call"],
    result.contestants.map((contestant) => {
      const { name, title, cost } = contestant;
      const ratio = (to: string): string =>
        short(result.ratios.find((candidate) => candidate.of === name && candidate.to === to)?.median ?? Number.NaN);
      return [
        title,
        short(cost.totalUs),
        short(cost.userUs),
        short(cost.systemUs),
        ratio("echo"),
        ratio("typical"),
        whole(callsPerCore(contestant)),
        whole(memoryOf(contestant)),
      ];
    }),
  );
  const latencies = textTable(
    ["latency, ms", "p50", "p90", "p99", "p99.9", "p99.99", "max"],
    latencyRows(result).map(({ title, spread: { p50, p90, p99, p999, p9999, max } }) => [
      title,
      ...[p50, p90, p99, p999, p9999, max].map(short),
    ]),
  );
  return [costs, "", latencies, "", coresLine(result.cores), "", ...verdictLines(result.budgets)].join("\n");
}
