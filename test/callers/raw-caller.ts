import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../../src/core/clock.ts";
import { addMs } from "../../src/core/clocks.ts";
import { RawWs } from "../support/network/raw-ws.ts";
import type { CallItem, Service } from "../support/services/service.ts";
import type { Caller } from "./caller.ts";
import { CONNECTED, mediaMessage, startMessage } from "./twilio-stream.ts";

/** How long a service may be busy, and how often the caller connects until then. */
const BUSY_MS_MAX = 10_000;
const RETRY_MS = 250;
const WARNINGS_SHOWN = 5;

/** A stream of carrier_a on a socket that sends only what the test sends. */
export class RawCaller implements Caller {
  readonly ws: RawWs;
  /** How often the service was busy before: see `startAt`. */
  readonly busyCount: number;
  #frames = 0;

  private constructor(ws: RawWs, busyCount = 0) {
    this.ws = ws;
    this.busyCount = busyCount;
  }

  /** Requests the upgrade at a call's `websocketUrl`; the status is 101 when the stream is open. */
  static async connect(
    websocketUrl: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ caller: RawCaller; status: number | undefined }> {
    const ws = await RawWs.connect(websocketUrl);
    const { pathname, search } = new URL(websocketUrl);
    const answer = await ws.upgrade(pathname + search, headers);
    return { caller: new RawCaller(ws), status: answer?.status };
  }

  /** As `connect`, and the stream begins. */
  static async start(websocketUrl: string): Promise<RawCaller> {
    const { caller, status } = await RawCaller.connect(websocketUrl);
    if (status !== 101) throw new Error(`the stream was refused with ${status}`);
    return caller.#begin();
  }

  /**
   * As `start`, to a whole service, which may be busy: its 503 leaves the token valid, and like a carrier the caller
   * connects again. The error names the last status and the service's latest warnings.
   */
  static async startAt(service: Service, websocketUrl: string): Promise<RawCaller> {
    // The service may have been started again since the call was created, on another port.
    const url = `${service.mediaUrl}${new URL(websocketUrl).pathname}`;
    const endMs = addMs(systemClock.nowMs(), BUSY_MS_MAX);
    for (let busyCount = 0; ; busyCount += 1) {
      const { caller, status } = await RawCaller.connect(url);
      if (status === 101) return new RawCaller(caller.ws, busyCount).#begin();
      caller.ws.destroy();
      if (status === 503 && systemClock.nowMs() < endMs) {
        await delay(RETRY_MS);
        continue;
      }
      const warnings = service.warnings.slice(-WARNINGS_SHOWN).map((line) => JSON.stringify(line));
      throw new Error(`the stream was refused with ${status}; the service's last warnings:\n${warnings.join("\n")}`);
    }
  }

  #begin(): this {
    for (const message of [CONNECTED, startMessage()]) this.ws.sendText(JSON.stringify(message));
    return this;
  }

  sendFrames(count: number): void {
    for (let sent = 0; sent < count; sent += 1) {
      this.#frames += 1;
      this.ws.sendText(JSON.stringify(mediaMessage(this.#frames)));
    }
  }

  hangUp(): void {
    this.ws.sendClose(1_000);
  }
}

/** How many frames a short call sends; of the agent it hears at least as much. */
export const SHORT_CALL_FRAMES = 10;

/** Opens the stream of a call, hears the agent begin, and hangs up; returns the call's record. */
export async function holdShortCall(service: Service, call: { id: string; websocketUrl: string }): Promise<CallItem> {
  const caller = await RawCaller.startAt(service, call.websocketUrl);
  caller.sendFrames(SHORT_CALL_FRAMES);
  for (let frames = 0; frames < SHORT_CALL_FRAMES; frames += 1) await caller.ws.readFrame();
  caller.hangUp();
  return await service.ended(call.id);
}
