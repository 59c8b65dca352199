import { createSocket } from "node:dgram";
import type { PeerConfiguration, PeerConnection, Track } from "node-datachannel";
import type { Clock } from "../../core/clock.ts";
import type { MonotonicMs } from "../../core/clocks.ts";
import { TrunklineError, unavailable } from "../../core/errors.ts";
import {
  PEER_PACKETS_BURST_MAX,
  PEER_PACKETS_PER_SECOND_MAX,
  RTP_PACKET_BYTES_MAX,
} from "../../core/limits/streams/webrtc.ts";
import { isRtcp } from "../../media/rtp/packet.ts";
import { TokenBucket } from "../rate-limits/token-bucket.ts";
import type { Offer } from "./offer.ts";

// The only module that loads node-datachannel, which carries WebRTC: ICE, DTLS and SRTP.
//
//   const { library } = await loadWebrtc();                          undefined where it is not installed
//   const port = await library?.openPort({ ports, clock, ... });     once, at the start of a worker
//   const peer = port.accept(readOffer(sdp), listener);              a call; peer.answer goes to the client
//
// An exception that leaves a callback of the library ends the process, without a chance to catch it. So each callback is
// wrapped by `guarded`, and each call of one of its objects by `attempt`. `setLocalDescription` is never called, because
// its failures end the process, too: the library makes the answer within `setRemoteDescription`, whose failures are
// exceptions. The UDP port is bound once, at the start, where a port that is taken can be handled. And a track that is
// collected before its `onClosed` was called leaves a dangling pointer in the library, which ends the process later: so
// every track has that callback, and is referenced until then.

/** The UDP ports that a worker may take, both ends included: WEBRTC_UDP_PORTS. */
export interface UdpPorts {
  first: number;
  last: number;
}

export interface PortOptions {
  ports: UdpPorts;
  /** The address to bind; all addresses where it is absent. */
  bindAddress?: string;
  clock: Clock;
  /** An exception of a listener: a defect, which ends nothing. */
  onBug: (error: unknown) => void;
}

/** What receives from a peer. Nothing comes after `closed`, or after the peer was closed by us. */
export interface PeerListener {
  /** Packets can be sent and received. Comes once. */
  connected(): void;
  /** One RTP packet of at most RTP_PACKET_BYTES_MAX, or one of RTCP: borrowed until this returns. */
  rtp(bytes: Uint8Array): void;
  rtcp(bytes: Uint8Array): void;
  /** The peer is gone: it hung up or was lost, was never reached, or sent more packets than it may. */
  closed(reason: PeerEnd): void;
}

export type PeerEnd = "closed" | "failed" | "flood";

/** The connection to one client. No method throws. */
export interface Peer {
  /** The SDP answer, with the library's own candidates: see `announce`. */
  readonly answer: string;
  /** Packets that were too large and dropped. */
  readonly oversized: number;
  /** Sends one packet of RTP or RTCP, which is copied. False while the peer is not connected, or gone. */
  send(packet: Uint8Array): boolean;
  close(): void;
}

/** One UDP port, which all peers of a process share. */
export interface WebrtcPort {
  readonly port: number;
  /** Peers that are not closed. */
  readonly peerCount: number;
  /** Opens the connection that an offer asks for. Throws `unavailable` when the library fails, or the port is closed. */
  accept(offer: Offer, listener: PeerListener): Peer;
  /** Closes all peers, without telling their listeners, and the port. */
  close(): void;
}

export interface WebrtcLibrary {
  /**
   * Binds the first free port of the range. Rejects with `bad_configuration`, which names WEBRTC_UDP_PORTS, when none is
   * free, and with `unavailable` when the library does not work here.
   */
  openPort(options: PortOptions): Promise<WebrtcPort>;
  /** Frees the library's threads; call it before the process ends, after the ports are closed. Blocks until it is done. */
  cleanup(): void;
}

export interface LoadedWebrtc {
  readonly library: WebrtcLibrary | undefined;
  /** The loader's error code where the library could not be loaded: not installed, or broken. */
  readonly failure: string | undefined;
}

type Datachannel = typeof import("node-datachannel");

/** Loads the library, an optional package with a compiled binary. Never rejects. */
export async function loadWebrtc(
  importPackage: () => Promise<Datachannel> = () => import("node-datachannel"),
): Promise<LoadedWebrtc> {
  try {
    const datachannel = await importPackage();
    // Its log goes to standard output otherwise, a line for each stray packet.
    datachannel.initLogger("Fatal", () => {});
    const library: WebrtcLibrary = {
      openPort: (options) => openPort(datachannel, options),
      cleanup: () => attempt(() => datachannel.cleanup()),
    };
    return { library, failure: undefined };
  } catch (error) {
    const hasCode = error instanceof Error && "code" in error && typeof error.code === "string";
    return { library: undefined, failure: hasCode ? String(error.code) : String(error) };
  }
}

async function openPort(datachannel: Datachannel, options: PortOptions): Promise<WebrtcPort> {
  const { ports, bindAddress } = options;
  for (let port = ports.first; port <= ports.last; port += 1) {
    // The library prints what a taken port makes it log, so that it is asked for free ones only.
    if (!(await isFree(port, bindAddress))) continue;
    const listener = attempt(() => new datachannel.IceUdpMuxListener(port, bindAddress));
    if (listener === undefined) continue;
    const opened = new SharedPort(datachannel, port, listener, options);
    try {
      opened.check();
    } catch (error) {
      opened.close();
      throw error;
    }
    return opened;
  }
  const where = bindAddress === undefined ? "" : ` of ${bindAddress}`;
  const help = "set WEBRTC_UDP_PORTS to a range with two free ports for each worker";
  const what = `no UDP port${where} from ${ports.first} to ${ports.last} is free: ${help}`;
  throw new TrunklineError("bad_configuration", "caller", what);
}

function isFree(port: number, address: string | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(address?.includes(":") ? "udp6" : "udp4");
    socket.once("error", () => socket.close(() => resolve(false)));
    socket.bind({ port, exclusive: true, ...(address === undefined ? {} : { address }) }, () =>
      socket.close(() => resolve(true)),
    );
  });
}

/** An offer as `readOffer` writes it. */
const CHECK_OFFER: Offer = {
  sdp: [
    ...["v=0", "o=- 0 0 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0", "m=audio 9 UDP/TLS/RTP/SAVPF 111"],
    ...["c=IN IP4 0.0.0.0", "a=mid:0", "a=sendrecv", "a=ice-ufrag:check", `a=ice-pwd:${"check".repeat(5)}`],
    ...[`a=fingerprint:sha-256 ${Array(32).fill("00").join(":")}`, "a=setup:actpass", "a=rtcp-mux"],
    ...["a=rtpmap:111 opus/48000/2", ""],
  ].join("\r\n"),
  opusPayloadType: 111,
};
const IGNORING: PeerListener = { connected: () => {}, rtp: () => {}, rtcp: () => {}, closed: () => {} };

/** Tracks that are not closed: they must not be collected. */
const openTracks = new Set<Track>();

class SharedPort implements WebrtcPort {
  readonly port: number;
  readonly #datachannel: Datachannel;
  readonly #listener: { stop(): void };
  readonly #options: PortOptions;
  readonly #configuration: PeerConfiguration;
  readonly #peers = new Set<LibraryPeer>();

  #isClosed = false;

  constructor(datachannel: Datachannel, port: number, listener: { stop(): void }, options: PortOptions) {
    this.port = port;
    this.#datachannel = datachannel;
    this.#listener = listener;
    this.#options = options;
    const { bindAddress } = options;
    this.#configuration = {
      iceServers: [],
      enableIceUdpMux: true,
      portRangeBegin: port,
      portRangeEnd: port,
      ...(bindAddress === undefined ? {} : { bindAddress }),
    };
  }

  get peerCount(): number {
    return this.#peers.size;
  }

  /**
   * Answers an offer of ours. That detects here, not in a call, that the library does not work; and only with its first
   * peer it stops to print its log. Throws `unavailable`.
   */
  check(): void {
    this.accept(CHECK_OFFER, IGNORING).close();
  }

  accept(offer: Offer, listener: PeerListener): Peer {
    // The library would open the port again.
    if (this.#isClosed) throw unavailable("the UDP port is closed");
    const { clock, onBug } = this.#options;
    let connection: PeerConnection | undefined;
    try {
      connection = new this.#datachannel.PeerConnection("call", this.#configuration);
      const onOver = (over: LibraryPeer): void => {
        this.#peers.delete(over);
      };
      const peer = new LibraryPeer(connection, offer, { listener, clock, onBug, onOver });
      this.#peers.add(peer);
      return peer;
    } catch (error) {
      attempt(() => connection?.close());
      throw unavailable("the WebRTC library did not answer an offer", error);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const peer of this.#peers) peer.close();
    attempt(() => this.#listener.stop());
  }
}

interface LibraryPeerOptions {
  listener: PeerListener;
  clock: Clock;
  onBug: (error: unknown) => void;
  onOver: (peer: LibraryPeer) => void;
}

class LibraryPeer implements Peer {
  readonly answer: string;
  oversized = 0;
  readonly #connection: PeerConnection;
  readonly #options: LibraryPeerOptions;
  readonly #packets = new TokenBucket<MonotonicMs>({
    atOnce: PEER_PACKETS_BURST_MAX,
    perSecond: PEER_PACKETS_PER_SECOND_MAX,
  });
  #track: Track | undefined;
  #at: "connecting" | "connected" | "over" = "connecting";

  /** Throws what the library throws. */
  constructor(connection: PeerConnection, offer: Offer, options: LibraryPeerOptions) {
    this.#connection = connection;
    this.#options = options;
    const { onBug } = options;
    connection.onTrack(guarded(onBug, (track) => this.#useTrack(track)));
    // `disconnected` precedes `closed`, also where the client hangs up.
    connection.onStateChange(
      guarded(onBug, (state) => {
        if (state === "closed" || state === "failed") this.#end(state);
      }),
    );
    connection.setRemoteDescription(offer.sdp, "offer");
    const answer = connection.localDescription();
    if (answer?.type !== "answer") throw new Error("no answer was made");
    this.answer = answer.sdp;
  }

  send(packet: Uint8Array): boolean {
    if (this.#at !== "connected") return false;
    return attempt(() => this.#track?.sendMessageBinary(packet)) === true;
  }

  close(): void {
    if (this.#at === "over") return;
    this.#at = "over";
    attempt(() => this.#connection.close());
    // Frees its callbacks, without which the process would not exit.
    attempt(() => this.#track?.close());
    this.#track = undefined;
    this.#options.onOver(this);
  }

  /** The track of the offer's audio section. */
  #useTrack(track: Track): void {
    const { onBug } = this.#options;
    openTracks.add(track);
    // The library uses the track after its callback, too.
    track.onClosed(guarded(onBug, () => setImmediate(() => openTracks.delete(track))));
    if (this.#at === "over" || this.#track !== undefined) {
      attempt(() => track.close());
      return;
    }
    this.#track = track;
    track.onOpen(guarded(onBug, () => this.#connected()));
    track.onMessage(guarded(onBug, (packet) => this.#received(packet)));
    // This process may have stalled while the connection was made.
    if (track.isOpen()) this.#connected();
  }

  #connected(): void {
    if (this.#at !== "connecting") return;
    this.#at = "connected";
    this.#options.listener.connected();
  }

  #received(packet: Uint8Array): void {
    if (this.#at === "over") return;
    const { listener, clock } = this.#options;
    if (!this.#packets.take(1, clock.nowMs())) this.#end("flood");
    else if (packet.length > RTP_PACKET_BYTES_MAX) this.oversized += 1;
    else if (isRtcp(packet)) listener.rtcp(packet);
    else listener.rtp(packet);
  }

  #end(reason: PeerEnd): void {
    if (this.#at === "over") return;
    this.close();
    this.#options.listener.closed(reason);
  }
}

/** A callback for the library that lets no exception out, not even one of `onBug`. */
const guarded =
  <Arguments extends readonly unknown[]>(onBug: (error: unknown) => void, work: (...given: Arguments) => void) =>
  (...given: Arguments): void => {
    try {
      work(...given);
    } catch (error) {
      attempt(() => onBug(error));
    }
  };

/** What a call of the library returns; undefined where it throws. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
