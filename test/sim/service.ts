import { DEFAULT_TURN_PARAMETERS, PREEMPTIVE_TURN_PARAMETERS } from "../../src/call/parameters.ts";
import { wireFactory } from "../../src/carriers/wire-factory.ts";
import type { CallSpec } from "../../src/core/calls/spec.ts";
import { isoTime } from "../../src/core/clock.ts";
import { asAccountId, asCallId, type CallId } from "../../src/core/ids.ts";
import { Ticker } from "../../src/gateway/event-loop/ticker.ts";
import type { JournalWriter } from "../../src/gateway/journal/writer.ts";
import { JournalWriters } from "../../src/gateway/journal/writers.ts";
import { legFormatOf } from "../../src/gateway/session.ts";
import type { Transport } from "../../src/gateway/transport/transport.ts";
import { busRateHz } from "../../src/media/bus-rate.ts";
import { loadResampler, type ResamplerFactory } from "../../src/media/resampler.ts";
import type { VoiceActivityDetection, VoiceActivityDetector } from "../../src/media/voice-activity/detector.ts";
import { loadFvadDetection } from "../../src/media/voice-activity/fvad.ts";
import { carrierCodecs } from "../../src/simulator/lines.ts";
import type { Wire } from "../../src/wire/wire.ts";
import { inboundAudio } from "../support/audio/inbound-audio.ts";
import { opus } from "../support/audio/opus-codecs.ts";
import { Connection } from "../support/calls/connection.ts";
import { memoryLog } from "../support/memory-log.ts";
import { INLINE_SCHEMAS } from "../support/stubs/inline-schemas.ts";
import { UNLIMITED_SPEND } from "../support/stubs/no-limits.ts";
import { NO_METRICS } from "../support/stubs/no-metrics.ts";
import { NO_PHRASES } from "../support/stubs/no-phrases.ts";
import type { MemoryDisk } from "./network/memory-disk.ts";
import type { Plan } from "./plan/plan.ts";
import type { Process } from "./process.ts";
import type { SimulatedLlm } from "./providers/llm.ts";
import type { OpenStreams } from "./providers/open-streams.ts";
import type { SimulatedRetriever } from "./providers/retriever.ts";
import type { SimulatedStt } from "./providers/stt.ts";
import type { SimulatedTools } from "./providers/tools.ts";
import type { SimulatedTts } from "./providers/tts.ts";

/** What the calls of one process share. */
export interface Shared {
  voiceActivity: VoiceActivityDetection;
  makeResampler: ResamplerFactory;
  inbound: ReturnType<typeof inboundAudio>;
  dataDir: string;
}

export const loadShared = async (dataDir: string): Promise<Shared> => ({
  voiceActivity: await loadFvadDetection(),
  makeResampler: await loadResampler(),
  inbound: inboundAudio(),
  dataDir,
});

export interface ServiceOptions {
  shared: Shared;
  plan: Plan;
  process: Process;
  disk: MemoryDisk;
  streams: OpenStreams;
  providers: {
    stt: SimulatedStt | undefined;
    llm: SimulatedLlm;
    tts: SimulatedTts;
    httpTools: SimulatedTools;
    retriever: SimulatedRetriever;
  };
  transport: Transport;
  /** Sees the journal before anything is written to it. */
  tap(journal: JournalWriter): void;
  /** Runs a step that must not throw. */
  guarded(step: () => void): void;
}

const callIdOf = ({ seed }: Plan): CallId => asCallId(`call_${seed}`);

/** The service's end of what the call comes over. */
function createWire(plan: Plan, spec: CallSpec = plan.spec): Wire {
  const { line } = plan;
  const outboundCodecs = line.wire === "websocket" ? {} : { [line.wire]: carrierCodecs(line).outbound };
  return wireFactory({ outboundCodecs, opus })(callIdOf(plan), spec);
}

const PCM = { codec: "pcm_s16le", inputRateHz: 8_000, outputRateHz: 8_000 } as const;

/** A wire that only the texts of the call are read with: it needs no decoder, which would have to be closed. */
export const createTextWire = (plan: Plan): Wire =>
  createWire(plan, plan.spec.websocket === undefined ? plan.spec : { ...plan.spec, websocket: PCM });

/** The real service around one call: connection, ticker and journals, with providers that are given and parts that are counted. */
export class Service {
  readonly connection: Connection;
  readonly journal: JournalWriter;
  readonly #options: ServiceOptions;
  readonly #logged: readonly string[];
  readonly #ticker: Ticker;
  #vads = 0;
  #resamplers = 0;
  #done = 0;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#ticker = new Ticker(options.process);
    const { shared, plan, process, disk, providers, transport, tap, guarded } = options;
    const { spec } = plan;
    const { log, lines } = memoryLog();
    this.#logged = lines;
    const callId = callIdOf(plan);
    const wire = createWire(plan);
    const redeemed = { callId, accountId: asAccountId("account_1"), spec };
    const sttHasInterim = providers.stt?.capabilities.interimTranscripts ?? false;
    const basis = plan.preemptive ? PREEMPTIVE_TURN_PARAMETERS : DEFAULT_TURN_PARAMETERS;
    const parameters = { ...basis, turnWaitMsMax: plan.turnWaitMsMax };
    const journals = new JournalWriters({ dataDir: shared.dataDir, software: "sim", clock: process, log, files: disk });
    this.journal = journals.open({
      ...redeemed,
      startedAt: isoTime(process.epochMs()),
      leg: legFormatOf(wire),
      sttHasInterim,
      parameters,
    });
    tap(this.journal);
    this.connection = new Connection({
      redeemed,
      transport,
      wire,
      inbound: shared.inbound,
      vad: this.#countedVad(shared.voiceActivity.open(busRateHz(wire.inboundRateHz))),
      makeResampler: this.#countedResampler,
      stt: providers.stt,
      llm: providers.llm,
      tts: providers.tts,
      httpTools: providers.httpTools,
      retriever: providers.retriever,
      schemas: INLINE_SCHEMAS,
      phrases: NO_PHRASES,
      spend: UNLIMITED_SPEND,
      parameters,
      journal: this.journal,
      metrics: NO_METRICS,
      clock: process,
      log,
      onStarted: () => {},
      onDone: () => {
        this.#done += 1;
        stopTicking();
      },
    });
    const stopTicking = this.#ticker.add({
      tick: () => guarded(() => this.connection.tick()),
      catchUp: () => guarded(() => this.connection.catchUp()),
    });
  }

  /** What the gateway does before it looks at a message. */
  catchUp(): void {
    this.#ticker.catchUp(this.#options.process.nowMs());
  }

  /** What of it is still alive, or was never finished; empty when everything is over. */
  get remains(): string[] {
    const { process, streams } = this.#options;
    const remains = streams.owners.map((owner) => `a stream of the ${owner}`);
    if (process.pending > 0) remains.push(`${process.pending} timers`);
    if (this.#vads !== 0) remains.push(`${this.#vads} voice detectors`);
    if (this.#resamplers !== 0) remains.push(`${this.#resamplers} resamplers`);
    if (this.#done !== 1) remains.push(`done ${this.#done} times`);
    return remains;
  }

  /** Lines of log that tell of a bug. */
  get bugs(): string[] {
    return this.#logged.filter((line) => line.includes('"fault":"bug"'));
  }

  #countedVad(vad: VoiceActivityDetector): VoiceActivityDetector {
    this.#vads += 1;
    return {
      isSpeech: (frame) => vad.isSpeech(frame),
      destroy: () => {
        this.#vads -= 1;
        vad.destroy();
      },
    };
  }

  readonly #countedResampler: ResamplerFactory = (fromHz, toHz) => {
    const resampler = this.#options.shared.makeResampler(fromHz, toHz);
    this.#resamplers += 1;
    return {
      process: (samples) => resampler.process(samples),
      flush: () => resampler.flush(),
      destroy: () => {
        this.#resamplers -= 1;
        resampler.destroy();
      },
    };
  };
}
