import type { UdpPorts } from "../../../src/gateway/webrtc/peer.ts";

/** The first free one of these is that of the process that is measured. */
export const PEER_UDP_PORTS: UdpPorts = { first: 47_100, last: 47_199 };
