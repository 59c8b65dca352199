import { describe, expect, test } from "vitest";
import { promptTokensMaxOf } from "../../src/call/prompt-budget.ts";
import type { ToolSpec } from "../../src/core/calls/spec.ts";
import type { Llm, LlmRequest } from "../../src/speech/contracts.ts";
import { promptTokens } from "../../src/speech/llm/prompt/prompt-tokens.ts";
import { createAnthropicLlm } from "../../src/speech/llm/providers/anthropic/adapter.ts";
import { createGeminiLlm } from "../../src/speech/llm/providers/gemini/adapter.ts";
import { createOpenAiLlm } from "../../src/speech/llm/providers/openai/adapter.ts";
import { type LlmCommand, SPEC, VirtualCall } from "../support/calls/virtual-call.ts";
import { LlmServer } from "../support/providers/llm/llm-server.ts";
import { anthropicProblems, geminiProblems, openAiProblems } from "../support/providers/llm/message-rules.ts";

const TURNS = 500;
const TURN_MS = 4_000;
const HISTORY_TOKENS = 2_048;

const LOOK_UP: ToolSpec = {
  kind: "client",
  name: "look_up",
  description: "Looks something up.",
  parameters: { type: "object", properties: { what: { type: "string" } } },
  fixedArguments: {},
  timeoutMs: 10_000,
};
const LONG_CALL = { ...SPEC, interruptible: true, maxDurationMs: 7_200_000, tools: [LOOK_UP] };

/** A call in which the caller types so many questions; for every third the LLM uses a tool, and one result in nine is long. */
function longCall(turns: number, promptTokensMax?: number): VirtualCall {
  const call = new VirtualCall({
    spec: LONG_CALL,
    ...(promptTokensMax === undefined ? {} : { promptTokensMax }),
    answer: (said, { messages }) => {
      const turn = Number(/\d+/.exec(said ?? "")?.[0] ?? 0);
      if (turn % 3 !== 0 || messages.at(-1)?.role === "tool")
        return { text: `That is the answer to question ${turn}.` };
      return { text: "One moment.", tools: [{ name: "look_up", argumentsJson: `{"what":"${turn}"}` }] };
    },
    tool: ({ arguments: { what } }) => ({
      result: `${what}: `.repeat(Number(what) % 9 === 0 ? 2_000 : 10),
      afterMs: 40,
    }),
  });
  call.at(100, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  for (let turn = 1; turn <= turns; turn += 1) {
    call.at(2_000 + turn * TURN_MS, () => call.handle({ kind: "typed", text: `This is question ${turn} of many.` }));
  }
  call.run((turns + 2) * TURN_MS);
  return call;
}

const requestOf = ({ messages, tools, language }: LlmCommand): LlmRequest => ({
  messages,
  tools,
  temperature: 0,
  language,
});
const tokensOf = (request: LlmCommand): number => promptTokens(request);
const questionsIn = ({ messages }: LlmCommand): string[] =>
  messages.flatMap(({ role, text }) => (role === "user" ? [text] : []));

describe("ADV-H3: a call of 500 turns", () => {
  const bound = promptTokensMaxOf(LONG_CALL, 128_000, HISTORY_TOKENS);
  const call = longCall(TURNS, bound);
  const asks = call.ofKind("generate-reply");

  test("has prompts within their bound, each with the opening line and the newest turns", () => {
    expect(asks.length).toBeGreaterThan(TURNS);
    // Without a bound a prompt holds the whole call: a fifth of this one is far too much already.
    expect(
      tokensOf(
        longCall(TURNS / 5)
          .ofKind("generate-reply")
          .at(-1) as LlmCommand,
      ),
    ).toBeGreaterThan(10 * bound);
    for (const request of asks) {
      expect(tokensOf(request)).toBeLessThanOrEqual(bound);
      expect(request.messages[0]?.text).toContain(`Opening line: ${SPEC.greeting}`);
      expect(request.messages[1]).toEqual({ role: "assistant", text: SPEC.greeting });
    }
    const answered = new Set(asks.map((request) => questionsIn(request).at(-1)));
    expect([...answered]).toEqual(Array.from({ length: TURNS }, (_, turn) => `This is question ${turn + 1} of many.`));
    const last = questionsIn(asks.at(-1) as LlmCommand);
    expect(last.at(-1)).toBe(`This is question ${TURNS} of many.`);
    // What is kept has no hole in it.
    expect(last).toEqual(last.map((_, index) => `This is question ${TURNS - last.length + 1 + index} of many.`));
    expect(last.length).toBeGreaterThan(3);
  });

  test("records when turns were dropped, once for several turns", () => {
    const trims = call.ofKind("conversation-trimmed");
    const dropped = trims.reduce((sum, { droppedTurns }) => sum + droppedTurns, 0);
    const left = questionsIn(asks.at(-1) as LlmCommand).length;
    expect(dropped).toBe(TURNS - left);
    expect(dropped).toBeGreaterThan(2 * trims.length);
    for (const { tokens, tokensMax } of trims) expect([tokens <= tokensMax, tokensMax]).toEqual([true, bound]);
  });

  test("has shorter prompts after a provider has refused one as too long", () => {
    const refusing = new VirtualCall({ spec: LONG_CALL, promptTokensMax: bound });
    refusing.at(100, () => refusing.handle({ kind: "leg-started", codec: "mulaw" }));
    for (let turn = 1; turn <= 60; turn += 1) {
      refusing.at(turn * TURN_MS, () => refusing.handle({ kind: "typed", text: `This is question ${turn} of many.` }));
    }
    const refused = { kind: "context-exceeded", provider: "openai", tokensMax: 600, retried: true } as const;
    refusing.at(40 * TURN_MS + 100, () => refusing.handle(refused));
    refusing.run(62 * TURN_MS);
    const sizes = refusing.ofKind("generate-reply").map(tokensOf);
    expect(Math.max(...sizes.slice(0, 40))).toBeGreaterThan(600);
    expect(sizes).toHaveLength(60);
    expect(Math.max(...sizes.slice(40))).toBeLessThanOrEqual(600);
  });

  test.each([
    ["openai", (url: string) => createOpenAiLlm({ model: "m", apiKey: "k", baseUrl: `${url}/v1` }), openAiProblems],
    ["anthropic", (url: string) => createAnthropicLlm({ model: "m", apiKey: "k", baseUrl: url }), anthropicProblems],
    ["gemini", (url: string) => createGeminiLlm({ model: "m", apiKey: "k", baseUrl: url }), geminiProblems],
  ])("gives %s messages that alternate, each tool call with its result", async (_, make: (
    url: string,
  ) => Llm, problemsOf) => {
    const server = await LlmServer.start({ kind: "status", status: 503 });
    const llm = make(server.url);
    // Every eleventh: of those after a tool, of those that were trimmed, and of the others.
    for (const request of asks.filter((_, index) => index % 11 === 0)) {
      const answer = llm.reply(requestOf(request), new AbortController().signal)[Symbol.asyncIterator]().next();
      await expect(answer).rejects.toMatchObject({ code: "provider_failed" });
    }
    expect(server.requests.length).toBeGreaterThan(50);
    expect(server.requests.flatMap(({ body }) => problemsOf(body))).toEqual([]);
    await server.stop();
  });
});

test("ADV-H3: a prompt's bound is the system prompt, the tools and the history, but at most the model's context", () => {
  const spec = { ...SPEC, systemPrompt: "word ".repeat(4_000) };
  expect(promptTokensMaxOf(spec, undefined, 1_000)).toBeGreaterThan(6_000);
  expect(promptTokensMaxOf(spec, 1_000_000, 1_000)).toBe(promptTokensMaxOf(spec, undefined, 1_000));
  // Three quarters of the context, less the room for the answer.
  expect(promptTokensMaxOf(spec, 8_192, 16_384)).toBe(4_096);
  expect(promptTokensMaxOf(SPEC, 128_000, 1_000_000)).toBe(87_808);
});
