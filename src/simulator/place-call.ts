import type { Clock } from "../core/clock.ts";
import { loadOpus } from "../media/opus/load.ts";
import { loadResampler } from "../media/resampler.ts";
import type { Stt } from "../speech/contracts.ts";
import { Caller, type CallerEvent, type CallerReport, type Step } from "./callers/caller.ts";
import { openCallerStt } from "./callers/stt.ts";
import type { SimulatedPeer, Violation } from "./peers/peer.ts";
import { connectPeer, type PeerSocket } from "./peers/peer-socket.ts";
import type { ServiceMessage } from "./peers/websocket-client.ts";
import { formatsOf, simulatePeer, type Transport } from "./transports.ts";

export interface PlaceCallOptions {
  /** The call's `websocketUrl`. */
  url: string;
  transport: Transport;
  /** 32 hex digits: a carrier's ids are made from it. */
  id: string;
  script: readonly Step[];
  hangUpAfterMs: number;
  /** The caller's ear. */
  stt: Stt;
  language: string;
  clock: Clock;
  onEvent(notice: CallerEvent): void;
  /** Gets every 20 ms that sound in the earphone, in the line's outbound format; valid until it returns. */
  onPlayed?(frame: Uint8Array): void;
  /** Gets what the service says in text, on a line on which it does. */
  onServiceMessage?(message: ServiceMessage): void;
}

export interface PlacedCall {
  caller: CallerReport;
  violations: ReadonlyMap<Violation, number>;
  /** What the service said that it was sent wrongly, as `code: message`, on a line on which it says so. */
  serviceErrors: readonly string[];
  /** When the stream began and when it ended, in the clock's ms, as the caller's times are. */
  startedMs: number;
  endedMs: number;
  hungUpBy: "caller" | "other-end";
  /** What the socket was closed with; 1005 and 1006: without a close code. */
  closeCode: number;
}

/** What the ear still has to say when the line is gone, it says within this time. */
const STT_SETTLE_MS = 500;

/**
 * Plays a simulated peer with a simulated caller into a media stream, in the clock's time, until one side hangs up.
 * An abort of `signal` is the caller hanging up; before the stream is answered it rejects. Rejects as well when the stream
 * is refused or when the caller's STT fails.
 */
export async function placeCall(call: PlaceCallOptions, signal: AbortSignal): Promise<PlacedCall> {
  const [opus, makeResampler] = await Promise.all([loadOpus(), loadResampler()]);
  let hangUp = (): void => {};
  let press = (_key: string): void => {};
  let type = (_text: string): void => {};
  const onAbort = (): void => hangUp();
  signal.addEventListener("abort", onAbort);
  const life = new AbortController();
  const formats = formatsOf(call.transport);
  const earOptions = { language: call.language, rateHz: formats.outbound.rateHz };
  const ear = openCallerStt(call.stt, earOptions, makeResampler, life.signal);
  const caller = new Caller({
    script: call.script,
    formats,
    hangUpAfterMs: call.hangUpAfterMs,
    listen: (samples) => ear.write(samples),
    hangUp: () => hangUp(),
    press: (key) => press(key),
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
    for await (const event of ear.events) caller.onTranscript(event);
  };
  try {
    const create = (socket: PeerSocket): SimulatedPeer => simulatePeer(call.transport, { ...ends, ...socket });
    const { peer, closed } = await connectPeer(call.url, create, signal);
    let hungUpBy: PlacedCall["hungUpBy"] = "other-end";
    hangUp = () => {
      hungUpBy = "caller";
      peer.stop();
    };
    press = (key) => peer.pressDigit(key);
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
    life.abort();
    ear.close();
  }
}
