import { providerFailed } from "../../../core/errors.ts";
import type { LlmEvent } from "../../contracts.ts";
import { sdkFailure } from "./sdk-fetch.ts";

/**
 * Makes the events of a provider's SDK a reply by the contract of `Llm`: no event after an abort, and errors without
 * the provider's text. Each event is checked at run time, because the SDK's types do not verify what a server sends.
 */
export async function* replyStream(
  provider: string,
  send: () => Promise<AsyncIterable<LlmEvent>>,
  signal: AbortSignal,
): AsyncGenerator<LlmEvent> {
  if (signal.aborted) return;
  try {
    for await (const event of await send()) {
      if (signal.aborted) return;
      if (!isValid(event)) throw providerFailed(provider, "violated its protocol");
      yield event;
      if (signal.aborted) return;
    }
  } catch (error) {
    if (signal.aborted) return;
    throw sdkFailure(provider, error);
  }
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
