// WebRTC: RTP and RTCP of a call, its SDP offer, and its peer.

// RTP, both ways.
/** RFC 7587, section 4.1: the RTP clock of Opus, whatever the rate of its audio. */
export const RTP_CLOCK_HZ = 48_000;

/** A UDP datagram of a peer that is read; one that is larger does not fit an Ethernet frame. */
export const RTP_PACKET_BYTES_MAX = 1_500;

/** How long a packet waits at most for one before it, ms: min(RTP_PATIENCE_MS_MAX, 2 x jitter + RTP_PATIENCE_MS_MIN). */
export const RTP_PATIENCE_MS_MAX = 60;
export const RTP_PATIENCE_MS_MIN = 20;

/** Packets that wait for one before them; a power of two. One that is further ahead ends the waiting. 320 ms in packets of 20 ms. */
export const RTP_ORDER_PACKETS_MAX = 16;

/** RFC 3550, appendix A.1: a sequence number that is lower by more than this, or higher by more, belongs to a restarted stream. */
export const RTP_MISORDER_PACKETS_MAX = 100;
export const RTP_DROPOUT_PACKETS_MAX = 3_000;

/** A timestamp that is further ahead of the time that has passed is a jump of the peer's clock, ms. */
export const RTP_TIMESTAMP_AHEAD_MS_MAX = 2_000;

/** So much lost audio in a row is restored from the packet after it, or concealed, ms; more is a gap. */
export const RTP_RESTORED_MS_MAX = 100;

/** How far WebRTC audio is sent ahead of playout: browsers play faster what lies further ahead, which loses audio. */
export const RTP_LEAD_MS = 60;

/** Packets of silence after the end of speech. Without them a browser stretches the last sound by some 250 ms. */
export const RTP_SILENCE_PACKETS = 10;
/** One is sent when less than this lies ahead of playout, ms: two frames, so that none is late. */
export const RTP_SILENCE_LEAD_MS = 40;

/** Runs of speech without a pause, and clears without an answer, of which the place is remembered; older ones are forgotten. */
export const RTP_SPEECH_RUNS_MAX = 64;
export const RTP_CLEARS_MAX = 16;

// RTCP.
/** The interval of our reports, ms. RFC 3550, section 6.2 has 5 s; congestion control and FEC of browsers follow sooner reports. */
export const RTCP_REPORT_MS = 1_000;

/** A round trip that is longer is a wrong answer, ms. */
export const RTCP_ROUND_TRIP_MS_MAX = 30_000;

/** How often the journal gets what was measured of a call's network, in ticks of FRAME_MS: a process that dies loses so much of it. 10 s. */
export const NETWORK_REPORT_TICKS = 500;

// The offer.
/** An SDP offer; browsers need 2 KiB. */
export const OFFER_BYTES_MAX = 16 * 1024;

// The peer.
/**
 * Datagrams of one peer: a burst, and their rate per second; past it the peer is closed. A browser sends 50 packets of audio, or
 * 100 of 10 ms, and a few of RTCP. The burst is what arrives in the longest stall that a call survives.
 */
export const PEER_PACKETS_PER_SECOND_MAX = 300;
export const PEER_PACKETS_BURST_MAX = 1_500;

// The signalling.
/** How long a client may take from the opening of its socket to an offer or the fallback; then the call ends with `unreachable`. */
export const OFFER_MS_MAX = 10_000;

/** The same from the answer to RTP or the fallback. */
export const WEBRTC_CONNECT_MS_MAX = 15_000;

/** Offers of one socket; the last bad one ends the call. */
export const OFFERS_MAX = 3;

/** RTP that has stopped for so long, while the socket lives, is to be replaced by audio on the socket; and how often that is checked. */
export const RTP_SILENCE_MS_MAX = 12_000;
export const RTP_SILENCE_CHECK_MS = 1_000;

/** How long a client that was asked for the fallback may take; then the call ends with `unreachable`. */
export const FALLBACK_ANSWER_MS_MAX = 5_000;

/** How long the credentials for a TURN server are good: as long as the longest call. */
export const TURN_CREDENTIAL_S = 7_200;
