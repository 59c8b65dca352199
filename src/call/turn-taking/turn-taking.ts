import type { CallSpec } from "../../core/calls/spec.ts";
import { type CallMs, callMs, roundedMs } from "../../core/clocks.ts";
import type { Conversation } from "../conversation.ts";
import type { Ending } from "../ending.ts";
import type { CallSink } from "../events.ts";
import type { Hold } from "../hold.ts";
import type { TurnRetrieval } from "../knowledge/turn-retrieval.ts";
import type { TurnParameters } from "../parameters.ts";
import type { AgentSide } from "../reply/agent-side.ts";
import type { PreemptiveGeneration } from "../reply/preemptive-generation.ts";
import type { Transcript } from "../transcript.ts";
import type { Transfer } from "../transfer.ts";
import type { PauseEnd } from "./end-of-turn/pause-end.ts";
import type { PauseEvidence } from "./end-of-turn/pause-evidence.ts";
import { stepTurn, turnDeadlineMs, understoodText } from "./turn.ts";
import { judgePause } from "./turn-end.ts";
import type { TurnAction, TurnEnd, TurnEvent } from "./turn-events.ts";
import { INITIAL_TURN, type Turn, type TurnPolicy, type TurnStep } from "./turn-state.ts";

export interface TurnTakingOptions {
  spec: CallSpec;
  parameters: Readonly<TurnParameters>;
  sttHasInterim: boolean;
  sttFinalPerUtterance: boolean;
  agentSide: AgentSide;
  conversation: Conversation;
  preemptive: PreemptiveGeneration;
  /** Undefined where no passages are fetched for the caller's turns. */
  retrieval: TurnRetrieval | undefined;
  ending: Ending;
  transfer: Pick<Transfer, "isActive">;
  hold: Pick<Hold, "isActive">;
  transcript: Transcript;
  sink: CallSink;
}

interface JudgedPause {
  readonly turn: Turn;
  readonly policy: TurnPolicy;
  readonly lastSpeechMs: CallMs;
  readonly end: PauseEnd | undefined;
}

/** The turn taking of a call: keeps its state, and carries out what each step decides. Times are ms of call time. */
export class TurnTaking {
  readonly #options: TurnTakingOptions;
  #policy: TurnPolicy;
  #turn: Turn = INITIAL_TURN;
  /** The result of `turnDeadlineMs`. It reads words and is needed on every frame, but changes only with the turn. */
  #deadlineMs = callMs(Number.POSITIVE_INFINITY);
  /** The pause that was judged last. The same pause of the same turn is judged again only with other evidence. */
  #judged: JudgedPause | undefined;

  constructor(options: TurnTakingOptions) {
    this.#options = options;
    const { spec, parameters, sttHasInterim, sttFinalPerUtterance } = options;
    this.#policy = { parameters, sttHasInterim, sttFinalPerUtterance, language: spec.language };
  }

  get turn(): Turn {
    return this.#turn;
  }

  /** When it needs a `tick` if no other event comes, ms; Infinity for never. */
  get deadlineMs(): CallMs {
    return this.#deadlineMs;
  }

  /** The language of the call. */
  get language(): string {
    return this.#policy.language;
  }

  set language(language: string) {
    this.#policy = { ...this.#policy, language };
    this.#deadlineMs = turnDeadlineMs(this.#turn, this.#policy);
  }

  /** What is known of the caller's pause, where it is judged by that. Costs nothing while it is the same object. */
  set evidence(evidence: PauseEvidence) {
    if (evidence === this.#policy.evidence) return;
    this.#policy = { ...this.#policy, evidence };
    this.#deadlineMs = turnDeadlineMs(this.#turn, this.#policy);
  }

  /** The turn that the current reply answers is final, though the reply is not audible yet. */
  settled(): void {
    if (this.#turn.answered !== undefined) this.#turn = { ...this.#turn, answered: undefined };
  }

  /**
   * How the caller's pause is judged; undefined where there is none that can end the turn. `lastSpeechMs` is the last
   * voiced frame.
   */
  judgePause(lastSpeechMs: CallMs): PauseEnd | undefined {
    const judged = this.#judged;
    const isSame = judged?.turn === this.#turn && judged.policy === this.#policy;
    if (isSame && judged.lastSpeechMs === lastSpeechMs) return judged.end;
    const end = judgePause(this.#turn, lastSpeechMs, this.#policy);
    this.#judged = { turn: this.#turn, policy: this.#policy, lastSpeechMs, end };
    return end;
  }

  step(event: TurnEvent, nowMs: CallMs): void {
    for (const action of this.#advance(event, nowMs).actions) this.#act(action, nowMs);
  }

  /** A step with words, which clients see before what the words bring about. */
  stepWithWords(event: Extract<TurnEvent, { text: string }>, nowMs: CallMs): void {
    const { transcript, conversation } = this.#options;
    const step = this.#advance(event, nowMs);
    const [first] = step.actions;
    if (first?.do === "reopen") conversation.reopen();
    transcript.update("user", conversation.turnTextWith(understoodText(step)));
    for (const action of step.actions) this.#act(action, nowMs);
  }

  /** Takes a step; its actions are still to be carried out. */
  #advance(event: TurnEvent, nowMs: CallMs): TurnStep {
    const step = stepTurn(this.#turn, event, nowMs, this.#policy);
    this.#turn = step.turn;
    this.#deadlineMs = turnDeadlineMs(step.turn, this.#policy);
    return step;
  }

  #act(action: TurnAction, nowMs: CallMs): void {
    const { agentSide, conversation, preemptive, retrieval, ending, transfer, hold, transcript, sink } = this.#options;
    switch (action.do) {
      case "interrupt":
        agentSide.cancel(action.reason, action.speechMs, nowMs);
        return;
      case "reopen":
        agentSide.cancel("words", action.speechMs, nowMs);
        return;
      case "pause":
        agentSide.pause(action.turnId, nowMs);
        return;
      case "resume":
        agentSide.resume(action, nowMs);
        return;
      case "ignore": {
        const { text, startMs, endMs } = action;
        sink({ kind: "ignore", text, startMs: roundedMs(startMs), endMs: roundedMs(endMs) });
        if (conversation.pendingUtterance === undefined) transcript.discard("user");
        else this.#updateCallerTranscript();
        return;
      }
      case "answer":
        if (action.end !== undefined) sink({ kind: "turn-ended", ...action.end, summary: summaryOf(action.end) });
        conversation.addUtterance(action);
        if (ending.reason !== undefined || transfer.isActive || hold.isActive) {
          // It is not answered, or only when the caller is back, so it cannot be taken back: that would drop the goodbye.
          this.settled();
          return;
        }
        retrieval?.turnEnded(this.#policy.language, nowMs);
        preemptive.useOrCancel(this.#policy.language);
        agentSide.answer(nowMs);
        // DTMF has become a part of the turn.
        this.#updateCallerTranscript();
        return;
    }
  }

  /** The caller's turn is what awaits an answer, and nothing more. */
  #updateCallerTranscript(): void {
    const { transcript, conversation } = this.#options;
    transcript.update("user", conversation.turnTextWith(""));
  }
}

/** For people: "answered after 180 ms: provider 0.92, question". */
function summaryOf({ pauseMs, reasons }: TurnEnd): string {
  const after = `answered after ${pauseMs} ms`;
  return reasons.length === 0 ? after : `${after}: ${reasons.join(", ")}`;
}
