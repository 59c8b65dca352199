import { describe, expect, test } from "vitest";
import type { Usage } from "../../../src/core/billing/usage.ts";
import type {
  ClosableTts,
  Llm,
  LlmRequest,
  ProviderObserver,
  Stt,
  SttStream,
  TtsRequest,
} from "../../../src/speech/contracts.ts";
import { FallbackLlm } from "../../../src/speech/llm/fallback.ts";
import { llmMetering, meteredStt, ttsMetering } from "../../../src/speech/metering/usage.ts";
import { withPolicy } from "../../../src/speech/resilience/policy.ts";
import { FallbackStt } from "../../../src/speech/stt/fallback.ts";
import { TtsCache } from "../../../src/speech/tts/cache.ts";
import { FallbackTts } from "../../../src/speech/tts/fallback.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { breakerFor } from "../../support/providers/breakers.ts";
import { type LlmStep, ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";
import { ScriptedStt } from "../../support/providers/scripted-stt.ts";
import { ScriptedTts, type ScriptedTtsOptions } from "../../support/providers/scripted-tts.ts";
import { activityOfStream } from "../../support/speech-activity.ts";

/** An observer that records the reported usage and responses. */
function recordingObserver(): {
  observer: ProviderObserver;
  used: [provider: string, usage: Usage][];
  responses: string[];
} {
  const used: [string, Usage][] = [];
  const responses: string[] = [];
  const observer: ProviderObserver = {
    used: (provider, usage) => used.push([provider, usage]),
    responded: (provider) => responses.push(provider),
    failedOver: () => {},
    contextExceeded: () => {},
    requesting: () => {},
  };
  return { observer, used, responses };
}

const REQUEST: LlmRequest = {
  messages: [
    { role: "system", text: "You answer the telephone of a bakery." },
    { role: "user", text: "Are you open?" },
  ],
  tools: [],
  temperature: 0,
  language: "en",
};

async function drained<T>(items: AsyncIterable<T>, onItem: (item: T) => void = () => {}): Promise<void> {
  try {
    for await (const item of items) onItem(item);
  } catch {
    // The error is checked elsewhere.
  }
}

describe("an LLM's tokens", () => {
  const usageOfReply = async (steps: readonly LlmStep[], abortAfterMs = Number.POSITIVE_INFINITY) => {
    const clock = new ManualClock();
    const { observer, used, responses } = recordingObserver();
    const abortController = new AbortController();
    const llm = new ScriptedLlm(clock, [steps]);
    const metered = withPolicy(
      { provider: llm.provider, send: (request: LlmRequest, signal: AbortSignal) => llm.reply(request, signal) },
      { metering: llmMetering("small") },
    );
    const reply = drained(metered.request(REQUEST, abortController.signal, observer));
    if (abortAfterMs < Number.POSITIVE_INFINITY) clock.after(abortAfterMs, () => abortController.abort());
    await clock.play(1_000);
    await reply;
    return { used, responses };
  };

  test("are those that the provider reports", async () => {
    const { used, responses } = await usageOfReply(textReply("It is open."));
    expect(used).toEqual([["scripted", { model: "small", inputTokens: 1, outputTokens: 3 }]]);
    expect(responses).toEqual(["scripted"]);
  });

  test("are estimated from the text when the reply is cancelled, at the time of the abort", async () => {
    const { used } = await usageOfReply(textReply("It is open.", { perWordMs: 100 }), 150);
    // The estimate of the prompt, and of "It is".
    expect(used).toEqual([["scripted", { model: "small", inputTokens: 35, outputTokens: 2, approximate: true }]]);
  });

  test("are counted when the reply is cancelled before the first event", async () => {
    const { used, responses } = await usageOfReply(textReply("It is open.", { firstMs: 500 }), 100);
    expect(used).toEqual([["scripted", { model: "small", inputTokens: 35, outputTokens: 0, approximate: true }]]);
    expect(responses).toEqual([]);
  });

  test("are estimated when the reply fails in the middle, and when the provider reports no usage", async () => {
    const text: LlmStep = { afterMs: 0, event: { kind: "text", text: "Wait." } };
    const failing = await usageOfReply([text, { afterMs: 0, event: { kind: "fail" } }]);
    expect(failing.used).toMatchObject([["scripted", { inputTokens: 35, outputTokens: 3, approximate: true }]]);
    const silent = await usageOfReply([text, { afterMs: 0, event: { kind: "end", inputTokens: 0, outputTokens: 0 } }]);
    expect(silent.used).toMatchObject([["scripted", { inputTokens: 35, outputTokens: 3, approximate: true }]]);
  });

  test("are not counted for a refused request", async () => {
    const { used } = await usageOfReply([{ afterMs: 0, event: { kind: "fail" } }]);
    expect(used).toEqual([]);
  });
});

const closable = (tts: ScriptedTts, provider = "scripted"): ClosableTts => ({
  provider,
  capabilities: tts.capabilities,
  voices: () => tts.voices(),
  speak: (request, signal) => tts.speak(request, signal),
  close: () => {},
});
const SPEECH = { voiceId: "scripted/one", language: "en-US", rateHz: 8_000 };

describe("a TTS provider's characters", () => {
  const usageOfSpeech = async (text: string, options: ScriptedTtsOptions = {}) => {
    const { observer, used } = recordingObserver();
    const tts = new ScriptedTts(new ManualClock(), options);
    const metered = withPolicy(
      { provider: tts.provider, send: (request: TtsRequest, signal: AbortSignal) => tts.speak(request, signal) },
      { metering: ttsMetering },
    );
    await drained(metered.request({ ...SPEECH, text }, new AbortController().signal, observer));
    return used;
  };

  test("are the Unicode characters of the text, each once", async () => {
    expect(await usageOfSpeech("Grüße 🎉")).toEqual([["scripted", { characters: 7 }]]);
  });

  test("count where TTS fails after its first audio, and not where it sent none", async () => {
    expect(await usageOfSpeech("one two three", { failing: { request: 0, afterChunks: 1 } })).toHaveLength(1);
    expect(await usageOfSpeech("one two three", { failing: { request: 0, afterChunks: 0 } })).toEqual([]);
  });

  test("are those of the normalized text", async () => {
    const clock = new ManualClock();
    const { observer, used } = recordingObserver();
    const tts = new ScriptedTts(clock);
    const { circuitBreaker } = breakerFor("tts", "scripted", clock);
    const normalizing = new FallbackTts(
      [{ tts: closable(tts), circuitBreaker, metering: ttsMetering, normalizesText: true }],
      new TtsCache(),
      clock,
    );
    await drained(normalizing.speak({ ...SPEECH, text: "It costs $5." }, new AbortController().signal, observer));
    expect(used).toEqual([["scripted", { characters: tts.requests[0]?.text.length }]]);
    expect(tts.requests[0]?.text).not.toBe("It costs $5.");
  });

  test("are not counted for cached audio", async () => {
    const clock = new ManualClock();
    const { observer, used } = recordingObserver();
    const { circuitBreaker } = breakerFor("tts", "scripted", clock);
    const fallback = new FallbackTts(
      [{ tts: closable(new ScriptedTts(clock)), circuitBreaker, metering: ttsMetering }],
      new TtsCache(),
      clock,
    );
    for (let time = 0; time < 4; time += 1) {
      await drained(fallback.speak({ ...SPEECH, text: "Good day." }, new AbortController().signal, observer));
    }
    // Audio is cached from its second request on.
    expect(used).toEqual(Array(2).fill(["scripted", { characters: 9 }]));
  });
});

describe("an STT provider's audio", () => {
  const RATE_HZ = 8_000;
  const sendAudio = (stream: SttStream, seconds: number): void => {
    for (let frame = 0; frame < seconds * 50; frame += 1) stream.write(new Int16Array(160));
  };
  const opened = (stt: Stt) => {
    const abortController = new AbortController();
    const { observer, used, responses } = recordingObserver();
    const stream = meteredStt(stt).open({ language: "en", rateHz: RATE_HZ }, abortController.signal, observer);
    void drained(stream.events);
    return { abortController, used, responses, stream };
  };

  test("is reported every five seconds, and the rest when the stream is closed", () => {
    const { abortController, used, stream } = opened(new ScriptedStt(new ManualClock(), []));
    sendAudio(stream, 12);
    expect(used).toEqual(Array(2).fill(["scripted", { audioSeconds: 5 }]));
    abortController.abort();
    expect(used[2]).toEqual(["scripted", { audioSeconds: 2 }]);
    sendAudio(stream, 6);
    expect(used).toHaveLength(3);
  });

  test("is not reported for a stream that fails without a transcript, and is after one", async () => {
    for (const [script, count] of [
      [[], 0],
      [[{ atMs: 50, event: { kind: "interim", text: "hello" } }], 1],
    ] as const) {
      const clock = new ManualClock();
      const failing = [...script, { atMs: 100, event: { kind: "fail" } }] as const;
      const { used, responses, stream, abortController } = opened(new ScriptedStt(clock, failing));
      sendAudio(stream, 1);
      await clock.play(200);
      abortController.abort();
      expect([used.length, responses.length]).toEqual([count, count]);
    }
  });

  test("is the sent audio, where STT does not send all of it", () => {
    let sentMs = 0;
    const { abortController, used, stream } = opened({
      provider: "cutting",
      capabilities: { ratesHz: [RATE_HZ], interimTranscripts: false },
      open: () => ({
        write: () => {},
        get sentAudioMs() {
          return sentMs;
        },
        events: (async function* () {})(),
      }),
    });
    sendAudio(stream, 6);
    expect(used).toEqual([]);
    sentMs = 1_300;
    abortController.abort();
    expect(used).toEqual([["cutting", { audioSeconds: 1.3 }]]);
  });
});

describe("on a failover", () => {
  test("the usage of each LLM is reported separately", async () => {
    const clock = new ManualClock();
    const { observer, used, responses } = recordingObserver();
    const dying: LlmStep[] = [
      { afterMs: 0, event: { kind: "text", text: "We have" } },
      { afterMs: 0, event: { kind: "fail" } },
    ];
    const named = (provider: string, steps: readonly LlmStep[]): Llm => {
      const llm = new ScriptedLlm(clock, [steps]);
      return { provider, reply: (request, signal) => llm.reply(request, signal) };
    };
    const llms = [named("first", dying), named("second", textReply("rye."))];
    const fallback = new FallbackLlm(
      llms.map((llm) => ({
        llm,
        circuitBreaker: breakerFor("llm", llm.provider, clock).circuitBreaker,
        metering: llmMetering(),
      })),
      clock,
    );
    await drained(fallback.reply(REQUEST, new AbortController().signal, observer));
    expect(responses).toEqual(["first", "second"]);
    expect(used).toEqual([
      ["first", { inputTokens: 35, outputTokens: 3, approximate: true }],
      ["second", { inputTokens: 1, outputTokens: 1 }],
    ]);
  });

  test("the audio of each STT is reported separately, for the second with the replayed audio", async () => {
    const clock = new ManualClock();
    const { observer, used, responses } = recordingObserver();
    const named = (provider: string, script: ConstructorParameters<typeof ScriptedStt>[1]): Stt => {
      const stt = new ScriptedStt(clock, script);
      return meteredStt({
        provider,
        capabilities: stt.capabilities,
        open: (options, signal) => stt.open(options, signal),
      });
    };
    const candidates = [
      named("first", [
        { atMs: 500, event: { kind: "interim", text: "I" } },
        { atMs: 1_010, event: { kind: "fail" } },
      ]),
      named("second", [{ atMs: 500, event: { kind: "final", text: "I would" } }]),
    ];
    const fallback = new FallbackStt(
      candidates.map((stt) => ({ stt, circuitBreaker: breakerFor("stt", stt.provider, clock).circuitBreaker })),
      clock,
    );
    const abortController = new AbortController();
    const stream = fallback.open({ language: "en", rateHz: 8_000 }, abortController.signal, observer);
    void drained(stream.events);
    const activityOf = activityOfStream();
    for (let atMs = 0; atMs < 2_000; atMs += 20) {
      await clock.play(20);
      stream.write(new Int16Array(160), activityOf(true));
    }
    abortController.abort();
    expect([...new Set(responses)]).toEqual(["first", "second"]);
    expect(used.map(([provider]) => provider)).toEqual(["first", "second"]);
    const [first = 0, second = 0] = used.map(([, { audioSeconds }]) => audioSeconds);
    expect(first).toBeCloseTo(1, 1);
    // All of it: nothing was final yet.
    expect(second).toBeCloseTo(2, 1);
  });
});
