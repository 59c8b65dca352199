import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { FEATURES } from "../../../src/call/turn-taking/end-of-turn/features.ts";
import { readArguments, runCommand } from "../../../src/cli/command.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import { inProject } from "../../harness/project.ts";
import { DETECTORS } from "../../hearing/detectors.ts";
import { requirePackages } from "../../hearing/packages.ts";
import { DEVELOPMENT_LANGUAGES, readSpeakers } from "./callers.ts";
import { pausesOfSpeakers } from "./corpus.ts";
import { developmentExamples } from "./examples.ts";
import { fitWeights } from "./fit.ts";
import { weightsFile } from "./weights-file.ts";

const USAGE = `Fits the weights of the end of a turn to the development speech, and writes them into the service's code.

  npm run fit:end-of-turn -- [--cache DIR]

  --cache    the folder of the speech; default bench/cache, which git ignores

The same speech always gives the same weights. \`npm run bench:turns -- --fetch\` downloads the speech.
`;

const SEED = 1;

async function fit(args: readonly string[]): Promise<number> {
  const { values } = readArguments(args, {
    cache: { type: "string", default: fileURLToPath(inProject("bench/cache/")) },
  });
  const cacheDir = resolve(values.cache);
  requirePackages(cacheDir, "turns");
  const detector = DETECTORS.at(-1);
  if (detector === undefined) throw new Error("there must be a detector");
  const speakers = await readSpeakers(cacheDir, DEVELOPMENT_LANGUAGES, await loadResampler());
  const pauses = pausesOfSpeakers(speakers, await detector.load(), SEED);
  const weights = fitWeights(developmentExamples(pauses), FEATURES);
  const path = fileURLToPath(inProject("src/call/turn-taking/end-of-turn/weights.ts"));
  writeFileSync(path, weightsFile(weights));
  for (const [feature, { name }] of FEATURES.entries()) process.stdout.write(`${name}: ${weights[feature]}\n`);
  process.stdout.write(`bias: ${weights[FEATURES.length]}\nwritten to ${path}, from ${pauses.length} pauses\n`);
  return 0;
}

await runCommand({ help: USAGE, example: "npm run fit:end-of-turn", run: fit });
