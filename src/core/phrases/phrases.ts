import { BUILT_IN_PHRASES } from "./built-in.ts";
import { PHRASE_NAMES, type Phrases } from "./names.ts";

/** The source of phrases that are not built in. */
export const PHRASE_ORIGINS = ["file", "translated", "english"] as const;
export type PhraseOrigin = (typeof PHRASE_ORIGINS)[number];

/** The operator's phrases by canonical language tag (BCP 47); a language may have only some of the phrases. */
export type PhraseOverrides = Readonly<Record<string, Readonly<Partial<Phrases>>>>;

/** The language for callers whose language has no phrases, and the source of translations. */
export const ENGLISH: Phrases = BUILT_IN_PHRASES.en.phrases;

/**
 * Where phrases of a language are searched for after its own: Cantonese is written as Chinese, and the same voices speak both
 * Norwegian languages and `no`, which means either.
 */
const WRITTEN_AS: Readonly<Record<string, readonly string[]>> = {
  yue: ["zh-Hant"],
  no: ["nb"],
  nb: ["no"],
  nn: ["nb", "no"],
};

/** The parts of a language code; undefined for other texts. The script is the usual one of the language in its region. */
export function languageParts(
  language: string,
): { spoken: string; region: string | undefined; script: string } | undefined {
  try {
    const locale = new Intl.Locale(language);
    // Some Node versions return undefined for "und".
    const spoken: string | undefined = locale.language;
    if (spoken === undefined) return undefined;
    return { spoken, region: locale.region, script: locale.maximize().script ?? "" };
  } catch {
    return undefined;
  }
}

/**
 * The tags under which phrases of a language code are searched for, the most specific first: `zh-TW`, `zh-Hant`, `zh`. None for texts
 * that are not codes.
 */
export function phraseTags(language: string): string[] {
  const parts = languageParts(language);
  if (parts === undefined) return [];
  const { spoken, region, script } = parts;
  return [
    ...new Set([
      ...(region === undefined ? [] : [`${spoken}-${region}`]),
      `${spoken}-${script}`,
      spoken,
      ...(WRITTEN_AS[spoken] ?? []),
    ]),
  ];
}

/** Codes for no language, or for several. */
const NO_LANGUAGES: readonly string[] = ["und", "mul", "mis", "zxx"];
const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

/** Whether a call can have a language whose phrases are searched for under the canonical `tag`. */
export function isPhraseTag(tag: string): boolean {
  const parts = languageParts(tag);
  // A longer one is well-formed but not a language: "german".
  if (parts === undefined || parts.spoken.length > 3 || NO_LANGUAGES.includes(parts.spoken)) return false;
  const { spoken, region } = parts;
  if (phraseTags(region === undefined ? spoken : `${spoken}-${region}`).includes(tag)) return true;
  // A call has no script but the usual one of its region.
  if (tag !== `${spoken}-${parts.script}`) return false;
  return LETTERS.some((first) => LETTERS.some((second) => phraseTags(`${spoken}-${first}${second}`).includes(tag)));
}

/** The built-in phrases of a language code such as `de` or `de-AT`; undefined when there are none. */
export const builtInPhrases = (language: string): Phrases | undefined =>
  phraseTags(language)
    .map((tag) => BUILT_IN_PHRASES[tag])
    .find((found) => found !== undefined)?.phrases;

/**
 * The phrases of `language` from `overrides` and the built-in table, each from the most specific tag that has it. All tags of
 * `overrides` come first, so that `pt` also changes `pt-PT`.
 */
export function phrasesIn(overrides: PhraseOverrides, language: string): Partial<Phrases> {
  const tags = phraseTags(language);
  const found = PHRASE_NAMES.flatMap((name) => {
    const own = tags.map((tag) => overrides[tag]?.[name]).find((text) => text !== undefined);
    const text = own ?? builtInPhrases(language)?.[name];
    return text === undefined ? [] : [[name, text]];
  });
  return Object.fromEntries(found) as Partial<Phrases>;
}

/** Whether a language has every phrase. */
export const isComplete = (phrases: Partial<Phrases>): phrases is Phrases =>
  PHRASE_NAMES.every((name) => phrases[name] !== undefined);

/** Whether both have the same phrases with the same texts. */
export const samePhrases = (a: Partial<Phrases>, b: Partial<Phrases>): boolean =>
  PHRASE_NAMES.every((name) => a[name] === b[name]);
