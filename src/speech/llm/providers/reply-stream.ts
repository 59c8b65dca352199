import { providerFailed } from "../../../core/errors.ts";
import type { LlmEvent } from "../../contracts.ts";
import { responseEvents, sdkFailure } from "./sdk-fetch.ts";
import type { SseEvent } from "./sse.ts";

/** How a provider's events are read. */
export interface EventFormat<Event> {
  /** Whether the response is over after this event, even if the server never ends it. */
  isLast: (event: SseEvent) => boolean;
  /** Undefined for an event without content. It may throw anything: that is a violation of the protocol. */
  parse: (event: SseEvent) => Event | undefined;
}

/** What the events of a reply mean. */
export interface ReplyReader<Event> {
  take(event: Event): Iterable<LlmEvent>;
  /** The response is over: whether the reply continues in that of another request. */
  isContinued?(): boolean;
  /** The last response is over: the end of the reply. Throws where the reply is not complete. */
  end(): Iterable<LlmEvent>;
}

/**
 * Makes a response of a provider's SDK a reply by the contract of `Llm`: no event after an abort, and errors without
 * the provider's text. Each event is checked at run time, because the SDK's types do not verify what a server sends.
 * `send` returns the response of `sdkFetch`.
 */
export async function* replyStream<Event>(
  provider: string,
  send: () => Promise<Response>,
  { isLast, parse }: EventFormat<Event>,
  reader: ReplyReader<Event>,
  signal: AbortSignal,
): AsyncGenerator<LlmEvent> {
  if (signal.aborted) return;
  try {
    let received = responseEvents(provider, await send(), isLast, signal);
    let isOver = false;
    try {
      while (!isOver) {
        const { events, isEnd } = await received.next();
        if (signal.aborted) return;
        for (const event of events) {
          const parsed = parse(event);
          for (const replied of parsed === undefined ? [] : reader.take(parsed)) {
            yield checked(provider, replied);
            if (signal.aborted) return;
          }
        }
        isOver = isEnd;
        if (isOver && reader.isContinued?.() === true) {
          await received.close(true);
          received = responseEvents(provider, await send(), isLast, signal);
          isOver = false;
        }
      }
    } finally {
      await received.close(isOver);
    }
    for (const replied of reader.end()) {
      yield checked(provider, replied);
      if (signal.aborted) return;
    }
  } catch (error) {
    if (signal.aborted) return;
    throw sdkFailure(provider, error);
  }
}

function checked(provider: string, event: LlmEvent): LlmEvent {
  if (!isValid(event)) throw providerFailed(provider, "violated its protocol");
  return event;
}

function isValid(event: LlmEvent): boolean {
  switch (event.kind) {
    case "text":
      return typeof event.text === "string";
    case "tool-call":
      return [event.id, event.name, event.argumentsJson].every((part) => typeof part === "string") && event.name !== "";
    case "end":
      return Number.isSafeInteger(event.inputTokens) && Number.isSafeInteger(event.outputTokens);
  }
}
