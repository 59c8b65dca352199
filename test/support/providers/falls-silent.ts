import { expect } from "vitest";
import type { ManualClock } from "../manual-clock.ts";

/**
 * Reads `items` of a real server until `enough` have arrived, advances the clock by `silenceMs`, and returns why they
 * ended. Fails if they ended before the last of these milliseconds.
 */
export async function fallsSilent<T>(
  items: AsyncIterable<T>,
  enough: number,
  clock: ManualClock,
  silenceMs: number,
): Promise<string | undefined> {
  const got: T[] = [];
  const over = (async () => {
    for await (const item of items) got.push(item);
  })().then(
    () => undefined,
    (error: unknown) => error as Error,
  );
  await expect.poll(() => got.length, { timeout: 10_000, interval: 5 }).toBeGreaterThanOrEqual(enough);
  await clock.play(silenceMs - 1);
  const before = clock.pending;
  await clock.play(1);
  expect(before).toBeGreaterThan(0);
  return (await over)?.message;
}
