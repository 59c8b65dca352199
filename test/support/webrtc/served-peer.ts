import { systemClock } from "../../../src/core/clock.ts";
import { elapsedMs } from "../../../src/core/clocks.ts";
import type { WebrtcPort } from "../../../src/gateway/webrtc/peer.ts";
import type { RtpTransport } from "../../../src/gateway/webrtc/rtp-transport.ts";
import { loadRtpOpus } from "../../../src/media/opus/load.ts";
import type { WebrtcWire } from "../../../src/wire/webrtc/wire.ts";
import type { InboundAudio } from "../../../src/wire/wire.ts";
import { opus } from "../audio/opus-codecs.ts";
import { type AnsweredCall, answerOffer } from "./answered-call.ts";

const codecs = await loadRtpOpus(opus);
const HEARD_SAMPLES_PER_MS = 16;

/** The service's end of one call over RTP, which hears its caller. In real time. */
export class ServedPeer {
  /** What the service hears, at 16,000 Hz, with zeros in gaps. */
  readonly heard: number[] = [];
  /** By how much each packet came later than its place in the audio, ms, from an arbitrary start. */
  readonly heardAfterMs: number[] = [];
  /** The length of all gaps, ms. */
  gapsMs = 0;
  isConnected = false;
  readonly connected: Promise<void>;
  readonly #call: AnsweredCall;
  readonly #openedMs = systemClock.nowMs();
  #endMs = 0;

  /** Answers the offer of a client. */
  constructor(port: WebrtcPort, offerSdp: string) {
    this.#call = answerOffer(port, offerSdp, codecs, (audio) => this.#hear(audio));
    this.connected = this.#call.connected.then(() => {
      this.isConnected = true;
    });
  }

  get answer(): string {
    return this.#call.answer;
  }

  get transport(): RtpTransport {
    return this.#call.transport;
  }

  get wire(): WebrtcWire {
    return this.#call.wire;
  }

  close(): void {
    this.#call.end();
  }

  #hear({ samples, count, timestampMs }: InboundAudio): void {
    const gapMs = Number(timestampMs) - this.#endMs;
    this.gapsMs += gapMs;
    for (let i = 0; i < HEARD_SAMPLES_PER_MS * gapMs; i += 1) this.heard.push(0);
    this.#endMs = Number(timestampMs) + count / HEARD_SAMPLES_PER_MS;
    this.heard.push(...samples.subarray(0, count));
    this.heardAfterMs.push(elapsedMs(this.#openedMs, systemClock.nowMs()) - this.#endMs);
  }
}
