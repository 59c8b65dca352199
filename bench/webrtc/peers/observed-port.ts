import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { RTP_CLOCK_HZ, RTP_LEAD_MS } from "../../../src/core/limits/streams/webrtc.ts";
import type { Peer, WebrtcPort } from "../../../src/gateway/webrtc/peer.ts";
import { isRtcp, readRtp, rtpPacket, timestampDistance } from "../../../src/media/rtp/packet.ts";

const TICKS_PER_MS = RTP_CLOCK_HZ / 1_000;

/** The packets with which speech begins are sent ahead, at once: they have no time of their own. */
const AHEAD_PACKETS = RTP_LEAD_MS / FRAME_MS + 1;

/** Speech without a pause. */
interface Run {
  /** Its timestamps count from here. */
  firstTimestamp: number;
  packets: number;
  offsetsMs: number[];
}

/**
 * Stamps the packets that peers send, from outside: it stands between the transport and the peer. A packet is late by how much
 * more time has passed since the most punctual packet of its speech than their timestamps are apart. Costs each packet a reading
 * of the clock, and of the packet.
 */
export class PacketTimes {
  readonly #packet = rtpPacket();
  #runs: Run[] = [];
  #isOn = false;

  /** The same port, whose peers' packets are stamped. */
  observe(port: WebrtcPort): WebrtcPort {
    return {
      get port() {
        return port.port;
      },
      get peerCount() {
        return port.peerCount;
      },
      close: () => port.close(),
      accept: (offer, listener) => this.#observed(port.accept(offer, listener)),
    };
  }

  /** Packets are stamped from now on. */
  begin(): void {
    this.#runs = [];
    this.#isOn = true;
  }

  /** How late the packets since `begin` were, ms. */
  finish(): Float32Array {
    this.#isOn = false;
    return Float32Array.from(
      this.#runs.flatMap(({ offsetsMs }) => {
        const least = offsetsMs.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
        return offsetsMs.map((offsetMs) => offsetMs - least);
      }),
    );
  }

  #observed(peer: Peer): Peer {
    let run: Run | undefined;
    let runs: readonly Run[] = this.#runs;
    return {
      answer: peer.answer,
      get oversized() {
        return peer.oversized;
      },
      send: (bytes) => {
        if (this.#isOn && !isRtcp(bytes)) {
          const atMs = performance.now();
          readRtp(bytes, this.#packet);
          const { marker, timestamp } = this.#packet;
          const isNew = run === undefined || marker || runs !== this.#runs;
          if (run === undefined || isNew) {
            run = { firstTimestamp: timestamp, packets: marker ? 0 : AHEAD_PACKETS, offsetsMs: [] };
            runs = this.#runs;
            this.#runs.push(run);
          }
          run.packets += 1;
          const spokenMs = timestampDistance(run.firstTimestamp, timestamp) / TICKS_PER_MS;
          if (run.packets > AHEAD_PACKETS) run.offsetsMs.push(atMs - spokenMs);
        }
        return peer.send(bytes);
      },
      close: () => peer.close(),
    };
  }
}
