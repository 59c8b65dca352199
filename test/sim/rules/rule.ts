import type { CallCommand, CallEvent } from "../../../src/call/events.ts";
import type { MessageKind } from "../network/message-kinds.ts";
import type { ReplyFacts } from "../observer/facts.ts";

/**
 * Something that must hold, watched from outside. Each method gets one kind of step, after the facts have taken it in; a
 * rule says what it finds to the chronicle.
 */
export interface Rule {
  /** An event that the call will handle next. */
  event?(event: CallEvent): void;
  frameIn?(voiced: boolean, mediaMs: number): void;
  /** A frame of `reply` was sent, as these bytes in the leg's codec; lent. */
  frameOut?(reply: ReplyFacts | undefined, bytes: Uint8Array): void;
  command?(command: CallCommand): void;
  /** A message was handed to the socket, which has taken it or not. */
  sent?(kind: MessageKind, taken: boolean): void;
  /** 20 ms of the agent start to play at the caller; borrowed. */
  played?(bytes: Uint8Array): void;
  /** Some time has gone by: at least every 20 ms. */
  inspect?(): void;
  /** The call has ended, and time enough has passed for everything of it to be over. */
  over?(): void;
}
