import { systemClock } from "../../../src/core/clock.ts";
import { asCallId } from "../../../src/core/ids.ts";
import { readOffer } from "../../../src/gateway/webrtc/offer.ts";
import type { WebrtcPort } from "../../../src/gateway/webrtc/peer.ts";
import { openRtpSender, RtpTransport } from "../../../src/gateway/webrtc/rtp-transport.ts";
import type { RtpOpusCodecs } from "../../../src/media/opus/codecs.ts";
import { createWebrtcWire, type WebrtcWire } from "../../../src/wire/webrtc/wire.ts";
import type { InboundAudio } from "../../../src/wire/wire.ts";
import { inboundAudio } from "../audio/inbound-audio.ts";
import { DEFAULT_LIVENESS } from "../configuration/liveness.ts";

/** The service's end of a call, with its transport and its wire, and no agent. */
export interface AnsweredCall {
  /** The library's answer, with its own candidates. */
  readonly answer: string;
  readonly connected: Promise<void>;
  readonly transport: RtpTransport;
  readonly wire: WebrtcWire;
  end(): void;
}

/** Answers an offer. `onAudio` gets what each packet decodes to at 16,000 Hz: borrowed until it returns. */
export function answerOffer(
  port: WebrtcPort,
  sdp: string,
  codecs: RtpOpusCodecs,
  onAudio: (audio: InboundAudio) => void,
): AnsweredCall {
  const offer = readOffer(sdp);
  const { opusPayloadType } = offer;
  const sender = openRtpSender(opusPayloadType);
  const callId = asCallId("call_0199f3a1-7c55-7e02-9d6b-3f1a2b4c5d6e");
  const wire = createWebrtcWire({ callId, opus: codecs, sender });
  let onConnected = (): void => {};
  const connected = new Promise<void>((resolve) => {
    onConnected = resolve;
  });
  const transport = new RtpTransport({
    socket: { liveness: DEFAULT_LIVENESS, bufferedBytes: 0, send: () => true, ping: () => {}, close: () => {} },
    sender,
    opusPayloadType,
    clock: systemClock,
    connected: onConnected,
    closed: () => {},
  });
  const peer = port.accept(offer, transport);
  transport.use(peer);
  const into = inboundAudio();
  const message = (bytes: Uint8Array): void => {
    wire.decode(bytes, into, true);
    onAudio(into);
  };
  transport.start({ message }, wire);
  return {
    answer: peer.answer,
    connected,
    transport,
    wire,
    end: () => {
      transport.close(1_000, "caller_hangup");
      wire.close?.();
    },
  };
}
