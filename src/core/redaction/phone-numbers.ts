import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js/max";
import { primaryLanguage } from "../text/language-tags.ts";

/** Shorter ones are no subscriber's, and longer ones exist nowhere (E.164). */
export const PHONE_DIGITS = [7, 15] as const;

/** In which countries' own form numbers are given by people who speak the language, besides the region of its tag. */
const COUNTRIES: Readonly<Record<string, readonly CountryCode[]>> = {
  ar: ["SA", "AE", "EG"],
  cs: ["CZ"],
  da: ["DK"],
  de: ["DE", "AT", "CH"],
  el: ["GR"],
  en: ["US", "GB", "AU", "IN"],
  es: ["ES", "MX", "AR", "CO"],
  fi: ["FI"],
  fr: ["FR", "BE", "CH"],
  hi: ["IN"],
  hu: ["HU"],
  it: ["IT", "CH"],
  ja: ["JP"],
  ko: ["KR"],
  nb: ["NO"],
  nl: ["NL", "BE"],
  no: ["NO"],
  pl: ["PL"],
  pt: ["PT", "BR"],
  ro: ["RO"],
  ru: ["RU"],
  sv: ["SE"],
  tr: ["TR"],
  uk: ["UA"],
  zh: ["CN", "TW", "HK"],
};

/** The countries whose numbers are looked for in this language. */
export function countriesOf(language: string): readonly CountryCode[] {
  const primary = primaryLanguage(language);
  const spoken = Object.hasOwn(COUNTRIES, primary) ? (COUNTRIES[primary] ?? []) : [];
  const [, ...subtags] = language.split(/[-_]/);
  const region = subtags.find((part) => /^[A-Za-z]{2}$/.test(part));
  const own = region?.toUpperCase() ?? "";
  return isSupportedCountry(own) && !spoken.includes(own) ? [own, ...spoken] : spoken;
}

/**
 * Whether these digits are a telephone number: with `isInternational` of any country, as after "+", and otherwise in the form of one
 * of `countries`. A number that a numbering plan allows counts, whether it is in use or not.
 */
export function isPhoneNumber(digits: string, isInternational: boolean, countries: readonly CountryCode[]): boolean {
  if (isInternational && parsePhoneNumberFromString(`+${digits}`)?.isPossible() === true) return true;
  if (digits.startsWith("00") && parsePhoneNumberFromString(`+${digits.slice(2)}`)?.isPossible() === true) return true;
  return countries.some((country) => parsePhoneNumberFromString(digits, country)?.isValid() === true);
}
