import type { Socket } from "node:net";
import { parseObject } from "../../core/json.ts";
import { SOCKET_PAYLOAD_BYTES_MAX } from "../../core/limits/streams/connections.ts";
import type { UpgradeHeaders } from "../../wire/upgrade.ts";

// What two workers send each other about one connection, over a Unix socket: a length of four bytes, little-endian, which
// counts the kind and the payload; a kind of one byte; the payload.

/** In the order of their numbers on the socket, which workers of two versions must not read differently: add at the end. */
const KINDS = ["ask", "accepted", "refused", "opened", "text", "binary", "ping", "pong", "close", "closed"] as const;

/**
 * `ask` (a token, a line feed and the headers of its upgrade as JSON; older workers send the token alone) is answered by `accepted` or `refused`. After `opened` both sides send `text` and `binary`. Of the worker
 * of the call: `ping`, and `close` with a code and a reason. Of the worker with the connection: `ping` and `pong` of the
 * client, and `closed` with a code, and a byte that is 1 where the client broke the rules.
 */
export type FrameKind = (typeof KINDS)[number];

const LENGTH_BYTES = 4;
const HEADER_BYTES = LENGTH_BYTES + 1;

/** A frame; the payload is copied. */
export function encodeFrame(kind: FrameKind, payload: Uint8Array | string = ""): Buffer {
  const payloadBytes = typeof payload === "string" ? Buffer.byteLength(payload) : payload.length;
  const frame = Buffer.allocUnsafe(HEADER_BYTES + payloadBytes);
  frame.writeUInt32LE(1 + payloadBytes, 0);
  frame[LENGTH_BYTES] = KINDS.indexOf(kind);
  if (typeof payload === "string") frame.write(payload, HEADER_BYTES);
  else frame.set(payload, HEADER_BYTES);
  return frame;
}

/** Calls `onFrame` with each frame that comes; its payload is borrowed. Destroys a socket that sends anything else. */
export function readFrames(socket: Socket, onFrame: (kind: FrameKind, payload: Buffer) => void): void {
  let pending = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    let at = 0;
    while (pending.length - at >= HEADER_BYTES) {
      const end = at + LENGTH_BYTES + pending.readUInt32LE(at);
      const kind = KINDS[pending[at + LENGTH_BYTES] as number];
      if (kind === undefined || end - at < HEADER_BYTES || end - at > HEADER_BYTES + SOCKET_PAYLOAD_BYTES_MAX) {
        socket.destroy();
        return;
      }
      if (pending.length < end) break;
      onFrame(kind, pending.subarray(at + HEADER_BYTES, end));
      at = end;
    }
    pending = pending.subarray(at);
  });
}

export const encodeAsk = (token: string, headers: UpgradeHeaders): Buffer =>
  encodeFrame("ask", `${token}\n${JSON.stringify(headers)}`);

export function readAsk(payload: Buffer): { token: string; headers: UpgradeHeaders } {
  const [token = "", json = ""] = payload.toString().split("\n");
  return { token, headers: (parseObject(json) ?? {}) as UpgradeHeaders };
}

export function encodeClose(code: number, reason: string): Buffer {
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
  payload.writeUInt16LE(code);
  payload.write(reason, 2);
  return encodeFrame("close", payload);
}

export const readClose = (payload: Buffer): { code: number; reason: string } => ({
  code: payload.readUInt16LE(),
  reason: payload.toString("utf8", 2),
});

export function encodeClosed(code: number, violated: boolean): Buffer {
  const payload = Buffer.alloc(3);
  payload.writeUInt16LE(code);
  payload[2] = Number(violated);
  return encodeFrame("closed", payload);
}

export const readClosed = (payload: Buffer): { code: number; violated: boolean } => ({
  code: payload.readUInt16LE(),
  violated: payload[2] === 1,
});
