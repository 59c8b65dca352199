// The close codes of WebSocket: RFC 6455, section 7.4.1.
export const CLOSE_NORMAL = 1_000;
export const CLOSE_GOING_AWAY = 1_001;
export const CLOSE_PROTOCOL_ERROR = 1_002;
export const CLOSE_UNSUPPORTED_DATA = 1_003;
/** Never sent: the close frame had no code. */
export const CLOSED_WITHOUT_CODE = 1_005;
/** Never sent: the connection ended without a close frame. */
export const CLOSED_WITHOUT_FRAME = 1_006;
export const CLOSE_POLICY_VIOLATION = 1_008;
export const CLOSE_MESSAGE_TOO_BIG = 1_009;
export const CLOSE_INTERNAL_ERROR = 1_011;
/** Of our own clients (section 7.4.2): this connection is given up, and another one follows. */
export const CLOSE_TO_RESUME = 4_000;

/** The reason of a close after which the call goes on without this connection. */
export const DETACHED = "detached";

/** Whether a connection that was closed with this code was lost or given up, and its client may come back. */
export const isCut = (code: number, violated: boolean): boolean =>
  !violated && (code === CLOSED_WITHOUT_FRAME || code === CLOSE_TO_RESUME);
