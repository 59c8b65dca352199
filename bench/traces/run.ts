import { integer, runCommand, sensible } from "../harness/command.ts";
import { runTracesBench } from "./bench.ts";
import { TRACES_EXPLANATION, tracesPage, tracesText } from "./report.ts";

const USAGE = `What traces cost: the CPU of one call in whole services, with a collector and without, at the same time.

  npm run bench:traces -- [--calls N] [--seconds N] [--rounds N] [--write] [--out DIR]

  --calls    calls at once at each of the two services; default 20
  --seconds  how long each lasts; default 90; the journals of calls of more than five minutes are read while they are live, too
  --rounds   how often, with two new services each time; default 8
  --write    replaces the section bench:traces of bench/RESULTS.md
  --out      where traces.json and traces.html go; default bench/results

A goal that is missed is printed and fails nothing. Exits with 1 when the run proves nothing. Linux only. About 25 minutes.
`;

await runCommand({
  name: "traces",
  usage: USAGE,
  defaults: { calls: "20", seconds: "90", rounds: "8" },
  read: ({ calls, seconds, rounds }) =>
    sensible({ calls: integer(calls, 1, 500), seconds: integer(seconds, 12, 3_600), rounds: integer(rounds, 2, 100) }),
  run: runTracesBench,
  text: tracesText,
  explanation: TRACES_EXPLANATION,
  page: tracesPage,
  problems: ({ problems }) => problems,
});
