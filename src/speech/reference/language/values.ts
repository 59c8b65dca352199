import type { Token } from "./words.ts";

// Values in what a caller said: numbers, dates, times. There is no clock, so "tomorrow" is not a date.

/** A value, and how many words it consists of. */
export interface Found<Value> {
  value: Value;
  count: number;
}

const BELOW_TWENTY: readonly string[] = (
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " +
  "eighteen nineteen"
).split(" ");
const TENS: readonly string[] = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const MONTHS: readonly string[] =
  "january february march april may june july august september october november december".split(" ");

/** The digits that the words from `at` on name one by one, as in "four seven one one"; empty if there are none. */
export function digitsFrom(tokens: readonly Token[], at: number): Found<string> {
  let value = "";
  let count = 0;
  for (let token = tokens[at]; token !== undefined; token = tokens[at + count]) {
    const digit = BELOW_TWENTY.indexOf(token.lower);
    if (/^\d+$/.test(token.lower)) value += token.lower;
    else if (digit >= 0 && digit < 10) value += digit;
    else break;
    count += 1;
  }
  return { value, count };
}

/** The number that begins with the word at `at`, in digits or in English words. */
export function numberAt(tokens: readonly Token[], at: number): Found<number> | undefined {
  const first = tokens[at]?.lower ?? "";
  if (first === "minus") {
    const after = numberAt(tokens, at + 1);
    return after && { value: -after.value, count: after.count + 1 };
  }
  const digits = /^([+-]?\d+(?:,\d{3})*(?:\.\d+)?)(?:st|nd|rd|th|x)?$/.exec(first)?.[1];
  if (digits !== undefined) return { value: Number(digits.replaceAll(",", "")), count: 1 };
  return spokenNumber(tokens, at);
}

/** "two hundred and fifty", "a dozen", "one point five". */
function spokenNumber(tokens: readonly Token[], at: number): Found<number> | undefined {
  let [thousands, below, count] = [0, 0, 0];
  /** The next word must name less than this. */
  let room = Number.POSITIVE_INFINITY;
  for (let token = tokens[at]; token !== undefined; token = tokens[at + count]) {
    const { lower } = token;
    const unit = BELOW_TWENTY.indexOf(lower);
    const ten = TENS.indexOf(lower);
    if (unit >= 0 && unit < room && (unit > 0 || count === 0)) [below, room] = [below + unit, 0];
    else if (ten >= 0 && room > 10) [below, room] = [below + (ten + 2) * 10, 10];
    else if (lower === "hundred" && count > 0) [below, room] = [below * 100, 100];
    else if (lower === "thousand" && count > 0) [thousands, below, room] = [below * 1_000, 0, 1_000];
    else if (lower === "dozen") [below, room] = [Math.max(below, 1) * 12, 0];
    else if (lower === "and" && (room === 100 || room === 1_000) && startsNumber(tokens[at + count + 1])) room = 100;
    else break;
    count += 1;
  }
  if (count === 0) return undefined;
  const whole = thousands + below;
  if (tokens[at + count]?.lower !== "point") return { value: whole, count };
  const fraction = digitsFrom(tokens, at + count + 1);
  if (fraction.count === 0) return { value: whole, count };
  return { value: Number(`${whole}.${fraction.value}`), count: count + 1 + fraction.count };
}

const startsNumber = (token: Token | undefined): boolean =>
  token !== undefined && (BELOW_TWENTY.includes(token.lower) || TENS.includes(token.lower));

/** A whole date that begins at `at`, as `2026-11-21`: ISO 8601, "21 November 2026" or "November 21st, 2026". */
export function dateAt(tokens: readonly Token[], at: number): Found<string> | undefined {
  const [first = "", second = "", third = "", fourth = ""] = tokens.slice(at, at + 4).map(({ lower }) => lower);
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(first);
  if (iso !== null) return dated(Number(iso[1]), Number(iso[2]), Number(iso[3]), 1);
  const month = MONTHS.indexOf(first) + 1;
  if (month > 0) return dated(yearIn(third), month, dayIn(second), 3);
  const of = second === "of" ? 1 : 0;
  const [named, year] = of === 1 ? [third, fourth] : [second, third];
  return dated(yearIn(year), MONTHS.indexOf(named) + 1, dayIn(first), 3 + of);
}

const dayIn = (word: string): number => Number(/^(\d{1,2})(?:st|nd|rd|th)?$/.exec(word)?.[1] ?? Number.NaN);
const yearIn = (word: string): number => Number(/^\d{4}$/.exec(word)?.[0] ?? Number.NaN);

/** The date in ISO 8601; undefined if it does not exist. */
function dated(year: number, month: number, day: number, count: number): Found<string> | undefined {
  if (!(month >= 1 && month <= 12 && day >= 1 && year >= 1_000)) return undefined;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCDate() === day ? { value: date.toISOString().slice(0, 10), count } : undefined;
}

/** A time of day that begins at `at`, as `18:30`: "18:30", "6:30 pm" or "6 pm". */
export function timeAt(tokens: readonly Token[], at: number): Found<string> | undefined {
  const [, hours, minutes, joined] = /^(\d{1,2})(?::(\d{2}))?(am|pm)?$/.exec(tokens[at]?.lower ?? "") ?? [];
  const next = tokens[at + 1]?.lower;
  const half = joined ?? (next === "am" || next === "pm" ? next : undefined);
  if (hours === undefined || (minutes === undefined && half === undefined)) return undefined;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === "pm" ? 12 : 0);
  if (hour > 23 || Number(minutes ?? 0) > 59) return undefined;
  const count = half !== undefined && joined === undefined ? 2 : 1;
  return { value: `${String(hour).padStart(2, "0")}:${minutes ?? "00"}`, count };
}
