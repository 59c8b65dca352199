import type { Config } from "../config/config.ts";
import { packageFolder } from "../core/runtime/installed-package.ts";

/** The library that carries WebRTC, an optional dependency. */
export const WEBRTC_PACKAGE = "node-datachannel";

const isInstalled = (): boolean => packageFolder(WEBRTC_PACKAGE, import.meta.url) !== undefined;

/** What to install or to set for WebRTC calls; undefined where the service carries them. */
export function webrtcMissing({ webrtc }: Pick<Config, "webrtc">): string | undefined {
  if (!isInstalled()) return `install the optional package ${WEBRTC_PACKAGE}, and set WEBRTC_UDP_PORTS`;
  return webrtc === undefined
    ? "set WEBRTC_UDP_PORTS, for example to 40000-40015, and start the service again"
    : undefined;
}

/** The configuration of the workers for WebRTC; undefined where it or the package is missing. */
export const usableWebrtc = (config: Pick<Config, "webrtc">): Config["webrtc"] =>
  webrtcMissing(config) === undefined ? config.webrtc : undefined;
