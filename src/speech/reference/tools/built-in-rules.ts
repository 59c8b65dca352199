import { primaryLanguage } from "../../../core/text/language-tags.ts";
import { DTMF_DIGITS } from "../../../core/tools/built-in-tools.ts";
import { digitsFrom } from "../language/values.ts";
import { tokensOf } from "../language/words.ts";

// When a caller requests one of the service's own tools, and with which argument. The tools' names are reserved, so
// their words can be fixed here.

export interface BuiltInRule {
  /** Whether the words request the tool. `language` is the one that is spoken. */
  isRequested(said: string, language: string): boolean;
  /** The tool's only argument, and its value in the words; undefined if they name none. */
  argument: string;
  valueIn(said: string): string | undefined;
}

/** Words of a goodbye. */
const GOODBYES = new Set([
  "bye",
  "goodbye",
  "tschüss",
  "wiedersehen",
  "wiederhören",
  "adiós",
  "adios",
  "revoir",
  "ciao",
]);
const HANG_UP = /\b(?:hang up|end (?:the|this) call)\b/iu;
const NEGATION = /(?<!why )\b(?:do not|don['’]t|never|without)\b/iu;

/** Whether the caller does not want something. "Why don't you" is a request. */
export const isNegated = (said: string): boolean => NEGATION.test(said);

/** "I will not", "I won't", "rather not"; but not "can't you", which is a request, nor "not on the terrace". */
const REFUSAL =
  /\b(?:never|without|cannot|(?<!why )(?!(?:ca|could|wo|would)n['’]t (?:you|we)\b)\w+n['’]t|(?:(?:do|does|did|will|would|shall|should|can|could|must|may|might|am|is|are|was|were|have|has|had|need|better|rather|prefer|you|we)|['’](?:ll|d|m|re|ve))(?: \w+ly)? not)\b(?! (?:on|in|at|for|with|near|too)\b)/iu;
/** The start of a new clause. A refusal before it does not apply to it. */
const CLAUSE = /[,;:…–—]+\s*(?=(?:please|so|but|can|could|would|i|we|you|just|then)\b)|\s+(?=(?:so|but|because)\b)/iu;
/** "I will not, please, ...": the refusal applies to the next clause, too. */
const OPEN_REFUSAL = /(?:\bnot|n['’]t|\bnever|\bwithout)\W*$/iu;

/** The clauses in which nothing is refused. */
export function affirmedClauses(said: string): string[] {
  const clauses = said.split(CLAUSE);
  return clauses.filter((clause, at) => !REFUSAL.test(clause) && !OPEN_REFUSAL.test(clauses[at - 1] ?? ""));
}

/** `words` are those of `said`, in lower case. */
export const isGoodbye = (said: string, words: readonly string[]): boolean =>
  words.some((word) => GOODBYES.has(word)) ||
  (!isNegated(said) && affirmedClauses(said).some((clause) => HANG_UP.test(clause)));

const TRANSFER =
  /\b(?:transfer|(?:connect|put) (?:me|us)|(?:speak|talk) (?:to|with) (?:an? |the |your |some)?(?:human|person|one|body|manager|agent|operator|representative|colleague|supervisor))\b/iu;
const SIP_ADDRESS = /\bsips?:[^\s,;]{1,200}/iu;
const TELEPHONE_NUMBER = /\+?\d[\d\s()./-]{1,30}\d/u;
const NUMBER_DIGITS_MIN = 3;

function targetIn(said: string): string | undefined {
  const written = SIP_ADDRESS.exec(said)?.[0] ?? TELEPHONE_NUMBER.exec(said)?.[0].replace(/[^\d+]/g, "");
  if (written !== undefined) return written;
  const tokens = tokensOf(said);
  for (const at of tokens.keys()) {
    const { value, count } = digitsFrom(tokens, at);
    if (count >= NUMBER_DIGITS_MIN) return tokens[at - 1]?.lower === "plus" ? `+${value}` : value;
  }
  return undefined;
}

const PRESS = /\b(?:press|dial|push|enter|send)\b/iu;
const DTMF_NAMES: Readonly<Record<string, string>> = { star: "*", asterisk: "*", pound: "#", hash: "#" };
const DTMF_FILLERS = new Set(["the", "key", "keys", "button", "number", "digit", "digits", "tones", "then", "and"]);

/** The DTMF digits after "press", or in an answer that consists of digits only. */
function dtmfDigitsIn(said: string): string | undefined {
  const press = PRESS.exec(said);
  const words = said.slice(press === null ? 0 : press.index + press[0].length).split(/[\s,.?!-]+/u);
  let digits = "";
  for (const word of words.filter((one) => one !== "")) {
    const lower = word.toLowerCase();
    const [token] = tokensOf(lower);
    const spoken = token === undefined ? "" : digitsFrom([token], 0).value;
    const digit = DTMF_DIGITS.test(word) ? word : (DTMF_NAMES[lower] ?? spoken);
    if (digit !== "") digits += digit;
    else if (!DTMF_FILLERS.has(lower)) break;
  }
  return DTMF_DIGITS.test(digits) ? digits : undefined;
}

/** Languages that a caller can request: code, English name, own name. A table, because Intl takes 100 ms for them. */
const LANGUAGES: readonly (readonly string[])[] = (
  "af Afrikaans Afrikaans, ar Arabic العربية, bg Bulgarian български, bn Bengali বাংলা, ca Catalan català, cs Czech čeština, " +
  "cy Welsh Cymraeg, da Danish dansk, de German Deutsch, el Greek Ελληνικά, en English English, es Spanish español, " +
  "et Estonian eesti, eu Basque euskara, fa Persian فارسی, fi Finnish suomi, fr French français, ga Irish Gaeilge, " +
  "gl Galician galego, gu Gujarati ગુજરાતી, he Hebrew עברית, hi Hindi हिन्दी, hr Croatian hrvatski, hu Hungarian magyar, " +
  "hy Armenian հայերեն, id Indonesian Indonesia, is Icelandic íslenska, it Italian italiano, ja Japanese 日本語, " +
  "ka Georgian ქართული, kk Kazakh қазақша, ko Korean 한국어, lt Lithuanian lietuvių, lv Latvian latviešu, " +
  "mk Macedonian македонски, ml Malayalam മലയാളം, mr Marathi मराठी, ms Malay Melayu, nl Dutch Nederlands, no Norwegian norsk, " +
  "pa Punjabi ਪੰਜਾਬੀ, pl Polish polski, pt Portuguese português, ro Romanian română, ru Russian русский, " +
  "sk Slovak slovenčina, sl Slovenian slovenščina, sq Albanian shqip, sr Serbian српски, sv Swedish svenska, " +
  "sw Swahili Kiswahili, ta Tamil தமிழ், te Telugu తెలుగు, th Thai ไทย, tr Turkish Türkçe, uk Ukrainian українська, " +
  "ur Urdu اردو, vi Vietnamese Việt, zh Chinese 中文"
)
  .split(", ")
  .map((line) => line.toLowerCase().split(" "));
const ENGLISH_NAMES = new Map(LANGUAGES.map(([code = "", english = ""]) => [english, code]));
const OWN_NAMES = new Map(LANGUAGES.map(([code = "", , own = ""]) => [own, code]));
const SWITCH = /\b(?:switch|change|speak|talk|continue|go on|language)\b/iu;
/** In an utterance of at most this many words, a language's own name alone requests it. */
const ASKING_WORDS_MAX = 6;

const codeOf = (said: string, names: ReadonlyMap<string, string>): string | undefined =>
  tokensOf(said).flatMap(({ lower }) => names.get(lower) ?? [])[0];

/** The code of a language named in English or in the language itself. */
const languageIn = (said: string): string | undefined => codeOf(said, ENGLISH_NAMES) ?? codeOf(said, OWN_NAMES);

function isLanguageRequested(said: string, spoken: string): boolean {
  const code = languageIn(said);
  if (code === undefined) return /\b(?:switch|change)\b.*\blanguages?\b/iu.test(said);
  if (code === primaryLanguage(spoken)) return false;
  return SWITCH.test(said) || (codeOf(said, OWN_NAMES) !== undefined && tokensOf(said).length <= ASKING_WORDS_MAX);
}

/** `hang_up` has no rule: it has no argument, and is called for a goodbye. */
export const BUILT_IN_RULES: Readonly<Record<string, BuiltInRule>> = {
  transfer: { isRequested: (said) => TRANSFER.test(said), argument: "target", valueIn: targetIn },
  send_dtmf: {
    isRequested: (said) => /\b(?:press|dial|dtmf)\b/iu.test(said),
    argument: "digits",
    valueIn: dtmfDigitsIn,
  },
  switch_language: { isRequested: isLanguageRequested, argument: "language", valueIn: languageIn },
};
