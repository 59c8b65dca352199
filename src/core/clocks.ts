/**
 * The clocks of the service. An instant is a plain number of milliseconds at run time. To the compiler it is not a
 * number, because TypeScript lets `<` and `-` mix any two number types. So the operators `<`, `>` and `===` compile
 * between instants of one clock only, and `+` and `-` never: see `addMs` and `elapsedMs`. Durations are numbers.
 */
declare const clockName: unique symbol;

/** A point in time on the clock `Name`. */
export interface Instant<Name extends string = string> {
  readonly [clockName]: Name;
}

/**
 * Time of one call: ms since the redemption of its token, with fractions. Made by the call's leg in the gateway
 * (`callMsAt`) and by readers of journals. Events, commands, deadlines and journals use it.
 */
export type CallMs = Instant<"call">;

/** The monotonic clock of one process: ms since an arbitrary start, with fractions. Made by `Clock.nowMs`. */
export type MonotonicMs = Instant<"monotonic">;

/**
 * Wall-clock time: ms since the Unix epoch. Made by `Clock.epochMs`, `isoEpochMs` and rows of the database (columns
 * named `_at`); `isoTime` writes it. It may jump, so no duration within a process is measured with it.
 */
export type EpochMs = Instant<"epoch">;

/**
 * Age of stored tokens and idempotency keys: whole ms of a clock that all processes of one boot share. Made by
 * `AgeClock.nowMs` and rows of the database. Only times of one boot are comparable; rows have its id in `boot_id`.
 */
export type AgeMs = Instant<"age">;

/**
 * Position on a carrier's media timeline: ms of audio since the stream started, gaps included. Made by the `Framer`
 * from the carrier's timestamps and the samples counted since.
 */
export type MediaMs = Instant<"media">;

const instant = (ms: number): unknown => ms;

/** `ms` since the call's start, as time of the call. */
export const callMs = instant as (ms: number) => CallMs;
/** `ms` of the process's monotonic clock. Only for what reads that clock. */
export const monotonicMs = instant as (ms: number) => MonotonicMs;
/** `ms` since the Unix epoch. */
export const epochMs = instant as (ms: number) => EpochMs;
/** `ms` of the age clock of this boot. Only for what reads that clock. */
export const ageMs = instant as (ms: number) => AgeMs;
/** `ms` since the start of the media stream. */
export const mediaMs = instant as (ms: number) => MediaMs;

/** The number of ms that an instant has at run time, for output and rounding. */
export const millisecondsOf = ((time: unknown) => time) as (time: Instant) => number;

/** The time `durationMs` after `time`; before it when negative. */
export const addMs = ((time: number, durationMs: number): number => time + durationMs) as unknown as <
  T extends Instant,
>(
  time: T,
  durationMs: number,
) => T;

/** How much later `to` is than `from`, ms; negative when it is earlier. */
export const elapsedMs = ((from: number, to: number): number => to - from) as unknown as <T extends Instant>(
  from: T,
  to: NoInfer<T>,
) => number;

/** The earliest of some times; NaN when one of them is. It is `Math.min` itself, so nothing is allocated. */
export const earliest = Math.min as unknown as <T extends Instant>(first: T, ...others: NoInfer<T>[]) => T;

/** The latest of some times; NaN when one of them is. */
export const latest = Math.max as unknown as <T extends Instant>(first: T, ...others: NoInfer<T>[]) => T;

/** A time in whole ms. */
export const roundedMs = Math.round as unknown as <T extends Instant>(time: T) => T;

/** The time of a call that started at `start`, when the process's clock shows `now`. */
export const callMsAt = (start: MonotonicMs, now: MonotonicMs): CallMs => callMs(elapsedMs(start, now));
