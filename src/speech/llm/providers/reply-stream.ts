import { providerFailed } from "../../../core/errors.ts";
import type { LlmEvent } from "../../contracts.ts";
import { sdkFailure } from "./sdk-fetch.ts";

/**
 * A reply as `Llm` promises it, of the events that `ask` gets from a model's client: nothing after an abort, failures without foreign
 * words, and no event that is not what its type says, for of what a server sent the types only hope so.
 */
export async function* replyStream(
  provider: string,
  ask: () => Promise<AsyncIterable<LlmEvent>>,
  signal: AbortSignal,
): AsyncGenerator<LlmEvent> {
  if (signal.aborted) return;
  try {
    for await (const event of await ask()) {
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
