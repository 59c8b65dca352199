import type { MediaServerName } from "../../../src/gateway/server/media-server.ts";

/**
 * Everything in which the media servers may differ, by name; in all else the contract is one. A close code is that of the close
 * frame before the connection ends, undefined where none is sent. Statuses are those of all answers on the connection.
 */
export interface Differences {
  /** uWebSockets.js drops a peer that breaks RFC 6455 without a close frame; ws sends one with 1002. */
  closeCodeAfterViolation: number | undefined;
  /** The same for a message above SOCKET_PAYLOAD_BYTES_MAX: ws sends 1009. */
  closeCodeAfterTooLarge: number | undefined;
  /** What comes of a message in more fragments than MESSAGE_FRAGMENTS_MAX: ws refuses it, uWebSockets.js bounds its bytes alone. */
  endAfterTooManyFragments: readonly [closeCode: number, endReason: string];
  /** The same of fragments without a byte in messages that are complete: uWebSockets.js does not report them. */
  endAfterEmptyFragments: { closeCode: number; endReason: string };
  /**
   * uWebSockets.js takes the first four bytes of an unmasked frame for its mask, reads on four bytes late, and so comes to an end
   * that depends on the bytes; ws refuses the frame. Neither takes it for what it says.
   */
  readsUnmaskedFrames: boolean;
  closeCodeAfterUnmaskedBinary: number | undefined;
  /** Node's parser takes the beginning of TLS, or the method FOO, for no request: 400. uWebSockets.js reads on to the version. */
  statusesOfTlsHandshake: readonly number[];
  unknownMethodStatus: { stream: number; other: number };
  /** A CONNECT names a host and a port: Node's parser refuses one that names a path. */
  connectStatus: { stream: number; other: number };
  /** Node's parser counts no spaces in front of a header's value. They are not kept, and end with the deadline of the head. */
  statusesOfSpacesBeforeValue: readonly number[];
  /** Two lengths are refused with 400 where the head is read; uWebSockets.js drops a connection with anything after its body. */
  statusesOfTwoLengths: readonly number[];
  /** uWebSockets.js looks for the version after the path before it has arrived. */
  mayMissSplitVersion: boolean;
  /** Node's parser takes no bytes above 0x7f in a path. */
  statusOfNonAsciiPath: number;
  /** uWebSockets.js waits for more where the first line has no version; Node's parser refuses it. */
  statusesOfNoVersion: readonly number[];
}

export const DIFFERENCES: Readonly<Record<MediaServerName, Differences>> = {
  uws: {
    closeCodeAfterViolation: undefined,
    closeCodeAfterTooLarge: undefined,
    endAfterTooManyFragments: [1_000, "caller_hangup"],
    endAfterEmptyFragments: { closeCode: 1_000, endReason: "caller_hangup" },
    readsUnmaskedFrames: true,
    closeCodeAfterUnmaskedBinary: 1_003,
    statusesOfTlsHandshake: [505],
    unknownMethodStatus: { stream: 426, other: 404 },
    connectStatus: { stream: 426, other: 404 },
    statusesOfSpacesBeforeValue: [431],
    statusesOfTwoLengths: [],
    mayMissSplitVersion: true,
    statusOfNonAsciiPath: 401,
    statusesOfNoVersion: [],
  },
  ws: {
    closeCodeAfterViolation: 1_002,
    closeCodeAfterTooLarge: 1_009,
    endAfterTooManyFragments: [1_008, "protocol_error"],
    endAfterEmptyFragments: { closeCode: 1_008, endReason: "protocol_error" },
    readsUnmaskedFrames: false,
    closeCodeAfterUnmaskedBinary: 1_002,
    statusesOfTlsHandshake: [400],
    unknownMethodStatus: { stream: 400, other: 400 },
    connectStatus: { stream: 426, other: 404 },
    statusesOfSpacesBeforeValue: [401],
    statusesOfTwoLengths: [400],
    mayMissSplitVersion: false,
    statusOfNonAsciiPath: 400,
    statusesOfNoVersion: [400],
  },
};
