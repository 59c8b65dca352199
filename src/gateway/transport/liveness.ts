import { type CallMs, callMs, elapsedMs } from "../../core/clocks.ts";
import {
  PING_WHILE_SPEAKING_MS,
  SILENCE_STEP_MS_MAX,
  SILENT_PEER_MS_MAX,
} from "../../core/limits/streams/connections.ts";

/** When a peer is pinged, and when it is lost. */
export interface LivenessOptions {
  pingIntervalMs: number;
  /** A peer that answers pings is lost after this time without a message, ping or pong. */
  pingTimeoutMs: number;
  /** A peer is lost after this time without audio, even if it answers; undefined: never. */
  mediaTimeoutMs: number | undefined;
}

/**
 * Detects whether the peer of one leg is still alive. Each complete message, ping and pong counts; bytes alone do not.
 * A peer that has answered no ping yet may be silent for longer. Time in which this process did not run does not count
 * as silence of the peer: its messages may be unread. Times are call time, ms. Allocates nothing.
 */
export class Liveness {
  readonly #options: LivenessOptions;
  #checkedMs: CallMs;
  #silentMs = 0;
  #withoutAudioMs = 0;
  /** Something was received since the last check, or audio was: the time before that was no silence. */
  #isAlive = false;
  #hasAudio = false;
  #pingedMs = callMs(Number.NEGATIVE_INFINITY);
  /** A ping was sent, and no pong has arrived yet. */
  #awaitsPong = false;
  #answersPings = false;

  /** The transport opened at `nowMs`. */
  constructor(options: LivenessOptions, nowMs: CallMs) {
    this.#options = options;
    this.#checkedMs = nowMs;
  }

  /** A complete message, or a ping, was received. */
  messageReceived(): void {
    this.#isAlive = true;
  }

  /** An audio message was received. */
  audioReceived(): void {
    this.#hasAudio = true;
  }

  /**
   * A pong was received. Returns whether it is the first since the last ping; other pongs only show that the peer is
   * alive.
   */
  pongReceived(): boolean {
    this.#isAlive = true;
    const isAnswer = this.#awaitsPong;
    this.#awaitsPong = false;
    this.#answersPings ||= isAnswer;
    return isAnswer;
  }

  /** Call every LIVENESS_CHECK_TICKS. Returns whether the peer is lost. */
  isLost(nowMs: CallMs): boolean {
    const stepMs = Math.min(elapsedMs(this.#checkedMs, nowMs), SILENCE_STEP_MS_MAX);
    this.#checkedMs = nowMs;
    this.#silentMs = this.#isAlive ? 0 : this.#silentMs + stepMs;
    this.#withoutAudioMs = this.#hasAudio ? 0 : this.#withoutAudioMs + stepMs;
    this.#isAlive = false;
    this.#hasAudio = false;
    const { pingTimeoutMs, mediaTimeoutMs } = this.#options;
    if (mediaTimeoutMs !== undefined && this.#withoutAudioMs >= mediaTimeoutMs) return true;
    const silentMsMax = this.#answersPings ? pingTimeoutMs : Math.max(pingTimeoutMs, SILENT_PEER_MS_MAX);
    return this.#silentMs >= silentMsMax;
  }

  /** Whether to ping the peer now; if so, the ping counts as sent. */
  takePing(nowMs: CallMs, agentSpeaks: boolean): boolean {
    const isUnsure = agentSpeaks && this.#silentMs >= PING_WHILE_SPEAKING_MS;
    const intervalMs = isUnsure ? PING_WHILE_SPEAKING_MS : this.#options.pingIntervalMs;
    if (elapsedMs(this.#pingedMs, nowMs) < intervalMs) return false;
    this.#pingedMs = nowMs;
    this.#awaitsPong = true;
    return true;
  }
}
