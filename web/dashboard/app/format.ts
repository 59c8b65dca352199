/** How the dashboard writes figures. The language is English, as that of the pages; the zone is the viewer's. */
const LANGUAGE = "en-GB";

const grouped = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 2 });

/** `12,345.67`. */
export const numberText = (value: number): string => grouped.format(value);

/** `1:02.3`, `1:00:02.3` from an hour on, and `0:00.4`; without tenths of a second where `tenths` is false. */
export function durationText(durationMs: number, { tenths = true }: { tenths?: boolean } = {}): string {
  const unitMs = tenths ? 100 : 1_000;
  const units = Math.round(Math.max(0, durationMs) / unitMs);
  const seconds = Math.floor((units * unitMs) / 1_000);
  const rest = tenths ? `.${units % 10}` : "";
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [hours, minutes, last] = parts as [number, number, number];
  const two = (part: number): string => String(part).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(last)}${rest}` : `${minutes}:${two(last)}${rest}`;
}

const BYTE_UNITS = ["bytes", "kB", "MB", "GB", "TB"] as const;

/** `310 kB`, `1.2 MB`: with one digit after the point below 10. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : numberText(Math.round(value))} ${BYTE_UNITS[unit]}`;
}

/** A delay: `840 ms`, from 10 s on `12.4 s`. */
export const delayText = (delayMs: number): string =>
  delayMs < 10_000 ? `${grouped.format(Math.round(delayMs))} ms` : `${(delayMs / 1_000).toFixed(1)} s`;

/** With 4 significant digits, and with cents at least: `0.01235 USD`, `12,345.68 USD`. `currency` is ISO 4217. */
export function moneyText(amount: number, currency: string): string {
  const magnitude = amount === 0 ? 0 : Math.floor(Math.log10(Math.abs(amount)));
  const digits = Math.min(FRACTION_DIGITS_MAX, Math.max(2, 3 - magnitude));
  return `${amounts(digits).format(amount)} ${currency}`;
}

/** A format costs as much as a hundred uses of it: each is made once. */
function once<Given, Format>(make: (given: Given) => Format): (given: Given) => Format {
  const made = new Map<Given, Format>();
  return (given) => {
    const format = made.get(given) ?? make(given);
    made.set(given, format);
    return format;
  };
}

const amounts = once(
  (digits: number) => new Intl.NumberFormat(LANGUAGE, { minimumFractionDigits: 2, maximumFractionDigits: digits }),
);

/** As many as `Intl` writes. */
const FRACTION_DIGITS_MAX = 20;

export interface TimeOptions {
  /** With seconds; true by default. */
  seconds?: boolean;
  /** In place of the viewer's zone, in tests. */
  timeZone?: string;
}

/** A time of today as `14:03:07`, another one as `27 Nov 2026, 14:03:07`, in the viewer's zone. */
export function timeText(time: Date, now: Date, { seconds = true, timeZone }: TimeOptions = {}): string {
  const at = (seconds ? clocksWithSeconds : clocks)(timeZone).format(time);
  const [day, today] = [time, now].map((one) => days(timeZone).format(one));
  return day === today ? at : `${day}, ${at}`;
}

const dateFormats = (options: Intl.DateTimeFormatOptions) =>
  once(
    (timeZone: string | undefined) =>
      new Intl.DateTimeFormat(LANGUAGE, timeZone === undefined ? options : { ...options, timeZone }),
  );
const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const clocks = dateFormats(CLOCK);
const clocksWithSeconds = dateFormats({ ...CLOCK, second: "2-digit" });
const days = dateFormats({ day: "numeric", month: "short", year: "numeric" });

/** The same time in UTC: `2026-11-27 13:03:07 UTC`. */
export const utcText = (time: Date): string => `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** `caller_hangup` as `caller hangup`: words of the API for people. */
export const words = (name: string): string => name.replaceAll(/[_-]/g, " ");
