import { describe, expect, test } from "vitest";
import type { CallEvent } from "../../../src/call/events.ts";
import type { ClientTool } from "../../../src/core/calls/spec.ts";
import { providerFailed } from "../../../src/core/errors.ts";
import type { LlmAbortReason } from "../../../src/core/metrics/labels.ts";
import { seededRandom } from "../../../src/core/seeded-random.ts";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import type { Llm, LlmEvent, LlmRequest } from "../../../src/speech/contracts.ts";
import { FallbackLlm } from "../../../src/speech/llm/fallback.ts";
import { meteredLlm } from "../../../src/speech/llm/metered-llm.ts";
import { llmMetering } from "../../../src/speech/metering/usage.ts";
import { refusalFrom } from "../../../src/speech/resilience/provider-error.ts";
import { type WebsocketLegOptions, websocketLeg } from "../../callers/websocket-leg.ts";
import { FIXED_PAUSES_PREEMPTIVE } from "../../support/calls/fixed-pauses.ts";
import { ManualClock, settled, sleep } from "../../support/manual-clock.ts";
import { breakerFor } from "../../support/providers/breakers.ts";
import { ScriptedStt } from "../../support/providers/scripted-stt.ts";

/** What a provider does with one request. */
type Behaviour =
  | "answers"
  | "uses a tool"
  | "is silent"
  | "refuses"
  | "is full"
  | "breaks off"
  | "says too much"
  | "limits";

/** Every request of a call to any of its providers, as the providers see it. */
class Ledger {
  readonly requests: LlmRequest[] = [];
  /** The maximum number of requests that were open at once. */
  most = 0;
  readonly #open = new Set<AbortSignal>();

  sent(request: LlmRequest, signal: AbortSignal): void {
    this.requests.push(request);
    this.#open.add(signal);
    this.most = Math.max(this.most, this.open);
  }

  ended(signal: AbortSignal): void {
    this.#open.delete(signal);
  }

  /** Requests that were neither completed, nor failed, nor aborted. */
  get open(): number {
    return [...this.#open].filter((signal) => !signal.aborted).length;
  }
}

/** A provider that handles each request as `behave` says, `afterMs` after it arrived and between its words. */
function providerOf(provider: string, clock: ManualClock, ledger: Ledger, behave: () => [Behaviour, number]): Llm {
  async function* answer(signal: AbortSignal): AsyncGenerator<LlmEvent> {
    const [behaviour, afterMs] = behave();
    await sleep(clock, behaviour === "is silent" ? 60_000 : afterMs, signal);
    if (signal.aborted) return;
    if (behaviour === "refuses") throw providerFailed(provider, "refused", refusalFrom(503));
    if (behaviour === "is full") throw providerFailed(provider, "refused", refusalFrom(429, "1"));
    if (behaviour === "limits") throw providerFailed(provider, "refused", refusalFrom(400, "", true));
    for (const word of ["We", " open", " at", " nine."]) {
      yield { kind: "text", text: behaviour === "says too much" ? word.repeat(10_000) : word };
      await sleep(clock, afterMs / 4, signal);
      if (signal.aborted) return;
      if (behaviour === "breaks off" && word === " open") throw providerFailed(provider, "broke off");
    }
    if (behaviour === "uses a tool") yield { kind: "tool-call", id: "1", name: LOOK_UP.name, argumentsJson: "{}" };
    yield { kind: "end", inputTokens: 20, outputTokens: 4 };
  }
  return {
    provider,
    async *reply(request, signal) {
      ledger.sent(request, signal);
      try {
        yield* answer(signal);
      } finally {
        ledger.ended(signal);
      }
    },
  };
}

const LOOK_UP: ClientTool = {
  kind: "client",
  name: "look_up",
  description: "",
  parameters: { type: "object" },
  timeoutMs: 1_000,
  fixedArguments: {},
};

/** A call with these providers, and its counters of LLM requests. */
function called(clock: ManualClock, llm: Llm, options: WebsocketLegOptions = {}) {
  const aborted: LlmAbortReason[] = [];
  const events: CallEvent[] = [];
  const call = websocketLeg({
    shared: { clock, ticker: new Ticker(clock) },
    llm,
    parameters: FIXED_PAUSES_PREEMPTIVE,
    ...options,
    spec: { firstSpeaker: "user", interruptible: true, tools: [LOOK_UP], ...options.spec },
    tamper: ({ metrics, journal }) => {
      metrics.llmRequestAborted = (reason) => aborted.push(reason);
      const { event } = journal;
      journal.event = (atMs, journaled) => {
        events.push(journaled);
        event.call(journal, atMs, journaled);
      };
    },
  });
  return { call, aborted, events };
}

describe("ADV-H3: the LLM requests of a call", () => {
  test("are sent one at a time for a caller who types five times a second, and each aborted one is counted and charged", async () => {
    const clock = new ManualClock();
    const ledger = new Ledger();
    const llm = meteredLlm(providerOf("scripted", clock, ledger, () => ["answers", 1_000]));
    const { call, aborted, events } = called(clock, llm);
    for (let text = 1; text <= 30; text += 1) {
      call.type(`question ${text}`);
      await clock.play(200);
    }
    await clock.play(5_000);
    expect([ledger.requests.length, ledger.most]).toEqual([30, 1]);
    expect(aborted).toEqual(Array.from({ length: 29 }, () => "typed"));
    const used = events.flatMap((event) => (event.kind === "usage" && event.stage === "llm" ? [event.usage] : []));
    expect(used).toHaveLength(30);
    for (const usage of used.slice(0, 29)) {
      expect(usage).toMatchObject({ approximate: true });
      expect(usage.inputTokens).toBeGreaterThan(10);
    }
    call.hangUp();
  });

  test("end with the call, and an open one is counted as aborted", async () => {
    const clock = new ManualClock();
    const ledger = new Ledger();
    const { call, aborted } = called(clock, meteredLlm(providerOf("scripted", clock, ledger, () => ["is silent", 0])));
    call.type("hello");
    await clock.play(500);
    expect(ledger.open).toBe(1);
    call.hangUp();
    await settled();
    expect([ledger.open, aborted]).toEqual([0, ["call_ended"]]);
  });

  test("are aborted when the caller continues after a preemptive one, and counted with that reason", async () => {
    const clock = new ManualClock();
    const ledger = new Ledger();
    const { call, aborted } = called(
      clock,
      meteredLlm(providerOf("scripted", clock, ledger, () => ["answers", 2_000])),
      {
        stt: new ScriptedStt(clock, [
          { atMs: 500, event: { kind: "interim", text: "when are" } },
          { atMs: 1_500, event: { kind: "interim", text: "when are you open" } },
        ]),
      },
    );
    await clock.play(2_500);
    expect([ledger.requests.length, ledger.most]).toEqual([2, 1]);
    expect(aborted).toEqual(["preemptive_cancelled"]);
    call.hangUp();
  });

  test("are charged each with its number where they were preemptive, also when they were complete", async () => {
    const clock = new ManualClock();
    const ledger = new Ledger();
    const llm = meteredLlm(providerOf("scripted", clock, ledger, () => ["answers", 100]));
    const stt = new ScriptedStt(clock, [
      { atMs: 500, event: { kind: "interim", text: "when are" } },
      { atMs: 1_500, event: { kind: "interim", text: "when are you" } },
      { atMs: 2_500, event: { kind: "final", text: "when are you open" } },
    ]);
    const { call, events } = called(clock, llm, { stt });
    await clock.play(4_500);
    call.hangUp();
    await settled();
    const used = events.flatMap((event) => (event.kind === "usage" && event.stage === "llm" ? [event] : []));
    expect(used.map(({ usage, preemptive }) => [usage.inputTokens, preemptive])).toEqual([
      [20, 1],
      [20, 2],
      // Its final came as the turn ended: it was not requested in advance.
      [20, undefined],
    ]);
  });

  test("are aborted when the reply is overlong, and counted with that reason", async () => {
    const clock = new ManualClock();
    const ledger = new Ledger();
    const { call, aborted } = called(
      clock,
      meteredLlm(providerOf("scripted", clock, ledger, () => ["says too much", 40])),
    );
    call.type("hello");
    await clock.play(500);
    expect([ledger.open, aborted]).toEqual([0, ["overlong"]]);
    call.hangUp();
  });

  const BEHAVIOURS: readonly Behaviour[] = [
    ...["answers", "answers", "uses a tool", "uses a tool", "is silent"],
    ...["refuses", "is full", "breaks off", "says too much", "limits"],
  ] as const as Behaviour[];

  test.each(
    Array.from({ length: 12 }, (_, seed) => seed + 1),
  )("are never open two at once, whatever the caller, tools and two providers do (seed %i)", async (seed) => {
    const random = seededRandom(seed);
    const below = (max: number): number => Math.floor(random() * max);
    const clock = new ManualClock();
    const ledger = new Ledger();
    const behave = (): [Behaviour, number] => [BEHAVIOURS[below(BEHAVIOURS.length)] ?? "answers", 20 + below(1_500)];
    const chained = ["first", "second"].map((name) => ({
      llm: providerOf(name, clock, ledger, behave),
      circuitBreaker: breakerFor("llm", name, clock).circuitBreaker,
      metering: llmMetering(),
    }));
    let saidMs = 0;
    const script = Array.from({ length: 40 }, (_, word) => {
      saidMs += 100 + below(900);
      const kind = below(4) === 0 ? "final" : "interim";
      return { atMs: saidMs, event: { kind, text: below(6) === 0 ? "" : `word ${word}` } } as const;
    });
    const { call } = called(clock, new FallbackLlm(chained, clock), {
      stt: new ScriptedStt(clock, script),
      spec: { inactivityTimeoutMs: 10_000 },
    });
    const answered = new Set<unknown>();
    for (let step = 0; step < 40; step += 1) {
      const what = below(5);
      if (what === 0) call.type(`typed ${step}`);
      else if (what === 1) call.json({ type: "dtmf", digit: "5" });
      for (const { id } of call.received("toolCall")) {
        if (answered.has(id) || below(2) === 0) continue;
        answered.add(id);
        call.json({ type: "toolResult", id, result: "open" });
      }
      await clock.play(20 + below(900));
    }
    expect(ledger.requests.length).toBeGreaterThan(5);
    expect(ledger.most).toBe(1);
    call.hangUp();
    await settled();
    expect(ledger.open).toBe(0);
  });
});
