import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asToolCallId, type ToolCallId } from "../../../../src/core/ids.ts";
import { fenceLine } from "../../../../src/core/knowledge/fences.ts";
import { TOOL_RESULT_CHARS_MIN } from "../../../../src/core/limits/agents/tools.ts";
import type { Message } from "../../../../src/speech/contracts.ts";
import { messageTokens } from "../../../../src/speech/llm/prompt/prompt-tokens.ts";
import { truncateToolResult } from "../../../../src/speech/llm/prompt/tool-result.ts";
import { fitPrompt } from "../../../../src/speech/llm/prompt/trimming.ts";

const user = (text: string): Message => ({ role: "user", text });
const agent = (text: string): Message => ({ role: "assistant", text });
/** One tool call and its result. */
const used = (id: ToolCallId, result: string): Message[] => [
  { role: "assistant", text: "", toolCalls: [{ id, name: "look_up", argumentsJson: "{}" }] },
  { role: "tool", toolCallId: id, name: "look_up", text: result },
];
const SYSTEM: Message = { role: "system", text: "You answer the telephone of a bakery." };
const OPENING = agent("Hello, this is the bakery.");
const tokensOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + messageTokens(message), 0);

/** Any conversation: exchanges with and without tools, and messages without a reply. */
const conversation = fc
  .array(
    fc.record({
      said: fc.string({ maxLength: 200 }),
      results: fc.array(fc.string({ maxLength: 4_000 }), { maxLength: 3 }),
      answer: fc.option(fc.string({ maxLength: 400 }), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .map((exchanges) => [
    SYSTEM,
    OPENING,
    ...exchanges.flatMap(({ said, results, answer }, turn) => [
      user(said),
      ...results.flatMap((result, index) => used(asToolCallId(`${turn}.${index}`), result)),
      ...(answer === undefined ? [] : [agent(answer)]),
    ]),
  ]);

describe("ADV-H3: trimming a conversation to fit a prompt", () => {
  test("changes nothing while the conversation fits", () => {
    const messages = [SYSTEM, OPENING, user("Hello."), agent("Yes?"), user("A roll.")];
    const fitted = fitPrompt(messages, 0, tokensOf(messages));
    expect(fitted.messages).toBe(messages);
    expect(fitted).toMatchObject({ droppedTurns: 0, droppedMessages: 0, truncatedResults: 0 });
  });

  test("drops the oldest exchanges, and never the system prompt, the opening line and the newest exchange", () => {
    const old = Array.from({ length: 10 }, (_, turn) => [user(`question ${turn}`), agent(`answer ${turn}`)]).flat();
    const messages = [SYSTEM, OPENING, ...old, user("The last question."), ...used(asToolCallId("9.1"), "open")];
    const fitted = fitPrompt(messages, 0, tokensOf(messages) - 1);
    expect(fitted.messages.slice(0, 2)).toEqual([SYSTEM, OPENING]);
    expect(fitted.messages.slice(-3)).toEqual(messages.slice(-3));
    expect(fitted.messages[2]).toEqual(user(`question ${fitted.droppedTurns}`));
    expect(fitted.droppedMessages).toBe(2 * fitted.droppedTurns);
    // Several at once, so that the following prompts begin alike.
    expect(fitted.droppedTurns).toBeGreaterThan(1);
  });

  test("meets the bound, or leaves nothing that can be dropped or truncated, and never separates a tool call from its results", () => {
    fc.assert(
      fc.property(
        conversation,
        fc.integer({ min: 50, max: 8_000 }),
        fc.integer({ max: 500, min: 0 }),
        (all, max, tools) => {
          const { messages, tokens, retainedIndices, droppedMessages, truncatedResults } = fitPrompt(all, tools, max);
          expect(tokens).toBe(tokensOf(messages) + tools);
          expect(retainedIndices).toHaveLength(messages.length);
          expect(messages.length + droppedMessages).toBe(all.length);
          expect(messages[0]).toBe(SYSTEM);
          expect(messages[1]).toBe(OPENING);
          expect(messages.findLast(({ role }) => role === "user")).toBe(all.findLast(({ role }) => role === "user"));
          if (droppedMessages + truncatedResults > 0) expect(messages[2]?.role).toBe("user");
          for (const [place, message] of messages.entries()) {
            const call = message.role === "assistant" ? message.toolCalls?.[0]?.id : undefined;
            const next = messages[place + 1];
            if (call !== undefined) expect(next).toMatchObject({ role: "tool", toolCallId: call });
          }
          const calls = messages.filter((message) => message.role === "assistant" && message.toolCalls !== undefined);
          expect(messages.filter(({ role }) => role === "tool")).toHaveLength(calls.length);
          if (tokens <= max) return;
          expect(messages.filter(({ role }) => role === "user")).toHaveLength(1);
          for (const { role, text } of messages) {
            if (role === "tool") expect(text.length).toBeLessThanOrEqual(TOOL_RESULT_CHARS_MIN);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  test("is deterministic", () => {
    fc.assert(
      fc.property(conversation, (all) => {
        expect(fitPrompt(structuredClone(all), 3, 400)).toEqual(fitPrompt(all, 3, 400));
      }),
      { numRuns: 50 },
    );
  });

  test("truncates a tool's result to the available room, and says how much of it is shown", () => {
    const messages = [SYSTEM, user("Read me the list."), ...used(asToolCallId("1.1"), "x".repeat(10_000))];
    const fitted = fitPrompt(messages, 0, 1_400);
    expect(fitted).toMatchObject({ droppedMessages: 0, truncatedResults: 1 });
    expect(fitted.tokens).toBeLessThanOrEqual(1_400);
    expect(fitted.messages.at(-1)?.text).toMatch(/^x+\n\[Cut off: the first \d+ of 10000 characters are shown\.\]$/);
    const [, shown] = /first (\d+) of/.exec(fitted.messages.at(-1)?.text ?? "") ?? [];
    expect(fitted.messages.at(-1)?.text.lastIndexOf("x")).toBe(Number(shown) - 1);
  });

  test("a result that is truncated twice still names its original length, and no character is split", () => {
    const once = truncateToolResult("👋".repeat(10_000), 16_384);
    const twice = truncateToolResult(once, 512);
    expect(once).toContain(" of 20000 characters are shown.]");
    expect(twice).toMatch(/^(?:👋)+\n\[Cut off: the first \d+ of 20000 characters are shown\.\]$/u);
    expect(twice.length).toBeLessThanOrEqual(512);
  });

  test("a result that ends with documents keeps their fence, in the smallest room too", () => {
    const fence = fenceLine("0123456789abcdef".repeat(2));
    const text = truncateToolResult(["Found.", fence, "x".repeat(1_000), fence].join("\n"), 150);
    expect(text.length).toBeLessThanOrEqual(150);
    expect(text).toContain(`\n${fence}\n[Cut off: `);
  });
});
