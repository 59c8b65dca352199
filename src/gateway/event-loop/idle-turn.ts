import { elapsedMs, type MonotonicMs, monotonicMs } from "../../core/clocks.ts";

/** A turn of the event loop that took less than this did almost nothing besides accepting connections. */
const IDLE_TURN_MS_MAX = 0.2;
/** A loop that is never idle is under load; waiting for another turn would not help. */
const TURNS_MAX = 200;

/**
 * Resolves immediately after an idle turn of the event loop. At that point no connection is waiting to be accepted:
 * uSockets accepts in each turn until the queue is empty. Closing a listener resets connections that are being
 * accepted, so closing it then resets the fewest.
 */
export function idleTurn(nowMs: () => MonotonicMs): Promise<void> {
  return new Promise((resolve) => {
    let turns = 0;
    const check = (sinceMs: MonotonicMs): void => {
      // Runs after the sockets of one turn; without other timers and immediates the next turn follows at once.
      setImmediate(() => {
        const atMs = nowMs();
        turns += 1;
        if (elapsedMs(sinceMs, atMs) < IDLE_TURN_MS_MAX || turns >= TURNS_MAX) resolve();
        else check(atMs);
      });
    };
    check(monotonicMs(Number.NEGATIVE_INFINITY));
  });
}
