import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { measureCall } from "./call.ts";
import { checksum, measureCarrierA } from "./carrier-a.ts";

// All micro benchmarks: a table on the terminal, and the same as JSON under bench/results. Exits with 1 when a budget is missed.

const RUNS = 2_000;

const measurements = measureCarrierA(RUNS);
const call = measureCall();

console.table(
  measurements.map((measured) => ({
    "per 20 ms frame": measured.name,
    "times as fast": measured.ratio.toFixed(1),
    budget: `>= ${measured.ratioMin}`,
    "ours, ns": Math.round(measured.oursNs),
    "plain, ns": Math.round(measured.plainNs),
    "ours, heap bytes": measured.oursHeapBytes.toFixed(2),
    "plain, heap bytes": measured.plainHeapBytes.toFixed(0),
  })),
);

console.log(`a 30-minute call in virtual time: ${call.medianMs.toFixed(0)} ms, budget ${call.budgetMs} ms`);

const results = new URL("../results/", import.meta.url);
mkdirSync(results, { recursive: true });
writeFileSync(
  new URL("micro.json", results),
  `${JSON.stringify({ node: process.version, cpu: cpus()[0]?.model, checksum: checksum(), measurements, call }, null, 2)}\n`,
);

const missed = measurements.filter(({ ratio, ratioMin, oursHeapBytes }) => ratio < ratioMin || oursHeapBytes >= 1);
for (const { name } of missed) console.error(`${name}: over its budget`);
if (call.medianMs > call.budgetMs) console.error("a 30-minute call: over its budget");
process.exitCode = missed.length === 0 && call.medianMs <= call.budgetMs ? 0 : 1;
