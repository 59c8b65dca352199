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

const everywhere = phrases(EVERYWHERE);
const LISTS = new Map(
  Object.entries(BACK_CHANNELS).map(([language, list]) => [language, new Set([...everywhere, ...phrases(list)])]),
);
const OTHERS: ReadonlySet<string> = new Set(everywhere);

/** No back-channel is longer: what is, asks for the turn, whatever its words are. */
const WORDS_MAX = 4;

/** Whether `text`, of a language such as `en` or `en-GB`, is nothing but back-channels. The empty text is none. */
export function isBackChannel(text: string, language: string): boolean {
  const words = text
    .toLowerCase()
    .replaceAll("’", "'")
    .split(/[^\p{L}\p{M}'-]+/u)
    .filter((word) => word !== "");
  if (words.length === 0 || words.length > WORDS_MAX) return false;
  const known = LISTS.get(language.split("-", 1)[0]?.toLowerCase() ?? "") ?? OTHERS;
  return words.every((word) => known.has(word)) || known.has(words.join(" "));
}
