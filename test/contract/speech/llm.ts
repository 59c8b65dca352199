import { describe, expect, test } from "vitest";
import type { Llm, LlmEvent, LlmRequest } from "../../../src/speech/contracts.ts";

interface LlmUnderTest {
  llm: Llm;
  /** A request whose reply has several words. */
  request: LlmRequest;
  /** Advances the time until `promise` has settled. */
  drive<T>(promise: Promise<T>): Promise<T>;
}

/** The contract of every Llm. Each provider's test calls this with its own subject. */
export function llmContract(name: string, make: () => Promise<LlmUnderTest>): void {
  /** Collects the events; aborts after `abortAfter` of them. */
  const collect = async (llm: Llm, request: LlmRequest, abortAfter = Number.POSITIVE_INFINITY): Promise<LlmEvent[]> => {
    const abortController = new AbortController();
    const events: LlmEvent[] = [];
    for await (const event of llm.reply(request, abortController.signal)) {
      events.push(event);
      if (events.length === abortAfter) abortController.abort();
    }
    return events;
  };
  const textOf = (events: readonly LlmEvent[]) =>
    events.map((event) => (event.kind === "text" ? event.text : "")).join("");

  describe(`Llm contract: ${name}`, () => {
    test("replies in several texts and ends once, last, with its usage", async () => {
      const { llm, request, drive } = await make();
      const events = await drive(collect(llm, request));
      expect(textOf(events).trim()).not.toBe("");
      expect(events.filter((event) => event.kind === "text").length).toBeGreaterThan(1);
      expect(events.findIndex((event) => event.kind === "end")).toBe(events.length - 1);
      expect(events.at(-1)).toEqual({
        kind: "end",
        inputTokens: expect.toSatisfy(Number.isInteger),
        outputTokens: expect.toSatisfy(Number.isInteger),
      });
    });

    test("emits nothing after an abort, not even an end", async () => {
      const { llm, request, drive } = await make();
      expect(await drive(collect(llm, request, 2))).toHaveLength(2);
    });

    test("emits nothing when it was aborted before the request", async () => {
      const { llm, request, drive } = await make();
      const events: LlmEvent[] = [];
      const ask = async () => {
        for await (const event of llm.reply(request, AbortSignal.abort())) events.push(event);
      };
      await drive(ask());
      expect(events).toEqual([]);
    });

    test("continues to reply after another reply was aborted", async () => {
      const { llm, request, drive } = await make();
      await drive(collect(llm, request, 1));
      expect((await drive(collect(llm, request))).at(-1)?.kind).toBe("end");
    });
  });
}
