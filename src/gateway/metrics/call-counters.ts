import type { ConnectionType } from "../../core/calls/spec.ts";
import type { Stage } from "../../core/calls/stages.ts";
import type { TranscriptTurn, TurnLatency } from "../../core/calls/transcript.ts";
import type { CallCounts, LiveState } from "../../core/metrics/worker-readings.ts";
import type { RedeemedCall } from "../../store/call-handoff.ts";

/** The state of a call; `counts` keeps changing. */
export interface CallReading {
  connectionType: ConnectionType;
  state: LiveState;
  counts: CallCounters;
}

/**
 * The providers that served a call, or were configured to, in order and each once; empty for a stage that the call does
 * not have.
 */
export type ProvidersByStage = Record<Stage, string[]>;

/**
 * The counters of one call: read by the metrics at any time, and logged once in the message `call ended`. Numbers only,
 * never words.
 */
export class CallCounters implements CallCounts {
  framesIn = 0;
  framesOut = 0;
  late = 0;
  underruns = 0;
  malformed = 0;
  ignored = 0;
  flooded = 0;
  early = 0;
  lateAudio = 0;
  duplicateAudio = 0;
  staleAudio = 0;
  marksSent = 0;
  marksReturned = 0;
  pings = 0;
  /** Pings that were answered. */
  pongs = 0;
  digits = 0;
  cleared = 0;
  carrierErrors = 0;
  providerFailures = 0;
  lastFailure: { readonly stage: Stage; readonly code: string } | undefined;
  readonly providers: ProvidersByStage = { stt: [], llm: [], tts: [] };
  /** The longest time that we held up a frame of this call, each way, ms. */
  slowestInMs = 0;
  slowestOutMs = 0;
  #firstAudioMs: number | undefined;
  #agentTurns = 0;
  #callerTurns = 0;
  #interrupted = 0;
  #answers = 0;
  #answerSumMs = 0;
  #slowest: TurnLatency | undefined;

  /** A stage failed, with this stable code. */
  providerFailed(stage: Stage, code: string): void {
    this.providerFailures += 1;
    this.lastFailure = { stage, code };
  }

  /** A provider serves the call. */
  servedBy(stage: Stage, provider: string): void {
    if (!this.providers[stage].includes(provider)) this.providers[stage].push(provider);
  }

  /** A turn of the transcript is complete. */
  turn({ role, startMs, interrupted, latency }: TranscriptTurn): void {
    if (role === "agent") {
      this.#agentTurns += 1;
      this.#firstAudioMs ??= startMs;
    } else this.#callerTurns += 1;
    if (interrupted) this.#interrupted += 1;
    if (latency === undefined) return;
    this.#answers += 1;
    this.#answerSumMs += latency.firstFrameMs;
    if (this.#slowest === undefined || latency.firstFrameMs > this.#slowest.firstFrameMs) this.#slowest = latency;
  }

  /**
   * What an operator needs first about a call, as log fields. The time of an answer is from the caller's last voiced
   * frame to the first frame of the answer; `firstAudioMs` is when the caller first heard the agent.
   */
  summary({ accountId, spec }: RedeemedCall): object {
    const { connectionType, model, recordingEnabled } = spec;
    return {
      accountId,
      connectionType,
      model,
      recorded: recordingEnabled,
      providers: this.providers,
      firstAudioMs: rounded(this.#firstAudioMs),
      agentTurns: this.#agentTurns,
      callerTurns: this.#callerTurns,
      interrupted: this.#interrupted,
      answers: this.#answers,
      meanAnswerMs: this.#answers === 0 ? undefined : Math.round(this.#answerSumMs / this.#answers),
      slowestAnswer: this.#slowest,
      framesIn: this.framesIn,
      framesOut: this.framesOut,
      late: this.late,
      underruns: this.underruns,
      slowestInMs: rounded(this.slowestInMs),
      slowestOutMs: rounded(this.slowestOutMs),
      malformed: this.malformed,
      ignored: this.ignored,
      flooded: this.flooded,
      early: this.early,
      lateAudio: this.lateAudio,
      duplicateAudio: this.duplicateAudio,
      staleAudio: this.staleAudio,
      marksSent: this.marksSent,
      marksReturned: this.marksReturned,
      pings: this.pings,
      pongs: this.pongs,
      digits: this.digits,
      cleared: this.cleared,
      carrierErrors: this.carrierErrors,
      stageFailures: this.providerFailures,
      lastFailure: this.lastFailure,
    };
  }
}

/** To hundredths of a millisecond. */
const rounded = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : Math.round(ms * 100) / 100;
