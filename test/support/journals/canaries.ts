import { seededRandom } from "../../../src/core/seeded-random.ts";

/** Things that somebody says in a call and nothing may keep. */
export interface Canaries {
  /** As the STT writes them, in sentences. */
  readonly sentences: readonly string[];
  /** What must be found nowhere, in any writing. */
  readonly needles: readonly string[];
  /** Of these, the card numbers that are said in words. */
  readonly spokenCards: readonly string[];
  /** Values of variables. */
  readonly values: readonly string[];
  /** Whether there are national ids among them. */
  readonly hasIds: boolean;
}

/** How somebody says numbers and addresses in a language. */
interface Spoken {
  readonly digits: readonly string[];
  readonly at: string;
  readonly dot: string;
  /** The sentence with a card number, a telephone number, an address, a national id or a name. */
  readonly sentence: (what: string) => string;
  /** A telephone number from its last seven digits, in the groups in which it is said. */
  readonly phone: (digits: string) => readonly string[];
  /** A national id with its check digits, in groups; undefined where none of the language is looked for. */
  readonly id?: (digits: string) => readonly string[];
}

const SPOKEN = {
  "en-US": {
    digits: "zero one two three four five six seven eight nine".split(" "),
    ...{ at: "at", dot: "dot" },
    sentence: (what: string) => `it is ${what} thanks`,
    phone: (digits: string) => ["212", `2${digits.slice(1, 3)}`, digits.slice(3)],
    id: (digits: string) => [`1${digits.slice(1, 3)}`, `1${digits[3]}`, `1${digits.slice(4, 7)}`],
  },
  "de-DE": {
    digits: "null eins zwei drei vier fünf sechs sieben acht neun".split(" "),
    ...{ at: "at", dot: "punkt" },
    sentence: (what: string) => `sie ist ${what} danke`,
    phone: (digits: string) => ["+49", "30", digits],
    id: (digits: string) => withSteuerIdDigit(`4${digits}86`).match(/^..|.../g) ?? [],
  },
  "fr-FR": {
    digits: "zéro un deux trois quatre cinq six sept huit neuf".split(" "),
    ...{ at: "arobase", dot: "point" },
    sentence: (what: string) => `voici ${what} merci`,
    phone: (digits: string) => ["+33", "1", `4${digits}`],
    id: (digits: string) => withNirKey(`18505${digits}1`).match(/.{1,5}/g) ?? [],
  },
  "ru-RU": {
    digits: "ноль один два три четыре пять шесть семь восемь девять".split(" "),
    ...{ at: "собака", dot: "точка" },
    sentence: (what: string) => `вот ${what} спасибо`,
    phone: (digits: string) => ["+7", "495", digits],
  },
} as const satisfies Record<string, Spoken>;
export type CanaryLanguage = keyof typeof SPOKEN;
export const CANARY_LANGUAGES = Object.keys(SPOKEN) as readonly CanaryLanguage[];

const OF_EACH = 10;
const NAMES = ["Quillon", "Vexley", "Brannoch", "Tirzah", "Ozias", "Fenwick", "Yelena", "Corvina", "Hadrian", "Isolde"];

/** Ten each of card numbers, telephone numbers, addresses, names, and national ids where the language has some. Half of the cards are in words. */
export function canariesIn(language: CanaryLanguage, seed = 1): Canaries {
  const { digits, at, dot, sentence, phone, id }: Spoken = SPOKEN[language];
  const inWords = (number: string): string => [...number].map((digit) => digits[Number(digit)]).join(" ");
  const random = seededRandom(seed);
  const drawn = (count: number): string => Array.from({ length: count }, () => Math.floor(random() * 10)).join("");
  const ten = <T>(make: (at: number) => T): T[] => Array.from({ length: OF_EACH }, (_, n) => make(n));
  const cards = ten(() => withCheckDigit(`4${drawn(14)}`));
  const numbers = [...ten(() => phone(drawn(7))), ...(id === undefined ? [] : ten(() => id(drawn(7))))];
  const locals = ten((n) => `canary${n}x${drawn(3)}`);
  const said = [
    ...cards.map((card, n) => (n % 2 === 0 ? grouped(card) : inWords(card))),
    ...numbers.map((groups) => groups.join(" ")),
    ...locals.map((local, n) => (n % 2 === 0 ? `${local}@example.com` : `${local} ${at} example ${dot} com`)),
    ...NAMES,
  ];
  return {
    sentences: said.map(sentence),
    needles: [
      ...cards.flatMap((card) => [card, grouped(card), inWords(card), card.slice(0, 8), grouped(card).slice(5, 14)]),
      ...numbers.flatMap((groups) => [groups.join(""), groups.join(" "), groups.slice(-2).join(" ")]),
      ...locals,
      ...NAMES,
    ],
    spokenCards: cards.filter((_, n) => n % 2 === 1).map(inWords),
    values: NAMES,
    hasIds: id !== undefined,
  };
}

const grouped = (card: string): string => card.match(/.{4}/g)?.join(" ") ?? card;

function withCheckDigit(digits: string): string {
  const sum = [...digits].reduce((total, digit, at) => {
    const doubled = (digits.length - at) % 2 === 1 ? 2 * Number(digit) : Number(digit);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

/** Of Germany: ISO/IEC 7064, MOD 11,10. */
function withSteuerIdDigit(digits: string): string {
  const product = [...digits].reduce((before, digit) => (2 * ((Number(digit) + before) % 10 || 10)) % 11, 10);
  return `${digits}${(11 - product) % 10}`;
}

/** Of France: 97 less the remainder, in two digits. */
const withNirKey = (digits: string): string => `${digits}${String(97 - Number(BigInt(digits) % 97n)).padStart(2, "0")}`;
