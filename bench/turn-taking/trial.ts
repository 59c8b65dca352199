import { strict as assert } from "node:assert";
import type { CallCommand } from "../../src/call/events.ts";
import { DEFAULT_TURN_PARAMETERS, type TurnParameters } from "../../src/call/parameters.ts";
import { SimulatedTwilio } from "../../src/carriers/twilio/simulated.ts";
import { createTwilioWire } from "../../src/carriers/twilio/wire.ts";
import { readConfig } from "../../src/config/config.ts";
import type { CallSpec } from "../../src/core/calls/spec.ts";
import { millisecondsOf, monotonicMs } from "../../src/core/clocks.ts";
import { asAccountId, asCallId } from "../../src/core/ids.ts";
import { CARRIER_RATE_HZ, FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { createLogger } from "../../src/core/log/logger.ts";
import { SOFTWARE } from "../../src/core/runtime/version.ts";
import { Ticker } from "../../src/gateway/event-loop/ticker.ts";
import type { JournalWriter } from "../../src/gateway/journal/writer.ts";
import { JournalWriters } from "../../src/gateway/journal/writers.ts";
import { legFormatOf } from "../../src/gateway/session.ts";
import { mulawDecode } from "../../src/media/g711.ts";
import type { ResamplerFactory } from "../../src/media/resampler.ts";
import type { VoiceActivityDetection } from "../../src/media/voice-activity/detector.ts";
import { SpeechSegmenter } from "../../src/media/voice-activity/segmenter.ts";
import type { Llm, Stt, SttEvent, Tts } from "../../src/speech/contracts.ts";
import { createReferenceStt } from "../../src/speech/reference/stt.ts";
import { WatermarkDecoder } from "../../src/speech/reference/watermark/decoder.ts";
import type { InboundAudio } from "../../src/wire/wire.ts";
import { Connection } from "../../test/support/calls/connection.ts";
import { ManualClock } from "../../test/support/manual-clock.ts";
import { INLINE_SCHEMAS } from "../../test/support/stubs/inline-schemas.ts";
import { UNLIMITED_SPEND } from "../../test/support/stubs/no-limits.ts";
import { NO_METRICS } from "../../test/support/stubs/no-metrics.ts";
import { NO_PHRASES } from "../../test/support/stubs/no-phrases.ts";
import { BENCH_SPEC } from "../harness/call-spec.ts";
import { NO_DISK } from "../harness/no-disk.ts";
import { SHORT_ANSWER } from "../rig/speech.ts";
import { CallerLine } from "./caller-line.ts";
import type { Scene } from "./cases.ts";
import type { SttMode } from "./result.ts";

/** What the calls share. */
export interface TrialTools {
  voiceActivity: VoiceActivityDetection;
  makeResampler: ResamplerFactory;
  inbound: InboundAudio;
  tts: Tts;
  /** A folder that can be made; nothing is written. */
  dataDir: string;
}

export interface TrialOptions {
  tools: TrialTools;
  sttMode: SttMode;
  scene: Scene;
  /** What the agent says until somebody stops it. */
  greeting: string;
  /** By how much the carrier's tick lags the service's, ms. */
  phaseMs: number;
  /** In place of the reference STT of `sttMode`. */
  stt?: Stt;
  /** What differs from the default parameters of turn taking. */
  parameters?: Partial<TurnParameters>;
  /** What differs from BENCH_SPEC; an empty greeting is none. */
  spec?: Partial<CallSpec>;
  /** What the LLM always answers. */
  answer?: string;
  /** When to hang up, ms; otherwise when everything that may come of the scene has come. */
  untilMs?: number;
  /** All commands of the call, with their times in ms of call time. */
  onCommand?: (atMs: number, command: CallCommand) => void;
  /** The times of all frames that are sent, ms, and the replies that they belong to. */
  onSent?: (atMs: number, turnId: number) => void;
}

/** The agent was paused or interrupted. Times are ms of call time. */
export interface Stop {
  kind: "paused" | "interrupted";
  atMs: number;
  /** When the last frame before it was sent. */
  lastSentMs: number;
  /** When a pause ended; NaN where an interruption or the end of the call followed it. */
  resumedMs: number;
}

/** What was seen of one call. Times are ms of call time, NaN for what did not come. */
export interface Trial {
  /** The first and the last sample that the caller uttered. */
  onsetMs: number;
  endMs: number;
  /** From the first frame of the agent's first reply to when it was over. */
  beganMs: number;
  overMs: number;
  /** What was done to that reply, in order; an interruption is the last. */
  stops: Stop[];
  /** When speech began, as the VAD detects it. */
  speechMs: number[];
  /** When the caller began to hear nothing, each time. */
  silenceMs: number[];
  /** When the agent began to answer what the caller had said to the end. */
  answeredMs: number;
  /** The caller's words in the LLM's prompt. */
  understood: string;
  /** What the caller understood of the agent; not looked at where the caller says something. */
  heard: string[];
}

const STEP_MS = 100;
/** More than the longest scene with everything that may come of it. */
const LIMIT_MS = 30_000;
/** With nothing sent for so long, and no pause, the agent has finished, or was falsely interrupted, which was observed. */
const QUIET_MS = 600;
const ANSWER_MS_MAX = 8_000;

/** Places a call in virtual time, through the carrier's emulator and the whole service but its sockets, and watches it. */
export async function runTrial(options: TrialOptions): Promise<Trial> {
  return new TrialCall(options).run();
}

class TrialCall {
  readonly #options: TrialOptions;
  readonly #clock = new ManualClock();
  readonly #line: CallerLine;
  readonly #carrier: SimulatedTwilio;
  readonly #connection: Connection;
  readonly #stopTicking: () => void;
  readonly #segmenter: SpeechSegmenter;
  readonly #callerDecoder: WatermarkDecoder;
  readonly #callerFrame = new Int16Array((CARRIER_RATE_HZ / 1_000) * FRAME_MS);
  readonly #seen: Trial;
  #lastSentMs = Number.NaN;
  /** Since when nothing was sent, pauses not counted. */
  #quietSinceMs = Number.NaN;
  #isHearing = false;
  #answerTurnId = 0;
  #isOver = false;

  constructor(options: TrialOptions) {
    this.#options = options;
    const { tools, sttMode, scene } = options;
    const { utterance } = scene.sounds;
    this.#segmenter = new SpeechSegmenter({ ...DEFAULT_TURN_PARAMETERS, ...tools.voiceActivity.onset });
    const onsetMs = utterance === undefined ? Number.NaN : options.phaseMs + atMs(utterance.at);
    this.#seen = {
      onsetMs,
      endMs: onsetMs + atMs(utterance?.samples.length ?? Number.NaN),
      beganMs: Number.NaN,
      overMs: Number.NaN,
      stops: [],
      speechMs: [],
      silenceMs: [],
      answeredMs: Number.NaN,
      understood: "",
      heard: [],
    };
    this.#line = new CallerLine(scene.sounds);
    this.#callerDecoder = new WatermarkDecoder(CARRIER_RATE_HZ, 250, {
      onWord: (word) => this.#seen.heard.push(word),
      onQuiet: () => {},
    });
    this.#carrier = new SimulatedTwilio({
      clock: this.#clock,
      id: "0".repeat(32),
      send: (text) => this.#connection.message(Buffer.from(text), false),
      close: () => {},
      microphone: () => this.#line.speak(),
      earphone: (frame, samples, playedMs) => this.#played(frame, samples, playedMs),
    });
    this.#connection = this.#connect(tools, sttMode);
    this.#stopTicking = new Ticker(this.#clock).add({
      tick: () => this.#connection.tick(),
      // Nothing stands still in virtual time.
      catchUp: () => {},
    });
  }

  async run(): Promise<Trial> {
    this.#clock.after(this.#options.phaseMs, () => this.#carrier.start());
    while (!this.#isDone()) await this.#clock.play(STEP_MS);
    this.#isOver = true;
    this.#carrier.closed();
    this.#connection.closed(1_000, false);
    await this.#clock.play(STEP_MS);
    assert.deepEqual([...this.#carrier.violations], [], "the carrier has nothing to complain about");
    return this.#seen;
  }

  #connect({ voiceActivity, makeResampler, inbound, tts, dataDir }: TrialTools, sttMode: SttMode): Connection {
    const clock = this.#clock;
    const log = createLogger("test", "error");
    const wire = createTwilioWire();
    const { greeting } = this.#options;
    const { greeting: _, ...benchSpec } = BENCH_SPEC;
    const spec = {
      ...benchSpec,
      ...(greeting === "" ? {} : { greeting }),
      interruptible: true,
      ...this.#options.spec,
    };
    const redeemed = { callId: asCallId("call_bench"), accountId: asAccountId("bench"), spec };
    const { stt = sttMode === "partials" ? createReferenceStt() : withoutInterimTranscripts(createReferenceStt()) } =
      this.#options;
    const sttHasInterim = stt.capabilities.interimTranscripts;
    const parameters = { ...DEFAULT_TURN_PARAMETERS, ...voiceActivity.onset, ...this.#options.parameters };
    const journal = new JournalWriters({ dataDir, software: SOFTWARE, clock, log, files: NO_DISK }).open({
      ...redeemed,
      startedAt: new Date(0).toISOString(),
      leg: legFormatOf(wire),
      sttHasInterim,
      parameters,
    });
    this.#observe(journal);
    return new Connection({
      redeemed,
      transport: {
        liveness: readConfig({}).liveness,
        bufferedBytes: 0,
        send: (message) => {
          this.#carrier.receive(typeof message === "string" ? message : Buffer.from(message).toString("latin1"));
          return true;
        },
        ping: () => {},
        close: (_code, reason) => assert.ok(this.#isOver, `the call ended: ${reason}`),
      },
      wire,
      inbound,
      vad: voiceActivity.open(CARRIER_RATE_HZ),
      makeResampler,
      stt,
      llm: this.#llm(),
      phrases: NO_PHRASES,
      spend: UNLIMITED_SPEND,
      tts,
      httpTools: { carryOut: () => assert.fail("it uses no tools") },
      schemas: INLINE_SCHEMAS,
      parameters,
      journal,
      metrics: NO_METRICS,
      clock,
      log,
      onStarted: () => {},
      onDone: () => this.#stopTicking(),
    });
  }

  /** Answers at once, and always the same. */
  #llm(): Llm {
    const seen = this.#seen;
    const { answer = SHORT_ANSWER } = this.#options;
    return {
      provider: "bench",
      async *reply({ messages }) {
        seen.understood = messages.flatMap(({ role, text }) => (role === "user" ? [text] : [])).join(" ");
        yield { kind: "text", text: answer };
        yield { kind: "end", inputTokens: 0, outputTokens: 0 };
      },
    };
  }

  /** Sees what goes into the journal, which is everything that the call receives and sends, as it happens. */
  #observe(journal: JournalWriter): void {
    journal.frameIn = (timeMs, mediaMs, voiced) => {
      if (this.#segmenter.frame(voiced, mediaMs, timeMs) === "started")
        this.#seen.speechMs.push(millisecondsOf(timeMs));
    };
    journal.frameOut = (timeMs, turnId) => this.#sent(millisecondsOf(timeMs), turnId);
    const { command } = journal;
    journal.command = (timeMs, given) => {
      this.#options.onCommand?.(millisecondsOf(timeMs), given);
      if (given.kind === "pause") this.#stopped("paused", given.turnId, millisecondsOf(timeMs));
      else if (given.kind === "cancel-reply") this.#stopped("interrupted", given.turnId, millisecondsOf(timeMs));
      else if (given.kind === "resume" && given.turnId === 1) this.#resumed(millisecondsOf(timeMs));
      command.call(journal, timeMs, given);
    };
  }

  #sent(timeMs: number, turnId: number): void {
    this.#options.onSent?.(timeMs, turnId);
    if (turnId === 1) {
      if (Number.isNaN(this.#seen.beganMs)) this.#seen.beganMs = timeMs;
      this.#lastSentMs = timeMs;
      this.#quietSinceMs = timeMs;
    } else if (turnId !== this.#answerTurnId) {
      this.#answerTurnId = turnId;
      if (Number.isNaN(this.#seen.answeredMs) && timeMs >= this.#seen.endMs) this.#seen.answeredMs = timeMs;
    }
  }

  #stopped(kind: Stop["kind"], turnId: number, atMs: number): void {
    if (turnId !== 1 || this.#isOver) return;
    this.#seen.stops.push({ kind, atMs, lastSentMs: this.#lastSentMs, resumedMs: Number.NaN });
    if (kind === "interrupted") this.#seen.overMs = atMs;
  }

  #resumed(atMs: number): void {
    const pause = this.#seen.stops.at(-1);
    assert.ok(pause?.kind === "paused", "only a paused reply resumes");
    pause.resumedMs = atMs;
    this.#quietSinceMs = atMs;
  }

  #played(frame: Uint8Array, samples: number, playedMs: number): void {
    this.#line.played(frame);
    if (this.#options.scene.said === "") {
      mulawDecode(frame, this.#callerFrame);
      this.#callerDecoder.write(this.#callerFrame);
    }
    const isHearing = samples === frame.length;
    if (this.#isHearing && !isHearing) this.#seen.silenceMs.push(playedMs + atMs(samples));
    this.#isHearing = isHearing;
  }

  #isDone(): boolean {
    const nowMs = this.#clock.nowMs();
    const seen = this.#seen;
    const { untilMs } = this.#options;
    if (nowMs >= monotonicMs(untilMs ?? LIMIT_MS)) return true;
    const last = seen.stops.at(-1);
    const isPaused = last?.kind === "paused" && Number.isNaN(last.resumedMs);
    if (Number.isNaN(seen.overMs) && !isPaused && nowMs > monotonicMs(this.#quietSinceMs + QUIET_MS))
      seen.overMs = this.#lastSentMs;
    if (untilMs !== undefined) return false;
    if (this.#options.scene.said !== "" && !(nowMs > monotonicMs(seen.endMs + ANSWER_MS_MAX))) {
      return nowMs > monotonicMs(seen.answeredMs + STEP_MS);
    }
    return nowMs > monotonicMs(seen.overMs + QUIET_MS) && !(nowMs < monotonicMs(seen.endMs + QUIET_MS));
  }
}

const atMs = (sample: number): number => (sample * 1_000) / CARRIER_RATE_HZ;

/** The same STT without interim transcripts. */
function withoutInterimTranscripts(stt: Stt): Stt {
  return {
    provider: stt.provider,
    capabilities: { ...stt.capabilities, interimTranscripts: false },
    open(options, signal) {
      const { write, events } = stt.open(options, signal);
      return { write, events: finalsOf(events) };
    },
  };
}

async function* finalsOf(events: AsyncIterable<SttEvent>): AsyncGenerator<SttEvent> {
  for await (const event of events) if (event.kind === "final") yield event;
}
