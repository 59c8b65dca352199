import { Audio, PeerConnection, type Track } from "node-datachannel";
import { monotonicMs } from "../../src/core/clocks.ts";
import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { RTP_PACKET_BYTES_MAX } from "../../src/core/limits/streams/webrtc.ts";
import { loadRtpOpus } from "../../src/media/opus/load.ts";
import { RtpOrder } from "../../src/media/rtp/order.ts";
import { isRtcp, readRtp, rtpPacket, writeRtp } from "../../src/media/rtp/packet.ts";
import { RtpReception } from "../../src/media/rtp/reception.ts";
import { readRtcp } from "../../src/media/rtp/rtcp.ts";
import { opus } from "../support/audio/opus-codecs.ts";

/** How an offer reaches the service, and its answer comes back: over the WebSocket of a call, or from hand to hand. */
export type Exchange = (offerSdp: string) => string | Promise<string>;

/** One packet that came from the service, and what it sounds like at 16,000 Hz. */
export interface HeardPacket {
  sequence: number;
  timestamp: number;
  marker: boolean;
  arrivedMs: number;
  samples: Int16Array;
}

/** Tracks that are not closed: the library does not survive it when one is collected. */
const openTracks = new Set<Track>();
const codecs = await loadRtpOpus(opus);
const PAYLOAD_TYPE = 111;
const SSRC = 0x1234_5678;
const FRAME_TICKS = 960;

/**
 * A browser without a browser: offers one audio section, sends Opus packets of 20 ms at the pace of speech, and decodes
 * what it receives, without NetEQ. In real time, on this machine.
 */
export class WebrtcCaller {
  /** What was received, in the order of arrival, and RTCP datagrams. */
  readonly heard: HeardPacket[] = [];
  readonly reports: Uint8Array[] = [];
  readonly reception = new RtpReception("caller");
  /** What failed within callbacks. */
  readonly errors: unknown[] = [];
  /** The state of the connection as the library says it, last one last. */
  readonly states: string[] = [];
  readonly #connection: PeerConnection;
  readonly #track: Track;
  readonly #decoder = codecs.decoder(16_000);
  readonly #order = new RtpOrder();
  readonly #packet = rtpPacket();
  readonly #bytes = new Uint8Array(RTP_PACKET_BYTES_MAX);
  readonly #opened: Promise<void>;
  #ssrc = SSRC;
  #sequence = 65_500;
  #timestamp = 0xffff_0000;
  #sent = 0;
  #sentBytes = 0;
  #isClosed = false;

  constructor(bindAddress = "127.0.0.1") {
    this.#connection = new PeerConnection("caller", { iceServers: [], bindAddress });
    this.#connection.onStateChange(this.#guarded((state: string) => this.states.push(state)));
    const audio = new Audio("0", "SendRecv");
    audio.addOpusCodec(PAYLOAD_TYPE, "minptime=10;useinbandfec=1");
    this.#track = this.#connection.addTrack(audio);
    const track = this.#track;
    openTracks.add(track);
    track.onClosed(() => setImmediate(() => openTracks.delete(track)));
    this.#opened = new Promise((resolve) => track.onOpen(resolve));
    this.#track.onMessage(this.#guarded((bytes: Uint8Array) => this.#received(bytes)));
  }

  /** Offers, takes the answer, and resolves when packets can be sent. */
  async connect(exchange: Exchange): Promise<void> {
    const connection = this.#connection as PeerConnection & { setLocalDescription(): void };
    connection.setLocalDescription();
    connection.setRemoteDescription(await exchange(connection.localDescription()?.sdp ?? ""), "answer");
    await this.#opened;
  }

  /** Sends these Opus packets of 20 ms, one every 20 ms on average unless they are to go faster; resolves after the last. */
  async play(packets: readonly Uint8Array[], everyMs: number = FRAME_MS): Promise<void> {
    const startMs = performance.now();
    for (const [n, packet] of packets.entries()) {
      const waitMs = startMs + n * everyMs - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      this.send(packet);
    }
  }

  /** Sends the next packet at once. */
  send(packet: Uint8Array): void {
    const header = {
      payloadType: PAYLOAD_TYPE,
      marker: this.#sent === 0,
      sequence: this.#sequence,
      timestamp: this.#timestamp,
      ssrc: this.#ssrc,
    };
    this.sendBytes(this.#bytes.subarray(0, writeRtp(header, packet, this.#bytes)));
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.#timestamp = (this.#timestamp + FRAME_TICKS) >>> 0;
    this.#sent += 1;
    this.#sentBytes += packet.length;
  }

  /** Leaves out the next packet, as a network would. */
  lose(): void {
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.#timestamp = (this.#timestamp + FRAME_TICKS) >>> 0;
  }

  /** Goes on with numbers that are higher by so many, and as another source where it is given. */
  jump(ahead: number, ssrc = this.#ssrc): void {
    this.#ssrc = ssrc;
    this.#sequence = (this.#sequence + ahead) & 0xffff;
  }

  /** Sends any datagram, encrypted; false where the library does not take it. */
  trySending(bytes: Uint8Array): boolean {
    try {
      return this.#track.sendMessageBinary(bytes);
    } catch {
      return false;
    }
  }

  /** Sends any datagram, encrypted. */
  sendBytes(bytes: Uint8Array): void {
    this.#track.sendMessageBinary(bytes);
  }

  /** Sends a sender report, with what was received so far. */
  report(): void {
    const sender = {
      ssrc: SSRC,
      packets: this.#sent,
      payloadBytes: this.#sentBytes,
      timestampAt: () => this.#timestamp,
    };
    this.sendBytes(this.reception.report(sender, monotonicMs(performance.now())));
  }

  /** All audio that was received, without its pauses. */
  get samples(): Int16Array {
    return Int16Array.from(this.heard.flatMap(({ samples }) => [...samples]));
  }

  /**
   * Hangs up. The library tells a peer that is no browser only after half a minute, when its checks are not answered.
   */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#connection.close();
    this.#track.close();
    this.#decoder.close();
  }

  /** An exception that leaves a callback of the library would end the process. */
  readonly #guarded = <Arguments extends readonly unknown[]>(work: (...given: Arguments) => void) => {
    return (...given: Arguments): void => {
      try {
        if (!this.#isClosed) work(...given);
      } catch (error) {
        this.errors.push(error);
      }
    };
  };

  #received(bytes: Uint8Array): void {
    const nowMs = monotonicMs(performance.now());
    if (isRtcp(bytes)) {
      this.reports.push(Uint8Array.from(bytes));
      this.reception.reported(readRtcp(bytes), { ssrc: SSRC, packets: this.#sent }, nowMs);
      return;
    }
    const packet = this.#packet;
    readRtp(bytes, packet);
    this.reception.received(packet, this.#order.push(packet, nowMs), nowMs);
    const { sequence, timestamp, marker } = packet;
    const room = new Int16Array(1_920);
    for (let next = this.#order.next(nowMs, 0); next !== undefined; next = this.#order.next(nowMs, 0)) {
      const count = this.#decoder.decode(next.bytes.subarray(next.payloadStart, next.payloadEnd), room);
      const arrivedMs = performance.now();
      this.heard.push({ sequence, timestamp, marker, arrivedMs, samples: room.slice(0, count) });
    }
  }
}
