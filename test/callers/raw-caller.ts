import { RawWs } from "../support/network/raw-ws.ts";
import type { CallItem, Service } from "../support/services/service.ts";
import type { Caller } from "./caller.ts";
import { CONNECTED, mediaMessage, startMessage } from "./twilio-stream.ts";

/** A stream of carrier_a on a socket that sends only what the test sends. */
export class RawCaller implements Caller {
  readonly ws: RawWs;
  #frames = 0;

  private constructor(ws: RawWs) {
    this.ws = ws;
  }

  /** Requests the upgrade at a call's `websocketUrl`; the status is 101 when the stream is open. */
  static async connect(
    websocketUrl: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ caller: RawCaller; status: number | undefined }> {
    const ws = await RawWs.connect(websocketUrl);
    const answer = await ws.upgrade(new URL(websocketUrl).pathname, headers);
    return { caller: new RawCaller(ws), status: answer?.status };
  }

  /** As `connect`, and the stream begins. */
  static async start(websocketUrl: string): Promise<RawCaller> {
    const { caller, status } = await RawCaller.connect(websocketUrl);
    if (status !== 101) throw new Error(`the stream was refused with ${status}`);
    for (const message of [CONNECTED, startMessage()]) caller.ws.sendText(JSON.stringify(message));
    return caller;
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
  // The service may have been started again since, on another port.
  const caller = await RawCaller.start(`${service.mediaUrl}${new URL(call.websocketUrl).pathname}`);
  caller.sendFrames(SHORT_CALL_FRAMES);
  for (let frames = 0; frames < SHORT_CALL_FRAMES; frames += 1) await caller.ws.readFrame();
  caller.hangUp();
  return await service.ended(call.id);
}
