// @module-tag llm

import { describe, expect, test } from "vitest";
import { asToolCallId } from "../../../../src/core/ids.ts";
import type { Llm, Message } from "../../../../src/speech/contracts.ts";
import { createOpenAiLlm } from "../../../../src/speech/llm/providers/openai/adapter.ts";
import { KEY, llmAdapterContract } from "../../../contract/speech/llm-adapter.ts";
import { eventsOf, llmRequest, says, startLlmServer, TOOL } from "../../../support/providers/llm/llm-kit.ts";
import { CHAT_DONE, chatAnswer, chatDelta, chatUsage, unfinishedChat } from "../../../support/providers/llm/openai.ts";

const llmAt = (url: string, model = "fake-1"): Llm => createOpenAiLlm({ model, apiKey: KEY, baseUrl: `${url}/v1` });

llmAdapterContract("openai", {
  make: llmAt,
  answer: chatAnswer,
  begun: unfinishedChat,
  garbled: "data: {half an answer\n\n",
  refusal: {
    body: JSON.stringify({
      error: {
        message: `Incorrect API key: ${KEY}`,
        type: "invalid_request_error",
        param: null,
        code: "invalid_api_key",
      },
    }),
    code: "invalid_api_key",
  },
  contextRefusals: [
    {
      status: 400,
      body: {
        error: {
          message:
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9120 tokens.",
          type: "invalid_request_error",
          param: "messages",
          code: "context_length_exceeded",
        },
      },
    },
    // vLLM: a number for a code; up to 0.9 without `error` around it.
    {
      status: 400,
      body: {
        object: "error",
        message: "This model's maximum context length is 8192 tokens. However, you requested 9120 tokens.",
        type: "BadRequestError",
        param: null,
        code: 400,
      },
    },
    // llama.cpp
    {
      status: 400,
      body: {
        error: {
          code: 400,
          message: "request (9120 tokens) exceeds the available context size (8192 tokens), try increasing it",
          type: "exceed_context_size_error",
          n_prompt_tokens: 9_120,
          n_ctx: 8_192,
        },
      },
    },
  ],
});

describe("requests to OpenAI's chat completions", () => {
  test("have the messages, streaming with usage and the API key", async () => {
    const { url, requests } = await startLlmServer(says(...chatAnswer("Hello")));
    await eventsOf(llmAt(url), llmRequest({ tools: [TOOL] }));
    expect(requests[0]?.path).toBe("/v1/chat/completions");
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(requests[0]?.body).toEqual({
      model: "fake-1",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Good morning." },
      ],
      tools: [{ type: "function", function: TOOL }],
      temperature: 0.4,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test("contain earlier tool calls with their results; invalid JSON arguments are not sent again", async () => {
    const messages: Message[] = [
      { role: "user", text: "When are you open?" },
      {
        role: "assistant",
        text: "",
        toolCalls: [
          { id: "1", name: "opening_hours", argumentsJson: '{"day":"Monday"}' },
          { id: "2", name: "opening_hours", argumentsJson: '{"day":' },
        ],
      },
      { role: "tool", toolCallId: asToolCallId("1"), name: "opening_hours", text: "closed" },
      { role: "tool", toolCallId: asToolCallId("2"), name: "opening_hours", text: "error" },
    ];
    const { url, requests } = await startLlmServer(says(...chatAnswer("Closed.")));
    await eventsOf(llmAt(url), llmRequest({ messages }));
    const call = (id: string, json: string) => ({
      id,
      type: "function",
      function: { name: "opening_hours", arguments: json },
    });
    expect(requests[0]?.body.messages).toEqual([
      { role: "user", content: "When are you open?" },
      { role: "assistant", content: null, tool_calls: [call("1", '{"day":"Monday"}'), call("2", "{}")] },
      { role: "tool", tool_call_id: "1", content: "closed" },
      { role: "tool", tool_call_id: "2", content: "error" },
    ]);
  });

  test("alternate between the sides, with the caller first and last, as the templates of many models require", async () => {
    const messages: Message[] = [
      { role: "system", text: "Be brief." },
      { role: "assistant", text: "Hello." },
      { role: "assistant", text: "Are you there?" },
      { role: "user", text: "Yes." },
      { role: "user", text: "When are you open?" },
      {
        role: "assistant",
        text: "One moment.",
        toolCalls: [{ id: "1", name: "opening_hours", argumentsJson: "{}" }],
      },
      { role: "tool", toolCallId: asToolCallId("1"), name: "opening_hours", text: "closed" },
      { role: "user", text: "Well?" },
      { role: "assistant", text: "Closed." },
    ];
    const { url, requests } = await startLlmServer(says(...chatAnswer("Closed.")));
    await eventsOf(llmAt(url), llmRequest({ messages }));
    const silence = { role: "user", content: "(The caller has not said anything.)" };
    const call = { id: "1", type: "function", function: { name: "opening_hours", arguments: "{}" } };
    expect(requests[0]?.body.messages).toEqual([
      { role: "system", content: "Be brief." },
      silence,
      { role: "assistant", content: "Hello.\nAre you there?" },
      { role: "user", content: "Yes.\nWhen are you open?" },
      { role: "assistant", content: "One moment.", tool_calls: [call] },
      { role: "tool", tool_call_id: "1", content: "closed" },
      { role: "user", content: "Well?" },
      { role: "assistant", content: "Closed." },
      silence,
    ]);
  });

  test("request the least reasoning from reasoning models, and no temperature", async () => {
    const efforts: readonly [string, string | undefined][] = [
      ["gpt-4o-mini", undefined],
      ["gpt-5-chat-latest", undefined],
      ["gpt-5.3-chat-latest", undefined],
      ["gpt-oss:20b", undefined],
      ["openai/gpt-oss-120b", undefined],
      ["gpt-5", "minimal"],
      ["gpt-5-mini-2025-08-07", "minimal"],
      ["gpt-5.1", "none"],
      ["gpt-5.6-luna", "none"],
      ["gpt-6-luna", "none"],
      ["gpt-6-astra", "low"],
      ["gpt-6.1-sol-2026-10-01", "low"],
      ["o4-mini", "low"],
    ];
    const { url, requests } = await startLlmServer(says(...chatAnswer("Hello")));
    for (const [model] of efforts) await eventsOf(llmAt(url, model));
    expect(requests.map(({ body }) => [body.model, body.reasoning_effort])).toEqual(efforts);
    expect(requests.map(({ body }) => body.temperature)).toEqual(
      efforts.map(([, effort]) => (effort === undefined ? 0.4 : undefined)),
    );
  });
});

describe("responses of OpenAI's chat completions", () => {
  test("become text as it arrives, then the usage", async () => {
    const { url } = await startLlmServer(says(...chatAnswer("Good ", "morning.")));
    expect(await eventsOf(llmAt(url))).toEqual([
      { kind: "text", text: "Good " },
      { kind: "text", text: "morning." },
      { kind: "end", inputTokens: 21, outputTokens: 2 },
    ]);
  });

  test("become complete tool calls, with a progress event for each delta", async () => {
    const delta = (index: number, more: object) => chatDelta({ tool_calls: [{ index, ...more }] });
    const { url } = await startLlmServer(
      says(
        chatDelta({ role: "assistant", content: null }),
        delta(0, { id: "call_a", type: "function", function: { name: "opening_hours", arguments: "" } }),
        delta(0, { function: { arguments: '{"day":' } }),
        delta(1, { id: "call_b", type: "function", function: { name: "hang_up", arguments: "" } }),
        delta(0, { function: { arguments: '"Monday"}' } }),
        chatDelta({}, "tool_calls"),
        chatUsage(30, 12),
        CHAT_DONE,
      ),
    );
    expect(await eventsOf(llmAt(url))).toEqual([
      ...[1, 2].map(() => ({ kind: "text", text: "" })),
      { kind: "tool-call", id: "call_a", name: "opening_hours", argumentsJson: '{"day":"Monday"}' },
      { kind: "tool-call", id: "call_b", name: "hang_up", argumentsJson: "{}" },
      { kind: "end", inputTokens: 30, outputTokens: 12 },
    ]);
  });

  test("may omit usage, [DONE], content, and indexes and ids of tool calls", async () => {
    const whole = (name: string) => ({ index: 0, function: { name, arguments: '{"day":"Monday"}' } });
    const { url } = await startLlmServer(
      says(
        `data: ${JSON.stringify({ choices: [{ delta: { role: "assistant" } }] })}\n\n`,
        `data: ${JSON.stringify({ choices: [{ delta: { content: null } }] })}\n\n`,
        `data: ${JSON.stringify({ choices: [{ delta: { content: "Well." } }] })}\n\n`,
        `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [whole("first")] } }] })}\n\n`,
        `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [whole("second")] } }] })}\n\n`,
        `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: "tool_calls" }] })}\n\n`,
      ),
    );
    const events = await eventsOf(llmAt(url));
    const argumentsJson = '{"day":"Monday"}';
    expect(events).toEqual([
      { kind: "text", text: "Well." },
      ...[1, 2].map(() => ({ kind: "text", text: "" })),
      { kind: "tool-call", id: expect.stringMatching(/^call_.{8}/), name: "first", argumentsJson },
      { kind: "tool-call", id: expect.stringMatching(/^call_.{8}/), name: "second", argumentsJson },
      { kind: "end", inputTokens: 0, outputTokens: 0 },
    ]);
    const ids = events.flatMap((event) => (event.kind === "tool-call" ? [event.id] : []));
    expect(new Set(ids).size).toBe(2);
  });

  test("may have nulls in later deltas: SGLang's ids and indexes, vLLM's last delta", async () => {
    const delta = (more: object) => chatDelta({ tool_calls: [more] });
    const { url } = await startLlmServer(
      says(
        delta({ id: "call_a", index: 0, type: "function", function: { name: "opening_hours", arguments: "" } }),
        delta({ id: null, index: 0, type: "function", function: { name: null, arguments: '{"day":' } }),
        delta({ id: null, index: null, function: { name: null, arguments: '"Monday"}' } }),
        delta({ id: null, index: 0, type: null, function: { name: null, arguments: null } }),
        chatDelta({}, "tool_calls"),
        CHAT_DONE,
      ),
    );
    expect((await eventsOf(llmAt(url))).filter(({ kind }) => kind === "tool-call")).toEqual([
      { kind: "tool-call", id: "call_a", name: "opening_hours", argumentsJson: '{"day":"Monday"}' },
    ]);
  });

  test("P5: the reply ends at [DONE] even if the body never ends, and the socket is closed", async () => {
    const fake = await startLlmServer({ kind: "events", events: chatAnswer("Good morning."), staysOpen: true });
    expect((await eventsOf(llmAt(fake.url))).at(-1)?.kind).toBe("end");
    await fake.until(() => fake.brokenOff === 1);
  });

  test("P13: a tool call without a name fails; a thousand tool calls and invalid JSON arguments are passed on to be refused", async () => {
    const calls = Array.from({ length: 1_000 }, (_, index) =>
      chatDelta({ tool_calls: [{ index, id: `call_${index}`, function: { name: "again", arguments: "{oops" } }] }),
    );
    const { url } = await startLlmServer(
      says(
        chatDelta({ tool_calls: [{ index: 0, id: "call_1", function: { arguments: "{}" } }] }),
        chatDelta({}, "stop"),
      ),
      says(...calls, chatDelta({}, "tool_calls"), CHAT_DONE),
    );
    await expect(eventsOf(llmAt(url))).rejects.toMatchObject({ code: "provider_failed" });
    const events = await eventsOf(llmAt(url));
    const requests = events.filter(({ kind }) => kind === "tool-call");
    expect(requests).toHaveLength(1_000);
    expect(requests[0]).toMatchObject({ argumentsJson: "{oops" });
  });

  test("P13: JSON that violates the protocol is a failure, never an event", async () => {
    const answers = [
      "data: null\n\n",
      'data: {"choices":5}\n\n',
      'data: {"choices":[{"delta":{"tool_calls":7},"finish_reason":"stop"}]}\n\n',
      'data: {"choices":[{"delta":{"tool_calls":[{"id":1,"function":{"name":2}}]},"finish_reason":"stop"}]}\n\n',
    ];
    const { url } = await startLlmServer(...answers.map((answer) => says(answer)));
    for (const _ of answers) await expect(eventsOf(llmAt(url))).rejects.toMatchObject({ code: "provider_failed" });
  });

  test("a reply withheld by a filter and an error within a reply are failures with their code", async () => {
    const error = { message: "The prompt was: Be brief.", type: "server_error", code: null };
    const { url } = await startLlmServer(
      says(chatDelta({ content: "Well" }), chatDelta({}, "content_filter"), CHAT_DONE),
      says(chatDelta({ content: "Well" }), `data: ${JSON.stringify({ error })}\n\n`),
    );
    await expect(eventsOf(llmAt(url))).rejects.toThrow("openai: withheld its reply (content_filter)");
    await expect(eventsOf(llmAt(url))).rejects.toThrow("openai: reported an error during its reply (server_error)");
  });
});
