/** Why listening is over, as people read it. */
export interface ListeningEnd {
  text: string;
  /** Another address may help. */
  isRepeatable: boolean;
}

/** By the reasons with which the service closes the connection: docs/listen.md has them. */
const ENDS: Readonly<Record<string, ListeningEnd>> = {
  call_ended: { text: "The call is over.", isRepeatable: false },
  slow_consumer: { text: "The connection of this device is too slow to follow the call.", isRepeatable: true },
  too_many_listeners: {
    text: "As many people as may listen to the call already do. Wait until one of them leaves.",
    isRepeatable: true,
  },
  worker_lost: { text: "The process that carried the call has ended.", isRepeatable: false },
  internal_error: { text: "The service has no memory for another listener at present.", isRepeatable: true },
};

const LOST: ListeningEnd = { text: "The connection was lost. The call may go on.", isRepeatable: true };

/** What a closed connection means; `reason` is that of the WebSocket's close. */
export const endOf = (reason: string): ListeningEnd => (Object.hasOwn(ENDS, reason) ? ENDS[reason] : undefined) ?? LOST;
