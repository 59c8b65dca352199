import type { Turn } from "./types.ts";

const NAMES: Readonly<Record<Turn["role"], string>> = { agent: "Agent", user: "Caller" };

/** The transcript as text: a line for each turn with its time. */
export const transcriptText = (turns: readonly Turn[]): string =>
  turns.map(({ role, text = "", startMs }) => `[${clock(startMs, ".")}] ${NAMES[role]}: ${oneLine(text)}\n`).join("");

/** The transcript as SubRip subtitles: a numbered cue for each turn. */
export const transcriptSrt = (turns: readonly Turn[]): string =>
  turns
    .filter(({ text = "" }) => text.trim() !== "")
    .map(({ role, text = "", startMs, endMs }, index) =>
      [index + 1, `${clock(startMs, ",")} --> ${clock(endMs, ",")}`, `${NAMES[role]}: ${oneLine(text)}`, ""].join("\n"),
    )
    .join("\n");

export const jsonText = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** A blank line would end a cue. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** `00:01:02,345`. */
function clock(atMs: number, point: "." | ","): string {
  const ms = Math.max(0, Math.round(atMs));
  const parts = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1_000) % 60];
  const [hours, minutes, seconds] = parts.map((part) => String(part).padStart(2, "0"));
  return `${hours}:${minutes}:${seconds}${point}${String(ms % 1_000).padStart(3, "0")}`;
}
