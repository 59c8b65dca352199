import type { CallerEvent } from "../simulator/callers/caller.ts";
import type { ServiceMessage } from "../simulator/peers/websocket-client.ts";

export interface TerminalOptions {
  write(text: string): void;
  colour: boolean;
}

type Speaker = "agent" | "caller";

const RESET = "\x1b[0m";
const COLOURS = { agent: "\x1b[36m", caller: "\x1b[33m", note: "\x1b[2m" } as const;

/**
 * Shows a conversation as it happens, in plain lines: one for each turn, which grows word by word, and one for each
 * note between them. Nothing already written is ever changed, so that the same text is good for a terminal and for a
 * file.
 */
export class Terminal {
  readonly #options: TerminalOptions;
  #startedMs = 0;
  /** Whose line is being written; undefined at the beginning of a line. */
  #speaker: Speaker | undefined;

  constructor(options: TerminalOptions) {
    this.#options = options;
  }

  /** The call begins; all times are shown from here on as seconds since `atMs` of the clock. */
  begin(atMs: number): void {
    this.#startedMs = atMs;
  }

  /** A line of its own. */
  note(text: string): void {
    this.#endLine();
    this.#options.write(`${this.#paint("note", printable(text))}\n`);
  }

  show(notice: CallerEvent): void {
    switch (notice.kind) {
      case "word":
        this.#word(notice.who, notice.atMs, notice.word);
        return;
      case "agent-began":
        this.#endLine();
        if (notice.latencyMs !== undefined) this.note(`           answer after ${Math.round(notice.latencyMs)} ms`);
        return;
      case "caller-began":
        this.#endLine();
        if (notice.overAgent) this.note("           the caller interrupts");
        return;
      case "agent-silenced":
        this.note(`           the agent fell silent ${Math.round(notice.stoppedAfterMs)} ms into the interruption`);
        return;
    }
  }

  /** What the service tells of itself, as far as it is not heard anyway. */
  showServiceMessage(message: ServiceMessage): void {
    if (message.type === "transcript" && message.role === "user" && message.final) {
      this.note(`           understood as: ${message.text}`);
    }
    if (message.type === "error") this.note(`           the service complains of ${message.code}: ${message.message}`);
    if (message.type === "ended") this.note(`           the service ends the call: ${message.reason}`);
  }

  #word(who: Speaker, atMs: number, word: string): void {
    if (this.#speaker !== who) {
      this.#endLine();
      this.#speaker = who;
      const seconds = ((atMs - this.#startedMs) / 1_000).toFixed(1).padStart(6);
      this.#options.write(`${seconds} s  ${this.#paint(who, who.padEnd(8))}`);
    }
    this.#options.write(` ${printable(word)}`);
  }

  #endLine(): void {
    if (this.#speaker !== undefined) this.#options.write("\n");
    this.#speaker = undefined;
  }

  #paint(kind: keyof typeof COLOURS, text: string): string {
    return this.#options.colour ? `${COLOURS[kind]}${text}${RESET}` : text;
  }
}

/** A text that may come from the other end, without what would steer a terminal. */
export const printable = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]/gu, "\ufffd");

/** Rows of text in columns as wide as their widest cell; numbers are given as text. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
