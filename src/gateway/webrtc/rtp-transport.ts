import { randomBytes, randomInt } from "node:crypto";
import type { NetworkReport } from "../../core/calls/network.ts";
import type { Clock } from "../../core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../../core/clocks.ts";
import { TrunklineError } from "../../core/errors.ts";
import { RTCP_REPORT_MS, RTP_PACKET_BYTES_MAX } from "../../core/limits/streams/webrtc.ts";
import { BorrowedViews } from "../../media/borrowed-views.ts";
import { NetworkReporter } from "../../media/rtp/network-reporter.ts";
import { RtpOrder, type RtpOrderCounters } from "../../media/rtp/order.ts";
import { readRtp, rtpPacket } from "../../media/rtp/packet.ts";
import { type RtpReadings, RtpReception } from "../../media/rtp/reception.ts";
import { readRtcp } from "../../media/rtp/rtcp.ts";
import { RtpSender } from "../../media/rtp/sender.ts";
import { ENVELOPE_BYTES, writeEnvelope } from "../../wire/webrtc/envelope.ts";
import type { WebrtcWire } from "../../wire/webrtc/wire.ts";
import type { LivenessOptions } from "../transport/liveness.ts";
import type { Transport, TransportListener } from "../transport/transport.ts";
import type { Peer, PeerEnd, PeerListener } from "./peer.ts";

// Joins a peer to the call's WebSocket, so that both are one transport: audio on RTP, texts on the socket.
//
//   const sender = openRtpSender(offer.opusPayloadType);
//   const transport = new RtpTransport({ socket, sender, opusPayloadType: offer.opusPayloadType, clock, connected, closed });
//   transport.use(port.accept(offer, transport));
//   // connected() is called: audio can be heard
//   const wire = createWebrtcWire({ callId, opus, sender });
//   transport.start(attachment, wire);
//   // and every 20 ms, after the tick of the call:
//   transport.tick();
//
// Texts of the client do not pass here: its socket's listener hands them to the attachment itself.

export interface RtpTransportOptions {
  /** The WebSocket of the call. */
  socket: Transport;
  sender: RtpSender;
  opusPayloadType: number;
  clock: Pick<Clock, "nowMs">;
  /** Packets go both ways. Comes once. */
  connected: () => void;
  /** The peer is gone; the socket is still open. Not called after `close`. */
  closed: (reason: PeerEnd) => void;
}

export interface RtpTransportCounters extends Readonly<RtpOrderCounters> {
  /** Datagrams that are neither RTP nor RTCP. */
  malformed: number;
  /** Datagrams that were longer than RTP_PACKET_BYTES_MAX. */
  oversized: number;
  /** Packets of another payload type than Opus, such as those of DTMF. */
  otherPayload: number;
  /** Packets that came before the call had begun. */
  early: number;
  /** Packets that the peer did not take. */
  unsent: number;
}

/** A sender with the random numbers that RFC 3550, section 5.1, and RFC 3711, section 9.1, want. */
export const openRtpSender = (opusPayloadType: number): RtpSender =>
  new RtpSender({
    payloadType: opusPayloadType,
    ssrc: randomInt(1, 2 ** 32),
    firstSequence: randomInt(0, 2 ** 15),
    firstTimestamp: randomInt(0, 2 ** 32),
  });

/**
 * See `Transport`. A binary message that is sent is an Opus packet, and one that is received is the envelope of a packet
 * in order (wire/webrtc/envelope.ts). Audio is never refused: what the peer does not take is dropped, as by a network.
 */
export class RtpTransport implements Transport, PeerListener {
  readonly hasAudioApart = true;
  readonly #options: RtpTransportOptions;
  readonly #order = new RtpOrder();
  readonly #reception = new RtpReception(randomBytes(9).toString("base64url"));
  readonly #reporter = new NetworkReporter();
  readonly #packet = rtpPacket();
  readonly #envelope = new Uint8Array(ENVELOPE_BYTES + RTP_PACKET_BYTES_MAX);
  readonly #envelopeViews = new BorrowedViews();
  readonly #counts = { malformed: 0, otherPayload: 0, early: 0, unsent: 0 };
  #peer: Peer | undefined;
  #listener: Pick<TransportListener, "message"> | undefined;
  #wire: Pick<WebrtcWire, "encodeSilence"> | undefined;
  #packetMs: MonotonicMs;
  #reportMs: MonotonicMs;
  #isConnected = false;
  #isDetached = false;

  constructor(options: RtpTransportOptions) {
    this.#options = options;
    this.#packetMs = options.clock.nowMs();
    this.#reportMs = this.#packetMs;
  }

  /** The peer that was accepted with this as its listener. Call it before the next turn of the event loop. */
  use(peer: Peer): void {
    this.#peer = peer;
  }

  /** The call begins: its listener gets packets from now on, and `wire` encodes the silence after speech. */
  start(listener: Pick<TransportListener, "message">, wire: Pick<WebrtcWire, "encodeSilence">): void {
    this.#listener = listener;
    this.#wire = wire;
  }

  get liveness(): LivenessOptions {
    return this.#options.socket.liveness;
  }

  get bufferedBytes(): number {
    return this.#options.socket.bufferedBytes;
  }

  /** What the reports of both directions say. */
  get readings(): Readonly<RtpReadings> {
    return this.#reception.readings;
  }

  get counters(): RtpTransportCounters {
    return { ...this.#order.counters, ...this.#counts, oversized: this.#peer?.oversized ?? 0 };
  }

  /** When the last packet came, RTP or RTCP; at first when the peer was connected. */
  get receivedMs(): MonotonicMs {
    return this.#packetMs;
  }

  takeNetworkReport(): NetworkReport | undefined {
    return this.#reporter.take(this.readings);
  }

  send(message: Uint8Array | string, isBinary = false): boolean {
    const { socket, sender, clock } = this.#options;
    if (!isBinary || typeof message === "string") return socket.send(message, isBinary);
    this.#sendPacket(sender.speech(message, clock.nowMs()));
    return true;
  }

  ping(): void {
    this.#options.socket.ping();
  }

  close(code: number, reason: string): void {
    const ownsSocket = !this.#isDetached;
    this.detach();
    if (ownsSocket) this.#options.socket.close(code, reason);
  }

  /** Closes the peer, and leaves the socket to the next leg: it stays open from then on. */
  detach(): void {
    this.#isDetached = true;
    this.#isConnected = false;
    this.#peer?.close();
    this.#peer = undefined;
  }

  /**
   * Must be called every FRAME_MS, after the call's own tick, so that no silence precedes speech that is late. Hands on
   * packets that have waited long enough, sends silence after the end of speech, and reports to the peer. Throws what
   * the listener throws.
   */
  tick(): void {
    const { clock, sender } = this.#options;
    const nowMs = clock.nowMs();
    this.#release(nowMs);
    if (!this.#isConnected) return;
    const wire = this.#wire;
    while (wire !== undefined && sender.isSilenceDue(nowMs)) this.#sendPacket(sender.silence(wire.encodeSilence()));
    if (elapsedMs(this.#reportMs, nowMs) < RTCP_REPORT_MS) return;
    this.#reportMs = nowMs;
    this.#sendPacket(this.#reception.report(sender, nowMs));
  }

  connected(): void {
    this.#isConnected = true;
    this.#packetMs = this.#options.clock.nowMs();
    this.#options.connected();
  }

  rtp(bytes: Uint8Array): void {
    const nowMs = this.#options.clock.nowMs();
    this.#packetMs = nowMs;
    const packet = this.#packet;
    try {
      readRtp(bytes, packet);
    } catch (error) {
      this.#countMalformed(error);
      return;
    }
    if (packet.payloadType !== this.#options.opusPayloadType) {
      this.#counts.otherPayload += 1;
      // It has a sequence number like any other.
      packet.payloadEnd = packet.payloadStart;
    }
    const verdict = this.#order.push(packet, nowMs);
    this.#reception.received(packet, verdict, nowMs);
    this.#release(nowMs);
  }

  rtcp(bytes: Uint8Array): void {
    const { clock, sender } = this.#options;
    this.#packetMs = clock.nowMs();
    try {
      this.#reception.reported(readRtcp(bytes), sender, this.#packetMs);
    } catch (error) {
      this.#countMalformed(error);
    }
  }

  closed(reason: PeerEnd): void {
    this.#isConnected = false;
    this.#peer = undefined;
    this.#options.closed(reason);
  }

  #release(nowMs: MonotonicMs): void {
    const { jitterMs } = this.#reception.readings;
    for (let next = this.#order.next(nowMs, jitterMs); next !== undefined; next = this.#order.next(nowMs, jitterMs)) {
      const length = writeEnvelope(next, this.#envelope);
      if (this.#listener === undefined) this.#counts.early += 1;
      else this.#listener.message(this.#envelopeViews.of(this.#envelope, 0, length), true);
    }
  }

  #sendPacket(packet: Uint8Array): void {
    if (this.#peer?.send(packet) !== true) this.#counts.unsent += 1;
  }

  #countMalformed(error: unknown): void {
    if (!(error instanceof TrunklineError)) throw error;
    this.#counts.malformed += 1;
  }
}
