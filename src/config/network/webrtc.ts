import { isIP } from "node:net";
import type { VariableReader } from "../variables/reader.ts";
import { isAddress, isWildcard, redactedAddress } from "./addresses.ts";

/** The UDP ports of WebRTC workers, both ends included. */
export interface UdpPortRange {
  first: number;
  last: number;
}

/** What is configured of calls with connectionType `webrtc`. */
export interface WebrtcSettings {
  /** How many processes carry such calls, and only those. */
  workers: number;
  /** Where they listen for the WebSockets of such calls; 0 takes any free port. */
  mediaPort: number;
  /** The beginning of `websocketUrl`; undefined for that port on this machine. */
  publicUrl: string | undefined;
  udpPorts: UdpPortRange;
  /** The address to which browsers send RTP; undefined for those of this machine. */
  publicAddress: string | undefined;
  /** The TURN servers that browsers may use, and the secret that they share with this service. */
  turn: { urls: readonly string[]; secret: string } | undefined;
}

/** A worker needs one, and its replacement another one. */
const PORTS_PER_WORKER = 2;

/**
 * Reads the variables of WebRTC; undefined where no WEBRTC_UDP_PORTS are set, or no workers. Problems are added to
 * `problems`.
 */
export function readWebrtc(
  { text, integer }: VariableReader,
  { mediaHost, mediaPort }: { mediaHost: string; mediaPort: number },
  problems: string[],
): WebrtcSettings | undefined {
  const ports = text("WEBRTC_UDP_PORTS", "");
  const workers = integer("WEBRTC_WORKERS", ports === "" ? 0 : 1);
  const settings = {
    workers,
    mediaPort: integer("WEBRTC_MEDIA_PORT"),
    publicUrl: readPublicUrl(text("PUBLIC_WEBRTC_URL", ""), problems),
    publicAddress: readPublicAddress(text("WEBRTC_PUBLIC_ADDRESS", ""), problems),
    turn: readTurn(text("TURN_URLS", ""), text("TURN_SECRET", ""), problems),
  };
  if (workers > 0 && ports === "")
    problems.push("WEBRTC_WORKERS needs WEBRTC_UDP_PORTS, for example WEBRTC_UDP_PORTS=40000-40015");
  if (ports === "") return undefined;
  const udpPorts = readPorts(ports, workers, problems);
  if (udpPorts === undefined || workers === 0) return undefined;
  if (settings.publicUrl === undefined && isWildcard(mediaHost))
    problems.push(`PUBLIC_WEBRTC_URL must be set together with MEDIA_HOST=${mediaHost}: browsers connect to it`);
  // Workers share a port with their like, so the kernel would divide connections between both kinds.
  if (settings.mediaPort === mediaPort && mediaPort !== 0)
    problems.push(`WEBRTC_MEDIA_PORT must differ from MEDIA_PORT, and both are ${mediaPort}`);
  return { ...settings, udpPorts };
}

function readPorts(given: string, workers: number, problems: string[]): UdpPortRange | undefined {
  const [, first, last] = /^(\d{1,5})-(\d{1,5})$/.exec(given) ?? [];
  const range = { first: Number(first), last: Number(last) };
  if (first === undefined || range.first < 1 || range.last > 65_535 || range.last < range.first) {
    problems.push(`WEBRTC_UDP_PORTS must be a range of ports such as 40000-40015, not ${JSON.stringify(given)}`);
    return undefined;
  }
  const count = range.last - range.first + 1;
  if (count < PORTS_PER_WORKER * workers) {
    problems.push(
      `WEBRTC_UDP_PORTS must have ${PORTS_PER_WORKER * workers} ports for WEBRTC_WORKERS=${workers}, two for each, not ${count}`,
    );
  }
  return range;
}

function readPublicUrl(given: string, problems: string[]): string | undefined {
  const url = given.replace(/\/+$/, "");
  if (url === "") return undefined;
  if (!isAddress(url, ["ws:", "wss:"])) {
    problems.push(
      `PUBLIC_WEBRTC_URL must be a ws:// or wss:// address without a query or a password, not ${redactedAddress(url)}`,
    );
  }
  return url;
}

function readPublicAddress(given: string, problems: string[]): string | undefined {
  if (given === "") return undefined;
  if (isIP(given) === 0)
    problems.push(`WEBRTC_PUBLIC_ADDRESS must be an IP address such as 203.0.113.7, not ${JSON.stringify(given)}`);
  return given;
}

function readTurn(givenUrls: string, secret: string, problems: string[]): WebrtcSettings["turn"] {
  if (givenUrls === "" && secret === "") return undefined;
  if (givenUrls === "" || secret === "") {
    problems.push("TURN_URLS and TURN_SECRET must be set together, or neither of them");
    return undefined;
  }
  const urls = givenUrls.split(",").map((url) => url.trim());
  for (const url of urls.filter((each) => !/^turns?:[^\s?#@/]+(\?transport=(udp|tcp))?$/.test(each))) {
    problems.push(`TURN_URLS must be addresses such as turn:turn.example.com:3478, not ${JSON.stringify(url)}`);
  }
  return { urls, secret };
}
