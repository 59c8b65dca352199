import WebSocket from "ws";
import { unavailable } from "../../core/errors.ts";
import type { SimulatedPeer } from "./peer.ts";

/** A simulated stream on a real socket. */
interface PeerConnection<Peer extends SimulatedPeer> {
  peer: Peer;
  /** Settles when either side has closed the socket, with the received close code (1006: without one). Never rejects. */
  closed: Promise<{ code: number; reason: string }>;
}

/** The part of a socket that a peer needs. */
export interface PeerSocket {
  /** Text as a string, binary as bytes, which are read before this returns. */
  send(message: string | Uint8Array): void;
  close(): void;
}

/** From connecting to the response to the upgrade. */
const UPGRADE_MS_MAX = 10_000;

/**
 * Connects to a media stream's URL and starts the stream. `create` makes the peer and is called once. Rejects with `unavailable`
 * when the upgrade is not answered with 101 within `upgradeMsMax`; the message contains the status but never the URL, which
 * contains a token. An abort of `signal` before the response rejects with its reason; after it an abort has no effect. `headers`
 * are those of the upgrade.
 */
export function connectPeer<Peer extends SimulatedPeer>(
  url: string,
  create: (socket: PeerSocket) => Peer,
  signal?: AbortSignal,
  upgradeMsMax = UPGRADE_MS_MAX,
  headers: Readonly<Record<string, string>> = {},
): Promise<PeerConnection<Peer>> {
  const socket = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: upgradeMsMax, headers });
  const peer = create({
    send: (message) => socket.send(message),
    close: () => socket.close(1000),
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on("close", (code, reason) => {
      peer.closed();
      resolve({ code, reason: reason.toString() });
    });
  });
  socket.on("message", (data: Buffer, isBinary) => peer.receive(isBinary ? data : data.toString()));
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      reject(signal?.reason);
      socket.terminate();
    };
    const refuse = (what: string, cause?: unknown): void => {
      signal?.removeEventListener("abort", giveUp);
      reject(unavailable(`the media stream was refused: ${what}`, cause));
    };
    signal?.addEventListener("abort", giveUp);
    socket.on("unexpected-response", (request, response) => {
      refuse(`status ${response.statusCode}`);
      request.destroy();
    });
    // After the upgrade, `close` follows this error and has the details.
    socket.on("error", (error) => refuse("no connection", error));
    socket.on("open", () => {
      signal?.removeEventListener("abort", giveUp);
      peer.start();
      resolve({ peer, closed });
    });
  });
}
