import { describe, expect, test } from "vitest";
import { asToolCallId } from "../../../src/core/ids.ts";
import type { LlmEvent, LlmRequest, Message } from "../../../src/speech/contracts.ts";
import { createReferenceLlm } from "../../../src/speech/reference/llm.ts";
import { llmContract } from "../../contract/speech/llm.ts";
import { INLINE_TOOL_CHOICE } from "../../support/stubs/inline-schemas.ts";

const PROMPT = `You are the telephone assistant of Hartwell Bakery, and you know its opening hours.
The bakery is open from Tuesday to Saturday, from seven until half past five. On Monday the shop is closed all day.
Birthday cakes are made to order and must be ordered two days ahead.
A birthday cake for ten people costs thirty pounds.
Rye bread is baked on Thursday only.

Opening line: Hartwell Bakery, when can I help you with cakes?`;

const HANG_UP = { name: "hang_up", description: "Ends the call.", parameters: { type: "object" } };

const llm = createReferenceLlm(INLINE_TOOL_CHOICE);

function request(said: string | undefined, more: Partial<LlmRequest> = {}): LlmRequest {
  const messages: Message[] = [{ role: "system", text: PROMPT }];
  if (said !== undefined) messages.push({ role: "assistant", text: "Hello?" }, { role: "user", text: said });
  return { messages, tools: [HANG_UP], temperature: 0.7, language: "en-US", ...more };
}

async function eventsOf(llmRequest: LlmRequest): Promise<LlmEvent[]> {
  const events: LlmEvent[] = [];
  for await (const event of llm.reply(llmRequest, new AbortController().signal)) events.push(event);
  return events;
}

const answerTo = async (llmRequest: LlmRequest): Promise<string> =>
  (await eventsOf(llmRequest)).map((event) => (event.kind === "text" ? event.text : "")).join("");

llmContract("reference LLM", async () => ({
  llm: createReferenceLlm(INLINE_TOOL_CHOICE),
  request: request("Do you make birthday cakes?"),
  drive: (promise) => promise,
}));

describe("the reference LLM", () => {
  test("answers with the sentences of the prompt that match the question, the best one first", async () => {
    expect(await answerTo(request("Good morning, when is the bakery open?"))).toBe(
      "The bakery is open from Tuesday to Saturday, from seven until half past five.",
    );
    expect(await answerTo(request("Sorry, do you make birthday cakes to order?"))).toBe(
      "Birthday cakes are made to order and must be ordered two days ahead. A birthday cake for ten people costs thirty pounds.",
    );
  });

  test("answers from documents in the prompt, and searches them where it knows nothing", async () => {
    const fence = "----- 0123456789abcdef0123456789abcdef -----";
    const block = [
      "These are the documents.",
      fence,
      JSON.stringify({ document: "Prices", text: "A loaf of spelt costs four pounds." }),
      fence,
    ].join("\n");
    const { messages } = request("What does a loaf of spelt cost?");
    const withPassages = { messages: messages.toSpliced(-1, 0, { role: "user", text: block }) };
    expect(await answerTo(request(undefined, withPassages))).toBe("A loaf of spelt costs four pounds.");
    const tools = [{ name: "query_corpus", description: "Searches documents.", parameters: { type: "object" } }];
    const events = await eventsOf(request("Is your spelt organic?", { tools }));
    expect(events[0]).toMatchObject({
      kind: "tool-call",
      name: "query_corpus",
      argumentsJson: '{"question":"Is your spelt organic?"}',
    });
    const asked: Message[] = [
      { role: "assistant", text: "", toolCalls: [{ id: "1.1", name: "query_corpus", argumentsJson: "{}" }] },
      { role: "tool", toolCallId: asToolCallId("1.1"), name: "query_corpus", text: block },
    ];
    expect(await answerTo(request(undefined, { messages: [...messages, ...asked] }))).toBe(
      "A loaf of spelt costs four pounds.",
    );
  });

  test("never repeats instructions of the prompt or the opening line", async () => {
    expect(await answerTo(request("Are you the telephone assistant?"))).toContain("I do not know");
    expect(await answerTo(request("Hartwell, when help?"))).toContain("I do not know");
  });

  test("gives the same answer to the same request and ignores the temperature", async () => {
    const question = "How much is a cake?";
    const events = await eventsOf(request(question));
    expect(await eventsOf(request(question, { temperature: 0 }))).toEqual(events);
    expect(await eventsOf(request(question))).toEqual(events);
  });

  test("opens the conversation if nothing has been said", async () => {
    expect(await answerTo(request(undefined))).toBe("Hello, how can I help you?");
    expect(await answerTo(request(undefined, { language: "de" }))).toBe("Guten Tag, wie kann ich Ihnen helfen?");
  });

  test("admits what it does not know", async () => {
    for (const said of ["What is the capital of France?", "Is it?", "…", ""]) {
      expect(await answerTo(request(said))).toContain("I do not know");
    }
  });

  test("says goodbye to a goodbye, then hangs up, then ends", async () => {
    const events = await eventsOf(request("Thank you very much, good-bye!"));
    const kinds = events.map((event) => event.kind);
    expect(kinds.slice(-2)).toEqual(["tool-call", "end"]);
    expect(kinds.slice(0, -2).every((kind) => kind === "text")).toBe(true);
    expect(events.at(-2)).toEqual({ kind: "tool-call", id: "hang_up-3", name: "hang_up", argumentsJson: "{}" });
    expect(await answerTo(request("Thank you very much, goodbye."))).toBe("Thank you for calling. Goodbye!");
    expect(await answerTo(request("Auf Wiedersehen!", { language: "de-AT" }))).toContain("Auf Wiederhören");
  });

  test("does not hang up if the tool is not offered, or for any other reason", async () => {
    const withoutTools = await eventsOf(request("goodbye", { tools: [] }));
    expect(withoutTools.map((event) => event.kind)).not.toContain("tool-call");
    expect((await eventsOf(request("goods by the dozen"))).map((event) => event.kind)).not.toContain("tool-call");
  });

  test("adds nothing after the result of hang_up", async () => {
    const { messages } = request("goodbye");
    const llmRequest = request(undefined, {
      messages: [...messages, { role: "tool", toolCallId: asToolCallId("1"), name: "hang_up", text: "{}" }],
    });
    expect((await eventsOf(llmRequest)).map((event) => event.kind)).toEqual(["end"]);
  });

  test("answers in scripts without spaces", async () => {
    const messages: Message[] = [
      { role: "system", text: "面包店早上七点开门。蛋糕要提前两天订购。" },
      { role: "user", text: "什么时候开门？" },
    ];
    expect(await answerTo(request(undefined, { messages, language: "zh" }))).toBe("面包店早上七点开门。");
  });

  test("counts words as tokens", async () => {
    const messages: Message[] = [{ role: "user", text: "one two" }];
    const llmRequest = request(undefined, { messages, tools: [] });
    const events = await eventsOf(llmRequest);
    expect(events.at(-1)).toEqual({ kind: "end", inputTokens: 2, outputTokens: events.length - 1 });
  });

  test("keeps the prompts of many agents separate", async () => {
    for (let agent = 0; agent < 40; agent += 1) {
      const messages: Message[] = [
        { role: "system", text: `The number of this shop is ${agent}.` },
        { role: "user", text: "Which number is the shop?" },
      ];
      expect(await answerTo(request(undefined, { messages }))).toBe(`The number of this shop is ${agent}.`);
    }
  });
});
