import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { beforeAll, expect, test } from "vitest";
import type { CallEvent } from "../../../src/call/events.ts";
import { type CallMs, callMs, callMsAt, elapsedMs } from "../../../src/core/clocks.ts";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import { FallbackLlm } from "../../../src/speech/llm/fallback.ts";
import { FallbackStt } from "../../../src/speech/stt/fallback.ts";
import { TtsCache } from "../../../src/speech/tts/cache.ts";
import { FallbackTts } from "../../../src/speech/tts/fallback.ts";
import { type LegOptions, leg } from "../../callers/leg.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { breakerFor, ttsWithBreaker } from "../../support/providers/breakers.ts";
import { LLM_PROVIDERS, STT_PROVIDERS, TTS_PROVIDERS } from "../../support/providers/every-provider.ts";
import { ScriptedStt } from "../../support/providers/scripted-stt.ts";
import { ScriptedTts } from "../../support/providers/scripted-tts.ts";

const HEARD_MS_MAX = 2_000;
const FRAME_MS = 20;

/** An address without a listener. */
let base: string;
beforeAll(async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.close();
  await once(server, "close");
});

/**
 * A call with those providers, until an event of the kind `until`: when it came, all events until then, and the log.
 */
async function callUntil(until: CallEvent["kind"], providers: (clock: ManualClock) => Promise<LegOptions>) {
  const clock = new ManualClock();
  const journaled: { atMs: CallMs; event: CallEvent }[] = [];
  const call = leg({
    shared: { clock, ticker: new Ticker(clock) },
    tamper: ({ journal }) => {
      const event = journal.event.bind(journal);
      journal.event = (atMs, happened) => {
        journaled.push({ atMs, event: happened });
        event(atMs, happened);
      };
    },
    ...(await providers(clock)),
  });
  call.start();
  const times = () => journaled.flatMap(({ atMs, event }) => (event.kind === until ? [atMs] : []));
  // A refused connection takes a little real time, which the clock does not show.
  for (let frame = 0; frame < 1_000 && times().length === 0; frame += 1) {
    call.media();
    await clock.play(FRAME_MS);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const logged = call.logged.join("\n");
  call.connection.closed(1_006, false);
  return { journaled, times: times(), logged };
}

const kindsOf = (journaled: readonly { event: CallEvent }[]): string[] => journaled.map(({ event }) => event.kind);

test.each(
  LLM_PROVIDERS,
)("P1: where the LLM $name cannot be reached, the caller hears an apology soon, and the log says why", {
  tags: ["llm"],
}, async ({ make }) => {
  let requestedMs = callMs(Number.NaN);
  const { journaled, times, logged } = await callUntil("segment-audio", async (clock) => {
    const llm = await make(base, clock);
    const fallback = new FallbackLlm(
      [{ llm, circuitBreaker: breakerFor("llm", llm.provider, clock).circuitBreaker }],
      clock,
    );
    const startMs = clock.nowMs();
    const reply = fallback.reply.bind(fallback);
    fallback.reply = (...request) => {
      requestedMs = callMsAt(startMs, clock.nowMs());
      return reply(...request);
    };
    const stt = new ScriptedStt(clock, [{ atMs: 500, event: { kind: "final", text: "what do you have" } }]);
    return { stt, llm: fallback, spec: { firstSpeaker: "user" } };
  });
  expect(kindsOf(journaled)).toContain("reply-failed");
  expect(elapsedMs(requestedMs, times[0] ?? callMs(Number.NaN))).toBeLessThanOrEqual(HEARD_MS_MAX);
  expect(logged).toMatch(/stage failed without a fallback/);
  expect(logged).toContain("could not be reached (ECONNREFUSED)");
});

test.each(TTS_PROVIDERS)("P1: where the TTS $name cannot be reached, the fallback speaks soon", {
  tags: ["tts"],
}, async ({ name, make }) => {
  const { times } = await callUntil("segment-audio", async (clock) => {
    const tts = await make(base, clock);
    const first = { tts, ...breakerFor("tts", name, clock) };
    const next = ttsWithBreaker("next", new ScriptedTts(clock), clock);
    return { tts: new FallbackTts([first, next], new TtsCache(), clock), spec: { voiceId: `${name}/one` } };
  });
  expect(times[0]).toBeLessThanOrEqual(HEARD_MS_MAX);
});

test.each(
  STT_PROVIDERS.filter(({ isSocket }) => isSocket),
)("P1: where the STT $name cannot be reached, the fallback is used", { tags: ["stt"] }, async ({ name, make }) => {
  const { times, journaled } = await callUntil("stt-final", async (clock) => {
    const next = new ScriptedStt(clock, [{ atMs: 500, event: { kind: "final", text: "what do you have" } }]);
    const stts = [await make(base, clock), next].map((stt) => ({
      stt,
      circuitBreaker: breakerFor("stt", stt.provider, clock).circuitBreaker,
    }));
    return { stt: new FallbackStt(stts, clock), spec: { firstSpeaker: "user" } };
  });
  expect(times[0]).toBeLessThanOrEqual(500 + HEARD_MS_MAX);
  const switches = journaled.flatMap(({ event }) =>
    event.kind === "provider-switched" ? [[event.from, event.to]] : [],
  );
  expect(switches).toEqual([[name, "scripted"]]);
});
