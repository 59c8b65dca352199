import WebSocket from "ws";
import { unavailable } from "../../core/errors.ts";
import type { SimulatedPeer } from "./peer.ts";

/** A simulated stream on a real socket. */
export interface PeerConnection<Peer extends SimulatedPeer> {
  peer: Peer;
  /**
   * Settles when the socket is closed, by whichever side, with the close code that was seen (1006: without one). Never
   * rejects.
   */
  closed: Promise<{ code: number; reason: string }>;
}

/** The socket, as a peer needs it. */
export interface PeerSocket {
  /** Text as a string, binary as bytes, which are read before this returns. */
  send(message: string | Uint8Array): void;
  close(): void;
}

/** From dialling to the answer to the upgrade. */
const UPGRADE_MS_MAX = 10_000;

/**
 * Dials a media stream's URL and starts the stream. `create` makes the peer; it is called once. Rejects with
 * `unavailable` when the upgrade is not answered with 101, or not within `upgradeMsMax`; the message carries the status but
 * never the URL, which holds a token. An abort of `signal` before the answer rejects with its reason; after it nothing.
 */
export function connectPeer<Peer extends SimulatedPeer>(
  url: string,
  create: (socket: PeerSocket) => Peer,
  signal?: AbortSignal,
  upgradeMsMax = UPGRADE_MS_MAX,
): Promise<PeerConnection<Peer>> {
  const socket = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: upgradeMsMax });
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
    // After the upgrade this error is followed by `close`, which tells the rest.
    socket.on("error", (error) => refuse("no connection", error));
    socket.on("open", () => {
      signal?.removeEventListener("abort", giveUp);
      peer.start();
      resolve({ peer, closed });
    });
  });
}
