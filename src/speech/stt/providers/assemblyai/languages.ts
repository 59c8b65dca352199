import { primaryLanguage } from "../../../../core/text/language-tags.ts";

const codes = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** The model that only transcribes English, and reports no language. */
export const ENGLISH_MODEL = "universal-streaming-english";
const ENGLISH = codes("en");
/** Universal-Streaming Multilingual and Universal-3 Pro. */
const SIX_LANGUAGES = codes("de en es fr it pt");
const SIX_LANGUAGES_MODEL = /^(?:universal-streaming-multilingual|universal-3-pro)$/;
/** `u3-rt-pro` and `u3-pro` stand for the newest of the Universal-3 models; later ones are taken to know no fewer languages. */
const UNIVERSAL_3_5_LANGUAGES = codes("ar da de en es fi fr he hi it ja nl no pt sv tr ur vi zh");
/** The Whisper models, with the languages of Whisper's tokenizer. */
const WHISPER_MODEL = /^whisper-/;
const WHISPER_LANGUAGES = codes(
  "af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht hu hy id is it ja jw " +
    "ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so sq sr su " +
    "sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo yue zh",
);
/** AssemblyAI's codes of languages, where they differ. */
const CODES: Readonly<Record<string, string>> = { nb: "no", fil: "tl", jv: "jw" };

/** AssemblyAI's code of a language, without its region. */
export function assemblyAiCode(language: string): string {
  const primary = primaryLanguage(language);
  return CODES[primary] ?? primary;
}

/** The language of a code of AssemblyAI, as in `GET /languages`. */
export function languageOfAssemblyAi(code: string): string {
  const [ours] = Object.entries(CODES).find(([, theirs]) => theirs === code) ?? [code];
  return ours;
}

/**
 * Whether the streaming model transcribes `language`, a code. Languages: www.assemblyai.com/docs,
 * faq/language-support-for-real-time-transcription and streaming/universal-3-pro/supported-languages.
 */
export function transcribesLanguage(model: string, language: string): boolean {
  return languagesOf(model).has(assemblyAiCode(language));
}

function languagesOf(model: string): ReadonlySet<string> {
  if (model === ENGLISH_MODEL) return ENGLISH;
  if (SIX_LANGUAGES_MODEL.test(model)) return SIX_LANGUAGES;
  return WHISPER_MODEL.test(model) ? WHISPER_LANGUAGES : UNIVERSAL_3_5_LANGUAGES;
}
