import { createParser } from "eventsource-parser";
import { LLM_EVENT_CHARS_MAX } from "../../../core/limits/speech-providers/llm.ts";

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
 * (html.spec.whatwg.org/multipage/server-sent-events.html). Unlike the standard it accepts a last event without the
 * empty line after it, because some servers omit that line. Throws SseEventTooLong.
 */
export class SseReader {
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    maxBufferSize: LLM_EVENT_CHARS_MAX,
    onEvent: ({ event: name = "", data }) => this.#events.push({ name, data }),
    // Every other error is a field that the standard says to ignore.
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") throw new SseEventTooLong();
    },
  });
  #events: SseEvent[] = [];
  #afterCr = false;

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
    this.#events = [];
    // The parser would keep the line of a CR at the end until it knows whether a LF follows.
    this.#parser.feed(this.#afterCr ? `${text}\n` : text);
    return this.#events;
  }
}
