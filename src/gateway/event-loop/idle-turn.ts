/** A turn of the loop that took less than this has done next to nothing beside accepting connections. */
const IDLE_TURN_MS_MAX = 0.2;
/** One that is never quiet is under load; another turn would then do no better than this one. */
const TURNS_MAX = 200;

/**
 * Resolves right behind a turn of the loop that had next to nothing to do. At such a moment nobody waits to be accepted:
 * uSockets accepts in each turn until there is nobody left. Whoever closes a listener then resets the fewest of those who
 * knock.
 */
export function idleTurn(nowMs: () => number): Promise<void> {
  return new Promise((resolve) => {
    let turns = 0;
    const look = (sinceMs: number): void => {
      // Behind the sockets of one turn; without timers and immediates of others the next one comes at once.
      setImmediate(() => {
        const atMs = nowMs();
        turns += 1;
        if (atMs - sinceMs < IDLE_TURN_MS_MAX || turns >= TURNS_MAX) resolve();
        else look(atMs);
      });
    };
    look(Number.NEGATIVE_INFINITY);
  });
}
