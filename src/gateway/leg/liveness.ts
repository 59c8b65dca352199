import { PING_WHILE_SPEAKING_MS, SILENCE_STEP_MS_MAX, SILENT_PEER_MS_MAX } from "../../core/limits/connections.ts";

/** When a peer is pinged, and when it is lost. */
export interface LivenessOptions {
  pingIntervalMs: number;
  /** Without a message, ping or pong for this long a peer that answers pings is lost. */
  pingTimeoutMs: number;
  /** Without audio for this long a peer is lost, though it answers; undefined: never. */
  mediaTimeoutMs: number | undefined;
}

/**
 * Whether the peer of one leg still lives. Each complete message, ping and pong is a sign of life; bytes alone are not. A peer that has
 * answered no ping yet may be silent for longer. A time in which this process was not run is no silence of the peer: what it sent
 * meanwhile may lie unread. Times are ms of call time. Allocates nothing.
 */
export class Liveness {
  readonly #options: LivenessOptions;
  #checkedMs = 0;
  #silentMs = 0;
  #withoutAudioMs = 0;
  /** Since the last look a sign of life came, or audio: what was before that is no silence. */
  #isAlive = false;
  #hasAudio = false;
  #pingedMs = Number.NEGATIVE_INFINITY;
  /** A ping was sent, and no pong came yet. */
  #awaitsPong = false;
  #answersPings = false;

  constructor(options: LivenessOptions) {
    this.#options = options;
  }

  /** A whole message, or a ping, came. */
  messageReceived(): void {
    this.#isAlive = true;
  }

  /** A message of audio came. */
  audioReceived(): void {
    this.#hasAudio = true;
  }

  /** A pong came. Whether it is the first one since the last ping; others are a sign of life and answer nothing. */
  pongReceived(): boolean {
    this.#isAlive = true;
    const isAnswer = this.#awaitsPong;
    this.#awaitsPong = false;
    this.#answersPings ||= isAnswer;
    return isAnswer;
  }

  /** To be called every LIVENESS_LOOK_TICKS. Whether the peer is lost. */
  isLost(nowMs: number): boolean {
    const stepMs = Math.min(nowMs - this.#checkedMs, SILENCE_STEP_MS_MAX);
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

  /** Whether the peer is to be pinged now; counts as pinged then. */
  takePing(nowMs: number, agentSpeaks: boolean): boolean {
    const isUnsure = agentSpeaks && this.#silentMs >= PING_WHILE_SPEAKING_MS;
    const intervalMs = isUnsure ? PING_WHILE_SPEAKING_MS : this.#options.pingIntervalMs;
    if (nowMs - this.#pingedMs < intervalMs) return false;
    this.#pingedMs = nowMs;
    this.#awaitsPong = true;
    return true;
  }
}
