import { resolve } from "node:path";
import { type Given, integer, runCommand, sensible } from "../harness/command.ts";
import { speechOptions } from "../harness/speech-options.ts";
import { list, page, table } from "../report/html.ts";
import { machineLine } from "../report/machine-line.ts";
import { runSttModelsBench, type SttModelsOptions, type SttModelsResult } from "./bench.ts";
import { COLUMNS, sttModelsRows, sttModelsText } from "./text.ts";

const USAGE = `Wrong words and cost of local speech models in several languages, on Debian's recorded prompts.

  npm run bench:stt-models -- --fetch
  npm run bench:stt-models -- [--folders DIR,DIR] [--count 60] [--cache DIR] [--write] [--out DIR]

  --folders  model folders, as "npm run models -- add" makes them; the installed model is always measured
  --count    utterances of each language, 1 to 1000
  --fetch    downloads what is missing of the packages, about 115 MB, with apt-get; installs nothing
  --cache    the folder for them; default bench/cache, which git ignores
  --write    replaces the section bench:stt-models of bench/RESULTS.md
  --out      where stt-models.json and stt-models.html go; default bench/results
`;

const EXPLANATION = `Wrong words as jiwer counts them, case and punctuation removed. \`reading\` is LibriVox and commands at 16 kHz; the languages are
prompts of Asterisk, one speaker each, recorded at 8 kHz. Explained in [README.md](README.md#benchstt-models).`;

function read(given: Given): SttModelsOptions | undefined {
  const numbers = sensible({ count: integer(given.count, 1, 1_000) });
  const folders = given.folders?.split(",").map((folder) => resolve(folder)) ?? [];
  return numbers && { ...numbers, folders: [undefined, ...folders], ...speechOptions(given) };
}

const sttModelsPage = (result: SttModelsResult): string =>
  page("Trunkline, local speech models", machineLine(result.machine), [
    {
      title: "Wrong words",
      body: table(
        COLUMNS.map((title, at) => ({ title, numeric: at > 1 })),
        sttModelsRows(result),
      ),
    },
    { title: "How it was measured", body: list([EXPLANATION]) },
  ]);

await runCommand({
  name: "stt-models",
  usage: USAGE,
  defaults: { folders: undefined, count: "60", cache: undefined },
  flags: ["fetch"],
  read,
  run: runSttModelsBench,
  text: sttModelsText,
  explanation: EXPLANATION,
  page: sttModelsPage,
});
