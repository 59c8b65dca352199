// Days of the usage are those of UTC, as the service adds them up.

const DAY_MS = 86_400_000;

/** The lengths of a period that are offered, in days; the first is shown until the person chooses. */
export const LENGTHS = [30, 7, 90, 365] as const;
const [DEFAULT_DAYS] = LENGTHS;

/** Days of UTC, such as `2026-11-28`, the first and the last one of them. */
export interface Period {
  firstDay: string;
  lastDay: string;
}

/**
 * The period of an address: its `from` and `to`, or its `days` up to today. What is no day is left out; without an end the period goes
 * on until today.
 */
export function periodOf(query: Readonly<Record<string, string>>, nowMs: number): Period {
  const lastDay = dayIn(query.to) ?? dayOf(nowMs);
  const days = Number(query.days);
  const count = LENGTHS.some((length) => length === days) ? days : DEFAULT_DAYS;
  return { firstDay: dayIn(query.from) ?? dayOf(msOf(lastDay) - (count - 1) * DAY_MS), lastDay };
}

/** What `GET /usage` is asked for a period: its end is the beginning of the day after it. */
export const rangeOf = ({ firstDay, lastDay }: Period): { from: string; to: string } => ({
  from: new Date(msOf(firstDay)).toISOString(),
  to: new Date(msOf(lastDay) + DAY_MS).toISOString(),
});

/** All days of a period, from the first; none where it ends before it begins. */
export function daysOf({ firstDay, lastDay }: Period): string[] {
  const days: string[] = [];
  for (let ms = msOf(firstDay); ms <= msOf(lastDay); ms += DAY_MS) days.push(dayOf(ms));
  return days;
}

/** The beginning of a day in milliseconds since the epoch. */
export const msOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, "2026-11-28".length);

const dayIn = (text: string | undefined): string | undefined =>
  text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(msOf(text)) ? text : undefined;
