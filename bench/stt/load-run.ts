import { type Given, integer, runCommand, sensible } from "../harness/command.ts";
import { failsWhenChecked, speechOptions } from "../harness/speech-options.ts";
import { tableSection } from "../hearing/page.ts";
import { list, page } from "../report/html.ts";
import { machineLine } from "../report/machine-line.ts";
import { budgetSection } from "../report/sections.ts";
import { type LoadOptions, runLoadBench } from "./load-bench.ts";
import type { LoadResult } from "./load-result.ts";
import { loadGoals, loadTable, loadText } from "./load-text.ts";

const USAGE = `When the final transcripts of the local STT come, by the number of calls, on human speech of Debian's packages.

  npm run bench:stt-load -- [--calls 1,2,4,8] [--seconds 120] [--seed 1] [--cache DIR] [--check] [--write] [--out DIR]

  --calls    how many calls at a time, each 1 to 64
  --seconds  how long each of these steps takes, 20 to 3600
  --cache    the folder of the packages that bench:stt -- --fetch has downloaded; default bench/cache
  --seed     which utterances are said when, 0 to 4294967295
  --check    exit code 1 where a goal is missed
  --write    replaces the section bench:stt-load of bench/RESULTS.md
  --out      where stt-load.json and stt-load.html go; default bench/results

Calls run in real time and one process transcribes them, which is one core. The machine must be otherwise idle.
`;

const EXPLANATION = `Finals of human speech through G.711 at 8 kHz, divided by the service's own detector (Silero). Explained in
[README.md](README.md#benchstt-load).`;

function read(given: Given): LoadOptions | undefined {
  const numbers = sensible({
    calls: (given.calls ?? "").split(",").map((count) => integer(count, 1, 64)),
    seconds: integer(given.seconds, 20, 3_600),
    seed: integer(given.seed, 0, 2 ** 32 - 1),
  });
  return numbers && { ...numbers, cacheDir: speechOptions(given).cacheDir };
}

const METHOD = [
  "Each call speaks human utterances of 2 to 7 s in random order and listens for 3 to 5 s between them, so that it speaks for about half of the time.",
  "<b>From end of speech</b>: from the frame with which the service's detector ends the speech, 300 ms after its last voiced frame. <b>From last voiced</b>: from " +
    "the last frame that is audible, at most 30 dB below the utterance's own level.",
  "<b>CPU</b> is that of the process with the model, which has one thread.",
];

await runCommand({
  name: "stt-load",
  usage: USAGE,
  defaults: { calls: "1,2,4,8", seconds: "120", seed: "1", cache: undefined },
  flags: ["check"],
  read,
  run: runLoadBench,
  text: loadText,
  explanation: EXPLANATION,
  page: (result: LoadResult) =>
    page("Trunkline, load of the local STT", `${result.model}, seed ${result.seed}. ${machineLine(result.machine)}`, [
      budgetSection(loadGoals(result)),
      tableSection(loadTable(result)),
      { title: "How it was measured", body: list(METHOD) },
    ]),
  failed: failsWhenChecked(loadGoals),
});
