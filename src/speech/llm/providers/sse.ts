import { LLM_EVENT_CHARS_MAX } from "../../../core/limits/llm.ts";

/** One server-sent event: its name, "" for none, and its data with the lines joined. */
export interface SseEvent {
  name: string;
  data: string;
}

/** An event is longer than any valid event of an LLM. */
export class SseEventTooLong extends Error {
  override readonly name = "SseEventTooLong";
}

/**
 * Parses server-sent events from chunks of bytes of any size, by the rules of the HTML standard, section 9.2.6
 * (html.spec.whatwg.org/multipage/server-sent-events.html): LF, CR and CRLF end a line, a byte order mark is dropped,
 * comments and unknown fields are ignored. Unlike the standard it accepts a last event without the empty line after it,
 * because some servers omit that line. Throws SseEventTooLong.
 */
export class SseReader {
  readonly #decoder = new TextDecoder();
  /** The incomplete line at the end. */
  #line = "";
  #afterCr = false;
  #name = "";
  #data: string[] = [];
  #chars = 0;

  /** Takes more bytes; returns the events that are complete now. */
  push(bytes: Uint8Array): SseEvent[] {
    return this.#take(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Ends the input; returns the event that is still open, if any. */
  end(): SseEvent[] {
    return this.#take(`${this.#decoder.decode()}\n\n`);
  }

  #take(decoded: string): SseEvent[] {
    if (decoded === "") return [];
    const text = this.#afterCr && decoded.startsWith("\n") ? decoded.slice(1) : decoded;
    this.#afterCr = text.endsWith("\r");
    const events: SseEvent[] = [];
    const lines = text.split(/\r\n|\r|\n/);
    const open = lines.pop() ?? "";
    for (const line of lines) {
      this.#count(line);
      this.#takeLine(this.#line + line, events);
      this.#line = "";
    }
    this.#count(open);
    this.#line += open;
    return events;
  }

  #count(part: string): void {
    this.#chars += part.length;
    if (this.#chars > LLM_EVENT_CHARS_MAX) throw new SseEventTooLong();
  }

  #takeLine(line: string, events: SseEvent[]): void {
    if (line === "") {
      if (this.#data.length > 0) events.push({ name: this.#name, data: this.#data.join("\n") });
      this.#name = "";
      this.#data = [];
      this.#chars = 0;
      return;
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#name = value;
    // Comments, which servers send to keep a connection alive, do not count towards the size limit.
    else this.#chars -= line.length;
  }
}

/** Formats an event with JSON data for the simplest parsers: each field on one line, LF, then an empty line. */
export function formatSseEvent({ name, data }: SseEvent): string {
  // A line break between JSON tokens can be replaced by a space; JSON strings contain none.
  const line = `data: ${data.replaceAll("\n", " ")}\n\n`;
  return name === "" ? line : `event: ${name}\n${line}`;
}
