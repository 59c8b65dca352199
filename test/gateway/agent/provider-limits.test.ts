import { describe, expect, test } from "vitest";
import type { CallEvent } from "../../../src/call/events.ts";
import type { ToolSpec } from "../../../src/core/calls/spec.ts";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import type { LlmEvent } from "../../../src/speech/contracts.ts";
import { leg } from "../../callers/leg.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { type LlmStep, ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";
import { ScriptedStt, type SttStep } from "../../support/providers/scripted-stt.ts";

const MEGABYTE = 1_000_000;
const TOOL: ToolSpec = {
  kind: "http",
  name: "order",
  description: "Tells of an order.",
  parameters: { type: "object" },
  fixedArguments: {},
  timeoutMs: 5_000,
  method: "GET",
  url: "http://x.example/",
  headers: {},
};

const end: LlmEvent = { kind: "end", inputTokens: 1, outputTokens: 1 };
const steps = (...events: LlmEvent[]): LlmStep[] => events.map((event) => ({ afterMs: 0, event }));
const asking = (argumentsJson: string, name = TOOL.name): LlmEvent => ({
  kind: "tool-call",
  id: "i".repeat(name.length),
  name,
  argumentsJson,
});

/** A call whose caller says something and is answered by `answers`; `transcripts` is what its STT returns in addition. */
async function answered(answers: readonly (readonly LlmStep[])[], transcripts: SttStep[] = []) {
  const clock = new ManualClock();
  const llm = new ScriptedLlm(clock, answers);
  const stt = new ScriptedStt(clock, [
    { atMs: 500, event: { kind: "final", text: "where is my order" } },
    ...transcripts,
  ]);
  const ran: object[] = [];
  const carryOut = async (_tool: object, given: object) => {
    ran.push(given);
    return { text: "on its way" };
  };
  const events: CallEvent[] = [];
  let pendingBytesMax = 0;
  let hasFailed = () => false;
  const call = leg({
    ...{ llm, stt, shared: { clock, ticker: new Ticker(clock) }, httpTools: { carryOut } },
    spec: { firstSpeaker: "user", tools: [TOOL] },
    tamper: ({ journal }) => {
      hasFailed = () => journal.failed;
      const { event } = journal;
      journal.event = (atMs, journaled) => {
        events.push(journaled);
        event.call(journal, atMs, journaled);
        pendingBytesMax = Math.max(pendingBytesMax, journal.pendingBytes);
      };
    },
  });
  call.start();
  await call.listen(4_000);
  expect(hasFailed()).toBe(false);
  call.connection.closed(1_000, false);
  expect(call.ends()).toMatchObject([{ reason: "caller_hangup" }]);
  return { llm, ran, events, pendingBytesMax };
}

describe("a provider that returns far too much costs neither the call nor the journal anything", () => {
  test("P13: a megabyte of arguments, of a tool's name and of its id", { tags: ["llm"] }, async () => {
    for (const call of [asking(`{"a":"${"x".repeat(MEGABYTE)}"}`), asking("{}", "x".repeat(MEGABYTE))]) {
      const { llm, ran, pendingBytesMax } = await answered([steps(call, end), textReply("I see.")]);
      expect(ran).toEqual([]);
      expect(llm.requests).toHaveLength(2);
      expect(llm.requests[1]?.messages.at(-1)).toMatchObject({ role: "tool", text: expect.stringMatching(/^Error: /) });
      expect(JSON.stringify(llm.requests[1]?.messages).length).toBeLessThan(10_000);
      expect(pendingBytesMax).toBeLessThan(100_000);
    }
  });

  test("P13: a thousand tool calls of the maximum length: as many run as are allowed, the rest is refused", {
    tags: ["llm"],
  }, async () => {
    const argumentsJson = JSON.stringify({ a: "é".repeat(16_000) });
    const calls = Array.from({ length: 2_000 }, () => asking(argumentsJson));
    const { llm, ran, pendingBytesMax } = await answered([steps(...calls, end), textReply("I see.")]);
    expect(ran).toHaveLength(4);
    const results = llm.requests[1]?.messages.filter(({ role }) => role === "tool").map(({ text }) => text) ?? [];
    expect(results.slice(0, 5)).toEqual([...Array(4).fill("on its way"), expect.stringContaining("one JSON object")]);
    expect(results.at(-1)).toContain("992 more of your calls were not carried out");
    expect(pendingBytesMax).toBeLessThan(500_000);
  });

  test("an LLM that never stops talking is aborted, its text so far is spoken, and the call continues", async () => {
    const { llm, events, pendingBytesMax } = await answered([
      steps(...Array.from({ length: 1_000 }, () => ({ kind: "text", text: "on and on ".repeat(100) }) as const)),
    ]);
    expect(llm.aborted).toBe(1);
    const said = events.flatMap((event) => (event.kind === "reply-text" ? [event.text] : [])).join("");
    expect(said).toBe("on and on ".repeat(2_000).slice(0, 16_384));
    expect(events.filter(({ kind }) => kind.startsWith("reply-")).at(-1)).toMatchObject({ kind: "reply-end" });
    expect(pendingBytesMax).toBeLessThan(150_000);
  });

  test("P11: an STT that returns a megabyte", { tags: ["stt"] }, async () => {
    const transcripts = [{ atMs: 600, event: { kind: "final", text: "x".repeat(MEGABYTE) } } as const];
    const { llm, pendingBytesMax } = await answered([textReply("I see.")], transcripts);
    expect(llm.requests.at(-1)?.messages.at(-1)?.text).toMatch(/^where is my order x{16000,16400}$/);
    expect(pendingBytesMax).toBeLessThan(100_000);
  });
});
