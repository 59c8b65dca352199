import { primaryLanguage } from "../core/text/language-tags.ts";
import type { Voice } from "./contracts.ts";

/** A language that can be spoken, as `GET /languages` lists it. */
export interface Language {
  /** BCP 47: a language (`en`), or a language and a region (`en-US`). */
  code: string;
  /** In English. */
  name: string;
  /** How many voices speak it; a voice of `en-US` also speaks `en`. */
  voices: number;
  /** The ids of the STT providers that transcribe it, in the order in which they are tried. Never empty. */
  stt: readonly string[];
  /** The ids of the TTS providers of these voices, in alphabetical order. Never empty. */
  tts: readonly string[];
}

// Made when a name is needed: the first one takes a process 12 ms and 8 MB, each further one 7 us (measured).
const nameOf = remembered(
  (code) => new Intl.DisplayNames(["en"], { type: "language", fallback: "none" }).of(code) ?? null,
);

/**
 * The languages of some voices, by code, without those that no STT transcribes. `sttServing` gives the ids of the STT
 * providers that transcribe a language.
 */
export function listLanguages(
  voices: readonly Voice[],
  sttServing: (code: string) => readonly string[],
): readonly Language[] {
  const speaking = new Map<string, Voice[]>();
  for (const voice of voices) {
    for (const code of languageCodes(voice.language)) {
      const found = speaking.get(code);
      if (found === undefined) speaking.set(code, [voice]);
      else found.push(voice);
    }
  }
  return [...speaking]
    .flatMap(([code, [first, ...others]]): Language[] => {
      const stt = sttServing(code);
      if (stt.length === 0 || first === undefined) return [];
      const tts = [...new Set([first, ...others].map(({ provider }) => provider))].sort();
      // A language that Intl has no name for, for example an invented one, takes the name of its voice.
      return [{ code, name: nameOf(code) ?? first.name, voices: others.length + 1, stt, tts }];
    })
    .sort((a, b) => (a.code < b.code ? -1 : 1));
}

/** The codes under which a voice of language `tag` (BCP 47) is found: `en-GB-x-rp` is `en` and `en-GB`. */
export const languageCodes = remembered((tag): readonly string[] => {
  const { language, region } = new Intl.Locale(tag);
  return region === undefined ? [language] : [language, `${language}-${region}`];
});

/** The codes of some languages without their regions. */
export const primaryLanguages = (languages: readonly Pick<Language, "code">[]): string[] => [
  ...new Set(languages.map(({ code }) => primaryLanguage(code))),
];

/** Codes that stand for no language, or for several. */
const NO_LANGUAGES: readonly string[] = ["und", "mul", "mis", "zxx"];
/** Longer than any tag in use. */
const TAG_CHARS_MAX = 35;

/**
 * The code, as in `listLanguages`, of a language tag from a provider: `de` for `deu`, `en-GB` for `en-gb-x-rp`;
 * undefined where the tag names no language.
 */
export function languageCode(tag: string): string | undefined {
  if (tag.length > TAG_CHARS_MAX) return undefined;
  try {
    const { language, region } = new Intl.Locale(tag);
    // A longer subtag is well-formed but not assigned: without this check `english` would pass as a code.
    if (language.length > 3 || NO_LANGUAGES.includes(language)) return undefined;
    return region === undefined ? language : `${language}-${region}`;
  } catch {
    return undefined;
  }
}

/**
 * Memoizes `of` without a bound; use it only for languages, which are few. Every created call needs the
 * languages of all voices, for which Intl takes 2.4 ms with 140 voices (measured).
 */
export function remembered<Value extends NonNullable<unknown> | null>(
  of: (text: string) => Value,
): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const value = of(text);
    known.set(text, value);
    return value;
  };
}
