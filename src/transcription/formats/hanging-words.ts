import { primaryLanguage } from "../../core/text/language-tags.ts";
import { lettersOf } from "../../core/text/words.ts";

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Articles, and words that are one with an article: what follows them belongs to them, so that no line ends with one. */
const HANGING_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  de: words("der die das den dem des ein eine einen einem einer eines im am zum zur vom beim"),
  en: words("a an the"),
  es: words("el la los las un una unos unas al del"),
  fr: words("le la les un une des du au aux"),
  it: words("il lo la i gli le un uno una del dello della dei degli delle al allo alla nel nella"),
  nl: words("de het een"),
  pt: words("o a os as um uma uns umas do da dos das ao no na nos nas"),
};

/** Whether `word` must not be the last one of a line, in `language` (BCP 47). */
export const isHanging = (word: string, language: string): boolean =>
  HANGING_WORDS[primaryLanguage(language)]?.has(lettersOf(word)) === true;
