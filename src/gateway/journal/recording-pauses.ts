import type { CallCommand, CallEvent } from "../../call/events.ts";
import type { CallMs } from "../../core/clocks.ts";

/** What of a call must not be stored because its recording was paused when it was said. */
export class JournaledPauses {
  readonly #over: { readonly fromMs: CallMs; readonly toMs: CallMs }[] = [];
  #sinceMs: CallMs | undefined;
  /** The caller has spoken in a pause, and the STT has sent no final of it. */
  #hasOpenUtterance = false;

  get isPaused(): boolean {
    return this.#sinceMs !== undefined;
  }

  /** A command of the call, at this time: it may begin or end a pause. */
  command({ kind }: CallCommand, timeMs: CallMs): void {
    if (kind === "recording-paused") this.#sinceMs = timeMs;
    if (kind !== "recording-resumed" || this.#sinceMs === undefined) return;
    this.#over.push({ fromMs: this.#sinceMs, toMs: timeMs });
    this.#sinceMs = undefined;
  }

  /** A frame with speech of the caller. */
  speech(): void {
    if (this.isPaused) this.#hasOpenUtterance = true;
  }

  /** Whether the words of an event are withheld. */
  withholdsEvent({ kind }: CallEvent): boolean {
    const isTranscript = kind === "stt-interim" || kind === "stt-final";
    const isWithheld = this.isPaused || (isTranscript && this.#hasOpenUtterance);
    if (kind === "stt-final") this.#hasOpenUtterance = false;
    return isWithheld;
  }

  /** Whether the words of a command are withheld: also of a turn that ends after a pause in which a part of it was said. */
  withholdsCommand(command: CallCommand): boolean {
    if (this.isPaused) return true;
    if (command.kind !== "turn" && command.kind !== "ignore") return false;
    const { startMs, endMs } = command.kind === "turn" ? command.turn : command;
    return this.#over.some(({ fromMs, toMs }) => startMs < toMs && endMs > fromMs);
  }
}
