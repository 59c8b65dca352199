import { type CallMs, callMs, elapsedMs, type MediaMs } from "../../core/clocks.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import { SpeechSegmenter } from "../../media/voice-activity/segmenter.ts";
import type { SpeechEdge } from "../../media/voice-activity/speech-activity.ts";
import type { Conversation } from "../conversation.ts";
import type { CallEvent } from "../events.ts";
import type { TurnParameters } from "../parameters.ts";
import { callerText } from "./caller-turn.ts";
import { agentQuestionOf } from "./end-of-turn/agent-question.ts";
import type { PauseEnd } from "./end-of-turn/pause-end.ts";
import { PauseEvidenceGatherer } from "./end-of-turn/pause-evidence.ts";
import { PAUSE_MS_MIN } from "./end-of-turn/pauses-within-turns.ts";
import type { TurnTaking } from "./turn-taking.ts";

export interface CallerSpeechOptions {
  parameters: Readonly<TurnParameters>;
  turnTaking: TurnTaking;
  conversation: Conversation;
}

/**
 * The caller's speech and the pauses in it. Speech ends with the hangover, or sooner where the turn is over: turn taking
 * judges each pause by what this gathers of it. Times are ms of call time. A frame allocates nothing.
 */
export class CallerSpeech {
  readonly segmenter: SpeechSegmenter;
  readonly #options: CallerSpeechOptions;
  /** Undefined where turns end by fixed pauses. */
  readonly #evidence: PauseEvidenceGatherer | undefined;
  /** When speech ended last; NaN before that. */
  #endedMs = callMs(Number.NaN);
  #agentText = "";

  constructor(options: CallerSpeechOptions) {
    const { parameters, turnTaking } = options;
    this.#options = options;
    this.segmenter = new SpeechSegmenter(parameters);
    if (parameters.turnWaitMsMax === 0) return;
    this.#evidence = new PauseEvidenceGatherer();
    turnTaking.evidence = this.#evidence.current;
  }

  /** Takes one frame's decision; returns whether speech started or ended with it. */
  frame(isSpeech: boolean, mediaMs: MediaMs, nowMs: CallMs): SpeechEdge {
    const { segmenter } = this;
    const { silentMs, lastSpeechMs } = segmenter;
    const edge = segmenter.frame(isSpeech, mediaMs, nowMs);
    if (edge === "ended") this.#endedMs = segmenter.lastSpeechMs;
    if (this.#evidence === undefined) return edge;
    if (edge === "started") this.#onSpeech(elapsedMs(this.#endedMs, segmenter.speechStartMs));
    if (edge !== "same" || !segmenter.isSpeaking) return edge;
    if (segmenter.isSpeech) {
      if (silentMs >= PAUSE_MS_MIN) this.#onSpeech(elapsedMs(lastSpeechMs, nowMs));
      return edge;
    }
    if (segmenter.silentMs + FRAME_MS <= this.#options.parameters.turnWaitMsMin || !this.#isTurnOver(nowMs))
      return edge;
    segmenter.endSpeech();
    this.#endedMs = segmenter.lastSpeechMs;
    return "ended";
  }

  /** No frame came for so long that speech has ended. */
  framesStopped(): void {
    this.segmenter.framesStopped();
    this.#endedMs = this.segmenter.lastSpeechMs;
  }

  /** How the current pause is judged; undefined where there is none that can end the turn. */
  get pauseEnd(): PauseEnd | undefined {
    if (this.segmenter.isSpeaking && this.segmenter.isSpeech) return undefined;
    return this.#options.turnTaking.judgePause(this.segmenter.lastSpeechMs);
  }

  /** A transcript without the agent's echo; before turn taking gets it. */
  transcript(text: string, final: boolean, endOfTurn: number | undefined, nowMs: CallMs): void {
    if (this.#evidence === undefined) return;
    const { isSpeech, lastSpeechMs } = this.segmenter;
    // Frames that are late are no silence.
    const silentMs = isSpeech ? 0 : elapsedMs(lastSpeechMs, nowMs);
    this.#evidence.transcript({ text, final, endOfTurn }, silentMs, nowMs);
    this.#updateQuestion();
    this.#update();
  }

  /** What the sound of the caller's voice says about the current pause. */
  pauseJudged(event: Extract<CallEvent, { kind: "prosody" | "turn-model" }>): void {
    if (event.kind === "turn-model") this.#evidence?.modelProbability(event.probability);
    else {
      const { kind: _, ...prosody } = event;
      this.#evidence?.prosody(prosody);
    }
    this.#update();
  }

  /** Speech goes on after a pause; NaN before the first one. */
  #onSpeech(pauseMs: number): void {
    const { turnTaking, conversation } = this.#options;
    const isSameTurn = conversation.hasPending || callerText(turnTaking.turn.caller) !== "";
    this.#evidence?.pauseEnded(pauseMs, isSameTurn, conversation.callerTurns);
    this.#updateQuestion();
    this.#update();
  }

  /** In media time the pause is as long, so that delayed frames are not taken for silence. */
  #isTurnOver(nowMs: CallMs): boolean {
    const end = this.pauseEnd;
    if (end === undefined || nowMs < end.dueMs) return false;
    return this.segmenter.silentMs + FRAME_MS > end.decision.waitMs;
  }

  #updateQuestion(): void {
    const { conversation, turnTaking } = this.#options;
    const { lastAgentText } = conversation;
    if (lastAgentText === this.#agentText) return;
    this.#agentText = lastAgentText;
    this.#evidence?.agentAsked(agentQuestionOf(lastAgentText, turnTaking.language));
  }

  #update(): void {
    if (this.#evidence !== undefined) this.#options.turnTaking.evidence = this.#evidence.current;
  }
}
