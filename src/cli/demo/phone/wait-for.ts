import type { Clock } from "../../../core/clock.ts";
import { addMs } from "../../../core/clocks.ts";
import { unavailable } from "../../../core/errors.ts";

const POLL_MS = 50;

export interface Waiting {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Asks until there is an answer that is not undefined. Rejects with `unavailable` after `withinMs`, where `what` names it, and with
 * the reason of the signal.
 */
export async function waitFor<Value>(
  { clock, signal }: Waiting,
  what: string,
  withinMs: number,
  ask: () => Value | undefined | Promise<Value | undefined>,
): Promise<Value> {
  for (const endMs = addMs(clock.nowMs(), withinMs); clock.nowMs() < endMs; ) {
    signal.throwIfAborted();
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise<void>((resolve) => {
      clock.after(POLL_MS, resolve);
    });
  }
  throw unavailable(`waited ${withinMs} ms in vain for ${what}`);
}
