/** The socket of a leg, as far as a connection needs one. */
export interface LegSocket {
  /** Sends one message, a text unless told otherwise; false when the peer reads so slowly that it was dropped. */
  send(message: Uint8Array | string, isBinary?: boolean): boolean;
  /** Sends a ping, unless the peer has not taken what was sent before. */
  ping(): void;
  /** Closes with a WebSocket close code and a reason. The leg's `closed` follows. */
  end(code: number, reason: string): void;
}

/** What a socket's messages go to. */
export interface Leg {
  /** The bytes are only valid until this returns. */
  message(bytes: Uint8Array, isBinary: boolean): void;
  /** The peer sent a ping; the server has answered it. */
  pinged(): void;
  /** The peer sent a pong. */
  ponged(): void;
  /** The socket is gone; `code` is the close frame's, 1006 where there was none: the peer vanished, or `violated` the framing. */
  closed(code: number, violated: boolean): void;
}

/** The answer to a token: a place for its socket, or the refusal with its HTTP status. */
export type Admission = { kind: "admitted"; open(socket: LegSocket): Leg } | { kind: "refused"; status: 401 | 503 };
