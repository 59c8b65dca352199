import { LLM_EVENT_CHARS_MAX } from "../../../core/limits/llm.ts";

/** One server-sent event: the name it was given, "" for none, and its data, lines joined. */
export interface SseEvent {
  name: string;
  data: string;
}

/** An event is longer than any that a model has reason to send. */
export class SseEventTooLong extends Error {
  override readonly name = "EventTooLong";
}

/**
 * Reads server-sent events from bytes that come in any pieces, by the rules of the HTML standard, section 9.2.6
 * (html.spec.whatwg.org/multipage/server-sent-events.html): LF, CR and CRLF end a line, a byte order mark is dropped, comments
 * and unknown fields say nothing. Other than there the last event also counts without the empty line behind it, which servers
 * forget. Throws EventTooLong.
 */
export class SseReader {
  readonly #decoder = new TextDecoder();
  /** The line that is not over yet. */
  #line = "";
  #afterCr = false;
  #name = "";
  #data: string[] = [];
  #chars = 0;

  /** Takes more bytes; returns the events that are complete now. */
  push(bytes: Uint8Array): SseEvent[] {
    return this.#take(this.#decoder.decode(bytes, { stream: true }));
  }

  /** There are no more bytes: the event that was left open, if any. */
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
    // A comment, as servers send them to keep a connection alive, takes no room.
    else this.#chars -= line.length;
  }
}

/** An event whose data is JSON, written so that the plainest reader understands it: one line each, LF, an empty line behind. */
export function formatSseEvent({ name, data }: SseEvent): string {
  // A line break between the tokens of JSON is as good as a space; within a string there is none.
  const line = `data: ${data.replaceAll("\n", " ")}\n\n`;
  return name === "" ? line : `event: ${name}\n${line}`;
}
