import { CARRIER_MESSAGE_BYTES_MAX } from "./messages.ts";

/** uWebSockets.js drops a connection above this without a close code, so it is above the limit that responds with 1009. */
export const SOCKET_PAYLOAD_BYTES_MAX = 2 * CARRIER_MESSAGE_BYTES_MAX;

/** Signatures of one upgrade that are checked: a carrier sends several while its secret is being rotated. */
export const SIGNATURES_PER_UPGRADE_MAX = 8;

// Sockets.
/** Output buffered for a peer that reads too slowly; past it the call ends with `slow_consumer`. */
export const SOCKET_BACKPRESSURE_BYTES_MAX = 256 * 1024;

/** How long a carrier may take from the upgrade to `start`. */
export const LEG_START_MS_MAX = 5_000;

/** The same for a WebRTC call, whose signalling ends it sooner: a backstop. */
export const WEBRTC_LEG_START_MS_MAX = 60_000;

/** Pings and pongs of a peer within one second; past it the call ends with `protocol_error`. 100 x 34 µs = 0.3 % of the event loop. */
export const CONTROL_FRAMES_PER_SECOND_MAX = 100;

/** How often the files of the certificate are checked for a new one. */
export const CERTIFICATE_POLL_MS = 5_000;

/** A warning is logged, once in CERTIFICATE_WARN_MS, when the certificate expires within this time. */
export const CERTIFICATE_EXPIRES_SOON_MS = 14 * 86_400_000;
export const CERTIFICATE_WARN_MS = 86_400_000;

/** How long a retiring worker waits for requests on connections that it has accepted; then it closes them. */
export const HANDSHAKE_MS_MAX = 10_000;

// Connections to the media port.

/** Bytes of the request head at the media port, the limit of uWebSockets.js; past it the response is 431. */
export const REQUEST_HEAD_BYTES_MAX = 4_096;

/** With ws: fragments of one message; past it the connection is closed with 1008. Carriers send a few at most. */
export const MESSAGE_FRAGMENTS_MAX = 16_384;

/**
 * With ws: bytes besides complete messages, pings and pongs, in a burst and per second; past it the connection is closed with 1008.
 * The burst allows two incomplete messages of the largest size. The rate allows 2,700 empty fragments, which consist only of their
 * headers; a carrier that splits each frame of audio into four sends 200.
 */
export const FRAMING_BYTES_BURST_MAX = 256 * 1024;
export const FRAMING_BYTES_PER_SECOND_MAX = 16 * 1024;

/** Where the supervisor accepts connections: how many one worker may not have acknowledged; beyond it the next worker gets them. */
export const CONNECTIONS_UNACKNOWLEDGED_MAX = 16;

/** Accepted connections that wait for a worker; one more is closed at once. */
export const CONNECTIONS_PENDING_MAX = 512;

/** How long a call whose client may resume goes on without a connection. */
export const RESUME_MS_MAX = 15_000;

/** Turns whose transcripts a client that connects again is sent once more. */
export const TURNS_REPEATED_MAX = 8;

/** How long the worker of a call may take to answer another one that a client has reached to resume it. */
export const RELAY_ANSWER_MS_MAX = 2_000;

/** Connections of calls of other workers that one worker carries; for one more its client must come again. */
export const RELAYED_CONNECTIONS_MAX = 200;

/** How long the node of a call may take to answer another one that a client has reached; RELAY_ANSWER_MS_MAX of it are its worker's. */
export const NODE_RELAY_ANSWER_MS_MAX = 3_000;

/** Connections of calls of other nodes that one worker carries; one more is refused. Each takes two file descriptors. */
export const NODE_RELAYS_MAX = 200;

/** Addresses at which one call may be resumed, one after the other; a call that has used them ends with its connection. */
export const RESUME_ADDRESSES_MAX = 200;

// Liveness of streams.

/** The interval of pings to a peer, s. */
export const PING_INTERVAL_S_DEFAULT = 5;
export const PING_INTERVAL_S_MAX = 30;

/**
 * A peer that answers pings is lost after this time without a message, ping or pong, s. Three pings are then unanswered. TCP
 * retransmits after 0.2, 0.6, 1.4, 3, 6.2 and 12.6 s, so a network that was down for 12 s recovers within this time.
 */
export const PING_TIMEOUT_S_DEFAULT = 15;
export const PING_TIMEOUT_S_MAX = 60;

/** The same for a peer that has not answered a ping yet: its caller may be muted. */
export const SILENT_PEER_MS_MAX = 30_000;

/** The interval of pings while the agent speaks and the peer sends nothing; it is the accuracy of what was heard. */
export const PING_WHILE_SPEAKING_MS = 1_000;

/** When this process was suspended, at most this much of the time counts as silence of the peer. */
export const SILENCE_STEP_MS_MAX = 1_000;
export const MEDIA_TIMEOUT_S_MIN = 5;
export const MEDIA_TIMEOUT_S_MAX = 3_600;

/**
 * uWebSockets.js drops a connection without traffic after this time. A call ends earlier by its own timeouts; this one is for
 * connections that were closed and whose peer does not disconnect.
 */
export const SOCKET_IDLE_S = 120;

/** Ticks between two liveness checks of a peer: a check at every tick would cost a fifth of the outbound frame path. */
export const LIVENESS_CHECK_TICKS = 5;
