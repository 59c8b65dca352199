import { TrunklineError } from "../../core/errors.ts";
import { OFFER_BYTES_MAX } from "../../core/limits/streams/webrtc.ts";

// The SDP of a WebRTC call: RFC 8866, RFC 8829 (JSEP). Pure.
//
//   readOffer(sdp)   reads a browser's offer, and writes a new one of what was understood
//   announce(...)    gives the answer of the library the one address by which the service can be reached
//
// The library never gets a client's text: only tokens that were checked here. So a client can neither reach a defect of
// its parser nor make it look up names, as candidates would.

/** What an offer says. */
export interface Offer {
  /** The offer for the library: one audio section, Opus alone, no candidates. */
  sdp: string;
  /** Of Opus: 0 to 127. */
  opusPayloadType: number;
}

/** RFC 8839, section 5.4: how long both may be. */
const ICE_UFRAG = /^[A-Za-z0-9+/]{4,256}$/;
const ICE_PWD = /^[A-Za-z0-9+/]{22,256}$/;
/** RFC 8122, section 5. */
const SHA_256 = /^sha-256 ([0-9a-f]{2}(?::[0-9a-f]{2}){31})$/i;
const MID = /^[A-Za-z0-9._+-]{1,32}$/;
/** RFC 8842, section 5.2: an offer has `actpass`; the other two leave no choice. */
const SETUPS: readonly string[] = ["actpass", "active", "passive"];
const DIRECTIONS = ["sendrecv", "sendonly", "recvonly", "inactive"] as const;
/** RFC 5764, section 8: RTP over DTLS-SRTP. Some clients leave out the transport. */
const PROTOCOLS: readonly string[] = ["UDP/TLS/RTP/SAVPF", "UDP/TLS/RTP/SAVP", "RTP/SAVPF"];
const LINE = /^[a-z]=[^\p{Cc}]*$/u;

/** One `m=` section: its line without `m=`, and its attributes by name, each with its values. */
interface Section {
  readonly media: string;
  readonly attributes: Map<string, string[]>;
}

/**
 * Reads the offer of a client. Throws `bad_offer`, whose message says what is wrong and what would be right, and quotes
 * nothing of it.
 */
export function readOffer(sdp: string): Offer {
  const { session, audio } = sectionsOf(sdp);
  const value = (name: string): string | undefined => first(audio, name) ?? first(session, name);
  const opusPayloadType = opusOf(audio);
  const direction =
    DIRECTIONS.find((name) => audio.attributes.has(name)) ??
    DIRECTIONS.find((name) => session.attributes.has(name)) ??
    "sendrecv";
  if (direction === "sendonly" || direction === "inactive")
    throw bad("its audio does not receive, so that the agent could not be heard: make it sendrecv, or recvonly");
  if (!audio.attributes.has("rtcp-mux")) throw bad("it has no rtcp-mux: RTP and RTCP must share one port");
  const mid = first(audio, "mid") ?? "0";
  if (!MID.test(mid)) throw bad("its mid must be 1 to 32 letters, digits, dots, dashes, underscores or plus signs");
  const ufrag = value("ice-ufrag");
  if (ufrag === undefined || !ICE_UFRAG.test(ufrag)) throw bad("it needs an ice-ufrag of 4 to 256 characters");
  const pwd = value("ice-pwd");
  if (pwd === undefined || !ICE_PWD.test(pwd)) throw bad("it needs an ice-pwd of 22 to 256 characters");
  const setup = value("setup");
  if (setup === undefined || !SETUPS.includes(setup)) throw bad("it needs setup:actpass");
  const lines = [
    ...["v=0", "o=- 0 0 IN IP4 127.0.0.1", "s=-", "t=0 0", `a=group:BUNDLE ${mid}`],
    ...[`m=audio 9 UDP/TLS/RTP/SAVPF ${opusPayloadType}`, "c=IN IP4 0.0.0.0", `a=mid:${mid}`, `a=${direction}`],
    ...["a=ice-options:trickle", `a=ice-ufrag:${ufrag}`, `a=ice-pwd:${pwd}`],
    ...[`a=fingerprint:sha-256 ${fingerprintOf(audio, session)}`, `a=setup:${setup}`, "a=rtcp-mux", "a=rtcp-rsize"],
    ...[`a=rtpmap:${opusPayloadType} opus/48000/2`, `a=fmtp:${opusPayloadType} minptime=10;useinbandfec=1`],
  ];
  return { sdp: `${lines.join("\r\n")}\r\n`, opusPayloadType };
}

/**
 * The answer with one candidate for the client to reach: `address`, an IP address, and `port`. Candidates of the library
 * name addresses of this machine, which the client may not reach and need not know.
 */
export function announce(answerSdp: string, address: string, port: number): string {
  const lines = answerSdp
    .split("\r\n")
    .filter((line) => line !== "" && !/^a=(?:candidate:|end-of-candidates)/.test(line));
  // RFC 8839, section 5.1: the priority of a host candidate, of the first component.
  const candidate = `a=candidate:1 1 UDP 2130706431 ${address} ${port} typ host`;
  return `${[...lines, candidate, "a=end-of-candidates"].join("\r\n")}\r\n`;
}

function sectionsOf(sdp: string): { session: Section; audio: Section } {
  if (Buffer.byteLength(sdp) > OFFER_BYTES_MAX) throw bad(`it must not be over ${OFFER_BYTES_MAX} bytes`);
  const lines = sdp.split(/\r\n|\n/);
  while (lines.at(-1) === "") lines.pop();
  if (lines[0] !== "v=0") throw bad("it must begin with v=0: send `sdp` of the peer connection's localDescription");
  const sections: Section[] = [{ media: "", attributes: new Map() }];
  for (const [n, line] of lines.entries()) {
    if (!LINE.test(line)) throw bad(`its line ${n + 1} is no line of SDP`);
    if (line.startsWith("m=")) sections.push({ media: line.slice(2), attributes: new Map() });
    if (line.startsWith("a=")) addAttribute(sections.at(-1) as Section, line.slice(2));
  }
  const [session, audio, ...others] = sections as [Section, Section | undefined, ...Section[]];
  const kinds = sections.slice(1).map(({ media }) => media.split(" ", 1)[0]);
  if (kinds.includes("video")) throw bad("it has video: calls are audio only");
  if (kinds.includes("application")) throw bad("it has a data channel: messages go over the WebSocket of the call");
  if (audio === undefined || kinds[0] !== "audio") throw bad("it has no audio: add one transceiver of audio");
  if (others.length > 0) throw bad("it has several media sections: add only one transceiver, of audio");
  return { session, audio };
}

function addAttribute({ attributes }: Section, attribute: string): void {
  const colon = attribute.indexOf(":");
  const name = colon === -1 ? attribute : attribute.slice(0, colon);
  const values = attributes.get(name);
  const value = colon === -1 ? "" : attribute.slice(colon + 1);
  if (values === undefined) attributes.set(name, [value]);
  else values.push(value);
}

const first = ({ attributes }: Section, name: string): string | undefined => attributes.get(name)?.[0];

/** The payload type of the client's preferred Opus. */
function opusOf({ media, attributes }: Section): number {
  const [, port, protocol, ...formats] = media.split(" ");
  if (port === undefined || !/^[1-9]\d{0,4}$/.test(port)) throw bad("its audio is rejected: it has port 0, or none");
  if (!PROTOCOLS.includes(protocol ?? "")) throw bad("its audio must be UDP/TLS/RTP/SAVPF");
  const maps = new Set(attributes.get("rtpmap")?.map((map) => map.toLowerCase()));
  const payloadType = formats.find((format) => isPayloadType(format) && maps.has(`${format} opus/48000/2`));
  if (payloadType === undefined) throw bad("it has no Opus: its audio needs a payload type with `opus/48000/2`");
  return Number(payloadType);
}

/** RFC 5761, section 4: those from 64 to 95 cannot be distinguished from RTCP on the same port. */
const isPayloadType = (format: string): boolean =>
  /^(?:0|[1-9]\d{0,2})$/.test(format) && Number(format) <= 127 && (Number(format) < 64 || Number(format) > 95);

function fingerprintOf(audio: Section, session: Section): string {
  const values = audio.attributes.get("fingerprint") ?? session.attributes.get("fingerprint") ?? [];
  for (const value of values) {
    const hex = SHA_256.exec(value)?.[1];
    if (hex !== undefined) return hex.toUpperCase();
  }
  const what = values.length === 0 ? "it has no fingerprint" : "its fingerprint is none of SHA-256";
  throw bad(`${what}: it needs one of sha-256, of 32 bytes`);
}

const bad = (what: string): TrunklineError =>
  new TrunklineError("bad_offer", "peer", `the offer cannot be used: ${what}`);
