/**
 * What a listener says without wanting the turn: "mm-hm", "yeah". Said over the agent it stops nothing. One line a language;
 * a sound that every language knows stands in the first.
 */
const EVERYWHERE = "mm mmm mhm mhmm mmhm mm-hm mm-hmm uh-huh uhhuh aha ah oh hm hmm hmmm mh ok okay okey";
const BACK_CHANNELS: Readonly<Record<string, string>> = {
  en: "yeah yes yep yup right sure alright fine good great cool really wow|i see|got it|of course|all right|i understand",
  de: "ja jaja jo genau stimmt klar gut richtig aha ach so verstehe|ach so|alles klar|ich verstehe|na klar",
  es: "sí si ya claro vale bueno bien exacto entiendo|de acuerdo|por supuesto|ya veo",
  fr: "oui ouais d'accord bien voilà exact ah|je vois|bien sûr|tout à fait|je comprends",
  it: "sì si già certo bene esatto capisco va|va bene|ho capito|d'accordo",
  nl: "ja jaja goed precies klopt juist natuurlijk begrijp|ik begrijp het|ik snap het",
  pt: "sim tá certo claro bom bem exato entendo pois|está bem|tudo bem|pois é|entendi",
};

const phrases = (list: string): string[] => {
  const [words = "", ...others] = list.split("|");
  return [...words.split(" "), ...others];
};

/** `begun`: what phrases of several words begin with. */
interface Lists {
  whole: ReadonlySet<string>;
  begun: ReadonlySet<string>;
}

function listed(all: readonly string[]): Lists {
  const begun = all.flatMap((phrase) => {
    const words = phrase.split(" ");
    return words.slice(1).map((_, index) => words.slice(0, index + 1).join(" "));
  });
  return { whole: new Set(all), begun: new Set(begun) };
}

const everywhere = phrases(EVERYWHERE);
const LISTS = new Map(
  Object.entries(BACK_CHANNELS).map(([language, list]) => [language, listed([...everywhere, ...phrases(list)])]),
);
const OTHERS = listed(everywhere);
const listsOf = (language: string): Lists => LISTS.get(language.split("-", 1)[0]?.toLowerCase() ?? "") ?? OTHERS;

/** No back-channel is longer: what is, asks for the turn, whatever its words are. */
const WORDS_MAX = 4;

/**
 * Whether `text`, of a language such as `en` or `en-GB`, is a back-channel. The empty text is none. Of what the ear is not done
 * with (`isPartial`), that is one which may become one yet: "I" before "I see".
 */
export function isBackChannel(text: string, language: string, isPartial = false): boolean {
  const words = wordsOf(text);
  return words.length <= WORDS_MAX && consistsOf(words, listsOf(language), isPartial);
}

/** The same of all that was said in several breaths, however many they were. */
export const areBackChannels = (text: string, language: string): boolean =>
  consistsOf(wordsOf(text), listsOf(language), false);

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll("’", "'")
    .split(/[^\p{L}\p{M}'-]+/u)
    .filter((word) => word !== "");

/** The longest first, so that "all right" is not an "all" that nobody knows. */
function consistsOf(words: readonly string[], { whole, begun }: Lists, isPartial: boolean): boolean {
  let at = 0;
  while (at < words.length) {
    const length = phraseLength(words, at, whole);
    if (length === 0) return isPartial && begun.has(words.slice(at, at + WORDS_MAX).join(" "));
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
