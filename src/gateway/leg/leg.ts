/** The socket of a leg, as a connection uses it. */
export interface LegSocket {
  /** Sends one message, text by default; false when the peer reads so slowly that the message was dropped. */
  send(message: Uint8Array | string, isBinary?: boolean): boolean;
  /** Sends a ping, unless earlier output is still unread by the peer. */
  ping(): void;
  /** Closes with a WebSocket close code and a reason. The leg's `closed` follows. */
  end(code: number, reason: string): void;
}

/** The receiver of a socket's messages. */
export interface Leg {
  /** The bytes are borrowed: valid until this returns. */
  message(bytes: Uint8Array, isBinary: boolean): void;
  /** The peer sent a ping; the server has answered it. */
  pinged(): void;
  /** The peer sent a pong. */
  ponged(): void;
  /**
   * The socket is closed. `code` is that of the peer's close frame, or 1006 when it sent none. `violated` is true when
   * the peer broke the rules of WebSocket framing.
   */
  closed(code: number, violated: boolean): void;
}

/** The result of an admission: a slot for the socket, or a refusal with its HTTP status. */
export type Admission = { kind: "admitted"; open(socket: LegSocket): Leg } | { kind: "refused"; status: 401 | 503 };
