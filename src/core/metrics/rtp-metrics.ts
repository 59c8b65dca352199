import type { Registry } from "prom-client";
import { counter, histogram } from "./instruments.ts";

/** What is known of a call's RTP when its leg is over; NaN where it is not. */
export interface RtpOutcome {
  roundTripMs: number;
  /** Interarrival jitter and lost packets, of the audio from the caller and of that to the caller. */
  jitterMs: number;
  packetsLost: number;
  peerJitterMs: number;
  peerPacketsLost: number;
}

const NETWORK_BUCKETS_S = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2];

/** The network of WebRTC calls, as their receiver reports show it: one observation for each call. */
export class RtpMetrics {
  readonly #roundTrip;
  readonly #jitter;
  readonly #lost;

  constructor(registry: Registry) {
    this.#roundTrip = histogram(
      registry,
      "rtp_round_trip_seconds",
      "The round trip of WebRTC calls at their end, from the receiver reports of browsers.",
      [],
      NETWORK_BUCKETS_S,
    );
    this.#jitter = histogram(
      registry,
      "rtp_jitter_seconds",
      "The interarrival jitter of WebRTC calls at their end. `in`: of the caller's audio. `out`: of the agent's, as browsers report it.",
      ["direction"],
      NETWORK_BUCKETS_S,
    );
    this.#lost = counter(
      registry,
      "rtp_packets_lost_total",
      "RTP packets of WebRTC calls that were lost, counted at the calls' end. `in`: of the caller's audio. `out`: of the agent's, as browsers report it.",
      ["direction"],
    );
    for (const direction of ["in", "out"] as const) {
      this.#lost.inc({ direction }, 0);
      this.#jitter.zero({ direction });
    }
  }

  /** The call's RTP is over. */
  ended({ roundTripMs, jitterMs, packetsLost, peerJitterMs, peerPacketsLost }: RtpOutcome): void {
    if (!Number.isNaN(roundTripMs)) this.#roundTrip.observe({}, roundTripMs / 1_000);
    this.#jitter.observe({ direction: "in" }, jitterMs / 1_000);
    if (!Number.isNaN(peerJitterMs)) this.#jitter.observe({ direction: "out" }, peerJitterMs / 1_000);
    this.#lost.inc({ direction: "in" }, Math.max(0, packetsLost));
    if (!Number.isNaN(peerPacketsLost)) this.#lost.inc({ direction: "out" }, Math.max(0, peerPacketsLost));
  }
}
