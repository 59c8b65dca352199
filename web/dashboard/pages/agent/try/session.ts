import { TrunklineApiError } from "../../../../client/src/index.ts";
import { TrunklineCallError } from "../../../../sdk/src/index.ts";
import worklet from "../../../../sdk/src/worklet/processor.ts?worker&url";

/** The file of the SDK that carries audio on the browser's audio thread. */
export const WORKLET_URL = worklet;

/** What the SDK plays and records where the audio travels on the socket. */
export const SOCKET_FORMAT = { codec: "pcm_s16le", inputSampleRate: 16_000, outputSampleRate: 24_000 } as const;

/** A service that cannot carry a connection type says so with this status, and one without room for it at present with the other. */
const UNSUPPORTED = 501;
const NO_ROOM = 503;

/** A refused request counts as a call, so a service without WebRTC is asked for it once. */
let hasWebrtc = true;

/** How a call of the page is connected. */
export type Connection =
  | { connectionType: "webrtc" }
  | { connectionType: "websocket"; websocket: typeof SOCKET_FORMAT };

/** Creates a call by `create`: with WebRTC where the service has it, or else with a WebSocket. */
export async function connected<Created>(create: (connection: Connection) => Promise<Created>): Promise<Created> {
  if (hasWebrtc) {
    try {
      return await create({ connectionType: "webrtc" });
    } catch (error) {
      const status = error instanceof TrunklineApiError ? error.status : undefined;
      if (status === UNSUPPORTED) hasWebrtc = false;
      else if (status !== NO_ROOM) throw error;
    }
  }
  return await create({ connectionType: "websocket", websocket: SOCKET_FORMAT });
}

/** What the service has said is more exact than what the SDK makes of it. */
export const causeOf = (error: unknown): unknown =>
  error instanceof TrunklineCallError && error.cause instanceof TrunklineApiError ? error.cause : error;
