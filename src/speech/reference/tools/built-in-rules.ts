import { DTMF_DIGITS } from "../../../core/tools/built-in-tools.ts";
import { digitsFrom } from "../language/values.ts";
import { tokensOf } from "../language/words.ts";

// When a caller wants one of the service's own tools, and with what: their names are reserved, so their words can be fixed here.

export interface BuiltInRule {
  /** Whether the words ask for the tool. `language` is the one that is spoken. */
  isRequested(said: string, language: string): boolean;
  /** Its one argument, and the value that the words name; undefined when they name none. */
  argument: string;
  valueIn(said: string): string | undefined;
}

/** A caller who says one of these takes leave. */
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

/** Whether the caller says that something is not wanted; "why don't you" is a request. */
export const isNegated = (said: string): boolean => NEGATION.test(said);

/** "I will not", "I won't", "rather not"; not "can't you", which is a request, and not "not on the terrace". */
const REFUSAL =
  /\b(?:never|without|cannot|(?<!why )(?!(?:ca|could|wo|would)n['’]t (?:you|we)\b)\w+n['’]t|(?:(?:do|does|did|will|would|shall|should|can|could|must|may|might|am|is|are|was|were|have|has|had|need|better|rather|prefer|you|we)|['’](?:ll|d|m|re|ve))(?: \w+ly)? not)\b(?! (?:on|in|at|for|with|near|too)\b)/iu;
/** A new clause: what is refused before it is not refused in it. */
const CLAUSE = /[,;:…–—]+\s*(?=(?:please|so|but|can|could|would|i|we|you|just|then)\b)|\s+(?=(?:so|but|because)\b)/iu;
/** "I will not, please, ...": the refusal goes on. */
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

/** The keys behind "press", or in an answer that is keys alone. */
function dtmfDigitsIn(said: string): string | undefined {
  const behind = PRESS.exec(said);
  const words = said.slice(behind === null ? 0 : behind.index + behind[0].length).split(/[\s,.?!-]+/u);
  let keys = "";
  for (const word of words.filter((one) => one !== "")) {
    const lower = word.toLowerCase();
    const [token] = tokensOf(lower);
    const spoken = token === undefined ? "" : digitsFrom([token], 0).value;
    const key = DTMF_DIGITS.test(word) ? word : (DTMF_NAMES[lower] ?? spoken);
    if (key !== "") keys += key;
    else if (!DTMF_FILLERS.has(lower)) break;
  }
  return DTMF_DIGITS.test(keys) ? keys : undefined;
}

/** The languages that a caller can ask for by name: code, name in English, own name. A table, for Intl takes 100 ms for them. */
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
/** A language's own name alone asks for it in so few words. */
const ASKING_WORDS_MAX = 6;

const codeOf = (said: string, names: ReadonlyMap<string, string>): string | undefined =>
  tokensOf(said).flatMap(({ lower }) => names.get(lower) ?? [])[0];

/** By its name in English, or by its own. */
const languageIn = (said: string): string | undefined => codeOf(said, ENGLISH_NAMES) ?? codeOf(said, OWN_NAMES);

function isLanguageRequested(said: string, spoken: string): boolean {
  const code = languageIn(said);
  if (code === undefined) return /\b(?:switch|change)\b.*\blanguages?\b/iu.test(said);
  if (code === spoken.split("-", 1)[0]) return false;
  return SWITCH.test(said) || (codeOf(said, OWN_NAMES) !== undefined && tokensOf(said).length <= ASKING_WORDS_MAX);
}

/** `hang_up` is no rule of these: it has no argument, and goes with a goodbye. */
export const BUILT_IN_RULES: Readonly<Record<string, BuiltInRule>> = {
  transfer: { isRequested: (said) => TRANSFER.test(said), argument: "target", valueIn: targetIn },
  send_dtmf: {
    isRequested: (said) => /\b(?:press|dial|dtmf)\b/iu.test(said),
    argument: "digits",
    valueIn: dtmfDigitsIn,
  },
  switch_language: { isRequested: isLanguageRequested, argument: "language", valueIn: languageIn },
};
