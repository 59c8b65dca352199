import type { TranscriptUpdate } from "../../core/calls/transcript.ts";
import { TURNS_REPEATED_MAX } from "../../core/limits/connections.ts";
import type { ClientMessage } from "../../wire/wire.ts";

type StateMessage = Extract<ClientMessage, { kind: "state" }>;

/**
 * What a client that connects again is sent of the conversation, because it may have missed it: the present state, and the
 * latest transcript of each of the last turns. It repeats what the client has, which has no effect.
 */
export class RecentUpdates {
  #state: StateMessage | undefined;
  /** By turn, in the order of the turns. */
  readonly #transcripts = new Map<number, TranscriptUpdate>();

  state(message: StateMessage): void {
    this.#state = message;
  }

  transcript(update: TranscriptUpdate): void {
    this.#transcripts.set(update.turnId, update);
    if (this.#transcripts.size <= TURNS_REPEATED_MAX) return;
    for (const oldest of this.#transcripts.keys()) {
      this.#transcripts.delete(oldest);
      return;
    }
  }

  /** In the order in which they are to be sent. */
  *messages(): Generator<ClientMessage> {
    yield* this.#transcripts.values();
    // Its latency was measured for audio that the client had before.
    if (this.#state !== undefined) yield { kind: "state", state: this.#state.state };
  }
}
