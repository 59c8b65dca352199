import type { LiveEvent } from "../../app/events/event.ts";

/** The latest delay of each call after an event: `call.turn` sets one, the end of a call removes it. */
export function withDelay(delays: ReadonlyMap<string, number>, { type, data }: LiveEvent): ReadonlyMap<string, number> {
  const { callId, delayMs, call } = (data ?? {}) as { callId?: unknown; delayMs?: unknown; call?: { id?: unknown } };
  if (type === "call.turn" && typeof callId === "string" && typeof delayMs === "number") {
    return new Map([...delays, [callId, delayMs]]);
  }
  const endedId = call?.id;
  if (type !== "call.ended" || typeof endedId !== "string" || !delays.has(endedId)) return delays;
  return new Map([...delays].filter(([id]) => id !== endedId));
}
