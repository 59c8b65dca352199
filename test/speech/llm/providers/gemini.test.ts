// @module-tag llm

import { describe, expect, test } from "vitest";
import { asToolCallId } from "../../../../src/core/ids.ts";
import type { Llm, Message } from "../../../../src/speech/contracts.ts";
import { createGeminiLlm } from "../../../../src/speech/llm/providers/gemini/adapter.ts";
import { KEY, llmAdapterContract } from "../../../contract/speech/llm-adapter.ts";
import { geminiAnswer, geminiChunk, unfinishedGemini } from "../../../support/providers/llm/gemini.ts";
import { eventsOf, llmRequest, says, startLlmServer, TOOL } from "../../../support/providers/llm/llm-kit.ts";

const llmAt = (url: string, model = "gemini-2.0-flash"): Llm => createGeminiLlm({ model, apiKey: KEY, baseUrl: url });

llmAdapterContract("gemini", {
  make: llmAt,
  answer: geminiAnswer,
  begun: unfinishedGemini,
  garbled: "data: {half an answer\n\n",
  refusal: {
    body: JSON.stringify([{ error: { code: 400, message: `API key not valid: ${KEY}`, status: "INVALID_ARGUMENT" } }]),
    code: "INVALID_ARGUMENT",
  },
  contextRefusals: [
    "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
    "The input token count exceeds the maximum number of tokens allowed 1048576.",
  ].map((message) => ({ status: 400, body: [{ error: { code: 400, message, status: "INVALID_ARGUMENT" } }] })),
});

describe("requests to Gemini", () => {
  test("have the messages, separate instructions, streaming and the API key", async () => {
    const { url, requests } = await startLlmServer(says(...geminiAnswer("Hello")));
    await eventsOf(llmAt(url), llmRequest({ tools: [TOOL] }));
    expect(requests[0]?.path).toBe("/v1beta/models/gemini-2.0-flash:streamGenerateContent?alt=sse");
    expect(requests[0]?.headers["x-goog-api-key"]).toBe(KEY);
    expect(requests[0]?.body).toMatchObject({
      contents: [{ role: "user", parts: [{ text: "Good morning." }] }],
      systemInstruction: { parts: [{ text: "Be brief." }] },
      tools: [
        {
          functionDeclarations: [
            { name: TOOL.name, description: TOOL.description, parametersJsonSchema: TOOL.parameters },
          ],
        },
      ],
      generationConfig: { temperature: 0.4 },
    });
  });

  test("request the least reasoning that each model accepts", async () => {
    const thinking: readonly [string, object | undefined][] = [
      ["gemini-2.0-flash", undefined],
      ["gemini-2.5-flash-lite", { thinkingBudget: 0 }],
      ["gemini-2.5-pro", { thinkingBudget: 128 }],
      ["gemini-3.8-flash", { thinkingLevel: "LOW" }],
    ];
    const { url, requests } = await startLlmServer(says(...geminiAnswer("Hello")));
    for (const [model] of thinking) await eventsOf(llmAt(url, model));
    expect(requests.map(({ body }) => (body.generationConfig as { thinkingConfig?: object }).thinkingConfig)).toEqual(
      thinking.map(([, config]) => config),
    );
  });

  test("contain earlier tool calls with their signatures, and the documented placeholder for other models' calls", async () => {
    const { url, requests } = await startLlmServer(
      says(
        geminiChunk(
          [
            {
              functionCall: { id: "f1", name: "opening_hours", args: { day: "Monday" } },
              thoughtSignature: "c2lnbmVk",
            },
            { functionCall: { id: "f2", name: "opening_hours", args: { day: "Sunday" } } },
          ],
          9,
          "STOP",
        ),
      ),
      says(...geminiAnswer("Closed.")),
    );
    const llm = llmAt(url);
    const calls = (await eventsOf(llm, llmRequest({ tools: [TOOL] }))).filter((event) => event.kind === "tool-call");
    // As a call sends them again: with its own ids.
    const renamedCalls = calls.map((call, index) => ({
      ...call,
      id: asToolCallId(`7.${index + 1}`),
      providerCallId: call.id,
    }));
    const foreign = { id: "call_0", name: "hang_up", argumentsJson: "no JSON" };
    const messages: Message[] = [
      { role: "user", text: "When?" },
      { role: "assistant", text: "", toolCalls: [foreign] },
      { role: "tool", toolCallId: asToolCallId("call_0"), name: "hang_up", text: "failed" },
      { role: "user", text: "When are you open?" },
      { role: "assistant", text: "", toolCalls: renamedCalls },
      ...renamedCalls.map(({ id, name }): Message => ({ role: "tool", toolCallId: id, name, text: "closed" })),
    ];
    await eventsOf(llm, llmRequest({ messages, tools: [TOOL] }));
    const response = (id: string) => ({
      functionResponse: { id, name: "opening_hours", response: { output: "closed" } },
    });
    expect(requests[1]?.body.contents).toEqual([
      { role: "user", parts: [{ text: "When?" }] },
      {
        role: "model",
        parts: [
          {
            functionCall: { id: "call_0", name: "hang_up", args: {} },
            thoughtSignature: "skip_thought_signature_validator",
          },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "call_0", name: "hang_up", response: { output: "failed" } } },
          { text: "When are you open?" },
        ],
      },
      {
        role: "model",
        parts: [
          { functionCall: { id: "7.1", name: "opening_hours", args: { day: "Monday" } }, thoughtSignature: "c2lnbmVk" },
          { functionCall: { id: "7.2", name: "opening_hours", args: { day: "Sunday" } } },
        ],
      },
      { role: "user", parts: [response("7.1"), response("7.2")] },
    ]);
  });
});

describe("responses of Gemini", () => {
  test("become text, tool calls without reasoning, and usage that includes the reasoning", async () => {
    const last = {
      candidates: [{ content: { parts: [{ text: "" }], role: "model" }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 50, candidatesTokenCount: 7, thoughtsTokenCount: 5, totalTokenCount: 62 },
    };
    const { url } = await startLlmServer(
      says(
        geminiChunk([{ text: "He wants Monday.", thought: true }], 0),
        geminiChunk([{ text: "One moment." }], 3),
        geminiChunk([{ functionCall: { name: "hang_up" } }], 7),
        `data: ${JSON.stringify(last)}\r\n\r\n`,
      ),
    );
    expect(await eventsOf(llmAt(url))).toEqual([
      { kind: "text", text: "One moment." },
      { kind: "tool-call", id: expect.stringMatching(/^call_.{8}/), name: "hang_up", argumentsJson: "{}" },
      { kind: "end", inputTokens: 50, outputTokens: 12 },
    ]);
  });

  test("that end before they are complete are continued by their token, as one reply with the usage of all", async () => {
    const { url, requests } = await startLlmServer(
      says(geminiChunk([{ text: "Once upon " }], 4, "CONTINUATION", "token-1")),
      says(geminiChunk([{ text: "a time" }], 2), geminiChunk([], 2, "CONTINUATION", "token-2")),
      says(geminiChunk([{ text: "." }], 1, "STOP")),
    );
    expect(await eventsOf(llmAt(url))).toEqual([
      { kind: "text", text: "Once upon " },
      { kind: "text", text: "a time" },
      { kind: "text", text: "." },
      { kind: "end", inputTokens: 63, outputTokens: 7 },
    ]);
    expect(requests.map(({ body }) => body.continuationToken)).toEqual([undefined, "token-1", "token-2"]);
    expect(requests.map(({ body }) => body.contents)).toEqual(Array(3).fill(requests[0]?.body.contents));
  });

  test("that cannot be continued, or only from where they began, are failures", async () => {
    const { url, requests } = await startLlmServer(
      says(geminiChunk([{ text: "Once" }], 4, "CONTINUATION")),
      says(geminiChunk([{ text: "Once" }], 4, "CONTINUATION", "token")),
    );
    await expect(eventsOf(llmAt(url))).rejects.toThrow("gemini: withheld its reply (CONTINUATION)");
    await expect(eventsOf(llmAt(url))).rejects.toThrow("gemini: withheld its reply (CONTINUATION)");
    expect(requests).toHaveLength(3);
  });

  test("P13: a thousand tool calls are passed on to be refused, and a tool call without a name is a failure", async () => {
    const call = { functionCall: { name: "again", args: { day: "x".repeat(100) } } };
    const { url } = await startLlmServer(
      says(geminiChunk(Array(1_000).fill(call), 1, "STOP")),
      says(geminiChunk([{ functionCall: { name: "" } }], 1, "STOP")),
      says(`data: ${JSON.stringify({ candidates: 5 })}\r\n\r\n`),
      says(`data: ${JSON.stringify({ candidates: [{ content: { parts: [{ functionCall: 7 }] } }] })}\r\n\r\n`),
    );
    expect((await eventsOf(llmAt(url))).filter(({ kind }) => kind === "tool-call")).toHaveLength(1_000);
    for (let answer = 0; answer < 3; answer += 1) {
      await expect(eventsOf(llmAt(url))).rejects.toMatchObject({ code: "provider_failed" });
    }
  });

  test("a withheld reply and an error within a reply are failures with their code", async () => {
    const error = { code: 503, message: "The prompt was: Be brief.", status: "UNAVAILABLE" };
    const { url } = await startLlmServer(
      says(geminiChunk([], 0, "SAFETY")),
      says(`data: ${JSON.stringify({ promptFeedback: { blockReason: "SAFETY" } })}\r\n\r\n`),
      says(...unfinishedGemini("Well"), `data: ${JSON.stringify({ error })}\r\n\r\n`),
    );
    await expect(eventsOf(llmAt(url))).rejects.toThrow("gemini: withheld its reply (SAFETY)");
    await expect(eventsOf(llmAt(url))).rejects.toThrow("gemini: withheld its reply (prompt blocked)");
    await expect(eventsOf(llmAt(url))).rejects.toThrow("gemini: reported an error during its reply (503)");
  });
});
