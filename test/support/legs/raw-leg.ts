import { CARRIER_FRAME_SAMPLES, FRAME_MS } from "../../../src/core/limits/media.ts";
import { MU_LAW } from "../../../src/media/g711.ts";
import { RawWs } from "../network/raw-ws.ts";
import type { CallItem, Service } from "../services/service.ts";

export const STREAM_ID = "MZ00000000000000000000000000000001";
/** What carrier_a tells of its stream in `start`. */
export const STREAM_START = {
  accountSid: "AC0",
  streamSid: STREAM_ID,
  callSid: "CA0",
  tracks: ["inbound"],
  mediaFormat: { encoding: "audio/x-mulaw", sampleRate: 8_000, channels: 1 },
  customParameters: {},
};
const SILENCE = Buffer.alloc(CARRIER_FRAME_SAMPLES, MU_LAW.silenceByte).toString("base64");

/** A stream of carrier_a on a socket that sends only what the test sends. */
export class RawLeg {
  readonly ws: RawWs;
  #frames = 0;

  private constructor(ws: RawWs) {
    this.ws = ws;
  }

  /** Asks for the upgrade at a call's `websocketUrl`; the status is 101 when the stream is open. */
  static async connect(
    websocketUrl: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ leg: RawLeg; status: number | undefined }> {
    const ws = await RawWs.connect(websocketUrl);
    const answer = await ws.upgrade(new URL(websocketUrl).pathname, headers);
    return { leg: new RawLeg(ws), status: answer?.status };
  }

  /** As `connect`, and the stream begins. */
  static async start(websocketUrl: string): Promise<RawLeg> {
    const { leg, status } = await RawLeg.connect(websocketUrl);
    if (status !== 101) throw new Error(`the stream was refused with ${status}`);
    leg.ws.sendText(JSON.stringify({ event: "connected", protocol: "Call", version: "1.0.0" }));
    leg.#send("start", STREAM_START);
    return leg;
  }

  /** Sends this many frames of 20 ms of silence at once. */
  sendMedia(frames: number): void {
    for (let count = 0; count < frames; count += 1) {
      this.#frames += 1;
      const timestamp = String(this.#frames * FRAME_MS);
      this.#send("media", { track: "inbound", chunk: String(this.#frames), timestamp, payload: SILENCE });
    }
  }

  #send(event: string, body: object): void {
    const message = { event, sequenceNumber: String(this.#frames + 1), streamSid: STREAM_ID, [event]: body };
    this.ws.sendText(JSON.stringify(message));
  }
}

/** How many frames a short call sends; of the agent it hears at least as much. */
export const SHORT_CALL_FRAMES = 10;

/** Opens the stream of a call, hears the agent begin, and hangs up; returns the call's record. */
export async function holdShortCall(service: Service, call: { id: string; websocketUrl: string }): Promise<CallItem> {
  // The service may have been started again since, on another port.
  const leg = await RawLeg.start(`${service.mediaUrl}${new URL(call.websocketUrl).pathname}`);
  leg.sendMedia(SHORT_CALL_FRAMES);
  for (let frames = 0; frames < SHORT_CALL_FRAMES; frames += 1) await leg.ws.readFrame();
  leg.ws.sendClose(1_000);
  return await service.ended(call.id);
}
