import { CARD_DIGITS, isCardNumber } from "./card-numbers.ts";
import { type DigitRun, type DigitStretch, digitRunsOf, longGroupsIn, stretchesIn } from "./digit-runs.ts";
import { type DigitWords, digitWordsOf } from "./digit-words.ts";
import { spokenEmails, type TokenStretch, writtenEmails } from "./emails.ts";
import {
  REDACTION_LABELS,
  type RedactableText,
  type RedactionKind,
  type RedactionRules,
  type RedactionSpan,
} from "./kinds.ts";
import { idsOf, type LetteredId } from "./national-ids.ts";
import { countriesOf, isPhoneNumber, PHONE_DIGITS } from "./phone-numbers.ts";
import { type Token, tokensOf } from "./tokens.ts";
import { valuePatterns, valuesIn } from "./values.ts";

/** A part of a number that was found is redacted elsewhere from this many digits on: "ending in 1111". */
const REPEATED_DIGITS_MIN = 4;
/**
 * How often numbering plans are consulted for one list of texts. What follows is redacted as a telephone number where it has as many
 * digits as one: thousands of digits in one conversation are no conversation.
 */
const PHONE_LOOKUPS_MAX = 3_000;
/** Repetitions are looked for of this many numbers. */
const REPEATED_NUMBERS_MAX = 200;
/** Of a found number this many digits count: several numbers may be written as one. */
const FOUND_DIGITS_MAX = 64;
/** A repeated part has at most this many digits. */
const REPEATED_DIGITS_MAX = 19;

/**
 * What is to be redacted of texts that follow each other, by text; spans do not overlap. A number is found also where it is divided
 * between texts of one speaker, or of all in turn, and so are later and earlier repetitions of parts of it. The same texts give the
 * same spans, in time that grows with their length.
 */
export function findRedactions(texts: readonly RedactableText[], rules: RedactionRules): RedactionSpan[][] {
  const numbers = new FoundNumbers();
  const finders = rules.languages.map((language) => new Finder(rules, language, numbers));
  const tokens = texts.map(({ text }, index) => tokensOf(text, index));
  const speakers = new Set(texts.map(({ speaker }) => speaker));
  const streams = [...speakers].map((speaker) => tokens.filter((_, index) => texts[index]?.speaker === speaker).flat());
  if (streams.length > 1) streams.push(tokens.flat());
  const searches = finders.map((finder) => ({ finder, spans: texts.map(({ text }) => finder.written(text)) }));
  for (const { finder, spans } of searches) for (const stream of streams) finder.search(stream, spans);
  // Parts of a number may be repeated in another language.
  for (const { finder, spans } of searches) for (const stream of streams) finder.searchRepeated(stream, spans);
  return texts.map(({ text }, index) => {
    const found = searches.flatMap(({ spans }) => spans[index] ?? []);
    return merged(found, text);
  });
}

/** The text with labels in place of its spans. */
export function withoutSpans(text: string, spans: readonly RedactionSpan[]): string {
  let redacted = "";
  let at = 0;
  for (const { kind, from, to } of spans) {
    redacted += text.slice(at, from) + REDACTION_LABELS[kind];
    at = to;
  }
  return redacted + text.slice(at);
}

/** Each text with labels in place of what `findRedactions` finds. */
export const redactedTexts = (texts: readonly RedactableText[], rules: RedactionRules): string[] =>
  findRedactions(texts, rules).map((spans, index) => withoutSpans(texts[index]?.text ?? "", spans));

/** The numbers that were found: parts of them may be repeated. */
class FoundNumbers {
  readonly #kinds = new Map<string, RedactionKind>();
  /** The first digits of their parts. */
  readonly #beginnings = new Set<string>();

  get isEmpty(): boolean {
    return this.#kinds.size === 0;
  }

  add(digits: string, kind: RedactionKind): void {
    if (this.#kinds.size >= REPEATED_NUMBERS_MAX) return;
    const number = digits.slice(0, FOUND_DIGITS_MAX);
    this.#kinds.set(number, kind);
    for (let at = 0; at + REPEATED_DIGITS_MIN <= number.length; at += 1)
      this.#beginnings.add(number.slice(at, at + REPEATED_DIGITS_MIN));
  }

  /** Of the number that has these digits; undefined where none has them. */
  kindOf(digits: string): RedactionKind | undefined {
    if (!this.#beginnings.has(digits.slice(0, REPEATED_DIGITS_MIN))) return undefined;
    for (const [number, kind] of this.#kinds) if (number.includes(digits)) return kind;
    return undefined;
  }
}

/** Looks for what the rules name, as it is said in one language, in streams of tokens. */
class Finder {
  readonly #kinds: ReadonlySet<RedactionKind>;
  readonly #language: string;
  readonly #digitWords: DigitWords;
  readonly #patterns: readonly (readonly string[])[];
  readonly #numbers: FoundNumbers;
  /** Whether digits are a telephone number: both sides say the same ones, and streams repeat them. */
  readonly #phoneLookups = new Map<string, boolean>();

  constructor({ kinds, values }: Omit<RedactionRules, "languages">, language: string, numbers: FoundNumbers) {
    this.#numbers = numbers;
    this.#kinds = new Set(kinds);
    this.#language = language;
    this.#digitWords = digitWordsOf(language);
    this.#patterns = this.#kinds.has("variables") ? valuePatterns(values) : [];
    for (const pattern of this.#patterns) {
      const digits = pattern.join("");
      if (/^\d+$/.test(digits)) numbers.add(digits, "variables");
    }
  }

  written(text: string): RedactionSpan[] {
    if (!this.#kinds.has("email")) return [];
    return writtenEmails(text).map((span) => ({ kind: "email", ...span }));
  }

  search(tokens: readonly Token[], spans: RedactionSpan[][]): void {
    const add = (kind: RedactionKind, parts: readonly TokenStretch[]): void => addSpans(spans, tokens, kind, parts);
    for (const stretch of valuesIn(tokens, this.#patterns)) add("variables", [stretch]);
    if (this.#kinds.has("email")) for (const stretch of spokenEmails(tokens, this.#language)) add("email", [stretch]);
    for (const run of digitRunsOf(tokens, this.#digitWords)) this.#searchRun(run, tokens, add);
    if (!this.#kinds.has("national_id")) return;
    for (const stretch of letteredIds(tokens, idsOf(this.#language).lettered, this.#digitWords)) {
      add("national_id", [stretch]);
    }
  }

  #searchRun(
    run: DigitRun,
    tokens: readonly Token[],
    add: (kind: RedactionKind, parts: readonly TokenStretch[]) => void,
  ): void {
    const take = (kind: RedactionKind, found: readonly DigitStretch[]): void => {
      for (const stretch of found) {
        this.#numbers.add(stretch.digits, kind);
        add(kind, stretch.groups);
      }
    };
    if (this.#kinds.has("card_number")) {
      const found = stretchesIn(run, CARD_DIGITS, ({ digits }) => isCardNumber(digits));
      take("card_number", [...found, ...longGroupsIn(run, CARD_DIGITS, isCardNumber)]);
    }
    if (this.#kinds.has("national_id")) {
      for (const { lengths, isValid } of idsOf(this.#language).numbers) {
        const range = [Math.min(...lengths), Math.max(...lengths)] as const;
        const isFound = ({ digits }: DigitStretch) => lengths.includes(digits.length) && isValid(digits);
        take("national_id", stretchesIn(run, range, isFound));
      }
    }
    if (this.#kinds.has("phone_number")) take("phone_number", this.#phoneNumbers(run, tokens));
  }

  #phoneNumbers(run: DigitRun, tokens: readonly Token[]): DigitStretch[] {
    const countries = countriesOf(this.#language);
    return stretchesIn(run, PHONE_DIGITS, ({ digits, groups: [group] }) => {
      const first = group?.first ?? 0;
      const isInternational = tokens[first]?.isAfterPlus === true || tokens[first - 1]?.word === "plus";
      const key = isInternational ? `+${digits}` : digits;
      const known = this.#phoneLookups.get(key);
      if (known !== undefined) return known;
      if (this.#phoneLookups.size >= PHONE_LOOKUPS_MAX) return true;
      const isFound = isPhoneNumber(digits, isInternational, countries);
      this.#phoneLookups.set(key, isFound);
      return isFound;
    });
  }

  /** Call this after all streams were searched. */
  searchRepeated(tokens: readonly Token[], spans: RedactionSpan[][]): void {
    const numbers = this.#numbers;
    if (numbers.isEmpty) return;
    for (const run of digitRunsOf(tokens, this.#digitWords)) {
      const range = [REPEATED_DIGITS_MIN, REPEATED_DIGITS_MAX] as const;
      for (const stretch of stretchesIn(run, range, ({ digits }) => numbers.kindOf(digits) !== undefined))
        addSpans(spans, tokens, numbers.kindOf(stretch.digits) ?? "card_number", stretch.groups);
    }
  }
}

/** Ids with letters, in one token or in several: "AB 12 34 56 C", "x 1234567 l". */
function* letteredIds(
  tokens: readonly Token[],
  ids: readonly LetteredId[],
  { digits }: DigitWords,
): Generator<TokenStretch> {
  for (const { length, isValid } of ids) {
    for (let first = 0; first < tokens.length; first += 1) {
      let id = "";
      for (let last = first; last < tokens.length && id.length < length; last += 1) {
        const word = tokens[last]?.word ?? "";
        id += digits.get(word) ?? word;
        if (id.length === length && isValid(id)) yield { first, last };
      }
    }
  }
}

/** Stretches of tokens that belong together, as one span of each text that they are in: with what stands between them there. */
function addSpans(
  spans: RedactionSpan[][],
  tokens: readonly Token[],
  kind: RedactionKind,
  parts: readonly TokenStretch[],
): void {
  let previous: Token | undefined;
  for (const { first, last } of parts) {
    for (const token of tokens.slice(first, last + 1)) {
      const { textIndex, from, to } = token;
      const before = spans[textIndex]?.at(-1);
      if (before !== undefined && previous?.textIndex === textIndex) spans[textIndex]?.splice(-1, 1, { ...before, to });
      else spans[textIndex]?.push({ kind, from, to });
      previous = token;
    }
  }
}

/** Overlapping spans as one, and those of one kind that only spaces and signs divide. The first kind names it. */
function merged(spans: readonly RedactionSpan[], text: string): RedactionSpan[] {
  const result: RedactionSpan[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from || b.to - a.to)) {
    const before = result.at(-1);
    if (before === undefined || !isJoined(before, span, text)) result.push(span);
    else result.splice(-1, 1, { ...before, to: Math.max(before.to, span.to) });
  }
  return result.map((span) => withPlus(span, text));
}

const isJoined = (before: RedactionSpan, span: RedactionSpan, text: string): boolean =>
  span.from < before.to ||
  (span.kind === before.kind && !/[\p{L}\p{N}]/u.test(text.slice(before.to, span.from)) && span.from - before.to <= 3);

/** The "+" of an international number is a part of it. */
const withPlus = (span: RedactionSpan, text: string): RedactionSpan =>
  text[span.from - 1] === "+" ? { ...span, from: span.from - 1 } : span;
