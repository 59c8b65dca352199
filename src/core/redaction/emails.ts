import { primaryLanguage } from "../text/language-tags.ts";
import type { Token } from "./tokens.ts";

/** How "@" and "." are spoken. */
interface AddressWords {
  readonly at: readonly string[];
  readonly dot: readonly string[];
}

const WORDS: Readonly<Record<string, AddressWords>> = {
  de: { at: ["at", "ät", "klammeraffe"], dot: ["punkt", "dot"] },
  en: { at: ["at"], dot: ["dot"] },
  es: { at: ["arroba"], dot: ["punto"] },
  fr: { at: ["arobase"], dot: ["point"] },
  it: { at: ["chiocciola"], dot: ["punto"] },
  nl: { at: ["apenstaartje", "at"], dot: ["punt"] },
  pl: { at: ["małpa"], dot: ["kropka"] },
  pt: { at: ["arroba"], dot: ["ponto"] },
  ru: { at: ["собака"], dot: ["точка"] },
};

/** The languages in which addresses are found as they are spoken; written ones are found in all. */
export const SPOKEN_EMAIL_LANGUAGES: readonly string[] = Object.keys(WORDS);

/** Words before an address that are none of it. */
const BEFORE_ADDRESS = new Set(
  (
    "a address an and are as by de ein email es est for from get in ist is it its le lautet mail me meine mon my " +
    "of on or please reach send so sono su that the this to use via we with write you your"
  ).split(" "),
);
/** Words of a local part that join its words. */
const JOINING = new Set(["dash", "dot", "hyphen", "minus", "plus", "punkt", "underscore", "unterstrich"]);

/** The most words before "at" that may be of the address, joining words and letters spelled one by one not counted. */
const LOCAL_WORDS_MAX = 3;
/** The most words of the first name of a domain: "acme bakery dot com". */
const NAME_WORDS_MAX = 2;
/** The most words of a domain, "dot" included. */
const DOMAIN_TOKENS_MAX = 12;

/** A stretch of tokens, by their places. */
export interface TokenStretch {
  readonly first: number;
  readonly last: number;
}

/** A word with its digits: "jane1985". */
interface Word extends TokenStretch {
  readonly word: string;
  readonly isAfterDot: boolean;
}

/** The addresses in a stream of tokens that are spoken word by word: "jane dot doe at example dot com". */
export function spokenEmails(tokens: readonly Token[], language: string): TokenStretch[] {
  const primary = primaryLanguage(language);
  const words = Object.hasOwn(WORDS, primary) ? WORDS[primary] : undefined;
  if (words === undefined) return [];
  const said = wordsOf(tokens);
  const found: TokenStretch[] = [];
  for (const [place, { word }] of said.entries()) {
    if (!words.at.includes(word) || place === 0) continue;
    const end = domainEnd(said, place + 1, words);
    if (end === undefined) continue;
    const [start, last] = [said[localStart(said, place - 1, words)], said[end]];
    if (start !== undefined && last !== undefined) found.push({ first: start.first, last: last.last });
  }
  return found;
}

/** Tokens that nothing divides, as one word each. */
function wordsOf(tokens: readonly Token[]): Word[] {
  const words: { word: string; isAfterDot: boolean; first: number; last: number }[] = [];
  for (const [place, { word, isAfterDot, isAttached }] of tokens.entries()) {
    const before = words.at(-1);
    if (before === undefined || !isAttached) words.push({ word, isAfterDot, first: place, last: place });
    else {
      before.word += word;
      before.last = place;
    }
  }
  return words;
}

/** A top-level domain: two letters at least, unlike "m" of "3 p.m." and "30" of "5.30". */
const TOP_LEVEL = /^\p{L}[\p{L}\p{M}]/u;

/** The place of the last name of the domain that begins at `from`; undefined where none does. Its dots are spoken or written. */
function domainEnd(said: readonly Word[], from: number, { dot }: AddressWords): number | undefined {
  let last: number | undefined;
  let hasDot = false;
  for (let at = from; at < said.length && at < from + DOMAIN_TOKENS_MAX; at += 1) {
    const { word = "", isAfterDot = false } = said[at] ?? {};
    const isSpokenDot = dot.includes(word);
    const next = said[at + 1]?.word;
    const name = isSpokenDot ? at + 1 : at;
    const isName = isSpokenDot ? next !== undefined && !dot.includes(next) : isAfterDot;
    if (at > from && isName) {
      hasDot = true;
      if (isSpokenDot || TOP_LEVEL.test(word)) last = name;
      at = name;
    } else if (isSpokenDot || hasDot || at >= from + NAME_WORDS_MAX) break;
  }
  return last;
}

function localStart(said: readonly Word[], from: number, { dot }: AddressWords): number {
  let first = from;
  let words = 0;
  for (let at = from; at >= 0; at -= 1) {
    const word = said[at]?.word ?? "";
    const isJoining = JOINING.has(word) || dot.includes(word);
    // Letters are spelled one by one.
    const isLetter = [...word].length === 1;
    if (BEFORE_ADDRESS.has(word) && at !== from && !isJoining && !isLetter) break;
    if (!isJoining && !isLetter) words += 1;
    if (words > LOCAL_WORDS_MAX) break;
    first = at;
  }
  return first;
}

/** The characters of an address as it is written, besides letters, marks and digits of any script. */
const LOCAL_SIGNS = ".!#$%&'*+/=?^_`{|}~-";

/** The addresses in a text as they are written, in UTF-16 units. */
export function writtenEmails(text: string): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  let after = 0;
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    let from = at;
    while (from > after && isAddressCharacter(text[from - 1] ?? "")) from -= 1;
    let to = at + 1;
    while (to < text.length && isAddressCharacter(text[to] ?? "")) to += 1;
    while (to > at + 1 && ".!?'".includes(text[to - 1] ?? "")) to -= 1;
    if (from === at || to === at + 1) continue;
    found.push({ from, to });
    after = to;
  }
  return found;
}

/** Surrogates are letters of other planes here. */
const isAddressCharacter = (unit: string): boolean =>
  LOCAL_SIGNS.includes(unit) || /[\p{L}\p{M}\p{N}\p{Cs}]/u.test(unit);
