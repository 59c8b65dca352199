import { onTestFinished } from "vitest";
import type { Llm, LlmEvent, LlmRequest } from "../../../../src/speech/contracts.ts";
import { LlmServer, type LlmServerStep } from "./llm-server.ts";

// What the tests of all LLM adapters share: a fake server, which stops with the test, a request, and its events.

export const TOOL = {
  name: "opening_hours",
  description: "When the bakery is open.",
  parameters: { type: "object", properties: { day: { type: "string" } }, required: ["day"] },
};

/** A caller's first turn, with `more` in place of its parts. */
export const llmRequest = (more: Partial<LlmRequest> = {}): LlmRequest => ({
  messages: [
    { role: "system", text: "Be brief." },
    { role: "user", text: "Good morning." },
  ],
  tools: [],
  temperature: 0.4,
  language: "en",
  ...more,
});

/** A server that plays these steps, until the test ends. */
export async function startLlmServer(...steps: readonly LlmServerStep[]): Promise<LlmServer> {
  const server = await LlmServer.start(...steps);
  onTestFinished(() => server.stop());
  return server;
}

/** The step of a whole response. */
export const says = (...events: readonly string[]): LlmServerStep => ({ kind: "events", events });

/** All events of a reply. `onEvent` sees each as it comes. */
export async function eventsOf(
  llm: Llm,
  request = llmRequest(),
  signal = new AbortController().signal,
  onEvent = (_: LlmEvent): void => {},
): Promise<LlmEvent[]> {
  const events: LlmEvent[] = [];
  for await (const event of llm.reply(request, signal)) {
    events.push(event);
    onEvent(event);
  }
  return events;
}
