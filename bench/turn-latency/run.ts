import type { ConversationOptions } from "../conversations/bench.ts";
import { type Given, integer, runCommand, sensible } from "../harness/command.ts";
import { onRig } from "../rig/rig.ts";
import { runTurnBench } from "./bench.ts";
import { turnPage, turnText } from "./report.ts";

const USAGE = `How much of the time from the caller's last sound to the agent's first is our own, in real time, through a worker whose
engines take a known time.

  npm run bench:turn -- [--calls 8] [--turns 25] [--out DIR]

  --calls  at once, 1 to 100
  --turns  of each call, with a fast STT and then with a slow one, 1 to 1000
  --out    where turn.json and turn.html go; default bench/results

Exits with 1 when the run shows nothing, because the callers themselves were late. A budget that is missed is named, and is no
failure. See bench:turns for who is stopped by what.
`;

const read = (given: Given): ConversationOptions | undefined =>
  sensible({ calls: integer(given.calls, 1, 100), exchanges: integer(given.turns, 1, 1_000) });

await runCommand({
  name: "turn",
  usage: USAGE,
  defaults: { calls: "8", turns: "25" },
  read,
  run: onRig(runTurnBench),
  text: turnText,
  page: turnPage,
  problems: (result) => result.problems,
});
