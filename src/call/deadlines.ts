import type { CallSpec } from "../core/calls/spec.ts";
import { type CallMs, callMs, earliest } from "../core/clocks.ts";
import { LEG_START_MS_MAX, WEBRTC_LEG_START_MS_MAX } from "../core/limits/streams/connections.ts";
import type { SpeechSegmenter } from "../media/voice-activity/segmenter.ts";
import type { Ending } from "./ending.ts";
import type { Hold } from "./hold.ts";
import type { TurnParameters } from "./parameters.ts";
import type { RecordingPauses } from "./recording-pause.ts";
import type { AgentSide } from "./reply/agent-side.ts";
import type { PreemptiveGeneration } from "./reply/preemptive-generation.ts";
import type { CallSnapshot } from "./snapshot.ts";
import type { Transfer } from "./transfer.ts";
import type { DtmfEntry } from "./turn-taking/dtmf-entry.ts";
import type { Inactivity } from "./turn-taking/inactivity.ts";
import type { InterimRequests } from "./turn-taking/interim-requests.ts";
import type { TurnTaking } from "./turn-taking/turn-taking.ts";

/** What has deadlines in a call. */
interface DeadlineParts {
  spec: Pick<CallSpec, "maxDurationMs" | "connectionType">;
  parameters: Pick<TurnParameters, "preemptiveMs" | "turnWaitMsMax">;
  ending: Pick<Ending, "reason" | "deadlineMs">;
  transfer: Pick<Transfer, "isActive" | "deadlineMs">;
  hold: Pick<Hold, "isActive" | "deadlineMs">;
  recordingPauses: Pick<RecordingPauses, "deadlineMs">;
  segmenter: Pick<SpeechSegmenter, "deadlineMs" | "lastSpeechMs">;
  turnTaking: Pick<TurnTaking, "turn" | "deadlineMs">;
  preemptive: Pick<PreemptiveGeneration, "deadlineMs">;
  dtmfEntry: Pick<DtmfEntry, "deadlineMs">;
  interimRequests: Pick<InterimRequests, "dueMs" | "wordsDueMs">;
  inactivity: Pick<Inactivity, "deadlineMs" | "graceDeadlineMs" | "wordlessDeadlineMs">;
  agentSide: Pick<AgentSide, "deadlineMs" | "passagesDueMs" | "playsUntilMs" | "areToolsRunning">;
}

const NEVER = callMs(Number.POSITIVE_INFINITY);

/**
 * When a call needs a `tick` if no other event comes: each `Deadline`, ms of call time, and the earliest of them; Infinity
 * where there is none. One function each: numbers that meet in one variable may be allocated on the heap, and these run on
 * every frame.
 */
export class CallDeadlines {
  readonly #parts: DeadlineParts;
  /** The time of the latest event. */
  nowMs = callMs(0);
  /** The leg's start message has come. */
  isLegStarted = false;
  /** The leg was lost, and no other one has started. */
  isDetached = false;
  #hasEnded = false;
  /** NaN until it is read: several events may come before that. */
  #nextMs = callMs(Number.NaN);

  constructor(parts: DeadlineParts) {
    this.#parts = parts;
  }

  /** The earliest. */
  get nextMs(): CallMs {
    this.#find();
    return this.#nextMs;
  }

  /** Whether one has come. For the frame path: returning a number could allocate it on the heap. */
  isDue(nowMs: CallMs): boolean {
    this.#find();
    return nowMs >= this.#nextMs;
  }

  /** To be called after each event: it may have moved any of them. */
  renew(): void {
    this.#nextMs = callMs(Number.NaN);
  }

  /** The call is over: there are none. */
  end(): void {
    this.#hasEnded = true;
  }

  /** All of a call that is not over. */
  get all(): CallSnapshot["deadlines"] {
    const { spec, ending, transfer, hold, recordingPauses, segmenter, turnTaking, dtmfEntry, agentSide } = this.#parts;
    return {
      max_duration: callMs(spec.maxDurationMs),
      goodbye: ending.deadlineMs,
      transfer: transfer.deadlineMs,
      hold: hold.deadlineMs,
      recording: recordingPauses.deadlineMs,
      stream: this.legStartMs,
      speech: segmenter.deadlineMs,
      turn: turnTaking.deadlineMs,
      preemptive: this.#preemptiveMs,
      passages: agentSide.passagesDueMs,
      dtmf: dtmfEntry.deadlineMs,
      interim: this.interimMs,
      inactivity: this.inactivityMs,
      wordless: this.wordlessMs,
      reply: agentSide.deadlineMs(this.nowMs),
    };
  }

  /** Returns nothing: a number that a function of this size returns is allocated on the heap. */
  #find(): void {
    if (!Number.isNaN(this.#nextMs)) return;
    const { spec, ending, transfer, hold, recordingPauses, segmenter, turnTaking, dtmfEntry, agentSide } = this.#parts;
    this.#nextMs = this.#hasEnded
      ? NEVER
      : earliest(
          callMs(spec.maxDurationMs),
          ending.deadlineMs,
          transfer.deadlineMs,
          hold.deadlineMs,
          recordingPauses.deadlineMs,
          this.legStartMs,
          segmenter.deadlineMs,
          turnTaking.deadlineMs,
          this.#preemptiveMs,
          agentSide.passagesDueMs,
          dtmfEntry.deadlineMs,
          this.interimMs,
          this.inactivityMs,
          this.wordlessMs,
          agentSide.deadlineMs(this.nowMs),
        );
  }

  /** When a leg that has not started ends the call. */
  get legStartMs(): CallMs {
    if (this.isLegStarted) return NEVER;
    return callMs(this.#parts.spec.connectionType === "webrtc" ? WEBRTC_LEG_START_MS_MAX : LEG_START_MS_MAX);
  }

  get #preemptiveMs(): CallMs {
    const { parameters, preemptive, segmenter } = this.#parts;
    // By the score it starts with a frame of the pause.
    if (parameters.preemptiveMs === 0 || parameters.turnWaitMsMax > 0) return NEVER;
    return preemptive.deadlineMs(segmenter.lastSpeechMs);
  }

  /** When the STT is asked for the words of the speech so far. */
  get interimMs(): CallMs {
    const { turnTaking, interimRequests } = this.#parts;
    const { caller, agent } = turnTaking.turn;
    return interimRequests.dueMs(caller, agent, this.#inactivityTimeoutMs);
  }

  /** When inactivity counts. An expired timeout waits a little for speech that may still become words. */
  get inactivityMs(): CallMs {
    const timeoutMs = this.#inactivityTimeoutMs;
    if (this.nowMs < timeoutMs) return timeoutMs;
    const { inactivity, agentSide, interimRequests, turnTaking } = this.#parts;
    return inactivity.graceDeadlineMs(
      agentSide.playsUntilMs,
      interimRequests.wordsDueMs(turnTaking.turn.caller, timeoutMs),
    );
  }

  /** The end of playout moves with every frame sent, so the timeout cannot expire while the agent is heard. */
  get #inactivityTimeoutMs(): CallMs {
    const { ending, transfer, hold, agentSide, inactivity } = this.#parts;
    const isHeard = this.isLegStarted && !this.isDetached && !transfer.isActive && !hold.isActive;
    if (!isHeard || ending.reason !== undefined || agentSide.areToolsRunning) return NEVER;
    return inactivity.deadlineMs(agentSide.playsUntilMs);
  }

  /** When the call ends because the caller has said no word for too long. */
  get wordlessMs(): CallMs {
    const { ending, transfer, hold, inactivity } = this.#parts;
    if (!this.isLegStarted || this.isDetached || ending.reason !== undefined) return NEVER;
    if (transfer.isActive || hold.isActive) return NEVER;
    return inactivity.wordlessDeadlineMs;
  }
}
