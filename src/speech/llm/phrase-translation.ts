import { providerFailed, type TrunklineError } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { PHRASE_CHARS_MAX, PHRASE_TRANSLATION_CHARS_MAX } from "../../core/limits/phrases.ts";
import { displayWidth, languageParts, PHRASE_NAMES, type Phrases } from "../../core/phrases/phrases.ts";
import type { Llm, ProviderObserver } from "../contracts.ts";

const LANGUAGE_NAMES = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

/** What a language is called in English; undefined for one that nobody has a name for, which no LLM is asked for. */
export const languageName = (language: string): string | undefined => LANGUAGE_NAMES.of(language);

/** How much shorter or longer than the English a translation may be, in columns of display. */
const WIDTH_FACTOR_MAX = 4;
/** Nothing of this is spoken: markup, placeholders, controls and line ends. */
const UNSPEAKABLE = /[<>{}[\]\\|*_`#\p{Cc}\p{Co}\p{Cn}\p{Surrogate}]|:\/\//u;
/** The letters of languages that are written in several scripts at once; of all others their script's. */
const LETTERS: Readonly<Record<string, string>> = {
  Jpan: "\\p{scx=Hani}\\p{scx=Hira}\\p{scx=Kana}",
  Kore: "\\p{scx=Hang}\\p{scx=Hani}",
  Hans: "\\p{scx=Hani}",
  Hant: "\\p{scx=Hani}",
};

/**
 * The phrases of `english` in `language`, a tag that has a name, as `llm` translates them: asked once, without a retry. Rejects with
 * `provider_failed` where it fails, or where what it wrote is no such translation: another script, markup, English, or far too short
 * or long. No error quotes it.
 */
export async function translatePhrases(
  llm: Llm,
  language: string,
  english: Phrases,
  signal: AbortSignal,
  watch: ProviderObserver,
): Promise<Phrases> {
  const request = {
    messages: [
      { role: "system" as const, text: instructionsFor(language) },
      { role: "user" as const, text: JSON.stringify(english) },
    ],
    tools: [],
    temperature: 0,
    language,
  };
  let text = "";
  for await (const event of llm.reply(request, signal, watch)) {
    if (event.kind === "text") text += event.text;
    if (text.length > PHRASE_TRANSLATION_CHARS_MAX) throw invalidTranslation(llm, "more than the phrases can be");
  }
  if (signal.aborted) throw invalidTranslation(llm, "nothing in time");
  const problem = validateTranslation(objectIn(text), language, english);
  if (typeof problem === "string") throw invalidTranslation(llm, problem);
  return problem;
}

const invalidTranslation = ({ provider }: Llm, what: string): TrunklineError =>
  providerFailed(provider, `sent no translation of the phrases: ${what}`);

const instructionsFor = (language: string): string =>
  `You translate the fixed sentences of a telephone service into ${languageName(language)} (${language}). A caller hears them. ` +
  "Keep the meaning, the politeness and roughly the length. Address the caller as a company addresses a customer, and name no " +
  "gender where the language lets you. Use the usual script of the language. Answer with one JSON object that has exactly the " +
  `keys ${PHRASE_NAMES.join(", ")}, each with the translated sentence, and with nothing else.`;

/** The JSON object in an answer, which may stand in a fence or behind a word of greeting. */
function objectIn(answer: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1));
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The phrases of `given`, or what is wrong with them as a translation into `language`. */
export function validateTranslation(
  given: Readonly<Record<string, unknown>> | undefined,
  language: string,
  english: Phrases,
): Phrases | string {
  if (given === undefined) return "no JSON object";
  const texts: [name: string, text: string][] = [];
  for (const name of PHRASE_NAMES) {
    const value = given[name];
    if (typeof value !== "string") return `no ${name}`;
    const text = value.trim();
    const problem = textProblem(text, language, english[name]);
    if (problem !== undefined) return `${name} is ${problem}`;
    texts.push([name, text]);
  }
  return Object.fromEntries(texts) as Record<(typeof PHRASE_NAMES)[number], string>;
}

function textProblem(text: string, language: string, english: string): string | undefined {
  if (text === "" || text.length > PHRASE_CHARS_MAX) return "empty or too long";
  if (UNSPEAKABLE.test(text)) return "not plain text";
  const factor = displayWidth(text) / displayWidth(english);
  if (factor > WIDTH_FACTOR_MAX || factor < 1 / WIDTH_FACTOR_MAX) return "far from the length of the English";
  const letters = text.match(/\p{L}/gu) ?? [];
  const isLetter = lettersOf(language);
  if (letters.length === 0 || letters.some((letter) => isLetter?.test(letter) === false)) return "in another script";
  return isEnglish(text, english) ? "still English" : undefined;
}

/** The letters that a language is written with; undefined for a script that this version of Unicode does not know. */
function lettersOf(language: string): RegExp | undefined {
  const script = languageParts(language)?.script ?? "";
  try {
    return new RegExp(`[${LETTERS[script] ?? `\\p{scx=${script}}`}]`, "u");
  } catch {
    return undefined;
  }
}

/** Half of the words of the English, or more, stand in it. */
function isEnglish(text: string, english: string): boolean {
  const words = wordsOf(english);
  const own = new Set(wordsOf(text));
  return words.filter((word) => own.has(word)).length * 2 >= words.length;
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];
