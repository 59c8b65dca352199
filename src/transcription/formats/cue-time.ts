/** A time as subtitles have it, `01:02:03.004`, with `separator` before the milliseconds. */
export function cueTime(ms: number, separator: "," | "."): string {
  const digits = (value: number, length: number): string => String(Math.floor(value)).padStart(length, "0");
  const clock = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1_000) % 60].map((value) => digits(value, 2)).join(":");
  return `${clock}${separator}${digits(ms % 1_000, 3)}`;
}
