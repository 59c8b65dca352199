import type { CallActivity } from "../../core/calls/activity.ts";
import { type ConnectionType, storesWords } from "../../core/calls/spec.ts";
import type { Stage } from "../../core/calls/stages.ts";
import type { TranscriptTurn, TurnLatency } from "../../core/calls/transcript.ts";
import { type CallMs, millisecondsOf } from "../../core/clocks.ts";
import type { CallCounts, LiveState } from "../../core/metrics/worker-readings.ts";
import type { RedeemedCall } from "../../store/call-handoff.ts";
import { type RtpCounts, rtpSummary } from "./rtp-summary.ts";
import { zeroRefusals } from "./total-counters.ts";

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
  /** How often a leg was lost and the call went on without one. */
  detachments = 0;
  framesIn = 0;
  framesOut = 0;
  late = 0;
  underruns = 0;
  malformed = 0;
  ignored = 0;
  flooded = 0;
  early = 0;
  /** Frames of silence that a client with DTX did not send. They are among `framesIn`. */
  unsentFrames = 0;
  lateAudio = 0;
  duplicateAudio = 0;
  staleAudio = 0;
  parametersDropped = 0;
  echoFrames = 0;
  /** The echo's delay from its playback, ms, and its gain, dB, as of the last frame with it; undefined before. */
  #echoDelayMs: number | undefined;
  #echoGainDb: number | undefined;
  readonly opusRefused = zeroRefusals();
  /** Of the last leg on RTP; undefined without one. */
  rtp: RtpCounts | undefined;
  marksSent = 0;
  marksReturned = 0;
  pings = 0;
  /** Pings that were answered. */
  pongs = 0;
  digits = 0;
  /** Digits of the agent's side that were not sent: too many waited, or there was no leg for their tones. */
  digitsRefused = 0;
  cleared = 0;
  carrierErrors = 0;
  /** How often speech paused a reply; echoes of the agent that were ignored. */
  pauses = 0;
  echoesIgnored = 0;
  /** How often the STT was asked for an interim transcript. */
  interimRequests = 0;
  inactivityPrompts = 0;
  /** Ends of turns that were taken back; preemptive requests, and those of them that came to nothing. */
  turnsReopened = 0;
  preemptiveStarts = 0;
  preemptiveCancels = 0;
  providerFailures = 0;
  lastFailure: { readonly stage: Stage; readonly code: string } | undefined;
  readonly providers: ProvidersByStage = { stt: [], llm: [], tts: [] };
  /** The longest time that the worker held a frame of this call, in each direction, ms. */
  addedLatencyInMaxMs = 0;
  addedLatencyOutMaxMs = 0;
  #firstAudioMs: CallMs | undefined;
  #turnDelayMs: number | undefined;
  #agentTurns = 0;
  #callerTurns = 0;
  #interrupted = 0;
  #replies = 0;
  #replyLatencySumMs = 0;
  #slowestReply: TurnLatency | undefined;

  /** A voiced frame was the agent's echo, whose delay may not be known yet. */
  echoFound({ delayMs, gainDb }: { readonly delayMs: number; readonly gainDb: number }): void {
    this.echoFrames += 1;
    if (Number.isNaN(delayMs)) return;
    this.#echoDelayMs = Math.round(delayMs);
    this.#echoGainDb = Math.round(gainDb);
  }

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
    this.#replies += 1;
    this.#turnDelayMs = latency.firstFrameMs;
    this.#replyLatencySumMs += latency.firstFrameMs;
    if (this.#slowestReply === undefined || latency.firstFrameMs > this.#slowestReply.firstFrameMs)
      this.#slowestReply = latency;
  }

  /** The complete turns so far, and the delay of the latest reply: from the caller's last voiced frame to its first frame, ms. */
  get turns(): Pick<CallActivity, "agentTurns" | "callerTurns" | "turnDelayMs"> {
    return { agentTurns: this.#agentTurns, callerTurns: this.#callerTurns, turnDelayMs: this.#turnDelayMs };
  }

  /**
   * What an operator needs first about a call, as log fields. The latency of a reply is from the caller's last voiced
   * frame to the first frame of the reply; `firstAudioMs` is when the caller first heard the agent.
   */
  summary({ accountId, spec }: RedeemedCall): object {
    const { connectionType, model, recordingEnabled } = spec;
    return {
      accountId,
      connectionType,
      model,
      recorded: recordingEnabled,
      transcriptEnabled: storesWords(spec),
      providers: this.providers,
      firstAudioMs: this.#firstAudioMs === undefined ? undefined : rounded(millisecondsOf(this.#firstAudioMs)),
      agentTurns: this.#agentTurns,
      callerTurns: this.#callerTurns,
      interrupted: this.#interrupted,
      pauses: this.pauses,
      echoesIgnored: this.echoesIgnored,
      interimRequests: this.interimRequests,
      inactivityPrompts: this.inactivityPrompts,
      turnsReopened: this.turnsReopened,
      preemptiveStarts: this.preemptiveStarts,
      preemptiveCancels: this.preemptiveCancels,
      replies: this.#replies,
      meanReplyLatencyMs: this.#replies === 0 ? undefined : Math.round(this.#replyLatencySumMs / this.#replies),
      slowestReply: this.#slowestReply,
      framesIn: this.framesIn,
      framesOut: this.framesOut,
      unsentFrames: this.unsentFrames,
      framesLate: this.late,
      underruns: this.underruns,
      addedLatencyInMaxMs: rounded(this.addedLatencyInMaxMs),
      addedLatencyOutMaxMs: rounded(this.addedLatencyOutMaxMs),
      malformed: this.malformed,
      ignored: this.ignored,
      flooded: this.flooded,
      early: this.early,
      lateAudio: this.lateAudio,
      duplicateAudio: this.duplicateAudio,
      staleAudio: this.staleAudio,
      parametersDropped: this.parametersDropped,
      echoFrames: this.echoFrames,
      echoDelayMs: this.#echoDelayMs,
      echoGainDb: this.#echoGainDb,
      detachments: this.detachments,
      rtp: this.rtp && rtpSummary(this.rtp),
      marksSent: this.marksSent,
      marksReturned: this.marksReturned,
      pings: this.pings,
      pongs: this.pongs,
      dtmfDigits: this.digits,
      dtmfRefused: this.digitsRefused,
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
