/** An event of the account, as `GET /events` sends it. */
export interface LiveEvent {
  id: string;
  /** Such as `call.ended`; `events.lost` says that some are missing. */
  type: string;
  /** ISO 8601. */
  timestamp?: string;
  data?: unknown;
}

/** `lost`: the connection is being made again. `ended`: the session is over. */
export type StreamStatus = "connecting" | "open" | "lost" | "ended";

/** What the one connection of a browser says to the pages that share it. */
export type StreamMessage = { kind: "event"; event: LiveEvent } | { kind: "status"; status: StreamStatus };

/** Some events were missed, so that anything may have changed. */
export const LOST: LiveEvent = { id: "", type: "events.lost" };

/** Whether a page that wants events of these types must look again. */
export const concerns = (types: readonly string[], { type }: LiveEvent): boolean =>
  types.length > 0 && (type === LOST.type || types.includes(type));
