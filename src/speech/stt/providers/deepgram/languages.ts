import { primaryLanguage } from "../../../../core/text/language-tags.ts";

const codes = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/**
 * The regions that Nova-3 or Nova-2 support (developers.deepgram.com/docs/models-languages-overview); others are
 * omitted.
 */
const REGIONS = codes(
  "da-DK de-CH en-AU en-GB en-IN en-NZ en-US es-419 fr-CA gu-IN ko-KR nl-BE pt-BR pt-PT sv-SE zh-CN zh-HK zh-TW",
);
/** Deepgram's own codes of languages, where they differ. */
const DEEPGRAM_CODES: Readonly<Record<string, string>> = { nb: "no", fil: "tl", yue: "zh-HK" };

/**
 * The languages that Nova-3 transcribes and detects with `language=multi`; a `language_hint` makes one of them more
 * likely (developers.deepgram.com/docs/nova-3-language-prompting and changelog/2026/10/23). Cantonese is among them,
 * Mandarin in traditional characters is not.
 */
const DETECTED_LANGUAGES = codes(
  "af ar be bg bn bs ca cs da de el en es et fa fi fr gl gu he hi hr hu id it ja kn ko lt lv mk mr ms nl no pl pt ro ru sk sl " +
    "sr sv ta te th tl tr uk vi xh zh zu",
);
const UNDETECTED_LANGUAGE = "zh-TW";
/** The model that detects them; others detect fewer languages, or only transcribe the one that they are given. */
const DETECTING_MODEL = /^nova-3(?:-general)?$/;

/** Languages of which Nova-3 only has a model of their own (changelog/2026/8/5 and the overview, August 2026). */
const UNDETECTED_LANGUAGES = codes("hy ka ne pa");
/** The languages of Nova-2 (changelog/2024/5/14), and those among which it switches with `language=multi`. */
const NOVA_2_LANGUAGES = codes(
  "bg ca cs da de el en es et fi fr hi hu id it ja ko lt lv ms nl no pl pt ro ru sk sv th tr uk vi zh",
);
const NOVA_2_MULTI_LANGUAGES = codes("en es");
const NOVA_2_MODEL = /^nova-2(?:-general)?$/;
/** Models for one use case transcribe English only: `nova-2-phonecall`, `nova-3-medical`. */
const ENGLISH_MODEL = /^nova-[23]-(?!general$)/;
const ENGLISH = codes("en");

/** Deepgram's code of a language, with its region where Deepgram has it. */
export function deepgramCode(language: string): string {
  if (REGIONS.has(language)) return language;
  const primary = new Intl.Locale(language).language;
  return DEEPGRAM_CODES[primary] ?? primary;
}

/** The language of a code of Deepgram, as in `GET /languages`. */
export function languageOfDeepgram(code: string): string {
  const [ours] = Object.entries(DEEPGRAM_CODES).find(([, theirs]) => theirs === code) ?? [code];
  return ours;
}

/** Whether `model` detects the language of a recording with `detect_language`. */
export const detectsDominantLanguage = (model: string): boolean => !ENGLISH_MODEL.test(model);

/** Whether `model` detects `language` among others with `language=multi`. */
export function detectsLanguage(model: string, language: string): boolean {
  const code = deepgramCode(language);
  return DETECTING_MODEL.test(model) && code !== UNDETECTED_LANGUAGE && DETECTED_LANGUAGES.has(primaryLanguage(code));
}

/**
 * Whether `model` transcribes `language`. `fixed` is the `language` in the query of the configured address, which all
 * calls get: `multi`, or a code. A model that is not known here is taken for Nova-3.
 */
export function transcribesLanguage(model: string, language: string, fixed: string | null): boolean {
  const primary = primaryLanguage(deepgramCode(language));
  if (fixed !== null && fixed !== "multi") return primaryLanguage(fixed) === primary;
  if (ENGLISH_MODEL.test(model)) return ENGLISH.has(primary);
  const isMulti = fixed === "multi";
  if (NOVA_2_MODEL.test(model)) return (isMulti ? NOVA_2_MULTI_LANGUAGES : NOVA_2_LANGUAGES).has(primary);
  return isMulti
    ? detectsLanguage("nova-3", language)
    : DETECTED_LANGUAGES.has(primary) || UNDETECTED_LANGUAGES.has(primary);
}
