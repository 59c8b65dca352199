import { languageCode } from "../../languages.ts";

/**
 * The languages of OpenAI's ears and voices, by its own codes (platform.openai.com/docs/guides/speech-to-text and
 * /text-to-speech, "Supported languages"): asked to hear any other by name, it refuses.
 */
export const OPENAI_LANGUAGES: ReadonlySet<string> = new Set(
  (
    "af ar hy az be bs bg ca zh hr cs da nl en et fi fr gl de el he hi hu is id it ja kn kk ko lv lt mk ms mr mi ne no fa pl pt ro " +
    "ru sr sk sl es sw sv tl ta th tr uk ur vi cy"
  ).split(" "),
);

const NAMES = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });
/** What Whisper calls a language where that is not its name in English. */
const OTHER_NAMES: Readonly<Record<string, string>> = { tagalog: "fil" };
const withoutAccents = (name: string): string =>
  name
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
const BY_NAME = new Map([...OPENAI_LANGUAGES].map((code) => [withoutAccents(NAMES.of(code) ?? code), code]));

/** The language, in BCP 47, that a transcription says it is in: by a code, or by its name in English as Whisper has it. */
export function openAiLanguage(told: string): string | undefined {
  const named = withoutAccents(told.trim());
  const code = OTHER_NAMES[named] ?? BY_NAME.get(named) ?? languageCode(named);
  return code === "no" ? "nb" : code === "tl" ? "fil" : code;
}
