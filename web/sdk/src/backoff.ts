/** For how long a lost connection is opened again: the service keeps a call that long. */
export const RESUME_MS_MAX = 15_000;
const FIRST_MS = 250;
const DELAY_MS_MAX = 3_000;
/** Each delay is shortened by up to this part, so that the pages of a restarted service do not all come at once. */
const JITTER = 0.3;

/**
 * How long to wait before attempt `attempt`, from 0, to open a lost connection again: nothing before the first, then twice as
 * long each time. Undefined once the time is up. `random` is from 0 to 1.
 */
export function resumeDelayMs(attempt: number, sinceLostMs: number, random: number): number | undefined {
  const wholeMs = attempt === 0 ? 0 : Math.min(DELAY_MS_MAX, FIRST_MS * 2 ** (attempt - 1));
  const delayMs = wholeMs * (1 - JITTER * random);
  return sinceLostMs + delayMs < RESUME_MS_MAX ? delayMs : undefined;
}
