import type { ConversationOptions } from "../conversations/bench.ts";
import { type Given, integer, runCommand, sensible } from "../harness/command.ts";
import { onRig } from "../rig/rig.ts";
import { runTurnBench } from "./bench.ts";
import { turnPage, turnText } from "./report.ts";

const USAGE = `The service's own share of the time from the caller's last voiced frame to the agent's first frame, in real time, with
providers that take a known time.

  npm run bench:turn-latency -- [--calls 8] [--turns 25] [--write] [--out DIR]

  --calls  simultaneous calls, 1 to 100
  --turns  of each call, with a fast STT and then with a slow one, 1 to 1000
  --write  replaces the section bench:turn-latency of bench/RESULTS.md
  --out    where turn-latency.json and turn-latency.html go; default bench/results

Exits with 1 when the run proves nothing, because the callers themselves were late. A missed budget is printed and fails
nothing. bench:turn-taking shows which sounds stop the agent.
`;

const read = (given: Given): ConversationOptions | undefined =>
  sensible({ calls: integer(given.calls, 1, 100), exchanges: integer(given.turns, 1, 1_000) });

await runCommand({
  name: "turn-latency",
  usage: USAGE,
  defaults: { calls: "8", turns: "25" },
  read,
  run: onRig(runTurnBench),
  text: turnText,
  page: turnPage,
  problems: (result) => result.problems,
});
