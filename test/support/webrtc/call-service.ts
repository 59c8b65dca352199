import { systemClock } from "../../../src/core/clock.ts";
import { loadWebrtc, type UdpPorts, type WebrtcPort } from "../../../src/gateway/webrtc/peer.ts";
import { loadRtpOpus } from "../../../src/media/opus/load.ts";
import { opus } from "../audio/opus-codecs.ts";
import { type MediaService, type MediaServiceOptions, mediaService } from "../services/media-service.ts";

/** A UDP port of this machine for WebRTC calls, and what its listeners threw. */
export async function openPort(ports: UdpPorts): Promise<{ port: WebrtcPort; bugs: unknown[] }> {
  const { library } = await loadWebrtc();
  if (library === undefined) throw new Error("node-datachannel is not installed");
  const bugs: unknown[] = [];
  const port = await library.openPort({
    ports,
    bindAddress: "127.0.0.1",
    clock: systemClock,
    onBug: (error) => bugs.push(error),
  });
  return { port, bugs };
}

/** A service whose WebRTC calls have their RTP on this port. */
export const webrtcService = async (port: WebrtcPort, options: MediaServiceOptions): Promise<MediaService> =>
  await mediaService({
    ...options,
    webrtc: {
      port,
      publicAddress: undefined,
      iceServersOf: () => [],
      rtpOpus: await loadRtpOpus(opus),
      socketOpus: opus,
    },
  });
