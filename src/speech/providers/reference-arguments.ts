import { isNeeded, type Parameter, valueAt, withValue } from "./reference-parameters.ts";
import { type Span, Utterance } from "./reference-utterance.ts";
import { dateAt, digitsFrom, type Found, numberAt, timeAt } from "./reference-values.ts";
import { isContent, stem, type Token } from "./reference-words.ts";

export type Arguments = Readonly<Record<string, unknown>>;

/** What a caller's words say about the arguments of a tool. */
export interface Filled {
  values: Arguments;
  /** How many telling words named a value; what was merely left over does not count. */
  namedWords: number;
}

/** Which words stand before a value, by stems of what the parameter is called. */
const PREPOSITIONS: readonly { labels: ReadonlySet<string>; words: readonly string[] }[] = [
  { labels: stems("to destination target recipient receiver arrival"), words: ["to"] },
  { labels: stems("from origin source departure sender"), words: ["from"] },
  {
    labels: stems("city town place location where country region area address street room venue destination"),
    words: ["in", "at", "near", "to", "for"],
  },
  { labels: stems("name customer guest person who contact recipient"), words: ["for", "named", "called", "to"] },
  { labels: stems("topic subject query question search term keyword"), words: ["about", "for"] },
  { labels: stems("product item article goods"), words: ["of", "for"] },
];
/** What a caller says of themselves before their name. */
const INTRODUCTIONS: readonly (readonly string[])[] = [["i", "am"], ["i'm"], ["this", "is"]];
const PERSON = stems("name customer guest person who");
/** Words between what a value is called and the value: "order number is A-17". */
const FILLERS = new Set([
  "is",
  "are",
  "of",
  "number",
  "no",
  "id",
  "code",
  "called",
  "named",
  "to",
  "as",
  "it's",
  "was",
]);
/** A string that is called one of these is likely to hold a digit. */
const CODES = stems("number id code reference order booking ticket invoice account zip postcode phone serial");
const NEGATIVE = new Set(["no", "not", "without", "don't", "off", "disable", "never"]);
/** Behind or before these "one" is no number. */
const NO_NUMBER_BEFORE = new Set(["this", "that", "which", "no", "any", "some", "every", "the", "another"]);
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@.]+$/;

function stems(words: string): ReadonlySet<string> {
  return new Set(words.split(" ").map(stem));
}

const overlap = (left: ReadonlySet<string>, right: ReadonlySet<string>): boolean =>
  [...left].some((word) => right.has(word));

/**
 * Fills arguments from what a caller said; those in `values` stay. `toolStems` are the words by which the tool was called:
 * a text that is left over begins behind them. The same words always give the same arguments.
 */
export function fillArguments(
  parameters: readonly Parameter[],
  values: Arguments,
  said: Utterance,
  toolStems: ReadonlySet<string>,
): Filled {
  const filling = new Filling(parameters, values, said, toolStems);
  return filling.run();
}

/** The arguments with the defaults of the schema where nobody named a value. */
export function withDefaults(parameters: readonly Parameter[], values: Arguments): Arguments {
  return parameters.reduce<Arguments>((filled, parameter) => {
    const { path, schema, optionalDepth } = parameter;
    const value = schema.const ?? schema.default;
    const applies = optionalDepth === 0 || isNeeded(parameter, filled);
    return value === undefined || !applies || valueAt(filled, path) !== undefined
      ? filled
      : withValue(filled, path, value);
  }, values);
}

/** The value that an answer to the question for one parameter gives; undefined when it gives none. */
export function answerValue(parameter: Parameter, answer: string): unknown {
  const said = new Utterance(answer.replace(/^DTMF:\s*/, ""));
  const named = valuesIn(parameter, said, "anywhere");
  if (named !== undefined || parameter.itemType !== "string" || parameter.schema.enum !== undefined) return named;
  if (FORMATS[String(parameter.schema.format)] !== undefined) return undefined;
  const labelled = labelledName(parameter, said) ?? said.quoted()?.value;
  const value = labelled ?? digitsOr(said, withoutPreamble(said));
  if (!isLongEnough(parameter, value)) return undefined;
  return parameter.type === "array" ? listOf(value) : value;
}

class Filling {
  readonly #parameters: readonly Parameter[];
  readonly #said: Utterance;
  readonly #toolStems: ReadonlySet<string>;
  #values: Arguments;

  constructor(parameters: readonly Parameter[], values: Arguments, said: Utterance, toolStems: ReadonlySet<string>) {
    this.#parameters = parameters;
    this.#values = values;
    this.#said = said;
    this.#toolStems = toolStems;
  }

  /** From what is surest to what is left over: a word that has given a value gives no other. */
  run(): Filled {
    const said = this.#said;
    this.#each((parameter) => (isNumber(parameter) ? undefined : valuesIn(parameter, said, "labelled")));
    this.#each((parameter) => (isNumber(parameter) ? valuesIn(parameter, said, "labelled") : undefined));
    this.#each((parameter) =>
      isFree(parameter) ? this.#fitting(parameter, labelledName(parameter, said)) : undefined,
    );
    this.#each((parameter) => (isNumber(parameter) ? this.#numbersLeft(parameter) : undefined));
    this.#each((parameter) =>
      isFree(parameter) ? this.#fitting(parameter, this.#behindPreposition(parameter)) : undefined,
    );
    this.#each((parameter) => (isFree(parameter) ? this.#quoted(parameter) : undefined));
    this.#each((parameter) => (isFree(parameter) && overlap(parameter.hints, CODES) ? codeIn(said) : undefined));
    const namedWords = said.tokens.filter((token, at) => !said.isFree(at) && isContent(token)).length;
    this.#rest();
    return { values: this.#values, namedWords };
  }

  #each(findValue: (parameter: Parameter) => unknown): void {
    for (const parameter of this.#parameters) {
      if (parameter.schema.const !== undefined || valueAt(this.#values, parameter.path) !== undefined) continue;
      const value = findValue(parameter);
      if (value === undefined) continue;
      this.#values = withValue(this.#values, parameter.path, value);
    }
  }

  /** A number that nothing labels belongs to a parameter that must be there, or to the only one that takes numbers. */
  #numbersLeft(parameter: Parameter): unknown {
    const isOnly = this.#parameters.filter(isNumber).length === 1;
    return parameter.required || isOnly ? valuesIn(parameter, this.#said, "anywhere") : undefined;
  }

  #quoted(parameter: Parameter): unknown {
    const found = this.#said.quoted();
    if (found === undefined || !isLongEnough(parameter, found.value)) return undefined;
    this.#said.use(found.span);
    return parameter.type === "array" ? [found.value] : found.value;
  }

  /** "in Berlin", "for Ann": the first name behind a preposition of the parameter that is not how the tool was called. */
  #behindPreposition({ labels, type }: Parameter): string | undefined {
    const said = this.#said;
    const kinds = PREPOSITIONS.filter((kind) => overlap(kind.labels, labels));
    for (const word of kinds.flatMap(({ words }) => words)) {
      for (const [at, { lower }] of said.tokens.entries()) {
        if (lower !== word || !said.joins(at)) continue;
        const name = this.#nameAt(at + 1, type === "array");
        if (name !== undefined) return name;
      }
    }
    return overlap(labels, PERSON) ? this.#introduced() : undefined;
  }

  #introduced(): string | undefined {
    for (const at of this.#said.tokens.keys()) {
      const words = INTRODUCTIONS.find((all) => all.every((word, n) => this.#said.tokens[at + n]?.lower === word));
      const name = words === undefined ? undefined : this.#nameAt(at + words.length);
      if (name !== undefined && /^\p{Lu}/u.test(name)) return name;
    }
    return undefined;
  }

  #nameAt(at: number, several = false): string | undefined {
    const span = several ? this.#said.namesAt(at) : this.#said.nameAt(at);
    if (span === undefined || this.#isTools(this.#said.tokens[span.from]) || numberAt(this.#said.tokens, span.from)) {
      return undefined;
    }
    this.#said.use(span);
    return this.#said.textOf(span);
  }

  #isTools(token: Token | undefined): boolean {
    return token !== undefined && this.#toolStems.has(token.stem);
  }

  #fitting(parameter: Parameter, value: string | undefined): unknown {
    if (value === undefined || !isLongEnough(parameter, value)) return undefined;
    return parameter.type === "array" ? listOf(value) : value;
  }

  /** What is left of the words is the one text that the tool still needs. */
  #rest(): void {
    const missing = this.#parameters.filter(
      (one) =>
        isNeeded(one, this.#values) && valueAt(this.#values, one.path) === undefined && one.schema.const === undefined,
    );
    const [only] = missing.filter(isFree);
    if (only === undefined || missing.length !== 1) return;
    const span = this.#leftOver();
    const value = span && this.#fitting(only, this.#said.textOf(span));
    if (value !== undefined) this.#values = withValue(this.#values, only.path, value);
  }

  /** What follows the words by which the tool was called; where nothing does, the longest run of words before them. */
  #leftOver(): Span | undefined {
    const { tokens } = this.#said;
    const isTelling = (at: number) => {
      const token = tokens[at];
      return token !== undefined && this.#said.isFree(at) && isContent(token) && !this.#isTools(token);
    };
    const last = tokens.findLastIndex((token) => this.#isTools(token));
    let longest: Span | undefined;
    for (let from = 0; from < tokens.length; from += 1) {
      if (!isTelling(from)) continue;
      let to = from + 1;
      // Small words within stay: "bread with seeds".
      for (let at = to; at < tokens.length && this.#said.joins(at - 1) && this.#said.isFree(at); at += 1) {
        if (this.#isTools(tokens[at])) break;
        if (isTelling(at)) to = at + 1;
      }
      const isBehind = from > last;
      if (longest === undefined || isBehind || to - from > longest.to - longest.from) longest = { from, to };
      if (isBehind) break;
      from = to;
    }
    return longest;
  }
}

const isNumber = ({ itemType }: Parameter): boolean => itemType === "number" || itemType === "integer";
/** A text that may say anything. */
const isFree = ({ itemType, schema }: Parameter): boolean =>
  itemType === "string" && schema.enum === undefined && FORMATS[String(schema.format)] === undefined;

/** Texts of a certain form, by `format`. */
const FORMATS: Readonly<Record<string, (tokens: readonly Token[], at: number) => Found<string> | undefined>> = {
  date: dateAt,
  time: timeAt,
  email: (tokens, at) => whole(tokens[at], EMAIL),
  "date-time": (tokens, at) => whole(tokens[at], /^\d{4}-\d\d-\d\dt\d\d:\d\d/i),
  uuid: (tokens, at) => whole(tokens[at], /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i),
};

const whole = (token: Token | undefined, form: RegExp): Found<string> | undefined =>
  token !== undefined && form.test(token.text) ? { value: token.text, count: 1 } : undefined;

/** Where a value counts: beside what the parameter is called, or, in an answer to a question for it, anywhere. */
type Where = "labelled" | "anywhere";

/** The values of a parameter that stand in what was said, used up with that: all of an array's, else the first. */
function valuesIn(parameter: Parameter, said: Utterance, where: Where): unknown {
  const { type, schema, itemType } = parameter;
  if (itemType === "boolean" && schema.enum === undefined) return booleanIn(parameter, said, where);
  const found: { value: unknown; from: number }[] = [];
  const take = (value: unknown, span: Span): void => {
    said.use(span);
    found.push({ value, from: span.from });
  };
  if (Array.isArray(schema.enum)) {
    // Longer ones first: "extra large" is not "large".
    const spelled = schema.enum.map((value) => ({ value, text: String(value) }));
    for (const { value, text } of spelled.sort((a, b) => b.text.length - a.text.length)) {
      const span = said.find(text) ?? (typeof value === "number" ? numberSpan(said, value) : undefined);
      if (span !== undefined) take(value, span);
    }
  } else {
    const { tokens } = said;
    for (let at = 0; at < tokens.length && (type === "array" || found.length === 0); at += 1) {
      const one = said.isFree(at) ? valueFrom(parameter, tokens, at) : undefined;
      if (one === undefined) continue;
      const span = { from: at, to: at + one.count };
      const isHere = itemType === "string" || where === "anywhere" || isLabelled(parameter, said, span);
      if (one.fits && isHere) take(one.value, span);
      // What is left of "minus five" or "twenty-two" is no number of its own.
      at += one.count - 1;
    }
  }
  const values = found.sort((a, b) => a.from - b.from).map(({ value }) => value);
  if (type !== "array") return values[0];
  return values.length === 0 ? undefined : values;
}

/** The value of the parameter's form that begins at `at`, and whether the schema allows it. */
function valueFrom(
  { itemType, schema }: Parameter,
  tokens: readonly Token[],
  at: number,
): (Found<unknown> & { fits: boolean }) | undefined {
  if (itemType === "string") {
    const text = FORMATS[String(schema.format)]?.(tokens, at);
    return text && { ...text, fits: true };
  }
  const found = numberAt(tokens, at);
  if (found === undefined) return undefined;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const fits =
    !(itemType === "integer" && !Number.isInteger(found.value)) &&
    !(tokens[at]?.lower === "one" && found.count === 1 && isPronoun(tokens, at)) &&
    !(typeof minimum === "number" && found.value < minimum) &&
    !(typeof maximum === "number" && found.value > maximum) &&
    !(typeof exclusiveMinimum === "number" && found.value <= exclusiveMinimum) &&
    !(typeof exclusiveMaximum === "number" && found.value >= exclusiveMaximum);
  return { ...found, fits };
}

const isPronoun = (tokens: readonly Token[], at: number): boolean =>
  NO_NUMBER_BEFORE.has(tokens[at - 1]?.lower ?? "") ||
  tokens[at + 1]?.lower === "of" ||
  tokens[at + 1]?.lower === "moment";

function numberSpan(said: Utterance, value: number): Span | undefined {
  for (const at of said.tokens.keys()) {
    const found = said.isFree(at) ? numberAt(said.tokens, at) : undefined;
    if (found?.value === value) return { from: at, to: at + found.count };
  }
  return undefined;
}

/** "four people", "party of four": what the number counts stands at most two words from it. */
function isLabelled({ hints }: Parameter, { tokens }: Utterance, { from, to }: Span): boolean {
  const near = [tokens[from - 2], tokens[from - 1], tokens[to], tokens[to + 1]];
  return near.some((token) => token !== undefined && hints.has(token.stem));
}

/** Named: true, or false behind a "no"; asked for outright: yes or no. */
function booleanIn({ labels }: Parameter, said: Utterance, where: Where): boolean | undefined {
  if (where === "anywhere") {
    if (said.tokens.some(({ lower }) => NO.has(lower))) return false;
    if (said.tokens.some(({ lower }) => YES.has(lower))) return true;
  }
  const at = said.tokens.findIndex((token, index) => said.isFree(index) && labels.has(token.stem));
  if (at < 0) return undefined;
  return !said.tokens.slice(Math.max(0, at - 3), at).some(({ lower }) => NEGATIVE.has(lower));
}

const YES = new Set("yes yeah yep sure correct right true please ja oui sí si".split(" "));
const NO = new Set("no nope not don't false without nein non".split(" "));

/** "name is Ann", "order A-17": what follows the parameter's own name. Without a word between it must look like a value. */
function labelledName({ labels, type }: Parameter, said: Utterance): string | undefined {
  const { tokens } = said;
  for (const [at, token] of tokens.entries()) {
    if (!labels.has(token.stem) || !said.isFree(at)) continue;
    let next = at + 1;
    while (labels.has(tokens[next]?.stem ?? "")) next += 1;
    const named = next;
    while (FILLERS.has(tokens[next]?.lower ?? "")) next += 1;
    const spelled = digitsFrom(tokens, next);
    const name = type === "array" ? said.namesAt(next) : said.nameAt(next);
    const span = spelled.count > 1 ? { from: next, to: next + spelled.count } : name;
    const looksLikeValue = next > named || /^\p{Lu}|\p{N}/u.test(tokens[next]?.text ?? "") || spelled.count > 1;
    const divided = /[.!?;]/.test(said.text.slice(tokens[next - 1]?.end ?? 0, tokens[next]?.start ?? 0));
    if (span === undefined || !looksLikeValue || divided) continue;
    said.use(span);
    return spelled.count > 1 ? spelled.value : said.textOf(span);
  }
  return undefined;
}

function codeIn(said: Utterance): string | undefined {
  const at = said.tokens.findIndex(({ text }, index) => said.isFree(index) && /\p{N}/u.test(text));
  if (at < 0) return undefined;
  said.use({ from: at, to: at + 1 });
  return said.tokens[at]?.text;
}

/** What stands before an answer and is none of it. */
const PREAMBLE = new Set(
  "it's it is i am i'm my name that's that would be the a an um uh well oh to in for at from please yes".split(" "),
);

function withoutPreamble(said: Utterance): string {
  const { tokens } = said;
  const first = tokens.findIndex(({ lower }) => !PREAMBLE.has(lower));
  const last = tokens.findLastIndex(({ lower }) => lower !== "please" && lower !== "thanks");
  return first < 0 || last < first ? said.text.trim() : said.textOf({ from: first, to: last + 1 });
}

/** "four seven one one" is `4711`; anything else stays. */
function digitsOr(said: Utterance, text: string): string {
  const { value, count } = digitsFrom(said.tokens, 0);
  return count > 1 && count === said.tokens.length ? value : text;
}

const listOf = (text: string): string[] => text.split(/\s*,\s*|\s+and\s+/u).filter((item) => item !== "");

const isLongEnough = ({ schema: { minLength, maxLength } }: Parameter, { length }: string): boolean =>
  length > 0 &&
  !(typeof minLength === "number" && length < minLength) &&
  !(typeof maxLength === "number" && length > maxLength);
