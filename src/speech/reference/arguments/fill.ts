import { type Span, Utterance } from "../language/utterance.ts";
import { digitsFrom, numberAt } from "../language/values.ts";
import { isInformative, type Token } from "../language/words.ts";
import { isCode, isPerson, isStreet, prepositionsOf } from "./labels.ts";
import { hasForm, isFreeText, isNumber, valuesIn } from "./parameter-values.ts";
import { isNeeded, type Parameter, valueAt, withValue } from "./parameters.ts";
import { isAllowed } from "./schema-check.ts";

export type Arguments = Readonly<Record<string, unknown>>;

/** What a caller's words say about the arguments of a tool. */
export interface Filled {
  values: Arguments;
  /** How many informative words named a value, without the words that `fillFromRest` uses. */
  namedWords: number;
}

/** What callers say before their own name. */
const INTRODUCTIONS: readonly (readonly string[])[] = [["i", "am"], ["i'm"], ["this", "is"]];
/** Words between a value's label and the value: "order number is A-17". */
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

/**
 * Fills arguments from the sentence that requests a tool, and from `others` of the same turn. `toolStems` are the words
 * that named the tool: a text from the remaining words begins after them. The same words always give the same
 * arguments.
 */
export function fillArguments(
  parameters: readonly Parameter[],
  sentence: Utterance,
  others: readonly Utterance[],
  toolStems: ReadonlySet<string>,
): Filled {
  const filling = new ArgumentFiller(parameters, toolStems);
  filling.fillFrom(sentence);
  const namedWords = sentence.tokens.filter((token, at) => !sentence.isFree(at) && isInformative(token)).length;
  for (const other of others) filling.fillFrom(other);
  filling.fillFromRest(sentence);
  return { values: filling.values, namedWords };
}

/** The arguments, with the schema's defaults for values that the caller did not name. */
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

/** The value that the caller's answer gives for one parameter; undefined if it gives none. */
export function answerValue(parameter: Parameter, answer: string): unknown {
  const value = valueOfAnswer(parameter, answer);
  return value === undefined || isAllowed(parameter, value) ? value : undefined;
}

function valueOfAnswer(parameter: Parameter, answer: string): unknown {
  const utterance = new Utterance(answer.replace(/^DTMF:\s*/, ""));
  const named = valuesIn(parameter, utterance, "anywhere");
  if (named !== undefined || parameter.itemType !== "string" || parameter.schema.enum !== undefined) return named;
  if (hasForm(parameter)) return undefined;
  const labelled = labelledName(parameter, utterance) ?? utterance.quoted()?.value;
  const value = labelled ?? digitsOr(utterance, withoutPreamble(utterance));
  if (!isLongEnough(parameter, value)) return undefined;
  return parameter.type === "array" ? listOf(value) : value;
}

class ArgumentFiller {
  readonly #parameters: readonly Parameter[];
  readonly #toolStems: ReadonlySet<string>;
  #values: Arguments = {};

  constructor(parameters: readonly Parameter[], toolStems: ReadonlySet<string>) {
    this.#parameters = parameters;
    this.#toolStems = toolStems;
  }

  get values(): Arguments {
    return this.#values;
  }

  /** Fills values, the most certain first. A word that has given a value gives no other. */
  fillFrom(utterance: Utterance): void {
    const where = "labelled";
    this.#each((parameter) => (isNumber(parameter) ? undefined : valuesIn(parameter, utterance, where)));
    this.#each((parameter) => (isNumber(parameter) ? valuesIn(parameter, utterance, where) : undefined));
    this.#each((parameter) =>
      isFreeText(parameter) ? fitting(parameter, labelledName(parameter, utterance)) : undefined,
    );
    this.#each((parameter) =>
      isFreeText(parameter) ? fitting(parameter, this.#afterPreposition(parameter, utterance)) : undefined,
    );
    this.#each((parameter) => (isNumber(parameter) ? this.#unlabelledNumber(parameter, utterance) : undefined));
    this.#each((parameter) => (isFreeText(parameter) ? quotedIn(parameter, utterance) : undefined));
    this.#each((parameter) => (isFreeText(parameter) && isCode(parameter) ? codeIn(parameter, utterance) : undefined));
  }

  #each(findValue: (parameter: Parameter) => unknown): void {
    for (const parameter of this.#parameters) {
      if (parameter.schema.const !== undefined || valueAt(this.#values, parameter.path) !== undefined) continue;
      const value = findValue(parameter);
      if (value === undefined || !isAllowed(parameter, value)) continue;
      this.#values = withValue(this.#values, parameter.path, value);
    }
  }

  /** A number without a label belongs to a required parameter, or to the only one that takes numbers. */
  #unlabelledNumber(parameter: Parameter, utterance: Utterance): unknown {
    const isOnly = this.#parameters.filter(isNumber).length === 1;
    return parameter.required || isOnly ? valuesIn(parameter, utterance, "anywhere") : undefined;
  }

  /** "in Berlin", "for Ann": the first name after a preposition of the parameter, unless the name is a tool word. */
  #afterPreposition(parameter: Parameter, utterance: Utterance): string | undefined {
    for (const word of prepositionsOf(parameter)) {
      for (const [at, { lower }] of utterance.tokens.entries()) {
        if (lower !== word || !utterance.joins(at)) continue;
        const name = this.#nameAt(utterance, at + 1, {
          several: parameter.type === "array",
          mayBeNumbered: isStreet(parameter),
        });
        if (name !== undefined) return name;
      }
    }
    return isPerson(parameter) ? this.#introduced(utterance) : undefined;
  }

  #introduced(utterance: Utterance): string | undefined {
    for (const at of utterance.tokens.keys()) {
      const words = INTRODUCTIONS.find((all) => all.every((word, n) => utterance.tokens[at + n]?.lower === word));
      const name = words === undefined ? undefined : this.#nameAt(utterance, at + words.length);
      if (name !== undefined && /^\p{Lu}/u.test(name)) return name;
    }
    return undefined;
  }

  #nameAt(utterance: Utterance, at: number, { several = false, mayBeNumbered = false } = {}): string | undefined {
    const span = several ? utterance.namesAt(at) : utterance.nameAt(at);
    if (span === undefined || this.#isToolWord(utterance.tokens[span.from])) return undefined;
    if (!mayBeNumbered && numberAt(utterance.tokens, span.from) !== undefined) return undefined;
    utterance.use(span);
    return utterance.textOf(span);
  }

  #isToolWord(token: Token | undefined): boolean {
    return token !== undefined && this.#toolStems.has(token.stem);
  }

  /** If the tool lacks exactly one text, fills it from the remaining words. */
  fillFromRest(utterance: Utterance): void {
    const missing = this.#parameters.filter(
      (one) =>
        isNeeded(one, this.#values) && valueAt(this.#values, one.path) === undefined && one.schema.const === undefined,
    );
    const [only] = missing.filter(isFreeText);
    if (only === undefined || missing.length !== 1) return;
    const span = this.#remainingWords(utterance, only);
    const value = span && fitting(only, utterance.textOf(span));
    if (value !== undefined && isAllowed(only, value)) this.#values = withValue(this.#values, only.path, value);
  }

  /** The words after those that named the tool; if there are none, the longest run of words before them. */
  #remainingWords(utterance: Utterance, parameter: Parameter): Span | undefined {
    const { tokens } = utterance;
    const labels = new Set(this.#parameters.flatMap((one) => (one === parameter ? [] : [...one.hints])));
    const isOpen = (token: Token | undefined, at: number): boolean =>
      token !== undefined &&
      utterance.isFree(at) &&
      isInformative(token) &&
      !this.#isToolWord(token) &&
      !labels.has(token.stem);
    const last = tokens.findLastIndex((token) => this.#isToolWord(token));
    let longest: Span | undefined;
    for (let from = 0; from < tokens.length; from += 1) {
      const first = tokens[from];
      if (first !== undefined && parameter.labels.has(first.stem)) continue;
      // A person's name has a capital; the first word is excluded, because it always has one.
      if (!isOpen(first, from) || (isPerson(parameter) && (from === 0 || !/^\p{Lu}/u.test(first?.text ?? ""))))
        continue;
      let to = from + 1;
      // Stop words inside the text are included: "bread with seeds".
      for (let at = to; at < tokens.length && utterance.joins(at - 1) && utterance.isFree(at); at += 1) {
        if (this.#isToolWord(tokens[at])) break;
        if (isOpen(tokens[at], at)) to = at + 1;
      }
      const isAfterTool = from > last;
      if (longest === undefined || isAfterTool || to - from > longest.to - longest.from) longest = { from, to };
      if (isAfterTool) break;
      from = to;
    }
    return longest;
  }
}

function fitting(parameter: Parameter, value: string | undefined): unknown {
  if (value === undefined || !isLongEnough(parameter, value)) return undefined;
  return parameter.type === "array" ? listOf(value) : value;
}

function quotedIn(parameter: Parameter, utterance: Utterance): unknown {
  const found = utterance.quoted();
  if (found === undefined || !isLongEnough(parameter, found.value)) return undefined;
  utterance.use(found.span);
  return parameter.type === "array" ? [found.value] : found.value;
}

/** "name is Ann", "order A-17": what follows a label. Without a filler between, it must look like a value. */
function labelledName(parameter: Parameter, utterance: Utterance): string | undefined {
  const { labels, type } = parameter;
  const { tokens } = utterance;
  for (const [at, token] of tokens.entries()) {
    if (!labels.has(token.stem) || !utterance.isFree(at)) continue;
    let next = at + 1;
    while (labels.has(tokens[next]?.stem ?? "")) next += 1;
    const named = next;
    while (FILLERS.has(tokens[next]?.lower ?? "")) next += 1;
    const spelled = digitsFrom(tokens, next);
    const isWhole = /\p{N}/u.test(tokens[next]?.text ?? "") && isCode(parameter);
    const name =
      type === "array" ? utterance.namesAt(next) : isWhole ? { from: next, to: next + 1 } : utterance.nameAt(next);
    const span = spelled.count > 1 ? { from: next, to: next + spelled.count } : name;
    const looksLikeValue = next > named || /^\p{Lu}|\p{N}/u.test(tokens[next]?.text ?? "") || spelled.count > 1;
    const divided = /[.!?;]/.test(utterance.text.slice(tokens[next - 1]?.end ?? 0, tokens[next]?.start ?? 0));
    if (span === undefined || !looksLikeValue || divided) continue;
    utterance.use(span);
    return spelled.count > 1 ? spelled.value : utterance.textOf(span);
  }
  return undefined;
}

function codeIn(parameter: Parameter, utterance: Utterance): string | undefined {
  const at = utterance.tokens.findIndex(
    ({ text }, index) => utterance.isFree(index) && /\p{N}/u.test(text) && isAllowed(parameter, text),
  );
  if (at < 0) return undefined;
  utterance.use({ from: at, to: at + 1 });
  return utterance.tokens[at]?.text;
}

/** Words at the beginning of an answer that are not part of the value. */
const PREAMBLE = new Set(
  "it's it is i am i'm my name that's that would be the a an um uh well oh to in for at from please yes".split(" "),
);

function withoutPreamble(utterance: Utterance): string {
  const { tokens } = utterance;
  const first = tokens.findIndex(({ lower }) => !PREAMBLE.has(lower));
  const last = tokens.findLastIndex(({ lower }) => lower !== "please" && lower !== "thanks");
  return first < 0 || last < first ? utterance.text.trim() : utterance.textOf({ from: first, to: last + 1 });
}

/** "four seven one one" is `4711`; any other text is returned unchanged. */
function digitsOr(utterance: Utterance, text: string): string {
  const { value, count } = digitsFrom(utterance.tokens, 0);
  return count > 1 && count === utterance.tokens.length ? value : text;
}

const listOf = (text: string): string[] => text.split(/\s*,\s*|\s+and\s+/u).filter((item) => item !== "");

const isLongEnough = ({ schema: { minLength, maxLength } }: Parameter, { length }: string): boolean =>
  length > 0 &&
  !(typeof minLength === "number" && length < minLength) &&
  !(typeof maxLength === "number" && length > maxLength);
