import type { NetworkReport } from "../../core/calls/network.ts";
import type { LivenessOptions } from "./liveness.ts";

/**
 * One open connection to a peer: messages in and out, and its close. It knows neither the protocol of the messages
 * nor the call. A transport is a WebSocket, of uWebSockets.js or of ws, or a WebSocket with RTP beside it.
 */
export interface Transport {
  /** How a lost peer is detected on this transport. */
  readonly liveness: LivenessOptions;
  /** Audio comes another way than pings and texts, so it does not show that the connection is alive. Absent for no. */
  readonly hasAudioApart?: true;
  /** Bytes that were sent and that the kernel has not taken, because the peer does not read. */
  readonly bufferedBytes: number;
  /**
   * Sends one message, text by default; the bytes are borrowed until this returns. False when the peer reads so slowly
   * that the message was dropped.
   */
  send(message: Uint8Array | string, isBinary?: boolean): boolean;
  /** Does what time alone makes due; called after each tick of the call. Throws what the listener throws. */
  tick?(): void;
  /** What was measured of the network since it was asked last; undefined where nothing was. */
  takeNetworkReport?(): NetworkReport | undefined;
  /** Sends a ping, unless earlier output is still unread by the peer. */
  ping(): void;
  /**
   * Closes with a close code of RFC 6455, section 7.4.1, and a reason. The listener's `closed` follows, perhaps before
   * this returns. No other method may follow.
   */
  close(code: number, reason: string): void;
}

/** What receives from a transport. */
export interface TransportListener {
  /** The bytes are borrowed: valid until this returns. */
  message(bytes: Uint8Array, isBinary: boolean): void;
  /** The peer sent a ping; the transport has answered it. */
  pinged(): void;
  /** The peer sent a pong. */
  ponged(): void;
  /**
   * The connection is closed. `code` is that of the peer's close frame, or 1006 when it sent none. `violated` is true
   * when the peer broke the rules of the transport.
   */
  closed(code: number, violated: boolean): void;
}
