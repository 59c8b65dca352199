import { primaryLanguage } from "../../core/text/language-tags.ts";
import { isUnspaced, wordsOf } from "../../core/text/words.ts";
import type { TurnParameters } from "../parameters.ts";
import { endsQuestion, endsSentence, trailsOff } from "../sentence-boundaries.ts";

/** Words after which more is likely to follow. One line a language. */
const TRAILING: Readonly<Record<string, string>> = {
  en: "and but or so because if when that which who the a an to of in on at for with from my your is are was um uh er like",
  de: "und aber oder also weil wenn dass der die das ein eine zu von in an auf für mit mein ist sind äh ähm",
  es: "y o pero porque si que el la los las un una a de en con por para mi es son eh este",
  fr: "et ou mais parce si que le la les un une à de en avec pour mon ma est sont euh",
  it: "e o ma perché se che il la i le un una a di in con per mio è sono ehm",
  nl: "en of maar want als dat de het een te van in op voor met mijn is zijn eh ehm",
  pt: "e ou mas porque se que o a os as um uma de em com por para meu é são hum",
  // No speaker of these languages has checked them.
  ru: "и или но а что если потому когда который в на с для по э эм",
  ar: "و أو لكن لأن إذا أن في من على مع إلى",
  hi: "और या लेकिन क्योंकि अगर कि का की के में से को",
  zh: "和 或 或者 但是 可是 因为 所以 如果 还有 然后 跟 那个 呃 嗯",
  ja: "と が けど から ので で は を に も えっと あの",
  ko: "그리고 그런데 하지만 그래서 또는 어 음 그",
  th: "และ หรือ แต่ เพราะ ถ้า ที่ ว่า กับ เอ่อ",
};

const LISTS = new Map(Object.entries(TRAILING).map(([language, words]) => [language, new Set(words.split(" "))]));
const NONE: ReadonlySet<string> = new Set();

/** How much of a text's end is examined. Bounded, because this runs on every frame of a pause. */
const END_CHARS = 64;

/**
 * How long a pause must be to end a turn with the transcript `text`, in a language such as `en` or `en-GB`, ms: shorter
 * after a question, longer where the speaker is looking for words.
 */
export function endpointMs(text: string, language: string, parameters: Readonly<TurnParameters>): number {
  const end = text.slice(-END_CHARS).trimEnd();
  if (trailsOff(end)) return parameters.endpointTrailingMs;
  if (endsSentence(end)) return endsQuestion(end) ? parameters.endpointQuestionMs : parameters.endpointSentenceMs;
  const run = /[\p{L}\p{M}'’]+$/u.exec(end)?.[0].toLowerCase() ?? "";
  const last = isUnspaced(run) ? (wordsOf(run, language).at(-1) ?? "") : run;
  const trailing = LISTS.get(primaryLanguage(language)) ?? NONE;
  return trailing.has(last) ? parameters.endpointTrailingMs : parameters.endpointMs;
}
