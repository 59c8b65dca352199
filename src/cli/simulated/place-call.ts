import type { Clock } from "../../core/clock.ts";
import { CARRIER_RATE_HZ } from "../../core/limits.ts";
import type { Stt } from "../../speech/speech.ts";
import { Caller, type CallerNotice, type CallerReport, type Step } from "./caller.ts";
import type { Violation } from "./carrier-a.ts";
import { connectCarrierA } from "./carrier-a-socket.ts";

export interface CallToPlace {
  /** The call's `websocketUrl`. */
  url: string;
  /** 32 hex digits: the carrier's ids are made from it. */
  id: string;
  script: readonly Step[];
  hangUpAfterMs: number;
  /** The caller's ear. */
  stt: Stt;
  language: string;
  clock: Clock;
  notice(notice: CallerNotice): void;
}

export interface PlacedCall {
  caller: CallerReport;
  violations: ReadonlyMap<Violation, number>;
  /** When the stream began, in the clock's ms: what the caller's times count from. */
  startedMs: number;
}

/** What the ear still has to say when the line is gone, it says within this time. */
const EAR_SETTLES_MS = 500;

/**
 * Plays a simulated carrier with a simulated caller into a media stream, in the clock's time, until one side hangs up.
 * An abort of `signal` is the caller hanging up. Rejects when the stream is refused or the caller's ear fails.
 */
export async function placeCall(call: CallToPlace, signal: AbortSignal): Promise<PlacedCall> {
  let hangUp = (): void => {};
  const onAbort = (): void => hangUp();
  signal.addEventListener("abort", onAbort);
  const life = new AbortController();
  const ear = call.stt.open({ language: call.language, rateHz: CARRIER_RATE_HZ }, life.signal);
  const caller = new Caller({
    script: call.script,
    hangUpAfterMs: call.hangUpAfterMs,
    listen: (samples) => ear.write(samples),
    hangUp: () => hangUp(),
    notice: call.notice,
  });
  const listen = async (): Promise<void> => {
    for await (const event of ear.events) caller.understood(event);
  };
  try {
    const { carrier, closed } = await connectCarrierA(call.url, {
      clock: call.clock,
      id: call.id,
      microphone: () => caller.frame(),
      earphone: (frame, _samples, atMs) => caller.played(frame, atMs),
    });
    hangUp = () => carrier.stop();
    if (signal.aborted) hangUp();
    await Promise.race([closed, listen().then(() => closed)]);
    caller.lineClosed();
    await new Promise<void>((resolve) => {
      call.clock.after(EAR_SETTLES_MS, resolve);
    });
    return { caller: caller.report(), violations: carrier.violations, startedMs: carrier.startedMs };
  } finally {
    signal.removeEventListener("abort", onAbort);
    hangUp();
    life.abort();
  }
}
