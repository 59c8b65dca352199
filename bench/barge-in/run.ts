import type { ConversationOptions } from "../conversations/bench.ts";
import { type Given, integer, runCommand, sensible } from "../harness/command.ts";
import { onRig } from "../rig/rig.ts";
import { runBargeInBench } from "./bench.ts";
import { bargeInPage, bargeInText } from "./report.ts";

const USAGE = `How fast an agent stops when it is interrupted, in real time and over real sockets, from the caller's first sample.

  npm run bench:barge-in -- [--calls 8] [--interruptions 15] [--write] [--out DIR]

  --calls          simultaneous calls, 1 to 100
  --interruptions  of each call, 1 to 1000
  --write          replaces the section bench:barge-in of bench/RESULTS.md
  --out            where barge-in.json and barge-in.html go; default bench/results

Exits with 1 when the run proves nothing, because the callers themselves were late. A missed budget is printed and fails
nothing. bench:turn-taking covers noise, echo, coughs and back-channels.
`;

const read = (given: Given): ConversationOptions | undefined =>
  sensible({ calls: integer(given.calls, 1, 100), exchanges: integer(given.interruptions, 1, 1_000) });

await runCommand({
  name: "barge-in",
  usage: USAGE,
  defaults: { calls: "8", interruptions: "15" },
  read,
  run: onRig(runBargeInBench),
  text: bargeInText,
  page: bargeInPage,
  problems: (result) => result.problems,
});
