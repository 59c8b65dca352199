import { afterAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { systemClock } from "../../../src/core/clock.ts";
import type { ListedEvent } from "../../../src/record/events/event-list.ts";
import { EventPager } from "../../../src/record/events/event-pages.ts";
import type { Stt, SttEvent } from "../../../src/speech/contracts.ts";
import { EventQueue } from "../../../src/speech/event-queue.ts";
import { createEspeak } from "../../../src/speech/tts/providers/espeak/adapter.ts";
import { ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";
import { mediaService } from "../../support/services/media-service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

const OWN = "espeak/gmw/en-US";
const GERMAN = "espeak/gmw/de";
const RATE_HZ = 16_000;

/** What the caller says, in which language, once there is nothing to be heard; and the answers. */
const SAID: readonly [string, string][] = [
  ["good day", "en"],
  ["guten Tag", "de"],
  ["good day again", "en"],
];
const ANSWERS: readonly [string, string][] = [
  ["Good day.", OWN],
  ["Guten Tag, wie geht es Ihnen?", GERMAN],
  ["Good day again.", OWN],
];

const tts = createEspeak({ children: 1, clock: systemClock });
afterAll(() => tts.close());

/** An STT that emits what the test says. */
class SpokenStt implements Stt {
  readonly provider = "scripted";
  readonly capabilities = { ratesHz: [RATE_HZ], interimTranscripts: true, anyLanguage: true };
  #events: EventQueue<SttEvent> | undefined;

  open(_options: object, signal: AbortSignal) {
    this.#events = new EventQueue<SttEvent>(signal);
    return { write: () => {}, events: this.#events };
  }

  hears(text: string, language: string): void {
    this.#events?.push({ kind: "final", text, language });
  }
}

/** How long a voice takes for a text, by itself, ms. */
async function lengthMs(text: string, voiceId: string): Promise<number> {
  let durationMs = 0;
  for await (const { samples, rateHz } of tts.speak({ text, voiceId, language: "en" }, new AbortController().signal)) {
    durationMs += (samples.length * 1_000) / rateHz;
  }
  return durationMs;
}

/** A call whose caller says the next thing whenever the agent listens again; what was journaled of it. */
async function converse(): Promise<readonly ListedEvent[]> {
  const stt = new SpokenStt();
  const llm = new ScriptedLlm(
    systemClock,
    ANSWERS.map(([text]) => textReply(text)),
  );
  const service = await mediaService({ tts, stt, llm });
  const { callId, token } = await service.create({
    voiceId: OWN,
    language: "en-US",
    firstSpeaker: "user",
    connectionType: "websocket",
    websocket: { codec: "pcm_s16le", inputRateHz: RATE_HZ, outputRateHz: RATE_HZ },
  });
  const socket = new WebSocket(`${service.url}/stream/${token}`);
  const unsaid = [...SAID];
  socket.on("message", (data, isBinary) => {
    if (isBinary) return;
    const message = JSON.parse(String(data)) as { type: string; state?: string };
    if (message.type === "mark") socket.send(String(data));
    if (message.type !== "ready" && message.state !== "listening") return;
    const next = unsaid.shift();
    if (next === undefined) socket.send('{"type":"end"}');
    else stt.hears(...next);
  });
  await new Promise((resolve) => socket.on("close", resolve));
  await service.ended(callId);
  const { events } = await new EventPager(service.directory).page(callId, 0, 1_000);
  await service.close();
  return events;
}

test("a caller who changes the language is answered by a voice of that language, and by the call's own voice after changing back", {
  retry: ifMachineStalled,
}, async () => {
  const events = await converse();
  const only = <Kind extends ListedEvent["kind"]>(kind: Kind) =>
    events.filter((event): event is Extract<ListedEvent, { kind: Kind }> => event.kind === kind);
  expect(only("language").map(({ language, reason }) => [language, reason])).toEqual([
    ["de", "detected"],
    ["en-US", "detected"],
  ]);
  expect(only("voice-chosen").map(({ voiceId, supportsLanguage }) => [voiceId, supportsLanguage])).toEqual([
    [GERMAN, true],
    [OWN, true],
  ]);
  expect(only("generate-reply").map(({ language }) => language)).toEqual(["en-US", "de", "en-US"]);
  // Whose voice it was is known by how long it took.
  const spokenMs = only("segment-end").map(({ samples }) => (samples * 1_000) / RATE_HZ);
  const aloneMs: number[] = [];
  for (const [text, voiceId] of ANSWERS) aloneMs.push(await lengthMs(text, voiceId));
  expect(spokenMs).toHaveLength(aloneMs.length);
  for (const [at, ms] of aloneMs.entries()) expect(Math.abs((spokenMs[at] ?? 0) - ms)).toBeLessThan(30);
  expect(Math.abs((aloneMs[1] ?? 0) - (await lengthMs("Guten Tag, wie geht es Ihnen?", OWN)))).toBeGreaterThan(60);
});
