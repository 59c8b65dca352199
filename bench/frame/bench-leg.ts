import { strict as assert } from "node:assert";
import { setImmediate as nextTurn } from "node:timers/promises";
import { DEFAULT_TURN_PARAMETERS } from "../../src/call/parameters.ts";
import { CONNECTION_TYPES } from "../../src/carriers/list.ts";
import { createTwilioWire } from "../../src/carriers/twilio/wire.ts";
import { readConfig } from "../../src/config/config.ts";
import type { Clock } from "../../src/core/clock.ts";
import { epochMs, monotonicMs } from "../../src/core/clocks.ts";
import { asAccountId, asCallId } from "../../src/core/ids.ts";
import { CARRIER_RATE_HZ, FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { createLogger } from "../../src/core/log/logger.ts";
import { WorkerMetrics } from "../../src/core/metrics/worker-metrics.ts";
import { SOFTWARE } from "../../src/core/runtime/version.ts";
import { JournalWriters } from "../../src/gateway/journal/writers.ts";
import type { Attachment } from "../../src/gateway/leg/attachment.ts";
import { CallSession, legFormatOf } from "../../src/gateway/session.ts";
import type { Transport } from "../../src/gateway/transport/transport.ts";
import type { ResamplerFactory } from "../../src/media/resampler.ts";
import type { VoiceActivityDetection } from "../../src/media/voice-activity/detector.ts";
import type { Stt, SttEvent, Tts } from "../../src/speech/contracts.ts";
import { EventQueue } from "../../src/speech/event-queue.ts";
import { createReferenceLlm } from "../../src/speech/reference/llm.ts";
import { inboundAudio } from "../../test/support/audio/inbound-audio.ts";
import { INLINE_SCHEMAS, INLINE_TOOL_CHOICE } from "../../test/support/stubs/inline-schemas.ts";
import { UNLIMITED_SPEND } from "../../test/support/stubs/no-limits.ts";
import { NO_PHRASES } from "../../test/support/stubs/no-phrases.ts";
import { BENCH_SPEC } from "../harness/call-spec.ts";
import { NO_DISK } from "../harness/no-disk.ts";
import { CarrierMessages } from "./carrier-messages.ts";

/** The messages of a carrier in one stream. Streams share the memory, as messages of a socket do. */
export interface CarrierStream {
  opening: readonly Buffer[];
  media: readonly Buffer[];
}

/** `audio` is raw mu-law, 8,000 Hz: what the caller says, over and over. */
export function prepareStream(audio: Uint8Array): CarrierStream {
  const texts = new CarrierMessages(audio);
  return {
    opening: [Buffer.from(texts.greeting()), Buffer.from(texts.start())],
    media: Array.from({ length: 500 }, () => Buffer.from(texts.media())),
  };
}

/** One connection in the middle of its call, with a clock of its own. */
export class BenchLeg {
  readonly #session: CallSession;
  readonly #attachment: Attachment;
  readonly #media: readonly Buffer[];
  readonly #flush: () => void;
  #at = 0;
  /** Never a whole number, as in the service. */
  #nowMs = 0.25;
  /** A peer that answers no ping is lost, where it says nothing else. */
  #isPinged = false;
  /** Frames that the STT received, and frames that were sent. */
  readonly frames = { in: 0, out: 0 };

  constructor(
    { opening, media }: CarrierStream,
    {
      voiceActivity,
      makeResampler,
      dataDir,
    }: { voiceActivity: VoiceActivityDetection; makeResampler: ResamplerFactory; dataDir: string },
  ) {
    const clock: Clock = {
      nowMs: () => monotonicMs(this.#nowMs),
      epochMs: () => epochMs(this.#nowMs),
      after: () => () => {},
    };
    const log = createLogger("test", "error");
    const wire = createTwilioWire();
    const call = { callId: asCallId("call_bench"), accountId: asAccountId("bench"), spec: BENCH_SPEC };
    const journal = new JournalWriters({ dataDir, software: SOFTWARE, clock, log, files: NO_DISK }).open({
      ...call,
      startedAt: new Date(0).toISOString(),
      leg: legFormatOf(wire),
      sttHasInterim: true,
      parameters: DEFAULT_TURN_PARAMETERS,
    });
    this.#flush = () => journal.flush();
    this.#session = new CallSession({
      redeemed: call,
      format: legFormatOf(wire),
      makeResampler,
      stt: this.#stt(),
      llm: createReferenceLlm(INLINE_TOOL_CHOICE),
      tts: endlessTts(),
      parameters: DEFAULT_TURN_PARAMETERS,
      httpTools: { carryOut: () => assert.fail("it uses no tools") },
      schemas: INLINE_SCHEMAS,
      phrases: NO_PHRASES,
      spend: UNLIMITED_SPEND,
      journal,
      metrics: new WorkerMetrics(CONNECTION_TYPES, () => assert.fail("the metrics are not read")),
      clock,
      log,
      onStarted: () => {},
      mayResume: false,
      onDone: () => assert.fail("the call ended"),
    });
    const transport: Transport = {
      liveness: readConfig({}).liveness,
      bufferedBytes: 0,
      send: () => {
        this.frames.out += 1;
        return true;
      },
      ping: () => {
        this.#isPinged = true;
      },
      close: (_code, reason) => assert.fail(`the call ended: ${reason}`),
    };
    this.#attachment = this.#session.attach({
      transport,
      wire,
      inbound: inboundAudio(),
      vad: voiceActivity.open(CARRIER_RATE_HZ),
    });
    for (const message of opening) this.#attachment.message(message, false);
    this.#media = media;
  }

  /** Receives a message, or sends a due frame, `laterMs` later. */
  step(way: "in" | "out", laterMs = FRAME_MS): void {
    this.#nowMs += laterMs;
    if (way === "out") {
      this.#session.tick();
      if (this.#isPinged) this.#attachment.ponged();
      this.#isPinged = false;
      return;
    }
    this.#at = this.#at + 1 === this.#media.length ? 0 : this.#at + 1;
    this.#attachment.message(this.#media[this.#at] as Buffer, false);
  }

  /** Receives a message, fills the ring of frames again, sends the lead, and flushes the journal. */
  async refill(): Promise<void> {
    this.step("in");
    await nextTurn();
    this.#session.tick();
    await nextTurn();
    this.#flush();
  }

  #stt(): Stt {
    return {
      provider: "bench",
      capabilities: { ratesHz: [CARRIER_RATE_HZ], interimTranscripts: true },
      open: (_options, signal) => ({
        write: () => {
          this.frames.in += 1;
        },
        events: new EventQueue<SttEvent>(signal),
      }),
    };
  }
}

/** Speaks one segment without end, in chunks as long as the reference TTS's. */
function endlessTts(): Tts {
  const samples = Int16Array.from({ length: 3_200 }, (_, at) => Math.round(8_000 * Math.sin(at / 5)));
  return {
    provider: "bench",
    capabilities: { wordTimestamps: true },
    voices: async () => [],
    async *speak(_request, signal) {
      while (!signal.aborted) yield { samples, rateHz: CARRIER_RATE_HZ, words: [] };
    },
  };
}
