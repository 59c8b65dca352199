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
 * Shows a conversation live, in plain lines: one for each turn, which grows word by word, and one for each note between them.
 * Written text is never changed, so the output suits a terminal and a file.
 */
export class Terminal {
  readonly #options: TerminalOptions;
  #startedMs = 0;
  /** The side whose line is being written; undefined at the beginning of a line. */
  #speaker: Speaker | undefined;

  constructor(options: TerminalOptions) {
    this.#options = options;
  }

  /** The call begins; from now on times are shown as seconds since `atMs` of the clock. */
  begin(atMs: number): void {
    this.#startedMs = atMs;
  }

  /** Prints a separate line. */
  note(text: string): void {
    this.#endLine();
    this.#options.write(`${this.#paint("note", printable(text))}\n`);
  }

  show(event: CallerEvent): void {
    switch (event.kind) {
      case "word":
        this.#word(event.who, event.atMs, event.word);
        return;
      case "agent-began":
        this.#endLine();
        if (event.latencyMs !== undefined) this.note(`           reply after ${Math.round(event.latencyMs)} ms`);
        return;
      case "caller-began":
        this.#endLine();
        if (event.overAgent) this.note("           the caller interrupts");
        return;
      case "agent-silenced":
        this.note(`           the agent fell silent ${Math.round(event.stoppedAfterMs)} ms into the interruption`);
        return;
    }
  }

  /** Shows messages of the service that are not audible anyway. */
  showServiceMessage(message: ServiceMessage): void {
    if (message.type === "transcript" && message.role === "user" && message.final) {
      this.note(`           understood as: ${message.text}`);
    }
    if (message.type === "error") this.note(`           the service reports ${message.code}: ${message.message}`);
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

/** Text that may come from the other end, without terminal control characters. */
export const printable = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]/gu, "\ufffd");

/** Rows of text in columns as wide as their widest cell; numbers must be given as text. */
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
