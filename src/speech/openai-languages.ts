import { languageCode } from "./languages.ts";

/**
 * The languages of OpenAI's STT and TTS, by its own codes (platform.openai.com/docs/guides/speech-to-text and
 * /text-to-speech, "Supported languages"). A request that names any other language is refused.
 */
const OPENAI_LANGUAGES: ReadonlySet<string> = new Set(
  (
    "af ar hy az be bs bg ca zh hr cs da nl en et fi fr gl de el he hi hu is id it ja kn kk ko lv lt mk ms mr mi ne no fa pl pt ro " +
    "ru sr sk sl es sw sv tl ta th tr uk ur vi cy"
  ).split(" "),
);

/** OpenAI's own codes of languages, by ours, where they differ. */
const OPENAI_CODES: Readonly<Record<string, string>> = { nb: "no", fil: "tl" };
const OUR_CODES = Object.fromEntries(Object.entries(OPENAI_CODES).map(([ours, theirs]) => [theirs, ours]));
const ourCode = (code: string): string => OUR_CODES[code] ?? code;

/** The same languages by our codes. */
export const OPENAI_LANGUAGE_CODES: readonly string[] = [...OPENAI_LANGUAGES].map(ourCode);

/** OpenAI's code of a language tag; undefined for a language that a request must not name. */
export function openAiCode(language: string): string | undefined {
  const primary = new Intl.Locale(language).language;
  const code = OPENAI_CODES[primary] ?? primary;
  return OPENAI_LANGUAGES.has(code) ? code : undefined;
}

const NAMES = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });
/** Whisper's names of languages where they differ from the name in English. */
const OTHER_NAMES: Readonly<Record<string, string>> = { tagalog: "fil" };
const withoutAccents = (name: string): string =>
  name
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
const BY_NAME = new Map([...OPENAI_LANGUAGES].map((code) => [withoutAccents(NAMES.of(code) ?? code), code]));

/**
 * The language of a transcription in BCP 47, from a code or from Whisper's English name of the language; undefined for
 * other texts.
 */
export function openAiLanguage(reported: string): string | undefined {
  const named = withoutAccents(reported.trim());
  const code = OTHER_NAMES[named] ?? BY_NAME.get(named) ?? languageCode(named);
  return code === undefined ? undefined : ourCode(code);
}
