import { providerFailed, type TrunklineError } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { PHRASE_CHARS_MAX, PHRASE_TRANSLATION_CHARS_MAX } from "../../core/limits/agents/phrases.ts";
import { PHRASE_NAMES, type Phrases } from "../../core/phrases/names.ts";
import { languageParts } from "../../core/phrases/phrases.ts";
import { displayWidth } from "../../core/text/display-width.ts";
import type { CallLlm, ProviderObserver } from "../contracts.ts";

const LANGUAGE_NAMES = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

/** The English name of a language; undefined where Intl has none, and then no translation is requested. */
export const languageName = (language: string): string | undefined => LANGUAGE_NAMES.of(language);

/** The greatest ratio between the display widths of a translation and its English text, in either direction. */
const WIDTH_FACTOR_MAX = 4;
/** Characters that cannot be spoken: markup, placeholders, control characters and line ends. */
const UNSPEAKABLE = /[<>{}[\]\\|*_`#\p{Cc}\p{Co}\p{Cn}\p{Surrogate}]|:\/\//u;
/** The letters of languages that mix several scripts; every other language uses the letters of its script. */
const LETTERS: Readonly<Record<string, string>> = {
  Jpan: "\\p{scx=Hani}\\p{scx=Hira}\\p{scx=Kana}",
  Kore: "\\p{scx=Hang}\\p{scx=Hani}",
  Hans: "\\p{scx=Hani}",
  Hant: "\\p{scx=Hani}",
};

/**
 * Translates the phrases of `english` to `language`, a tag that has a name, with one request to `llm` and no retry.
 * Rejects with `provider_failed` where the LLM fails, or where its text is no valid translation: wrong script, markup,
 * still English, or far too short or long. No error quotes the text.
 */
export async function translatePhrases(
  llm: CallLlm,
  language: string,
  english: Phrases,
  signal: AbortSignal,
  observer: ProviderObserver,
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
  for await (const event of llm.reply(request, signal, observer)) {
    if (event.kind === "text") text += event.text;
    if (text.length > PHRASE_TRANSLATION_CHARS_MAX)
      throw invalidTranslation(llm, "the reply is longer than all phrases can be");
  }
  if (signal.aborted) throw invalidTranslation(llm, "no complete reply in time");
  const problem = validateTranslation(objectIn(text), language, english);
  if (typeof problem === "string") throw invalidTranslation(llm, problem);
  return problem;
}

const invalidTranslation = ({ provider }: CallLlm, what: string): TrunklineError =>
  providerFailed(provider, `sent no translation of the phrases: ${what}`);

const instructionsFor = (language: string): string =>
  `You translate the fixed sentences of a telephone service into ${languageName(language)} (${language}). A caller hears them. ` +
  "Keep the meaning, the politeness and roughly the length. Address the caller as a company addresses a customer, and name no " +
  "gender where the language lets you. Use the usual script of the language. Answer with one JSON object that has exactly the " +
  `keys ${PHRASE_NAMES.join(", ")}, each with the translated sentence, and with nothing else.`;

/** The JSON object in a reply, which may be in a code fence or follow an introduction. */
function objectIn(reply: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(reply.slice(reply.indexOf("{"), reply.lastIndexOf("}") + 1));
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The phrases in `given`, or a text that says why they are no valid translation to `language`. */
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

/** Matches the letters of a language's script; undefined for a script that this version of Unicode does not have. */
function lettersOf(language: string): RegExp | undefined {
  const script = languageParts(language)?.script ?? "";
  try {
    return new RegExp(`[${LETTERS[script] ?? `\\p{scx=${script}}`}]`, "u");
  } catch {
    return undefined;
  }
}

/** Whether `text` contains at least half of the words of `english`. */
function isEnglish(text: string, english: string): boolean {
  const words = wordsOf(english);
  const textWords = new Set(wordsOf(text));
  return words.filter((word) => textWords.has(word)).length * 2 >= words.length;
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];
