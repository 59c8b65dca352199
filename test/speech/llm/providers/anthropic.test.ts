// @module-tag llm

import { describe, expect, test } from "vitest";
import { asToolCallId } from "../../../../src/core/ids.ts";
import type { Llm, Message } from "../../../../src/speech/contracts.ts";
import { createAnthropicLlm } from "../../../../src/speech/llm/providers/anthropic/adapter.ts";
import { KEY, llmAdapterContract } from "../../../contract/speech/llm-adapter.ts";
import {
  anthropicEvent,
  messageAnswer,
  messageEnd,
  messageStart,
  textBlock,
  toolBlock,
  unfinishedMessage,
} from "../../../support/providers/llm/anthropic.ts";
import { eventsOf, llmRequest, says, startLlmServer, TOOL } from "../../../support/providers/llm/llm-kit.ts";

const llmAt = (url: string, model = "claude-haiku-4-5"): Llm =>
  createAnthropicLlm({ model, apiKey: KEY, baseUrl: url });

llmAdapterContract("anthropic", {
  make: llmAt,
  answer: messageAnswer,
  begun: unfinishedMessage,
  garbled: "event: content_block_delta\ndata: {half an answer\n\n",
  refusal: {
    body: JSON.stringify({
      type: "error",
      error: { type: "authentication_error", message: `invalid x-api-key ${KEY}` },
      request_id: "req_1",
    }),
    code: "authentication_error",
  },
  contextRefusals: [
    "prompt is too long: 207791 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000, decrease input length or `max_tokens`",
  ].map((message) => ({ status: 400, body: { type: "error", error: { type: "invalid_request_error", message } } })),
});

describe("requests to Anthropic", () => {
  test("have the messages, separate instructions, streaming and the API key", async () => {
    const { url, requests } = await startLlmServer(says(...messageAnswer("Hello")));
    await eventsOf(llmAt(url), llmRequest({ tools: [TOOL] }));
    expect(requests[0]?.path).toBe("/v1/messages");
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(requests[0]?.body).toEqual({
      model: "claude-haiku-4-5",
      max_tokens: 8_192,
      system: "Be brief.",
      messages: [{ role: "user", content: [{ type: "text", text: "Good morning." }] }],
      tools: [{ name: TOOL.name, description: TOOL.description, input_schema: TOOL.parameters }],
      temperature: 0.4,
      stream: true,
    });
  });

  test("alternate between the turns, the user's first and last, with tool results before the caller's next text", async () => {
    const messages: Message[] = [
      { role: "assistant", text: "Hartwell Bakery." },
      { role: "user", text: "When are" },
      { role: "user", text: "you open?" },
      {
        role: "assistant",
        text: "One moment.",
        toolCalls: [{ id: "call:1", name: "opening_hours", argumentsJson: '{"day":"Monday"}' }],
      },
      { role: "tool", toolCallId: asToolCallId("call:1"), name: "opening_hours", text: "closed" },
      { role: "user", text: "Hello?" },
      { role: "user", text: "  " },
    ];
    const { url, requests } = await startLlmServer(says(...messageAnswer("Closed.")));
    await eventsOf(llmAt(url), llmRequest({ messages }));
    const text = (words: string) => ({ type: "text", text: words });
    expect(requests[0]?.body.messages).toEqual([
      { role: "user", content: [text("(The caller has not said anything.)")] },
      { role: "assistant", content: [text("Hartwell Bakery.")] },
      { role: "user", content: [text("When are"), text("you open?")] },
      {
        role: "assistant",
        content: [
          text("One moment."),
          { type: "tool_use", id: "call_1", name: "opening_hours", input: { day: "Monday" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "closed" }, text("Hello?")] },
    ]);
    expect(requests[0]?.body).toMatchObject({
      tools: [{ name: "opening_hours", input_schema: { type: "object" } }],
      tool_choice: { type: "none" },
    });
  });

  test("contain a placeholder where the caller has not spoken", async () => {
    const { url, requests } = await startLlmServer(says(...messageAnswer("Hello")));
    await eventsOf(llmAt(url), llmRequest({ messages: [{ role: "system", text: "Be brief." }] }));
    expect(requests[0]?.body.messages).toHaveLength(1);
  });

  test("have a temperature only where the model accepts one, and low effort where the model reasons by default", async () => {
    const takes: readonly [string, boolean][] = [
      ["claude-3-5-haiku-latest", true],
      ["claude-haiku-4-5-20251001", true],
      ["claude-sonnet-4-20250514", true],
      ["claude-opus-4-6", true],
      ["claude-opus-4-7", false],
      ["claude-opus-4-8", false],
      ["claude-sonnet-5", false],
      ["claude-haiku-5-5", false],
    ];
    const { url, requests } = await startLlmServer(says(...messageAnswer("Hello")));
    for (const [model] of takes) await eventsOf(llmAt(url, model));
    expect(requests.map(({ body }) => [body.model, body.temperature === 0.4])).toEqual(takes);
    // The API's current version accepts a temperature for no model, the older version not for the later models.
    expect(requests.map(({ headers }) => headers["anthropic-version"])).toEqual(
      takes.map(([, taken]) => (taken ? "2023-06-01" : "2026-10-21")),
    );
    expect(requests.map(({ body }) => body.output_config)).toEqual(
      takes.map(([, taken]) => (taken ? undefined : { effort: "low" })),
    );
  });
});

/** A long text, as it would arrive. */
const partsOf = (text: string): string[] =>
  Array.from({ length: Math.ceil(text.length / 10_000) }, (_, at) => text.slice(at * 10_000, (at + 1) * 10_000));

describe("responses of Anthropic", () => {
  test("become text, complete tool calls with progress events, no reasoning, and usage that includes the cache", async () => {
    const { url } = await startLlmServer(
      says(
        messageStart(100, 900),
        anthropicEvent({ type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } }),
        anthropicEvent({
          type: "content_block_delta",
          index: 0,
          delta: { type: "thinking_delta", thinking: "He wants Monday." },
        }),
        anthropicEvent({ type: "content_block_stop", index: 0 }),
        ...textBlock(1, "One ", "moment."),
        ...toolBlock(2, "toolu_1", "opening_hours", "", '{"day": ', '"Monday"}'),
        ...toolBlock(3, "toolu_2", "hang_up"),
        anthropicEvent({ type: "something_new", field: 1 }),
        ...messageEnd(33, "tool_use"),
      ),
    );
    expect(await eventsOf(llmAt(url))).toEqual([
      { kind: "text", text: "One " },
      { kind: "text", text: "moment." },
      ...[1, 2].map(() => ({ kind: "text", text: "" })),
      { kind: "tool-call", id: "toolu_1", name: "opening_hours", argumentsJson: '{"day": "Monday"}' },
      { kind: "tool-call", id: "toolu_2", name: "hang_up", argumentsJson: "{}" },
      { kind: "end", inputTokens: 1_000, outputTokens: 33 },
    ]);
  });

  test("P5: the reply ends at message_stop even if the body never ends, and the socket is closed", async () => {
    const fake = await startLlmServer({ kind: "events", events: messageAnswer("Good morning."), staysOpen: true });
    expect((await eventsOf(llmAt(fake.url))).at(-1)?.kind).toBe("end");
    await fake.until(() => fake.brokenOff === 1);
  });

  test("P13: a thousand tool calls, invalid JSON arguments and a megabyte of arguments are passed on to be refused", async () => {
    const blocks = Array.from({ length: 1_000 }, (_, index) => toolBlock(index, `toolu_${index}`, "again", "{oops"));
    const megabyte = `{"day":"${"x".repeat(1_000_000)}"}`;
    const { url } = await startLlmServer(
      says(messageStart(1), ...blocks.flat(), ...messageEnd(1, "tool_use")),
      says(messageStart(1), ...toolBlock(0, "toolu_1", "again", ...partsOf(megabyte)), ...messageEnd(1, "tool_use")),
    );
    const calls = (await eventsOf(llmAt(url))).filter(({ kind }) => kind === "tool-call");
    expect(calls).toHaveLength(1_000);
    expect(calls[0]).toMatchObject({ argumentsJson: "{oops" });
    expect((await eventsOf(llmAt(url))).at(-2)).toMatchObject({ argumentsJson: megabyte });
  });

  test("P13: JSON that violates the protocol is a failure, never an event", async () => {
    const block = { type: "tool_use", id: 1, name: { first: "again" }, input: {} };
    const { url } = await startLlmServer(
      says(anthropicEvent({ type: "message_start" })),
      says(messageStart(1), anthropicEvent({ type: "content_block_start", index: 0, content_block: block })),
      says(messageStart(1), anthropicEvent({ type: "content_block_delta", index: 7, delta: 5 })),
    );
    for (let answer = 0; answer < 3; answer += 1) {
      await expect(eventsOf(llmAt(url))).rejects.toMatchObject({ code: "provider_failed" });
    }
  });

  test("a refusal and an error within a reply are failures with their code", async () => {
    const error = { type: "overloaded_error", message: "The prompt was: Be brief." };
    const { url } = await startLlmServer(
      says(messageStart(1), ...messageEnd(1, "refusal")),
      says(...unfinishedMessage("Well"), anthropicEvent({ type: "error", error })),
    );
    await expect(eventsOf(llmAt(url))).rejects.toThrow("anthropic: withheld its reply (refusal)");
    await expect(eventsOf(llmAt(url))).rejects.toThrow(
      "anthropic: reported an error during its reply (overloaded_error)",
    );
  });
});
