/** How far the clock of the service is ahead of this device's, in milliseconds, by its latest answer. */
let aheadMs = 0;

/** Notes the time of an answer: its header Date. */
export function noteServiceTime(date: string | null): void {
  const timeMs = Date.parse(date ?? "");
  if (!Number.isNaN(timeMs)) aheadMs = timeMs - Date.now();
}

/** The time at the service, whose times the page shows: the clock of this device may be wrong by a day. To the second. */
export const serviceNowMs = (): number => Date.now() + aheadMs;
