import type { TokenStretch } from "./emails.ts";
import { type Token, tokensOf } from "./tokens.ts";

/** A shorter value, such as "a" or "12", would hide half of what is said. */
const VALUE_CHARS_MIN = 3;
/** The most values of a call, and the length of each, UTF-16 units. */
const VALUES_MAX = 100;
const VALUE_CHARS_MAX = 500;
/** A value of this many words that begin with capital letters is taken for a name, of which each word is looked for. */
const NAME_WORDS_MAX = 4;
const NAME = /^\p{Lu}[\p{L}\p{M}'’.-]*(?:\s\p{Lu}[\p{L}\p{M}'’.-]*)*$/u;

/** The values of variables, as what is looked for: whole values, and the words of names. */
export function valuePatterns(values: readonly string[]): readonly (readonly string[])[] {
  const patterns = new Map<string, readonly string[]>();
  const add = (words: readonly string[]): void => {
    if (words.join("").length >= VALUE_CHARS_MIN) patterns.set(words.join(" "), words);
  };
  for (const value of values.slice(0, VALUES_MAX)) {
    const text = value.slice(0, VALUE_CHARS_MAX).trim();
    const words = tokensOf(text, 0).map(({ word }) => word);
    add(words);
    if (words.length <= NAME_WORDS_MAX && NAME.test(text)) for (const word of words) add([word]);
  }
  return [...patterns.values()];
}

/** Where the patterns are in a stream of tokens. */
export function valuesIn(tokens: readonly Token[], patterns: readonly (readonly string[])[]): TokenStretch[] {
  const byFirst = new Map<string, (readonly string[])[]>();
  for (const pattern of patterns) {
    const [first = ""] = pattern;
    byFirst.set(first, [...(byFirst.get(first) ?? []), pattern]);
  }
  const found: TokenStretch[] = [];
  for (const [first, { word }] of tokens.entries()) {
    for (const pattern of byFirst.get(word) ?? []) {
      if (pattern.every((part, at) => tokens[first + at]?.word === part))
        found.push({ first, last: first + pattern.length - 1 });
    }
  }
  return found;
}
