/** One word of what a caller said. `start` and `end` are its offsets in the text. */
export interface Token {
  text: string;
  lower: string;
  stem: string;
  start: number;
  end: number;
}

/** Words that say nothing about what the caller wants. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about am an and any are as at be but by can could do does for from get good have hello hi how i if in is it its " +
    "know let like me much my no of ok okay on or our please say should so some sorry tell thank thanks that the their " +
    "them then there these they this those to too us very want was we well were what when where which who why will with " +
    "would yes you your"
  ).split(" "),
);

/** Letters and digits, with the marks inside `A-17`, `18:30`, `1,000` or `ann@example.com`. */
const WORD = /[+-]?[\p{L}\p{N}\p{M}]+(?:['’.,:@/_+-]+[\p{L}\p{N}\p{M}]+)*/gu;
const PART = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{N}\p{M}]+)*/gu;

/** The words of a text. A word with a digit or an `@` stays whole; any other is split at hyphens and dots. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const { 0: whole, index } of text.matchAll(WORD)) {
    if (/[\p{N}@]/u.test(whole)) tokens.push(tokenAt(whole, index));
    else for (const part of whole.matchAll(PART)) tokens.push(tokenAt(part[0], index + part.index));
  }
  return tokens;
}

function tokenAt(text: string, start: number): Token {
  const lower = text.toLowerCase().replaceAll("’", "'");
  return { text, lower, stem: stem(lower), start, end: start + text.length };
}

/** Whether a word says what the caller wants: `what's`, `I'd` and `the` do not. */
export const isContent = ({ lower }: Token): boolean =>
  !STOP_WORDS.has(lower) && !STOP_WORDS.has(lower.split("'", 1)[0] ?? "");

/** Words of a request that do not say what is wanted. */
const WISHES = new Set(["need", "want", "give", "show", "help", "wish"]);

/** Whether a word may name what the caller wants. */
export const isInformative = (token: Token): boolean => isContent(token) && !WISHES.has(token.lower);

/** Removes English endings by rule, so that `bookings`, `booked` and `book` have the same stem. */
export function stem(lower: string): string {
  let word = lower.replace(/'s?$/, "");
  if (word.length > 4 && word.endsWith("ies")) word = `${word.slice(0, -3)}y`;
  else if (word.length > 3 && /[^s]s$/.test(word)) word = word.slice(0, -1);
  word = word.replace(/^(.{3,})(?:ing|ed)$/u, "$1");
  if (word.length > 3) word = word.replace(/e$/, "");
  return word.replace(/([bdfglmnprst])\1$/, "$1");
}

/** The words of a name such as `getWeather`, `order_status` or `party-size`, in lower case. */
export const wordsOfName = (name: string): string[] =>
  name
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
