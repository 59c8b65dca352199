import { tableSection } from "../hearing/page.ts";
import { list, page, type Section, whole } from "../report/html.ts";
import { machineLine } from "../report/machine-line.ts";
import { budgetSection } from "../report/sections.ts";
import { goalsOf } from "./budgets.ts";
import { curvePicture } from "./end-of-turn/curve-picture.ts";
import type { EndOfTurnResult } from "./end-of-turn/tables.ts";
import { STT_FINAL_MS, STT_INTERIM_MS } from "./ideal-providers.ts";
import type { TurnsOnSpeechResult } from "./result.ts";
import { tablesOf } from "./text.ts";

/** The result as a page by itself. */
export function turnsOnSpeechPage(result: TurnsOnSpeechResult): string {
  const { minutes, seed, tookS, machine } = result;
  const subtitle = `${minutes} minutes of calls in each case, seed ${seed}, in ${whole(tookS)} s. ${machineLine(machine)}`;
  return page("Trunkline, turns of human callers", subtitle, [
    budgetSection(goalsOf(result)),
    ...(result.endOfTurn === undefined ? [] : [curveSection(result.endOfTurn)]),
    ...tablesOf(result).map(tableSection),
    { title: "How it was measured", body: list(METHOD) },
  ]);
}

const curveSection = ({ analysis }: EndOfTurnResult): Section => ({
  title: "Delay against early answers",
  body: curvePicture(analysis.curve),
});

const METHOD = [
  "<b>Callers</b> are prompts that people recorded, with the texts of their packages; numbers and spellings are strung together from digits and " +
    "letters with pauses of 0.1 to 0.4 s. The agent speaks with another person's voice. None of it is spontaneous.",
  `<b>The STT</b> is never wrong: a word's interim transcript comes ${STT_INTERIM_MS} ms after its end, a final one ${STT_FINAL_MS} ms after the start of each pause of ` +
    "300 ms, with the punctuation of the script. Within a phrase words are timed by their letters. It transcribes no noise, music or echo.",
  "<b>The calls</b> go through the whole service but its sockets, in virtual time; LLM and TTS take no time.",
];
