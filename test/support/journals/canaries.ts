import { seededRandom } from "../../../src/core/seeded-random.ts";

/** Things that somebody says in a call and nothing may keep. */
export interface Canaries {
  /** As the STT writes them, in sentences. */
  readonly sentences: readonly string[];
  /** What must be found nowhere, in any writing. */
  readonly needles: readonly string[];
  /** Values of variables. */
  readonly values: readonly string[];
}

const DIGIT_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const NAMES = ["Quillon", "Vexley", "Brannoch", "Tirzah", "Ozias", "Fenwick", "Yelena", "Corvina", "Hadrian", "Isolde"];

/** Fifty: ten each of card numbers, telephone numbers, addresses, national ids and names. */
export function fiftyCanaries(seed = 1): Canaries {
  const random = seededRandom(seed);
  const digits = (count: number): string => Array.from({ length: count }, () => Math.floor(random() * 10)).join("");
  const cards = Array.from({ length: 10 }, () => withCheckDigit(`4${digits(14)}`));
  const phones = Array.from({ length: 10 }, (_, at) => `212${2 + (at % 7)}${digits(2)}${digits(4)}`);
  const ids = Array.from({ length: 10 }, (_, at) => `1${digits(2)}${10 + at}${1 + (at % 9)}${digits(3)}`);
  const locals = Array.from({ length: 10 }, (_, at) => `canary${at}x${digits(3)}`);
  return {
    sentences: [
      ...cards.map((card, at) => `my card is ${at % 2 === 0 ? grouped(card) : inWords(card)} thanks`),
      ...phones.map((phone) => `call me at ${phone.slice(0, 3)} ${phone.slice(3, 6)} ${phone.slice(6)} please`),
      ...locals.map((local, at) => (at % 2 === 0 ? `it is ${local}@example.com` : `it is ${local} at example dot com`)),
      ...ids.map((id) => `my number is ${id.slice(0, 3)}-${id.slice(3, 5)}-${id.slice(5)} yes`),
      ...NAMES.map((name) => `this is ${name} speaking`),
    ],
    needles: [
      ...cards.flatMap((card) => [card, grouped(card), inWords(card), card.slice(0, 8), grouped(card).slice(5, 14)]),
      ...phones.flatMap((phone) => [phone, phone.slice(3), `${phone.slice(3, 6)} ${phone.slice(6)}`]),
      ...locals,
      ...ids.flatMap((id) => [id, `${id.slice(0, 3)}-${id.slice(3, 5)}-${id.slice(5)}`]),
      ...NAMES,
    ],
    values: NAMES,
  };
}

const grouped = (card: string): string => card.match(/.{4}/g)?.join(" ") ?? card;
const inWords = (digits: string): string => [...digits].map((digit) => DIGIT_WORDS[Number(digit)]).join(" ");

function withCheckDigit(digits: string): string {
  const sum = [...digits].reduce((total, digit, at) => {
    const doubled = (digits.length - at) % 2 === 1 ? 2 * Number(digit) : Number(digit);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
