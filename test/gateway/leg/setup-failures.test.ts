import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { unavailable } from "../../../src/core/errors.ts";
import { seededRandom } from "../../../src/core/seeded-random.ts";
import { loadFvadDetection } from "../../../src/media/voice-activity/fvad.ts";
import { journalPath } from "../../../src/record/journal/reader.ts";
import type { Llm, Stt, Tts } from "../../../src/speech/contracts.ts";
import { startMessage } from "../../callers/twilio-stream.ts";
import { RawWs } from "../../support/network/raw-ws.ts";
import { ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";
import { ScriptedStt } from "../../support/providers/scripted-stt.ts";
import { ScriptedTts } from "../../support/providers/scripted-tts.ts";
import { type MediaService, mediaService } from "../../support/services/media-service.ts";

/** Every step of a call's setup and start that may fail. */
const FAULTS = [
  "none",
  "the store",
  "the VAD",
  "the journal",
  "the STT",
  "the LLM",
  "the TTS",
  "gone before the answer",
  "gone with the answer",
  "gone after the start",
  "never a start",
  "no protocol",
] as const;
type Fault = (typeof FAULTS)[number];

const SEEDS = 150;
const HEARD_MS = 30;
/** A caller who types, and an LLM that replies. */
const TYPED: Partial<CallSpec> = {
  connectionType: "websocket",
  websocket: { codec: "pcm_s16le", inputRateHz: 16_000, outputRateHz: 16_000 },
  firstSpeaker: "user",
};
const START = JSON.stringify(startMessage());

let fault: Fault = "none";
let service: MediaService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

function failing(at: Fault): void {
  if (fault === at) throw unavailable("planted");
}

/** Which resources of calls are still alive. */
class Alive {
  readonly #signals = new Set<AbortSignal>();
  vads = 0;

  /** Alive until its signal aborts. */
  track(signal: AbortSignal): void {
    this.#signals.add(signal);
  }

  get streams(): number {
    return [...this.#signals].filter(({ aborted }) => !aborted).length;
  }
}

/** A service whose every part can fail, and its live resources. */
async function fragileService(): Promise<{ fragile: MediaService; alive: Alive }> {
  const alive = new Alive();
  const voiceActivity = await loadFvadDetection();
  const [scriptedStt, scriptedLlm, scriptedTts] = [
    new ScriptedStt(systemClock, []),
    new ScriptedLlm(systemClock, [textReply("I see.")]),
    new ScriptedTts(systemClock),
  ];
  const stt: Stt = {
    provider: "fragile",
    capabilities: scriptedStt.capabilities,
    open(options, signal) {
      failing("the STT");
      alive.track(signal);
      return scriptedStt.open(options, signal);
    },
  };
  const llm: Llm = {
    provider: "fragile",
    reply(request, signal) {
      failing("the LLM");
      return scriptedLlm.reply(request, signal);
    },
  };
  const tts: Tts = {
    provider: "fragile",
    capabilities: scriptedTts.capabilities,
    voices: () => scriptedTts.voices(),
    speak(request, signal) {
      failing("the TTS");
      alive.track(signal);
      return scriptedTts.speak(request, signal);
    },
  };
  const fragile = await mediaService({
    stt,
    llm,
    tts,
    voiceActivity: {
      open: (rateHz) => {
        failing("the VAD");
        const vad = voiceActivity.open(rateHz);
        alive.vads += 1;
        return {
          isSpeech: (frame) => vad.isSpeech(frame),
          destroy() {
            alive.vads -= 1;
            vad.destroy();
          },
        };
      },
    },
    async beforeRedeem() {
      failing("the store");
    },
  });
  service = fragile;
  return { fragile, alive };
}

/** One caller, whose call fails at the fault, or soon after; resolves when nothing more can happen to it. */
async function callOnce({ create, url, directory, stores, accountId, ended }: MediaService): Promise<void> {
  const { callId, token } = await create(fault === "the LLM" ? TYPED : {});
  if (fault === "the journal") writeFileSync(journalPath(directory, callId), "in its way");
  const ws = await RawWs.connect(url);
  ws.sendUpgrade(`/stream/${token}`);
  if (fault === "gone before the answer") ws.reset();
  else {
    const answer = await ws.readHttp();
    if (answer?.status === 101) {
      if (fault === "gone with the answer") ws.reset();
      else if (fault === "no protocol") ws.sendBinary(Buffer.alloc(4));
      else if (fault === "the LLM") ws.sendText(JSON.stringify({ type: "text", text: "Are you open?" }));
      else if (fault !== "never a start") ws.sendText(START);
      // Some hear the agent, or that the call is over; others hear nothing.
      if (fault !== "gone after the start") await Promise.race([ws.readFrame(), delay(HEARD_MS)]);
    }
  }
  ws.destroy();
  const spent = (await stores.calls.get(accountId, callId))?.status !== "created";
  if (spent) await ended(callId);
}

/** Only Linux reports the descriptors; elsewhere none is ever missing. */
const descriptors = (): number => (existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0);
const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;

test("D9: whatever fails during the setup of a call, nothing of it remains: no descriptor, no timer, no provider stream, no call slot", {
  timeout: 60_000,
}, async () => {
  const { fragile, alive } = await fragileService();
  const { gateway, server } = fragile;
  // What is created once, with the first call, is no leak.
  await callOnce(fragile);
  const before = { descriptors: descriptors(), timers: timers() };
  const random = seededRandom(9);
  const tried = new Set<Fault>();
  for (let seed = 0; seed < SEEDS; seed += 1) {
    fault = FAULTS[Math.floor(random() * FAULTS.length)] ?? "none";
    tried.add(fault);
    await callOnce(fragile);
  }
  fault = "none";
  expect(tried.size).toBe(FAULTS.length);
  await fragile.finalizer.idle();
  const left = () => ({
    calls: gateway.callIds(),
    handshakes: server.handshakes,
    vads: alive.vads,
    streams: alive.streams,
    descriptors: Math.max(0, descriptors() - before.descriptors),
    timers: Math.max(0, timers() - before.timers),
  });
  const nothing = { calls: [], handshakes: 0, vads: 0, streams: 0, descriptors: 0, timers: 0 };
  // The kernel tells the server that a peer has gone, and the server tells its calls.
  for (let checks = 0; checks < 200 && JSON.stringify(left()) !== JSON.stringify(nothing); checks += 1) {
    await delay(20);
  }
  expect(left()).toEqual(nothing);
  expect(fragile.logged.filter((line) => line.includes('"fault":"bug"') && !line.includes("planted"))).toEqual([]);
});
