// @module-tag llm

import { describe, expect, test } from "vitest";
import { passagesText } from "../../../src/call/knowledge/passages-block.ts";
import type { Passage } from "../../../src/core/knowledge/passages.ts";
import type { Llm, LlmRequest } from "../../../src/speech/contracts.ts";
import { createAnthropicLlm } from "../../../src/speech/llm/providers/anthropic/adapter.ts";
import { createGeminiLlm } from "../../../src/speech/llm/providers/gemini/adapter.ts";
import { createOpenAiLlm } from "../../../src/speech/llm/providers/openai/adapter.ts";
import { VirtualCall } from "../../support/calls/virtual-call.ts";
import { type HostileDocument, hostileDocuments } from "../../support/knowledge/hostile-documents.ts";
import { FENCE, passage, queryCorpus } from "../../support/knowledge/passages.ts";
import { messageAnswer } from "../../support/providers/llm/anthropic.ts";
import { geminiAnswer } from "../../support/providers/llm/gemini.ts";
import { eventsOf, says, startLlmServer } from "../../support/providers/llm/llm-kit.ts";
import { chatAnswer } from "../../support/providers/llm/openai.ts";

const COUNT = 200;
const DOCUMENTS = hostileDocuments(COUNT);
const BENIGN: HostileDocument = { name: "Price list", heading: "Bread", text: "A loaf costs two euros." };
const apiKey = "key";

const ADAPTERS: readonly [name: string, answer: readonly string[], make: (url: string) => Llm][] = [
  ["openai", chatAnswer("Yes."), (url) => createOpenAiLlm({ model: "fake-1", apiKey, baseUrl: `${url}/v1` })],
  ["anthropic", messageAnswer("Yes."), (baseUrl) => createAnthropicLlm({ model: "claude-haiku-4-5", apiKey, baseUrl })],
  ["gemini", geminiAnswer("Yes."), (baseUrl) => createGeminiLlm({ model: "gemini-2.0-flash", apiKey, baseUrl })],
];

const passageOf = ({ name, heading, text }: HostileDocument): Passage =>
  passage(text, { documentName: name, headings: [heading] });

/** The LLM's requests of a call that is given this document in every way that there is. */
function requestsWith(document: HostileDocument): LlmRequest[] {
  const { name: documentName, heading, text } = document;
  const whole = [{ documentName, headings: [heading], page: 1, text }];
  const passages = [passageOf(document)];
  const asks = { name: "query_corpus", argumentsJson: '{"question":"What does a loaf cost?"}' };
  return (["always", "tool"] as const).flatMap((retrieval) => {
    let asked = 0;
    const call = new VirtualCall({
      spec: {
        firstSpeaker: "user",
        tools: [queryCorpus({ retrieval, whole }), { kind: "built_in", name: "transfer", fixedArguments: {} }],
      },
      greeting: "none",
      retrieve: () => ({ passages, afterMs: 5 }),
      tool: () => ({ result: passagesText(passages, FENCE), afterMs: 5 }),
      answer: () => {
        asked += 1;
        return retrieval === "tool" && asked === 1 ? { text: "", tools: [asks] } : { text: "Two euros." };
      },
    });
    call.at(0, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
    call.at(1_000, () => call.handle({ kind: "typed", text: "What does a loaf cost?" }));
    call.run(5_000);
    return call
      .ofKind("generate-reply")
      .map(({ messages, tools, language }) => ({ messages, tools, temperature: 0, language }));
  });
}

/** A request without its texts: what a server takes for roles, turns, tools and their calls. */
function structureOf(value: unknown, key = ""): unknown {
  if (typeof value === "string") return ["text", "content", "output"].includes(key) ? "a text" : value;
  if (Array.isArray(value)) return value.map((item) => structureOf(item, key));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, structureOf(member, name)]));
}

describe(`${COUNT} hostile documents`, () => {
  test.each(ADAPTERS)("leave the structure of requests to %s unchanged", async (_, answer, make) => {
    const server = await startLlmServer(says(...answer));
    const llm = make(server.url);
    const sent = async (document: HostileDocument): Promise<unknown[]> => {
      const from = server.requests.length;
      for (const request of requestsWith(document)) await eventsOf(llm, request);
      return server.requests.slice(from).map(({ body }) => structureOf(body));
    };
    const expected = await sent(BENIGN);
    // With `always` one request; with the tool one before and one after it.
    expect(expected).toHaveLength(3);
    for (const document of DOCUMENTS) expect(await sent(document)).toEqual(expected);
  });

  test("stand each on one line between the two fences, with every character that they have", () => {
    for (const document of DOCUMENTS) {
      const lines = passagesText([passageOf(document)], FENCE).split("\n");
      expect(lines.flatMap((line, index) => (line.includes(FENCE) ? [index] : []))).toEqual([0, 1, 3]);
      const { name, heading, text } = document;
      const read = JSON.parse(lines[2] ?? "");
      // A half of a surrogate pair alone is no character: it is escaped, and read again as it was.
      expect(read).toEqual({ document: name, page: 3, headings: [heading], text });
    }
  });

  test("show no sign by which the text of a model marks a role, a turn or a tool call", () => {
    for (const document of DOCUMENTS)
      for (const { messages } of requestsWith(document))
        for (const { text } of messages)
          expect(text).not.toMatch(/<\||<\/?[a-z｜]|\[\/?(?:INST|TOOL_CALLS|AVAILABLE_TOOLS)\]/u);
  });

  test("no document has the fence of a call: it is drawn when the call is created, and long", () => {
    expect(FENCE).toMatch(/^[0-9a-f]{32}$/);
    for (const { text } of DOCUMENTS) expect(text).not.toContain(FENCE);
  });
});
