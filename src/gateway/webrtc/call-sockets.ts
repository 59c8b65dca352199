import type { EndReason } from "../../core/calls/reasons.ts";
import type { CallId } from "../../core/ids.ts";
import type { OpusCodecs, RtpOpusCodecs } from "../../media/opus/codecs.ts";
import type { RtpReadings } from "../../media/rtp/reception.ts";
import type { JournaledLeg } from "../../record/journal/records.ts";
import { encodeText } from "../../wire/client-texts.ts";
import type { FallbackCodec, IceServer } from "../../wire/webrtc/signalling.ts";
import { createWebrtcWire } from "../../wire/webrtc/wire.ts";
import { createWebsocketWire } from "../../wire/websocket/wire.ts";
import type { ClientMessage } from "../../wire/wire.ts";
import { type CallSockets, type LegResources, legParts, timed } from "../leg/call-sockets.ts";
import { closeCodeOf } from "../leg/close-codes.ts";
import type { CallSession } from "../session.ts";
import { CLOSE_NORMAL, DETACHED } from "../transport/close-codes.ts";
import type { Transport, TransportListener } from "../transport/transport.ts";
import { announce, readOffer } from "./offer.ts";
import type { WebrtcPort } from "./peer.ts";
import { openRtpSender, RtpTransport } from "./rtp-transport.ts";
import { type RtpEvents, type SignalledRtp, SignallingSocket } from "./signalling-socket.ts";

/** What a WebRTC worker has for all of its calls. */
export interface WebrtcResources {
  port: WebrtcPort;
  /** The address of the answers' only candidate; undefined for those that the library finds. */
  publicAddress: string | undefined;
  /** TURN servers with credentials for one call. */
  iceServersOf: (callId: CallId) => readonly IceServer[];
  rtpOpus: RtpOpusCodecs;
  socketOpus: OpusCodecs;
}

export interface WebrtcSocketsOptions {
  callId: CallId;
  webrtc: WebrtcResources;
  resources: LegResources;
  /** A later leg has RTP of its own: what was measured of an earlier one. That of the last is in the session's counts. */
  rtpEnded: (readings: Readonly<RtpReadings>) => void;
  /** A new address at which the client may connect again; undefined where it has not asked for that. */
  resumeUrl: () => string | undefined;
}

/** Of every leg: Opus decodes to the first and encodes from the second, and so does PCM on the socket. */
const FORMAT: JournaledLeg = { inboundRateHz: 16_000, outboundRateHz: 24_000, outboundCodec: "pcm_s16le" };

/** The sockets of a WebRTC call. Its audio travels as RTP beside them, or on them where UDP does not get through. */
export class WebrtcSockets implements CallSockets {
  readonly format = FORMAT;
  readonly #options: WebrtcSocketsOptions;
  #current: { socket: Transport; signalling: SignallingSocket } | undefined;

  constructor(options: WebrtcSocketsOptions) {
    this.#options = options;
  }

  connect(session: CallSession, socket: Transport): TransportListener {
    const { callId, webrtc, resources } = this.#options;
    // A leg closes its own socket.
    session.clientReturned();
    this.#giveUp((before) => before.close(CLOSE_NORMAL, DETACHED));
    const signalling = new SignallingSocket({
      socket,
      iceServers: webrtc.iceServersOf(callId),
      resumeUrl: this.#options.resumeUrl(),
      clock: resources.clock,
      openRtp: (sdp, events) => this.#openRtp(session, socket, sdp, events),
      attachSocket: (codec) => this.#attachSocket(session, socket, codec),
      isOver: () => session.isOver,
      end: (reason) => session.end(reason),
      closedWithoutLeg: (reason, isCut) => session.closedWithoutLeg(reason, isCut),
    });
    this.#current = { socket, signalling };
    signalling.begin();
    return signalling;
  }

  ended(reason: EndReason): void {
    this.#giveUp((socket) => {
      socket.send(encodeText("ended", { reason }));
      socket.close(closeCodeOf(reason), reason);
    });
  }

  #openRtp(session: CallSession, socket: Transport, sdp: string, { connected, closed }: RtpEvents): SignalledRtp {
    const { callId, webrtc, resources } = this.#options;
    const { port, publicAddress, rtpOpus } = webrtc;
    const offer = readOffer(sdp);
    const { opusPayloadType } = offer;
    const sender = openRtpSender(opusPayloadType);
    const { clock } = resources;
    const transport = new RtpTransport({ socket, sender, opusPayloadType, clock, connected, closed });
    const peer = port.accept(offer, transport);
    transport.use(peer);
    return {
      answer: publicAddress === undefined ? peer.answer : announce(peer.answer, publicAddress, port.port),
      get receivedMs() {
        return transport.receivedMs;
      },
      attach: () => {
        const wire = createWebrtcWire({ callId, opus: rtpOpus, sender });
        const attachment = session.attach({ ...legParts(wire, resources), transport });
        const leg = timed(attachment, session, resources);
        const { counts } = session.read();
        if (counts.rtp !== undefined) this.#options.rtpEnded(counts.rtp.readings);
        counts.rtp = transport;
        transport.start(leg, wire);
        attachment.begin(this.#ready());
        return leg;
      },
      close: () => transport.detach(),
    };
  }

  #ready(): ClientMessage {
    const { callId, resumeUrl } = this.#options;
    return { kind: "ready", callId, resumeUrl: resumeUrl() };
  }

  #attachSocket(session: CallSession, socket: Transport, codec: FallbackCodec): TransportListener {
    const { callId, webrtc, resources } = this.#options;
    const inputRateHz = codec === "opus" ? 48_000 : 16_000;
    const format = { codec, inputRateHz, outputRateHz: 24_000 } as const;
    const wire = createWebsocketWire({ format, callId, opus: webrtc.socketOpus, isFallback: true });
    const attachment = session.attach({ ...legParts(wire, resources), transport: socket });
    const leg = timed(attachment, session, resources);
    attachment.begin(this.#ready());
    return leg;
  }

  /** Reads no more of the current socket, and closes it where no leg does and the client has not. */
  #giveUp(close: (socket: Transport) => void): void {
    const current = this.#current;
    this.#current = undefined;
    if (current === undefined) return;
    const { socket, signalling } = current;
    const isOpen = !signalling.isClosed && !signalling.hasLeg;
    signalling.finish();
    if (isOpen) close(socket);
  }
}
