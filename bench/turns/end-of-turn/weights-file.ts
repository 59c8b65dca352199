import { FEATURES } from "../../../src/call/turn-taking/end-of-turn/features.ts";
import type { Weights } from "./judge.ts";

/** The text of `weights.ts`: a weight for each feature, with its name beside it. */
export const weightsFile = (weights: Weights): string =>
  [
    "// Written by `npm run fit:end-of-turn`, from the development speech. Not to be edited.",
    "",
    "/** The score of a pause of which nothing is known. */",
    `export const BIAS = ${weights[FEATURES.length]};`,
    "",
    "/** The weights of FEATURES, in their order. Those by hand are for what recorded prompts cannot show. */",
    "export const WEIGHTS: readonly number[] = [",
    ...FEATURES.map(
      ({ name, isStated }, at) => `  ${weights[at]}, // ${name}${isStated ? ": by hand, in features.ts" : ""}`,
    ),
    "];",
    "",
  ].join("\n");
