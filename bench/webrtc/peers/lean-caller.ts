import { Audio, PeerConnection, type Track } from "node-datachannel";
import { RTP_PACKET_BYTES_MAX } from "../../../src/core/limits/streams/webrtc.ts";
import { isRtcp, writeRtp } from "../../../src/media/rtp/packet.ts";
import { opusStream } from "../../../test/support/audio/opus-packets.ts";
import { speechLike } from "../../../test/support/audio/speech-like.ts";
import { Random } from "../../../test/support/random.ts";

const PAYLOAD_TYPE = 111;
const FRAME_TICKS = 960;
const RATE_HZ = 16_000;
const SPEECH_S = 10;

/** What all callers say, as browsers encode it. */
export function speechPackets(): readonly Uint8Array[] {
  const samples = speechLike(new Random(2), SPEECH_S, RATE_HZ);
  const client = { rateHz: RATE_HZ, channels: 1, frameMs: 20, bitrateBps: 32_000, fec: true } as const;
  return opusStream(client, 1_000 * SPEECH_S, (second) => samples[Math.round(second * RATE_HZ)] ?? 0);
}

/** Tracks that are not closed: the library does not survive it when one is collected. */
const openTracks = new Set<Track>();

/** A WebRTC caller as cheap as can be: it sends prepared packets and counts those that it gets. */
export class LeanCaller {
  sent = 0;
  received = 0;
  readonly #packets: readonly Uint8Array[];
  readonly #connection: PeerConnection;
  readonly #track: Track;
  readonly #opened: Promise<void>;
  readonly #bytes = new Uint8Array(RTP_PACKET_BYTES_MAX);
  readonly #header: { payloadType: number; marker: boolean; sequence: number; timestamp: number; ssrc: number };

  constructor(packets: readonly Uint8Array[], id: number) {
    this.#packets = packets;
    this.#header = { payloadType: PAYLOAD_TYPE, marker: true, sequence: 1, timestamp: 0, ssrc: 1_000 + id };
    this.#connection = new PeerConnection("caller", { iceServers: [], bindAddress: "127.0.0.1" });
    const audio = new Audio("0", "SendRecv");
    audio.addOpusCodec(PAYLOAD_TYPE, "minptime=10;useinbandfec=1");
    const track = this.#connection.addTrack(audio);
    openTracks.add(track);
    track.onClosed(() => setImmediate(() => openTracks.delete(track)));
    this.#opened = new Promise((resolve) => track.onOpen(resolve));
    track.onMessage((bytes: Uint8Array) => {
      if (!isRtcp(bytes)) this.received += 1;
    });
    this.#track = track;
  }

  offer(): string {
    const connection = this.#connection as PeerConnection & { setLocalDescription(): void };
    connection.setLocalDescription();
    return connection.localDescription()?.sdp ?? "";
  }

  /** Resolves when packets can be sent. */
  async connect(answer: string): Promise<void> {
    this.#connection.setRemoteDescription(answer, "answer");
    await this.#opened;
  }

  /** Sends the next packet. */
  sendNext(): void {
    if (!this.#track.isOpen()) return;
    const packet = this.#packets[(this.sent + 13 * this.#header.ssrc) % this.#packets.length] as Uint8Array;
    this.#track.sendMessageBinary(this.#bytes.subarray(0, writeRtp(this.#header, packet, this.#bytes)));
    this.#header.marker = false;
    this.#header.sequence = (this.#header.sequence + 1) & 0xffff;
    this.#header.timestamp = (this.#header.timestamp + FRAME_TICKS) >>> 0;
    this.sent += 1;
  }

  close(): void {
    this.#connection.close();
    this.#track.close();
  }
}
