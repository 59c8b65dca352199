import type { Clock } from "../core/clock.ts";
import type { MonotonicMs } from "../core/clocks.ts";
import { loadOpus } from "../media/opus/load.ts";
import { loadResampler } from "../media/resampler.ts";
import type { Stt } from "../speech/contracts.ts";
import { Caller, type CallerEvent, type CallerReport, type Step } from "./callers/caller.ts";
import { openCallerStt } from "./callers/stt.ts";
import { formatsOf, type SimulatedLine, simulatePeer } from "./lines.ts";
import type { SimulatedPeer, Violation } from "./peers/peer.ts";
import { connectPeer, type PeerSocket } from "./peers/peer-socket.ts";
import type { ServiceMessage } from "./peers/websocket-client.ts";

interface PlaceCallOptions {
  /** The call's `websocketUrl`. */
  url: string;
  line: SimulatedLine;
  /** 32 hex digits, from which a carrier's ids are derived. */
  id: string;
  script: readonly Step[];
  hangUpAfterMs: number;
  /** The caller's STT. */
  stt: Stt;
  language: string;
  clock: Clock;
  onEvent(event: CallerEvent): void;
  /** Receives every 20 ms played in the earphone, in the line's outbound format; valid until it returns. */
  onPlayed?(frame: Uint8Array): void;
  /** Receives the text messages of the service, if the line has them. */
  onServiceMessage?(message: ServiceMessage): void;
}

export interface PlacedCall {
  caller: CallerReport;
  violations: ReadonlyMap<Violation, number>;
  /** Errors that the service reported to the client as `code: message`, if the line reports them. */
  serviceErrors: readonly string[];
  /** When the stream began and ended, in the clock's ms, like the caller's times. */
  startedMs: MonotonicMs;
  endedMs: MonotonicMs;
  hungUpBy: "caller" | "other-end";
  /** The close code of the socket; 1005 and 1006: without a close code. */
  closeCode: number;
}

/** The time in which the STT finishes its last transcript after the stream has closed. */
const STT_SETTLE_MS = 500;

/**
 * Connects a simulated peer with a simulated caller to a media stream, in the clock's time, until one side hangs up. An abort of
 * `signal` makes the caller hang up; before the upgrade is answered it rejects. Also rejects when the stream is refused or the
 * caller's STT fails.
 */
export async function placeCall(call: PlaceCallOptions, signal: AbortSignal): Promise<PlacedCall> {
  const [opus, makeResampler] = await Promise.all([loadOpus(), loadResampler()]);
  let hangUp = (): void => {};
  let press = (_digit: string): void => {};
  let type = (_text: string): void => {};
  const onAbort = (): void => hangUp();
  signal.addEventListener("abort", onAbort);
  const sttAbort = new AbortController();
  const formats = formatsOf(call.line);
  const sttOptions = { language: call.language, rateHz: formats.outbound.rateHz };
  const sttStream = openCallerStt(call.stt, sttOptions, makeResampler, sttAbort.signal);
  const caller = new Caller({
    script: call.script,
    formats,
    hangUpAfterMs: call.hangUpAfterMs,
    listen: (samples) => sttStream.write(samples),
    hangUp: () => hangUp(),
    press: (digit) => press(digit),
    type: (text) => type(text),
    onEvent: call.onEvent,
  });
  const serviceErrors: string[] = [];
  const ends = {
    clock: call.clock,
    id: call.id,
    opus,
    microphone: () => caller.frame(),
    earphone: (frame: Uint8Array, _samples: number, atMs: number) => {
      call.onPlayed?.(frame);
      caller.played(frame, atMs);
    },
    onServiceMessage: (message: ServiceMessage) => {
      if (message.type === "error") serviceErrors.push(`${message.code}: ${message.message}`);
      call.onServiceMessage?.(message);
    },
  };
  const listen = async (): Promise<void> => {
    for await (const event of sttStream.events) caller.onTranscript(event);
  };
  try {
    const create = (socket: PeerSocket): SimulatedPeer => simulatePeer(call.line, { ...ends, ...socket });
    const { peer, closed } = await connectPeer(call.url, create, signal);
    let hungUpBy: PlacedCall["hungUpBy"] = "other-end";
    hangUp = () => {
      hungUpBy = "caller";
      peer.stop();
    };
    press = (digit) => peer.pressDigit(digit);
    type = (text) => peer.typeText(text);
    if (signal.aborted) hangUp();
    const { code } = await Promise.race([closed, listen().then(() => closed)]);
    const ended = { endedMs: call.clock.nowMs(), hungUpBy, closeCode: code };
    caller.onClosed();
    await new Promise<void>((resolve) => {
      call.clock.after(STT_SETTLE_MS, resolve);
    });
    const { violations, startedMs } = peer;
    return { caller: caller.report(), violations, serviceErrors, startedMs, ...ended };
  } finally {
    signal.removeEventListener("abort", onAbort);
    hangUp();
    sttAbort.abort();
    sttStream.close();
  }
}
