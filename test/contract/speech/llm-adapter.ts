import { describe, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import {
  LLM_ANSWER_BYTES_MAX,
  LLM_EVENT_CHARS_MAX,
  LLM_IDLE_MS_MAX,
} from "../../../src/core/limits/speech-providers/llm.ts";
import { PROVIDER_FIRST_OUTPUT_MS_MAX } from "../../../src/core/limits/speech-providers/providers.ts";
import type { Llm, LlmEvent, LlmRequest, ProviderObserver } from "../../../src/speech/contracts.ts";
import { FallbackLlm } from "../../../src/speech/llm/fallback.ts";
import { promptTokens } from "../../../src/speech/llm/prompt/prompt-tokens.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { breakerFor } from "../../support/providers/breakers.ts";
import { fallsSilent } from "../../support/providers/falls-silent.ts";
import { eventsOf, llmRequest, says, startLlmServer } from "../../support/providers/llm/llm-kit.ts";
import type { LlmServer, LlmServerStep } from "../../support/providers/llm/llm-server.ts";
import { llmContract } from "./llm.ts";

interface LlmAdapterUnderTest {
  /** The LLM, with the API key `KEY`, at `baseUrl`. */
  make(baseUrl: string): Llm;
  /** A response with these texts, event by event. */
  answer(...texts: readonly string[]): string[];
  /** The same, up to the last of these texts. */
  begun(...texts: readonly string[]): string[];
  /** An event whose data contains "half an answer" and is no JSON. */
  garbled: string;
  /** A refusal in this server's format, which quotes the API key and the prompt, and the code that may be reported. */
  refusal: { body: string; code: string };
  /** Refusals of prompts that are longer than the context, in the formats of such servers. */
  contextRefusals: readonly { status: number; body: object }[];
}

export const KEY = "sk-secret-key-of-the-operator";
const PROMPT = "The secret recipe of the bakery is rye.";
const REQUEST: LlmRequest = {
  messages: [
    { role: "system", text: PROMPT },
    { role: "user", text: "What is the recipe?" },
  ],
  tools: [],
  temperature: 0.7,
  language: "en",
};

/** A conversation that exceeds a small context. */
const LONG_REQUEST: LlmRequest = {
  ...REQUEST,
  messages: [
    { role: "system", text: "Be brief." },
    ...Array.from({ length: 40 }, (_, turn): LlmRequest["messages"] => [
      { role: "user", text: `The caller says something about day ${turn}. `.repeat(4) },
      { role: "assistant", text: `The agent says something about day ${turn}. `.repeat(4) },
    ]).flat(),
    { role: "user", text: "When do you open?" },
  ],
};

const UNOBSERVED: ProviderObserver = {
  failedOver: () => {},
  contextExceeded: () => {},
  requesting: () => {},
  responded: () => {},
  used: () => {},
};

type Silence = (begun: readonly string[]) => LlmServerStep;
const silent: Silence = () => ({ kind: "silent" });
const stalls: Silence = (events) => ({ kind: "events", events, staysOpen: true });
const onlyComments: Silence = (events) => ({ kind: "keep-alive", events });

/** Servers that fall silent after these texts, and the deadline that ends it. */
const SILENCES: readonly [string, Silence, texts: readonly string[], silenceMs: number, why: string][] = [
  ["P2: never responds", silent, [], PROVIDER_FIRST_OUTPUT_MS_MAX, "did not start in time"],
  ["P4: sends only comments", onlyComments, [], PROVIDER_FIRST_OUTPUT_MS_MAX, "did not start in time"],
  ["P3: stalls after its first words", stalls, ["We have"], LLM_IDLE_MS_MAX, "stalled"],
  ["P4: sends only comments after its first words", onlyComments, ["We have"], LLM_IDLE_MS_MAX, "stalled"],
];

/**
 * What every LLM adapter over HTTP must do: the contract of an `Llm`, and how it handles faults of its server, P1 to P9 of the fault
 * catalogue, as far as an adapter is concerned.
 */
export function llmAdapterContract(
  name: string,
  { make, answer, begun, garbled, refusal, contextRefusals }: LlmAdapterUnderTest,
): void {
  llmContract(name, async () => {
    const { url } = await startLlmServer(says(...answer("Good ", "morning", ".")));
    return { llm: make(url), request: llmRequest(), drive: (promise) => promise };
  });
  const start = async (...steps: readonly LlmServerStep[]): Promise<{ llm: Llm; server: LlmServer }> => {
    const server = await startLlmServer(...steps);
    return { llm: make(server.url), server };
  };
  const collect = (llm: Llm, signal?: AbortSignal, onEvent?: (event: LlmEvent) => void): Promise<LlmEvent[]> =>
    eventsOf(llm, REQUEST, signal, onEvent);
  const textOf = (events: readonly LlmEvent[]) =>
    events.map((event) => (event.kind === "text" ? event.text : "")).join("");
  const failureOf = async (llm: Llm): Promise<{ message: string; cause?: unknown }> => {
    const error: unknown = await collect(llm).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ name: "TrunklineError", code: "provider_failed", fault: "provider" });
    const serialized = JSON.stringify(error, Object.getOwnPropertyNames(error));
    for (const secret of [KEY, "recipe", "rye", "half an answer"]) expect(serialized).not.toContain(secret);
    return error as Error;
  };

  describe(`faults of the server of ${name}`, () => {
    test("P1: a refused connection is reported as such", async () => {
      const { llm, server: gone } = await start({ kind: "silent" });
      await gone.stop();
      expect((await failureOf(llm)).message).toMatch(/could not be reached \(ECONNREFUSED\)/);
    });

    test("P2: a missing response is waited for until the abort, which closes the connection", async () => {
      const { llm, server: silent } = await start({ kind: "silent" });
      const abortController = new AbortController();
      const requests = collect(llm, abortController.signal);
      await silent.until(() => silent.requests.length === 1);
      abortController.abort();
      expect(await requests).toEqual([]);
      await silent.until(() => silent.brokenOff === 1);
    });

    test("P3, P4: comments after the first words are no content; the abort ends the reply and closes the connection", async () => {
      const { llm, server: talking } = await start({ kind: "keep-alive", events: begun("half", " an answer") });
      const abortController = new AbortController();
      const events = await collect(llm, abortController.signal, (event) => {
        if (event.kind === "text" && event.text.includes("answer")) abortController.abort();
      });
      expect(textOf(events)).toBe("half an answer");
      expect(events.every((event) => event.kind === "text")).toBe(true);
      await talking.until(() => talking.brokenOff === 1);
    });

    test("P7: the reply is the same for any chunks and line endings", async () => {
      const plain = answer("Grüße, ", "das Brot ", "kostet 3 €.");
      const forms: readonly (readonly string[])[] = [
        plain,
        [`\uFEFF${plain.join("")}`],
        plain.map((event) => event.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n")),
        plain.map((event) => event.replaceAll("\r\n", "\n").replaceAll("\n", "\r")),
        plain.map((event) => event.replaceAll("data: ", "data:")),
        plain.map((event) => `: comment\nid: 1\nretry: 10\n${event}`),
        [plain.join("").trimEnd()],
      ];
      for (const events of forms) {
        for (const bytesAtOnce of [1, 7, 65_536]) {
          const { llm } = await start({ kind: "events", events, bytesAtOnce });
          expect(textOf(await collect(llm))).toBe("Grüße, das Brot kostet 3 €.");
        }
      }
    });

    test("P7: invalid JSON, an early end and a missing reply are typed failures", async () => {
      const [first = "", ...rest] = answer("half an answer");
      const broken: readonly LlmServerStep[] = [
        { kind: "events", events: [first, garbled, ...rest] },
        { kind: "events", events: [] },
        { kind: "events", events: ["<html>half an answer</html>"] },
        { kind: "events", events: begun("half", " an answer") },
        { kind: "cut", events: begun("half", " an answer") },
      ];
      const { llm } = await start(...broken);
      for (const _ of broken) await failureOf(llm);
    });

    test("P7, P9: endless events and endless responses are rejected", async () => {
      const long = "x".repeat(64 * 1024);
      const lines = Array.from({ length: LLM_EVENT_CHARS_MAX / long.length + 1 }, () => long);
      const many = `: ${long}\n\n`;
      const bytes = Array.from({ length: LLM_ANSWER_BYTES_MAX / many.length + 1 }, () => many);
      const { llm } = await start(
        { kind: "events", events: ["data: ", ...lines], staysOpen: true },
        { kind: "events", events: bytes, staysOpen: true },
      );
      expect((await failureOf(llm)).message).toContain("an event that is too long");
      expect((await failureOf(llm)).message).toContain("over the size limit");
    });

    test("P8: a refusal is reported with its status and code, is not retried, and quotes nothing", async () => {
      const statuses = [400, 401, 403, 404, 408, 409, 413, 429, 500, 502, 503, 529];
      const { llm, server: refusing } = await start(
        ...statuses.map((status): LlmServerStep => ({ kind: "status", status, body: refusal.body })),
      );
      for (const status of statuses) {
        const { message, cause } = await failureOf(llm);
        expect(message).toContain(`refused with ${status} (${refusal.code})`);
        expect(cause).toMatchObject({ status });
      }
      expect(refusing.requests).toHaveLength(statuses.length);
    });

    test("ADV-H3, P8: a prompt longer than the context is reported as such, and any other bad request is not", async () => {
      const { llm } = await start(
        ...contextRefusals.map(
          ({ status, body }): LlmServerStep => ({ kind: "status", status, body: JSON.stringify(body) }),
        ),
        { kind: "status", status: 400, body: refusal.body },
      );
      for (const { status } of contextRefusals) {
        expect((await failureOf(llm)).cause).toEqual({ status, retryAfterMs: undefined, contextExceeded: true });
      }
      expect((await failureOf(llm)).cause).toEqual({ status: 400, retryAfterMs: undefined });
    });

    test("ADV-H3, P8: after a context error the prompt is halved and retried once, and a second one is a failure", async () => {
      const tooLong = contextRefusals.map(
        ({ status, body }): LlmServerStep => ({ kind: "status", status, body: JSON.stringify(body) }),
      );
      const [first = { kind: "silent" }] = tooLong;
      const { llm, server: full } = await start(
        ...tooLong.flatMap((step): LlmServerStep[] => [step, { kind: "events", events: answer("We open at nine.") }]),
        first,
        first,
      );
      const { circuitBreaker } = breakerFor("llm", llm.provider, systemClock);
      const fallback = new FallbackLlm([{ llm, circuitBreaker }], systemClock);
      const refused: [tokensMax: number, retried: boolean][] = [];
      const observer = {
        ...UNOBSERVED,
        contextExceeded: (_: string, max: number, again: boolean) => refused.push([max, again]),
      };
      const ask = async (): Promise<string> => {
        const events: LlmEvent[] = [];
        for await (const event of fallback.reply(LONG_REQUEST, new AbortController().signal, observer))
          events.push(event);
        return textOf(events);
      };
      for (const _ of tooLong) expect(await ask()).toBe("We open at nine.");
      await expect(ask()).rejects.toMatchObject({ code: "provider_failed", cause: { contextExceeded: true } });
      expect(full.requests).toHaveLength(2 * tooLong.length + 2);
      const sizes = full.requests.map(({ body }) => JSON.stringify(body).length);
      for (const [index, size] of sizes.entries()) {
        if (index % 2 === 1) expect(size).toBeLessThan(0.6 * (sizes[index - 1] ?? 0));
      }
      for (const { body } of full.requests) expect(JSON.stringify(body)).toContain(LONG_REQUEST.messages.at(-1)?.text);
      const tokens = promptTokens(LONG_REQUEST);
      expect(refused.slice(0, tooLong.length)).toEqual(tooLong.map(() => [Math.floor(tokens / 2), true]));
      expect(refused.slice(tooLong.length).map(([, retried]) => retried)).toEqual([true, false]);
    });

    test("ADV-H3: a request that is aborted before it was sent is never sent", async () => {
      const { llm, server: requests } = await start({ kind: "events", events: answer("Good morning.") });
      for (let time = 0; time < 3; time += 1) {
        const abortController = new AbortController();
        const events = collect(llm, abortController.signal);
        abortController.abort();
        expect(await events).toEqual([]);
      }
      expect(textOf(await collect(llm))).toBe("Good morning.");
      expect(requests.requests).toHaveLength(1);
    });

    test("P8: the retry delay is reported where the server gives it in seconds", async () => {
      const after: readonly [string, number | undefined][] = [
        ["0", 0],
        ["3600", 3_600_000],
        ["Wed, 21 Oct 2026 07:28:00 GMT", undefined],
        ["soon", undefined],
      ];
      const { llm } = await start(
        ...after.map(([value]): LlmServerStep => ({ kind: "status", status: 429, headers: { "retry-after": value } })),
      );
      for (const [, retryAfterMs] of after) expect((await failureOf(llm)).cause).toEqual({ status: 429, retryAfterMs });
    });

    test("P8: a redirect is refused and not followed", async () => {
      const elsewhere = await startLlmServer(says(...answer("half an answer")));
      const { llm } = await start({ kind: "status", status: 301, headers: { location: elsewhere.url } });
      expect((await failureOf(llm)).message).toContain("refused with 301");
      expect(elsewhere.requests).toEqual([]);
    });

    test("P9: compression is neither requested nor accepted", async () => {
      const { llm, server: packing } = await start({ kind: "gzip", events: answer("half an answer") });
      expect((await failureOf(llm)).message).toContain("content encoding");
      expect(packing.requests[0]?.headers["accept-encoding"]).toBe("identity");
    });

    test("connections are reused for consecutive requests", async () => {
      const { llm, server: kept } = await start({ kind: "events", events: answer("Good", " morning") });
      for (let question = 0; question < 6; question += 1) expect(textOf(await collect(llm))).toBe("Good morning");
      // A request that is sent before the last response has been read opens a second connection.
      expect(kept.connections).toBeLessThanOrEqual(2);
    });
  });

  describe(`${name} with fallback`, () => {
    test.each(SILENCES)("%s: times out, and its connection is closed", async (_what, silence, texts, ms, why) => {
      const { llm, server } = await start(silence(texts.length === 0 ? [] : begun(...texts)));
      const clock = new ManualClock();
      const { circuitBreaker } = breakerFor("llm", llm.provider, clock);
      const reply = new FallbackLlm([{ llm, circuitBreaker }], clock).reply(REQUEST, new AbortController().signal);
      expect(await fallsSilent(reply, texts.length, clock, ms)).toBe(`${llm.provider}: ${why}`);
      // Without an established connection there is none to close.
      await expect.poll(() => server.requests.length - server.brokenOff, { timeout: 10_000, interval: 5 }).toBe(0);
    });
  });
}
