/** What stands in the fields of forms, and what the API gets of it. What is no such value goes as it is: the API says what is wrong. */

/** The entries of a text with one on each line, or with commas between them. */
export const listOf = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

/** The lines of a text that are not blank. */
export const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** The number of a text. */
export const numberOf = (text: string): number => {
  const trimmed = text.trim();
  return (/^-?\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : trimmed) as number;
};

/** The same, where an empty field stands for no limit. */
export const numberOrNull = (text: string): number | null => (text.trim() === "" ? null : numberOf(text));

/** A text, where an empty field stands for none. */
export const textOrNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());

/** The members of a text with `name=value` on each line. */
export const pairsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => {
        const [name = "", ...value] = line.split("=");
        return [name.trim(), value.join("=").trim()];
      }),
  );

/** What a field for a local time shows of a time in ISO 8601; empty for what is none. */
export function localTimeOf(iso: string | null | undefined): string {
  const time = new Date(iso ?? "");
  if (Number.isNaN(time.getTime())) return "";
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** The time in ISO 8601 of a field for a local time; null where it is empty. */
export const isoTimeOf = (local: string): string | null => (local === "" ? null : new Date(local).toISOString());
