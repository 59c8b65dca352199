import { primaryLanguage } from "../../core/text/language-tags.ts";
import { isUnspaced, wordsOf } from "../../core/text/words.ts";

/**
 * What a listener says without wanting the turn: "mm-hm", "yeah". Said over the agent, it interrupts nothing. One line
 * a language; sounds common to all languages are in the first.
 */
const ALL_LANGUAGES = "mm mmm mhm mhmm mmhm mm-hm mm-hmm uh-huh uhhuh aha ah oh hm hmm hmmm mh ok okay okey";
const BACK_CHANNELS: Readonly<Record<string, string>> = {
  en: "yeah yes yep yup right sure alright fine good great cool really wow|i see|got it|of course|all right|i understand",
  de: "ja jaja jo genau stimmt klar gut richtig aha ach so verstehe|ach so|alles klar|ich verstehe|na klar",
  es: "sí si ya claro vale bueno bien exacto entiendo|de acuerdo|por supuesto|ya veo",
  fr: "oui ouais d'accord bien voilà exact ah|je vois|bien sûr|tout à fait|je comprends",
  it: "sì si già certo bene esatto capisco va|va bene|ho capito|d'accordo",
  nl: "ja jaja goed precies klopt juist natuurlijk begrijp|ik begrijp het|ik snap het",
  // No speaker of these languages has checked them.
  ru: "да ага угу так хорошо понятно ясно конечно точно",
  ar: "نعم أجل طيب حسنا تمام صحيح",
  hi: "हाँ हां जी अच्छा ठीक सही|ठीक है|हाँ जी|जी हाँ",
  zh: "嗯 嗯嗯 对 好 好的 是 是的 行 可以 明白 知道了 没错 哦",
  ja: "はい うん ええ なるほど そうです そうですね そうですか わかりました",
  ko: "네 예 응 맞아요 그래요 그렇군요 알겠습니다",
  th: "ครับ ค่ะ คะ ใช่ อืม ได้ เข้าใจ",
  pt: "sim tá certo claro bom bem exato entendo pois|está bem|tudo bem|pois é|entendi",
};

const parsePhrases = (list: string): string[] => {
  const [words = "", ...others] = list.split("|");
  return [...words.split(" "), ...others];
};

/** A longer run without spaces is no back-channel and is not split into words. */
const UNSPACED_CHARS_MAX = 32;

/** The words of `text` without case and punctuation. */
function plainWords(text: string, language: string): string[] {
  const stretches = text
    .toLowerCase()
    .replaceAll("’", "'")
    .split(/[^\p{L}\p{M}'-]+/u)
    .filter((word) => word !== "");
  return stretches.flatMap((stretch) =>
    stretch.length <= UNSPACED_CHARS_MAX && isUnspaced(stretch) ? wordsOf(stretch, language) : [stretch],
  );
}

/** `prefixes`: the beginnings of phrases of several words. */
interface PhraseLists {
  phrases: ReadonlySet<string>;
  prefixes: ReadonlySet<string>;
}

function phraseLists(given: readonly string[], language: string): PhraseLists {
  // A phrase in an unspaced script may be several words, and is looked up as those.
  const all = given.map((phrase) => plainWords(phrase, language).join(" "));
  const prefixes = all.flatMap((phrase) => {
    const words = phrase.split(" ");
    return words.slice(1).map((_, index) => words.slice(0, index + 1).join(" "));
  });
  return { phrases: new Set(all), prefixes: new Set(prefixes) };
}

const sharedPhrases = parsePhrases(ALL_LANGUAGES);
const LISTS = new Map(
  Object.entries(BACK_CHANNELS).map(([language, list]) => [
    language,
    phraseLists([...sharedPhrases, ...parsePhrases(list)], language),
  ]),
);
const SHARED_LISTS = phraseLists(sharedPhrases, "en");
const listsOf = (language: string): PhraseLists => LISTS.get(primaryLanguage(language)) ?? SHARED_LISTS;

/** The most words of a back-channel. Whatever is longer asks for the turn. */
const WORDS_MAX = 4;

/**
 * Whether `text`, in a language such as `en` or `en-GB`, is a back-channel. The empty text is none. With `isInterim`,
 * text that may still become one counts too: "I" before "I see".
 */
export function isBackChannel(text: string, language: string, isInterim = false): boolean {
  const words = plainWords(text, language);
  return words.length <= WORDS_MAX && consistsOf(words, listsOf(language), isInterim);
}

/** The same for a whole turn of any length. */
export const areBackChannels = (text: string, language: string): boolean =>
  consistsOf(plainWords(text, language), listsOf(language), false);

/** Longest phrase first, so that "all right" is not read as an unknown "all". */
function consistsOf(words: readonly string[], { phrases, prefixes }: PhraseLists, isInterim: boolean): boolean {
  let at = 0;
  while (at < words.length) {
    const length = phraseLength(words, at, phrases);
    if (length === 0) return isInterim && prefixes.has(words.slice(at, at + WORDS_MAX).join(" "));
    at += length;
  }
  return at > 0;
}

function phraseLength(words: readonly string[], at: number, whole: ReadonlySet<string>): number {
  for (let length = Math.min(WORDS_MAX, words.length - at); length > 0; length -= 1) {
    if (whole.has(words.slice(at, at + length).join(" "))) return length;
  }
  return 0;
}
