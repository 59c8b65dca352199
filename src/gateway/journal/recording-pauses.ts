import type { CallCommand, CallEvent } from "../../call/events.ts";
import type { TranscriptTurn } from "../../core/calls/transcript.ts";
import type { CallMs } from "../../core/clocks.ts";
import type { ToolCallId } from "../../core/ids.ts";

/** What of a call must not be stored because its recording was paused when it was said. */
export class JournaledPauses {
  readonly #over: { readonly fromMs: CallMs; readonly toMs: CallMs }[] = [];
  #sinceMs: CallMs | undefined;
  /** The caller has spoken in a pause, and the STT has sent no final of it. */
  #hasOpenUtterance = false;
  /** That utterance has words: the next transcripts repeat them. */
  #hasOpenWords = false;
  /** The caller has spoken in a pause, and not since: all transcripts are of that, however late they come. */
  #isSilentSince = false;
  /** Words of a pause came after it. `said`: the caller's turn with them is not over. `unanswered`: the agent's answer is not. */
  #late: "said" | "unanswered" | undefined;
  /** Tools that were run in a pause: their results may come after it. */
  readonly #tools = new Set<ToolCallId>();
  /** The last retrieval whose question may have words of a pause. */
  #lastRetrieval = 0;
  /** What the caller said in a pause may have no answer yet: then questions to corpora repeat it. */
  #isUnanswered = false;

  get isPaused(): boolean {
    return this.#sinceMs !== undefined;
  }

  get #withholdsAll(): boolean {
    return this.isPaused || this.#late !== undefined;
  }

  /** A command of the call, at this time: it may begin or end a pause. */
  command(command: CallCommand, timeMs: CallMs): void {
    const { kind } = command;
    if (kind === "recording-paused") this.#sinceMs = timeMs;
    if (this.isPaused) this.#isUnanswered = true;
    else if (kind === "turn" && command.turn.role === "agent") this.#isUnanswered = this.#late === "said";
    if (kind === "run-tool" && this.#withholdsAll) this.#tools.add(command.toolCallId);
    if (kind === "retrieve" && this.#isUnanswered) this.#lastRetrieval = command.retrieval;
    if (kind !== "recording-resumed" || this.#sinceMs === undefined) return;
    this.#over.push({ fromMs: this.#sinceMs, toMs: timeMs });
    this.#sinceMs = undefined;
  }

  /** A frame with speech of the caller. */
  speech(): void {
    this.#isSilentSince = this.isPaused;
    if (this.isPaused) this.#hasOpenUtterance = true;
  }

  /** Whether the words of an event are withheld. */
  withholdsEvent(event: CallEvent): boolean {
    const { kind } = event;
    const isAnswer =
      (kind === "tool-result" && this.#tools.has(event.toolCallId)) ||
      (kind === "passages" && event.retrieval <= this.#lastRetrieval);
    const isOfPause = (kind === "stt-interim" || kind === "stt-final") && this.#withholdsTranscript(event);
    return this.#withholdsAll || isAnswer || isOfPause;
  }

  #withholdsTranscript({ kind, text }: Extract<CallEvent, { kind: "stt-interim" | "stt-final" }>): boolean {
    const isOfPause = this.#hasOpenUtterance || this.#isSilentSince;
    if (!this.isPaused && text !== "" && (this.#hasOpenWords || this.#isSilentSince)) {
      this.#late = "said";
      this.#isUnanswered = true;
    }
    if (kind === "stt-final") this.#hasOpenUtterance = false;
    this.#hasOpenWords = kind === "stt-interim" && text !== "" && (this.isPaused || this.#hasOpenWords);
    return isOfPause;
  }

  /**
   * Whether the words of a command are withheld; call this after `command`, once. Also of a turn that ends after a pause in which a
   * part of it was said, and of all commands from late words on until the agent has answered them.
   */
  withholdsCommand(command: CallCommand): boolean {
    if (this.isPaused) return true;
    if (this.#late !== undefined) {
      if (command.kind === "turn") this.#late = lateAfter(this.#late, command.turn.role);
      return true;
    }
    if (command.kind === "retrieve") return this.#isUnanswered;
    if (command.kind !== "turn" && command.kind !== "ignore") return false;
    const { startMs, endMs } = command.kind === "turn" ? command.turn : command;
    return this.#over.some(({ fromMs, toMs }) => startMs < toMs && endMs > fromMs);
  }
}

/** The agent's turn may be over before that of the caller, who has interrupted it with the late words. */
function lateAfter(late: "said" | "unanswered", role: TranscriptTurn["role"]): typeof late | undefined {
  if (role === "user") return "unanswered";
  return late === "said" ? late : undefined;
}
