import type { TranscriptUpdate } from "../../core/calls/transcript.ts";
import { TURNS_REPEATED_MAX } from "../../core/limits/streams/connections.ts";
import { FINALS_REPEATED_CHARS_MAX, FINALS_REPEATED_MAX } from "../../core/limits/transcriptions/transcriptions.ts";
import type { ClientMessage, NumberedUtterance } from "../../wire/wire.ts";

type StateMessage = Extract<ClientMessage, { kind: "state" }>;

/**
 * What a client that connects again is sent, because it may have missed it. Of a conversation: the present state, and the latest
 * transcript of each of the last turns. Of a live transcription: the last finals. It repeats what the client has, which has no effect.
 */
export class RecentUpdates {
  #state: StateMessage | undefined;
  /** By turn, in the order of the turns. */
  readonly #transcripts = new Map<number, TranscriptUpdate>();

  #finals: NumberedUtterance[] = [];
  #finalChars = 0;

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

  final(utterance: NumberedUtterance): void {
    this.#finals.push(utterance);
    this.#finalChars += utterance.text.length;
    while (
      this.#finals.length > FINALS_REPEATED_MAX ||
      (this.#finals.length > 1 && this.#finalChars > FINALS_REPEATED_CHARS_MAX)
    )
      this.#finalChars -= this.#finals.shift()?.text.length ?? 0;
  }

  /** In the order in which they are to be sent. */
  *messages(): Generator<ClientMessage> {
    yield* this.#transcripts.values();
    yield* this.#finals;
    // Its latency was measured for audio that the client had before.
    if (this.#state !== undefined) yield { kind: "state", state: this.#state.state };
  }
}
