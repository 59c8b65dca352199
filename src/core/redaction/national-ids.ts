import { primaryLanguage } from "../text/language-tags.ts";
import { isLuhn } from "./card-numbers.ts";

/** A national id that consists of digits. */
export interface NationalId {
  readonly country: string;
  /** Looked for where a call or a transcription is in one of these languages. */
  readonly languages: readonly string[];
  readonly lengths: readonly number[];
  readonly isValid: (digits: string) => boolean;
}

/** An id with letters, as a pattern over letters and digits without spaces; each has a fixed length. */
export interface LetteredId {
  readonly country: string;
  readonly languages: readonly string[];
  readonly length: number;
  readonly isValid: (id: string) => boolean;
}

const weighted = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, at) => sum + weight * Number(digits[at]), 0);

/** Of the United States: the parts that were never issued are excluded (SSA). It has no check digit. */
const isSocialSecurityNumber = (digits: string): boolean =>
  !/^(?:000|666|9)/.test(digits) && digits.slice(3, 5) !== "00" && digits.slice(5) !== "0000";

/** Of Germany: ISO/IEC 7064, MOD 11,10. */
function isSteuerId(digits: string): boolean {
  if (digits.startsWith("0")) return false;
  let product = 10;
  for (const digit of digits.slice(0, 10)) {
    const sum = (Number(digit) + product) % 10 || 10;
    product = (2 * sum) % 11;
  }
  return (11 - product) % 10 === Number(digits[10]);
}

/** Of Brazil: two check digits. */
function isCpf(digits: string): boolean {
  if (/^(\d)\1+$/.test(digits)) return false;
  const check = (length: number): number => {
    const sum = [...digits.slice(0, length)].reduce((total, digit, at) => total + Number(digit) * (length + 1 - at), 0);
    return ((10 * sum) % 11) % 10;
  };
  return check(9) === Number(digits[9]) && check(10) === Number(digits[10]);
}

/** Of the Netherlands: the "eleven test", with the last digit subtracted. */
const isBsn = (digits: string): boolean =>
  digits !== "000000000" && weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0;

/** Of Poland. */
const isPesel = (digits: string): boolean =>
  (10 - (weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10 === Number(digits[10]);

/** Of France, with its key: 97 less the remainder. Corsican ones, with a letter, are not found. */
const isNir = (digits: string): boolean =>
  /^[1-478]/.test(digits) && 97 - (Number(digits.slice(0, 13)) % 97) === Number(digits.slice(13));

/** Of Sweden: the last ten digits by Luhn. */
const isPersonnummer = (digits: string): boolean => {
  const short = digits.slice(-10);
  const [month, day] = [Number(short.slice(2, 4)), Number(short.slice(4, 6)) % 60];
  return month >= 1 && month <= 12 && day >= 1 && day <= 31 && isLuhn(short);
};

export const NATIONAL_IDS: readonly NationalId[] = [
  { country: "US", languages: ["en", "es"], lengths: [9], isValid: isSocialSecurityNumber },
  { country: "DE", languages: ["de"], lengths: [11], isValid: isSteuerId },
  { country: "FR", languages: ["fr"], lengths: [15], isValid: isNir },
  { country: "NL", languages: ["nl"], lengths: [9], isValid: isBsn },
  { country: "PL", languages: ["pl"], lengths: [11], isValid: isPesel },
  { country: "BR", languages: ["pt"], lengths: [11], isValid: isCpf },
  { country: "SE", languages: ["sv"], lengths: [10, 12], isValid: isPersonnummer },
];

const DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE";

/** Of Spain, for citizens and foreigners: the letter is the number modulo 23. */
const isDni = (id: string): boolean => {
  const match = /^([xyz]?)(\d{7,8})([a-z])$/.exec(id);
  if (match === null || id.length !== 9) return false;
  const [, prefix = "", digits = "", letter = ""] = match;
  const number = Number(`${prefix === "" ? "" : "xyz".indexOf(prefix)}${digits}`);
  return DNI_LETTERS[number % 23] === letter.toUpperCase();
};

/** Of the United Kingdom. It has no check. */
const isNino = (id: string): boolean => /^[a-ceghj-prstw-z][a-ceghj-nprstw-z]\d{6}[a-d]$/.test(id);

/** Of Italy, as written; its check letter is not computed, because its form is unlike any other word. */
const isCodiceFiscale = (id: string): boolean => /^[a-z]{6}\d{2}[a-ehlmprst]\d{2}[a-z]\d{3}[a-z]$/.test(id);

export const LETTERED_IDS: readonly LetteredId[] = [
  { country: "ES", languages: ["es"], length: 9, isValid: isDni },
  { country: "GB", languages: ["en"], length: 9, isValid: isNino },
  { country: "IT", languages: ["it"], length: 16, isValid: isCodiceFiscale },
];

/** The ids of countries in which the language is spoken. */
export const idsOf = (
  language: string,
): { readonly numbers: readonly NationalId[]; readonly lettered: readonly LetteredId[] } => {
  const isSpoken = ({ languages }: { languages: readonly string[] }): boolean =>
    languages.includes(primaryLanguage(language));
  return { numbers: NATIONAL_IDS.filter(isSpoken), lettered: LETTERED_IDS.filter(isSpoken) };
};
