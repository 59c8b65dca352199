import type { Clock } from "../../core/clock.ts";
import { CARRIER_RATE_HZ } from "../../core/limits.ts";
import type { Stt } from "../../speech/speech.ts";
import { Caller, type CallerNotice, type CallerReport, type Step } from "./caller.ts";
import type { Violation } from "./carrier.ts";
import { connectCarrier } from "./carrier-socket.ts";
import { codecsOf, type Line, simulateCarrier } from "./line.ts";

export interface CallToPlace {
  /** The call's `websocketUrl`. */
  url: string;
  line: Line;
  /** 32 hex digits: the carrier's ids are made from it. */
  id: string;
  script: readonly Step[];
  hangUpAfterMs: number;
  /** The caller's ear. */
  stt: Stt;
  language: string;
  clock: Clock;
  notice(notice: CallerNotice): void;
  /** Gets every 20 ms that sound in the earphone, in the line's outbound codec; valid until it returns. */
  onPlayed?(frame: Uint8Array): void;
}

export interface PlacedCall {
  caller: CallerReport;
  violations: ReadonlyMap<Violation, number>;
  /** When the stream began and when it ended, in the clock's ms, as the caller's times are. */
  startedMs: number;
  endedMs: number;
  hungUpBy: "caller" | "other-end";
  /** What the socket was closed with; 1005 and 1006: without a close code. */
  closeCode: number;
}

/** What the ear still has to say when the line is gone, it says within this time. */
const EAR_SETTLES_MS = 500;

/**
 * Plays a simulated carrier with a simulated caller into a media stream, in the clock's time, until one side hangs up.
 * An abort of `signal` is the caller hanging up. Rejects when the stream is refused or the caller's ear fails.
 */
export async function placeCall(call: CallToPlace, signal: AbortSignal): Promise<PlacedCall> {
  let hangUp = (): void => {};
  let press = (_key: string): void => {};
  const onAbort = (): void => hangUp();
  signal.addEventListener("abort", onAbort);
  const life = new AbortController();
  const ear = call.stt.open({ language: call.language, rateHz: CARRIER_RATE_HZ }, life.signal);
  const caller = new Caller({
    script: call.script,
    codecs: codecsOf(call.line),
    hangUpAfterMs: call.hangUpAfterMs,
    listen: (samples) => ear.write(samples),
    hangUp: () => hangUp(),
    press: (key) => press(key),
    notice: call.notice,
  });
  const listen = async (): Promise<void> => {
    for await (const event of ear.events) caller.understood(event);
  };
  try {
    const { carrier, closed } = await connectCarrier(call.url, (options) => simulateCarrier(call.line, options), {
      clock: call.clock,
      id: call.id,
      microphone: () => caller.frame(),
      earphone: (frame, _samples, atMs) => {
        call.onPlayed?.(frame);
        caller.played(frame, atMs);
      },
    });
    let hungUpBy: PlacedCall["hungUpBy"] = "other-end";
    hangUp = () => {
      hungUpBy = "caller";
      carrier.stop();
    };
    press = (key) => carrier.pressKey(key);
    if (signal.aborted) hangUp();
    const { code } = await Promise.race([closed, listen().then(() => closed)]);
    const ended = { endedMs: call.clock.nowMs(), hungUpBy, closeCode: code };
    caller.lineClosed();
    await new Promise<void>((resolve) => {
      call.clock.after(EAR_SETTLES_MS, resolve);
    });
    return { caller: caller.report(), violations: carrier.violations, startedMs: carrier.startedMs, ...ended };
  } finally {
    signal.removeEventListener("abort", onAbort);
    hangUp();
    life.abort();
  }
}
