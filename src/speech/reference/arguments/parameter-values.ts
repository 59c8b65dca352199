import type { Span, Utterance } from "../language/utterance.ts";
import { dateAt, type Found, numberAt, timeAt } from "../language/values.ts";
import { stem, type Token } from "../language/words.ts";
import { prepositionsOf } from "./labels.ts";
import type { Parameter } from "./parameters.ts";
import { isAllowed } from "./schema-check.ts";

// Values that a schema distinguishes from other words: numbers, booleans, enums, and texts of a certain form.

const NEGATIVE = new Set(["no", "not", "without", "don't", "off", "disable", "never"]);
/** After these words "one" is a pronoun, not a number. */
const NO_NUMBER_BEFORE = new Set(["this", "that", "which", "no", "any", "some", "every", "the", "another"]);
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@.]+$/;

/** Whether the value, or each item of a list, must be a number. */
export const isNumber = ({ itemType }: Parameter): boolean => itemType === "number" || itemType === "integer";
/** Whether a text must have one of the forms in FORMATS. */
export const hasForm = ({ schema }: Parameter): boolean => FORMATS[String(schema.format)] !== undefined;
/** A text that may say anything. */
export const isFreeText = (parameter: Parameter): boolean =>
  parameter.itemType === "string" && parameter.schema.enum === undefined && !hasForm(parameter);

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

/** Where a value counts: next to the parameter's label, or, in an answer to a question for it, anywhere. */
export type Where = "labelled" | "anywhere";

/** The values of a parameter in the utterance: all of them for an array, else the first. Marks their words as used. */
export function valuesIn(parameter: Parameter, said: Utterance, where: Where): unknown {
  const { type, schema, itemType } = parameter;
  if (itemType === "boolean" && schema.enum === undefined) return booleanIn(parameter, said, where);
  const found: { value: unknown; from: number }[] = [];
  const take = (value: unknown, span: Span): void => {
    said.use(span);
    found.push({ value, from: span.from });
  };
  if (Array.isArray(schema.enum)) {
    for (const { value, span } of enumIn(parameter, said)) take(value, span);
  } else {
    const { tokens } = said;
    for (let at = 0; at < tokens.length && (type === "array" || found.length === 0); at += 1) {
      const one = said.isFree(at) ? valueFrom(parameter, tokens, at) : undefined;
      if (one === undefined) continue;
      const span = { from: at, to: at + one.count };
      const isHere = itemType === "string" || where === "anywhere" || isLabelled(parameter, said, span);
      if (one.fits && isHere && isAllowed(parameter, one.value)) take(one.value, span);
      // The other words of "minus five" or "twenty-two" are not numbers of their own.
      at += one.count - 1;
    }
  }
  const values = found.sort((a, b) => a.from - b.from).map(({ value }) => value);
  if (type !== "array") return values[0];
  return values.length === 0 ? undefined : values;
}

/** The named values of an enum: all for an array, else the one after the parameter's preposition, or the first. */
function enumIn(parameter: Parameter, said: Utterance): { value: unknown; span: Span }[] {
  const { type, schema } = parameter;
  const spelled = (schema.enum as unknown[]).map((value) => ({ value, text: String(value) }));
  const found: { value: unknown; span: Span }[] = [];
  const isWithin = (inner: Span) => found.some(({ span }) => inner.from >= span.from && inner.to <= span.to);
  // Longer ones first: "extra large" is not "large".
  for (const { value, text } of spelled.sort((a, b) => b.text.length - a.text.length)) {
    const span = said.find(text) ?? (typeof value === "number" ? numberSpan(said, value) : undefined);
    if (span !== undefined && (span.to === span.from || !isWithin(span))) found.push({ value, span });
  }
  if (type === "array") return found;
  const words = prepositionsOf(parameter);
  const isPlaced = ({ span }: { span: Span }) => words.includes(said.tokens[span.from - 1]?.lower ?? "");
  found.sort((a, b) => a.span.from - b.span.from);
  return [found.find(isPlaced) ?? found[0]].filter((one) => one !== undefined);
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

/** "four people", "party of four": the label is at most two words from the number. */
function isLabelled({ hints }: Parameter, { tokens }: Utterance, { from, to }: Span): boolean {
  const near = [tokens[from - 2], tokens[from - 1], tokens[to], tokens[to + 1]];
  return near.some((token) => token !== undefined && hints.has(token.stem));
}

/** A label means true, or false after a "no". In an answer to a question also yes or no. */
function booleanIn({ labels }: Parameter, said: Utterance, where: Where): boolean | undefined {
  if (where === "anywhere") {
    if (said.tokens.some(({ lower }) => NO.has(lower))) return false;
    if (said.tokens.some(({ lower }) => YES.has(lower))) return true;
  }
  const { tokens } = said;
  const opposites = new Set([...labels].flatMap((label) => OPPOSITES.get(label) ?? []));
  const named = new Set([...labels, ...opposites]);
  const at = tokens.findIndex((token, index) => said.isFree(index) && named.has(token.stem));
  if (at < 0) return undefined;
  const isOpposite = opposites.has(tokens[at]?.stem ?? "");
  if (isOpposite) said.use({ from: at, to: at + 1 });
  const isNegated =
    tokens.slice(Math.max(0, at - 3), at).some(({ lower }) => NEGATIVE.has(lower)) || tokens[at + 1]?.lower === "off";
  return isOpposite === isNegated;
}

/** The opposite of a label, by stems: it names the other value. */
const OPPOSITES = new Map(
  "on off, enable disable, open close, active inactive, lock unlock, mute unmute"
    .split(", ")
    .map((pair) => pair.split(" ").map(stem))
    .flatMap(([one = "", other = ""]) => [[one, other] as const, [other, one] as const]),
);

const YES = new Set("yes yeah yep sure correct right true please ja oui sí si".split(" "));
const NO = new Set("no nope not don't false without nein non".split(" "));
