import { tableSection } from "../hearing/page.ts";
import { list, page, whole } from "../report/html.ts";
import { machineLine } from "../report/machine-line.ts";
import { budgetSection } from "../report/sections.ts";
import { goalsOf } from "./budgets.ts";
import type { SttResult } from "./result.ts";
import { tablesOf } from "./text.ts";

/** The result as a page by itself. */
export function sttPage(result: SttResult): string {
  const { model, seed, tookS, machine } = result;
  const subtitle = `${model}, seed ${seed}, in ${whole(tookS)} s. ${machineLine(machine)}`;
  return page("Trunkline, local speech recognition", subtitle, [
    budgetSection(goalsOf(result)),
    ...tablesOf(result).map(tableSection),
    { title: "How it was measured", body: list(METHOD) },
  ]);
}

const METHOD = [
  "<b>Wrong words</b> are counted as jiwer does: substitutions, deletions and insertions by the words of the reference, in lower case, without " +
    "punctuation, hyphens as spaces, numbers as words.",
  "<b>Reading</b> is the five LibriVox clips of pocketsphinx-testdata, <b>commands</b> its cards and two commands; <b>prompts</b> are Asterisk's, of two words " +
    "and more, one speaker, recorded at 8 kHz; <b>single words</b> are words without context, which is harder than what callers say.",
  "<b>G.711</b> is mu-law at 8,000 Hz, by the service's own resampler both ways; the noise is white, 20 dB below each clip's active level.",
];
