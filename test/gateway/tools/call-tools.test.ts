import { describe, expect, test } from "vitest";
import { createPlivoWire } from "../../../src/carriers/plivo/wire.ts";
import type { ToolSpec } from "../../../src/core/calls/spec.ts";
import type { ToolOutcome } from "../../../src/core/tools/outcome.ts";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import { leg } from "../../callers/leg.ts";
import { websocketLeg } from "../../callers/websocket-leg.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { type LlmStep, ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

const described = {
  description: "Tells of an order.",
  parameters: { type: "object", properties: { order: { type: "string" }, shop: {} }, required: ["order"] },
  timeoutMs: 10_000,
};
const CLIENT: ToolSpec = { ...described, kind: "client", name: "show", fixedArguments: { shop: 7 } };
const HTTP: ToolSpec = {
  ...{ ...described, kind: "http", name: "order", fixedArguments: {} },
  ...{ method: "GET", url: "https://api.example.com/{order}", headers: { Authorization: "{{SHOP_TOKEN}}" } },
};

const SEND_DTMF: ToolSpec = { kind: "built_in", name: "send_dtmf", fixedArguments: {} };

const asking = (name: string, given: object): LlmStep[] => [
  { afterMs: 0, event: { kind: "tool-call", id: "a", name, argumentsJson: JSON.stringify(given) } },
  { afterMs: 0, event: { kind: "end", inputTokens: 1, outputTokens: 1 } },
];

/** An LLM that calls a tool, and then speaks its result. */
function scene(name: string, given: object) {
  const clock = new ManualClock();
  const llm = new ScriptedLlm(clock, [asking(name, given), textReply("That is fine.")]);
  return { llm, beside: { clock, ticker: new Ticker(clock) } };
}
const USER_FIRST = { firstSpeaker: "user" as const };

describe("a tool that the client carries out", () => {
  test("is sent to the client, and the LLM continues with its result", async () => {
    const { llm, beside: shared } = scene("show", { order: "A-17" });
    const call = websocketLeg({ spec: { ...USER_FIRST, tools: [CLIENT] }, llm, shared });
    call.type("Where is my order?");
    await call.clock.play(200);
    const toolCalls = call.received("toolCall");
    expect(toolCalls).toEqual([
      { type: "toolCall", id: expect.any(String), name: "show", arguments: { order: "A-17", shop: 7 } },
    ]);
    expect(llm.requests).toHaveLength(1);
    expect(JSON.stringify(llm.requests[0]?.tools)).not.toContain("shop");
    call.json({ type: "toolResult", id: toolCalls[0]?.id, result: { state: "on its way" } });
    await call.clock.play(1_000);
    expect(llm.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: "tool", text: '{"state":"on its way"}' });
    expect(call.transcripts()).toContain("2 agent: That is fine. ...");
    call.json({ type: "toolResult", id: toolCalls[0]?.id, result: "again" });
    expect(call.received("error")).toMatchObject([{ code: "unknown_tool_call" }]);
    expect(call.hangUp()).toMatchObject({ ignored: 1, malformed: 0 });
  });

  test("times out if the client never answers, and the LLM is informed", { retry: ifMachineStalled }, async () => {
    const { llm, beside: shared } = scene("show", { order: "A-17" });
    const call = websocketLeg({ spec: { ...USER_FIRST, tools: [CLIENT] }, llm, shared });
    call.type("Where is my order?");
    await call.clock.play(10_500);
    expect(llm.requests.at(-1)?.messages.at(-1)).toMatchObject({ text: "Error: it took longer than 10 s." });
    call.hangUp();
  });
});

describe("a tool that is an HTTP request", () => {
  test("L1: is carried out with its arguments, and neither they nor its secret are logged or sent to the client", async () => {
    const { llm, beside: shared } = scene("order", { order: "canary of an order" });
    const carried: object[] = [];
    const carryOut = async (_tool: object, given: object): Promise<ToolOutcome> => {
      carried.push(given);
      return { text: "on its way", status: 200 };
    };
    const call = websocketLeg({ spec: { ...USER_FIRST, tools: [HTTP] }, llm, shared, httpTools: { carryOut } });
    call.type("Where is my order?");
    await call.clock.play(1_000);
    expect(carried).toEqual([{ order: "canary of an order" }]);
    expect(llm.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: "tool", text: "on its way" });
    expect(JSON.stringify(llm.requests)).not.toContain("SHOP_TOKEN");
    call.hangUp();
    expect(call.logged.join()).toContain("tool call completed");
    expect(call.logged.join()).not.toMatch(/canary|SHOP_TOKEN/);
  });

  test("C15: is aborted when the caller hangs up", async () => {
    const { llm, beside: shared } = scene("order", { order: "A-17" });
    let signal: AbortSignal | undefined;
    const carryOut = (_tool: object, _given: object, life: AbortSignal) => {
      signal = life;
      return new Promise<ToolOutcome>(() => {});
    };
    const call = websocketLeg({ spec: { ...USER_FIRST, tools: [HTTP] }, llm, shared, httpTools: { carryOut } });
    call.type("Where is my order?");
    await call.clock.play(200);
    expect(signal?.aborted).toBe(false);
    call.hangUp();
    expect(signal?.aborted).toBe(true);
  });
});

describe("DTMF that the agent sends", () => {
  test("is sent with the carrier's own message", async () => {
    const { llm, beside: shared } = scene("send_dtmf", { digits: "12#" });
    const spec = { ...USER_FIRST, connectionType: "carrier_c" as const, tools: [SEND_DTMF] };
    const call = leg({ spec, llm, shared, wire: createPlivoWire() });
    call.json({ event: "start", sequenceNumber: 1, start: { callId: "c", streamId: "s" }, streamId: "s" });
    call.json({ event: "dtmf", sequenceNumber: 2, streamId: "s", dtmf: { digit: "1" } });
    await call.clock.play(4_000);
    expect(call.socket.sent).toContain('{"event":"sendDTMF","dtmf":"12#"}');
    call.connection.closed(1_006, false);
  });
});
