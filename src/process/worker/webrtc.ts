import { upgradeAuthentication } from "../../carriers/authentication.ts";
import { CONNECTION_TYPES } from "../../carriers/list.ts";
import type { Config } from "../../config/config.ts";
import { isWildcard } from "../../config/network/addresses.ts";
import type { Clock } from "../../core/clock.ts";
import { millisecondsOf } from "../../core/clocks.ts";
import { codeOf, TrunklineError } from "../../core/errors.ts";
import { TURN_CREDENTIAL_S } from "../../core/limits/streams/webrtc.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { WebrtcResources } from "../../gateway/webrtc/call-sockets.ts";
import { loadWebrtc } from "../../gateway/webrtc/peer.ts";
import { turnServers } from "../../gateway/webrtc/turn.ts";
import { type LoadedOpus, loadRtpOpus } from "../../media/opus/load.ts";
import type { WorkerRole } from "../../store/handoff/messages.ts";
import type { UpgradeAuthentication } from "../../wire/upgrade.ts";

/** Which calls a worker accepts: those of its role. */
export function authenticationOf(
  role: WorkerRole,
  { carrierSecrets, webrtc }: Pick<Config, "carrierSecrets" | "webrtc">,
): UpgradeAuthentication {
  if (role === "webrtc") return { headerNames: [], allowedTypes: () => ["webrtc"] };
  const { headerNames, allowedTypes } = upgradeAuthentication(carrierSecrets);
  if (webrtc === undefined) return { headerNames, allowedTypes };
  return {
    headerNames,
    allowedTypes: (url, headers) =>
      (allowedTypes(url, headers) ?? CONNECTION_TYPES).filter((type) => type !== "webrtc"),
  };
}

/**
 * Opens the UDP port of a worker that carries WebRTC calls. Rejects with `bad_configuration`, which names the variable or
 * the package, when it cannot.
 */
export async function openWebrtc(
  { webrtc, mediaHost }: Pick<Config, "webrtc" | "mediaHost">,
  opus: LoadedOpus,
  clock: Clock,
  log: Logger,
): Promise<WebrtcResources> {
  const { library, failure } = await loadWebrtc();
  if (library === undefined || webrtc === undefined) {
    const why = `the library of WebRTC cannot be loaded (${failure ?? "not configured"})`;
    throw new TrunklineError(
      "bad_configuration",
      "caller",
      `${why}: install node-datachannel again, or unset WEBRTC_UDP_PORTS`,
    );
  }
  const { udpPorts, publicAddress, turn } = webrtc;
  const port = await library.openPort({
    ports: udpPorts,
    // Behind a proxy the WebSockets are local, and the audio is not.
    ...(publicAddress !== undefined || isWildcard(mediaHost) ? {} : { bindAddress: mediaHost }),
    clock,
    onBug: (error) => log.error({ err: error, code: codeOf(error), fault: "bug" }, "WebRTC callback failed"),
  });
  process.once("exit", () => {
    port.close();
    library.cleanup();
  });
  log.info({ udpPort: port.port, publicAddress }, "WebRTC port opened");
  return {
    port,
    publicAddress,
    iceServersOf: (callId) =>
      turn === undefined
        ? []
        : turnServers({
            ...turn,
            userId: callId,
            ttlS: TURN_CREDENTIAL_S,
            nowS: Math.floor(millisecondsOf(clock.epochMs()) / 1_000),
          }),
    rtpOpus: await loadRtpOpus(opus),
    socketOpus: opus,
  };
}
