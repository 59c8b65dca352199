import { stem } from "../language/words.ts";
import type { Parameter } from "./parameters.ts";

// Which words of a caller point to the value of a parameter, by the stems of the parameter's labels.

/** Stems of words that are separated by spaces. */
export function stems(words: string): ReadonlySet<string> {
  return new Set(words.split(" ").map(stem));
}

/** Whether both sets have a stem in common. */
export const overlap = (left: ReadonlySet<string>, right: ReadonlySet<string>): boolean =>
  [...left].some((word) => right.has(word));

/** Labels of strings that usually contain a digit. */
const CODES = stems("number id code reference order booking ticket invoice account zip postcode phone serial");
const PERSON = stems("name customer guest person who");
const STREET = stems("street address");
/** Prepositions before a value, by the labels of its parameter. */
const PREPOSITIONS: readonly { labels: ReadonlySet<string>; words: readonly string[] }[] = [
  { labels: stems("to destination target recipient receiver arrival"), words: ["to"] },
  { labels: stems("from origin source departure sender"), words: ["from"] },
  {
    labels: stems("city town place location where country region area room venue destination"),
    words: ["in", "at", "near", "to", "for"],
  },
  { labels: stems("name customer guest person who contact recipient"), words: ["for", "named", "called", "to"] },
  { labels: STREET, words: ["to", "at", "on", "in"] },
  { labels: stems("topic subject query question search term keyword"), words: ["about", "for"] },
  { labels: stems("product item article goods"), words: ["of", "for"] },
];

/** The prepositions before a value of the parameter, the likeliest first. */
export const prepositionsOf = ({ labels }: Parameter): string[] =>
  PREPOSITIONS.filter((kind) => overlap(kind.labels, labels)).flatMap(({ words }) => words);

// Whether a parameter's value is of one kind, as far as its labels show it.
export const isCode = ({ hints }: Parameter): boolean => overlap(hints, CODES);
export const isPerson = ({ labels }: Parameter): boolean => overlap(labels, PERSON);
export const isStreet = ({ labels }: Parameter): boolean => overlap(labels, STREET);
