import { primaryLanguage } from "../text/language-tags.ts";

/** The digits from 0 to 9 as they are spoken one by one, by language. A comma separates words for the same digit. */
const DIGITS: Readonly<Record<string, readonly string[]>> = {
  da: "nul en,én,et to tre fire fem seks syv otte ni".split(" "),
  de: "null eins,ein zwei,zwo drei vier fünf sechs sieben acht neun".split(" "),
  en: "zero,oh,o,nought one two three four five six seven eight nine".split(" "),
  es: "cero uno,un,una dos tres cuatro cinco seis siete ocho nueve".split(" "),
  fi: "nolla yksi kaksi kolme neljä viisi kuusi seitsemän kahdeksan yhdeksän".split(" "),
  fr: "zéro un,une deux trois quatre cinq six sept huit neuf".split(" "),
  it: "zero uno,un,una due tre quattro cinque sei sette otto nove".split(" "),
  ja: "ゼロ,れい,零 いち,一 に,二 さん,三 よん,し,四 ご,五 ろく,六 なな,しち,七 はち,八 きゅう,く,九".split(" "),
  nl: "nul een,één twee drie vier vijf zes zeven acht negen".split(" "),
  no: "null en,én,ett to tre fire fem seks sju,syv åtte ni".split(" "),
  pl: "zero jeden,jedna dwa trzy cztery pięć sześć siedem osiem dziewięć".split(" "),
  pt: "zero um,uma dois,duas três quatro cinco seis,meia sete oito nove".split(" "),
  ru: "ноль,нуль один,одна два,две три четыре пять шесть семь восемь девять".split(" "),
  sv: "noll ett,en två tre fyra fem sex sju åtta nio".split(" "),
  tr: "sıfır bir iki üç dört beş altı yedi sekiz dokuz".split(" "),
  uk: "нуль один,одна два,дві три чотири п'ять,пять шість сім вісім девять".split(" "),
  zh: "零,〇,洞 一,幺 二,两 三 四 五 六 七 八 九".split(" "),
};

/** The languages whose digits are found as words; in all others they are found as digits of any script. */
export const DIGIT_WORD_LANGUAGES: readonly string[] = Object.keys(DIGITS);

/** English also groups digits: "forty one eleven", "double four". */
const ENGLISH_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(" ");
const ENGLISH_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const ENGLISH_REPEATS: Readonly<Record<string, number>> = { double: 2, triple: 3, treble: 3, quadruple: 4 };

/** The code points of the digit 0 in the scripts that have digits of their own. */
const ZEROS = [
  ...[0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0],
  ...[0xf20, 0x1040, 0x17e0, 0x1810],
];

/** How words of a language mean digits. */
export interface DigitWords {
  /** The digits that a word means by itself; undefined for none. */
  readonly digits: ReadonlyMap<string, string>;
  /** Words after which a single digit makes one number: "forty" "one". Their value is in `digits`, too: "40". */
  readonly tens: ReadonlySet<string>;
  /** Words that repeat the next digit: "double" "four". */
  readonly repeats: ReadonlyMap<string, number>;
}

/** How the words of a language mean digits; those of a language that is not listed mean none. */
export function digitWordsOf(language: string): DigitWords {
  const primary = primaryLanguage(language);
  const named = primary === "nb" || primary === "nn" ? "no" : primary;
  const spoken = Object.hasOwn(DIGITS, named) ? DIGITS[named] : undefined;
  const digits = new Map<string, string>();
  for (const [value, words] of (spoken ?? []).entries()) {
    for (const word of words.split(",")) digits.set(word, String(value));
  }
  if (primary !== "en") return { digits, tens: new Set(), repeats: new Map() };
  for (const [index, word] of ENGLISH_TEENS.entries()) digits.set(word, String(10 + index));
  for (const [index, word] of ENGLISH_TENS.entries()) digits.set(word, String(20 + 10 * index));
  digits.set("hundred", "00");
  return { digits, tens: new Set(ENGLISH_TENS), repeats: new Map(Object.entries(ENGLISH_REPEATS)) };
}

/** The ASCII digits of a word that consists of digits of any script; undefined for any other. */
export function writtenDigits(word: string): string | undefined {
  let digits = "";
  for (const character of word) {
    const code = character.codePointAt(0) ?? 0;
    const zero = ZEROS.find((first) => code >= first && code < first + 10);
    if (zero === undefined) return undefined;
    digits += String(code - zero);
  }
  return digits;
}
