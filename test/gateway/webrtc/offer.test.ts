import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { TrunklineError } from "../../../src/core/errors.ts";
import { OFFER_BYTES_MAX } from "../../../src/core/limits/streams/webrtc.ts";
import { announce, readOffer } from "../../../src/gateway/webrtc/offer.ts";
import { Random } from "../../support/random.ts";

const offerOf = (browser: string): string =>
  readFileSync(new URL(`../../../fixtures/webrtc/${browser}_offer.sdp`, import.meta.url), "utf8");
const CHROMIUM = offerOf("chromium");
const FIREFOX = offerOf("firefox");

/** Every line that a normalised offer may have: nothing in it is as the client wrote it, except for these tokens. */
const NORMALISED = new RegExp(
  [
    "^v=0\r\no=- 0 0 IN IP4 127\\.0\\.0\\.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE [A-Za-z0-9._+-]{1,32}\r\n",
    "m=audio 9 UDP/TLS/RTP/SAVPF \\d{1,3}\r\nc=IN IP4 0\\.0\\.0\\.0\r\na=mid:[A-Za-z0-9._+-]{1,32}\r\na=(?:sendrecv|recvonly)\r\n",
    "a=ice-options:trickle\r\na=ice-ufrag:[A-Za-z0-9+/]{4,256}\r\na=ice-pwd:[A-Za-z0-9+/]{22,256}\r\n",
    "a=fingerprint:sha-256 [0-9A-F]{2}(?::[0-9A-F]{2}){31}\r\na=setup:(?:actpass|active|passive)\r\na=rtcp-mux\r\na=rtcp-rsize\r\n",
    "a=rtpmap:\\d{1,3} opus/48000/2\r\na=fmtp:\\d{1,3} minptime=10;useinbandfec=1\r\n$",
  ].join(""),
);

const CANDIDATE = "a=candidate:1 1 udp 2122260223 192.0.2.1 50000 typ host\r\n";
const LOCAL_CANDIDATES = ["3f1b6a52-5d3c.local", "localhost", "127.0.0.1", "::1", "10.0.0.1", "169.254.169.254"].map(
  (address) => `a=candidate:1 1 udp 2122260223 ${address} 50000 typ host`,
);
const PLAIN_RTP = CHROMIUM.replace(/m=audio .*/, "m=audio 17000 RTP/AVP 4294967296");

/** The message of the refusal. */
function refusal(sdp: string): string {
  try {
    readOffer(sdp);
  } catch (error) {
    if (!(error instanceof TrunklineError)) throw error;
    expect(error).toMatchObject({ code: "bad_offer", fault: "peer" });
    return error.message;
  }
  throw new Error("the offer was accepted");
}

const without = (line: RegExp, sdp = CHROMIUM): string => sdp.replace(line, "");

describe("offers", () => {
  test("Chromium's offer is read: Opus alone is left, and no candidates", () => {
    const { sdp, opusPayloadType } = readOffer(CHROMIUM);
    expect(opusPayloadType).toBe(111);
    expect(sdp).toMatch(NORMALISED);
    for (const line of CHROMIUM.split("\r\n").filter((text) =>
      /^a=(?:ice-ufrag|ice-pwd|fingerprint|setup|mid)/.test(text),
    ))
      expect(sdp).toContain(`${line}\r\n`);
    expect(sdp).not.toContain("candidate");
    expect(sdp).not.toContain(".local");
  });

  test("Firefox's offer is read: its fingerprint is that of the session", () => {
    const { sdp, opusPayloadType } = readOffer(FIREFOX);
    expect(opusPayloadType).toBe(109);
    expect(sdp).toMatch(NORMALISED);
    expect(sdp).toContain("a=fingerprint:sha-256 5E:1C:9B:0F:");
    expect(sdp).toContain("a=ice-ufrag:9c3e51ab\r\n");
  });

  test("what was normalised is read again as it is, and lines may end without a carriage return", () => {
    const { sdp } = readOffer(CHROMIUM);
    expect(readOffer(sdp).sdp).toBe(sdp);
    expect(readOffer(CHROMIUM.replaceAll("\r\n", "\n")).sdp).toBe(sdp);
  });

  test("the client's preferred Opus is taken, in any case, with its direction", () => {
    const other = CHROMIUM.replace("SAVPF 111 63", "SAVPF 96 111 63").replace(
      "a=rtpmap:111",
      "a=rtpmap:96 OPUS/48000/2\r\na=rtpmap:111",
    );
    expect(readOffer(other).opusPayloadType).toBe(96);
    expect(readOffer(CHROMIUM.replace("a=sendrecv", "a=recvonly"))).toMatchObject({
      sdp: expect.stringContaining("a=recvonly"),
    });
    expect(readOffer(without(/a=sendrecv\r\n/))).toMatchObject({ sdp: expect.stringContaining("a=sendrecv") });
    expect(readOffer(FIREFOX.replace("typ host\r\na=sendrecv", "typ host\r\na=recvonly"))).toMatchObject({
      sdp: expect.stringContaining("a=sendrecv"),
    });
  });

  test.each([
    ["is empty", "", "must begin with v=0"],
    ["is JSON", '{"type":"offer"}', "must begin with v=0"],
    ["is too long", CHROMIUM + "a=x\r\n".repeat(OFFER_BYTES_MAX / 5), `not be over ${OFFER_BYTES_MAX} bytes`],
    ["has 1 MB", CHROMIUM + "a=x\r\n".repeat(200_000), `not be over ${OFFER_BYTES_MAX} bytes`],
    ["has 10,000 candidates", CHROMIUM + CANDIDATE.repeat(10_000), `not be over ${OFFER_BYTES_MAX} bytes`],
    ["has a line that is none", CHROMIUM.replace("s=-", "hello"), "line 3 is no line of SDP"],
    ["has a control character", CHROMIUM.replace("s=-", "s=\u0000"), "line 3 is no line of SDP"],
    ["has video", `${CHROMIUM}m=video 9 UDP/TLS/RTP/SAVPF 96\r\n`, "it has video: calls are audio only"],
    ["has a data channel", `${CHROMIUM}m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n`, "it has a data channel"],
    ["has two audio sections", CHROMIUM + CHROMIUM.slice(CHROMIUM.indexOf("m=")), "it has several media sections"],
    ["has no audio", CHROMIUM.slice(0, CHROMIUM.indexOf("m=")), "it has no audio"],
    ["has an unknown medium", CHROMIUM.replace("m=audio", "m=text"), "it has no audio"],
    ["has rejected audio", CHROMIUM.replace("m=audio 9", "m=audio 0"), "its audio is rejected"],
    ["has plain RTP", CHROMIUM.replace("UDP/TLS/RTP/SAVPF", "RTP/AVP"), "must be UDP/TLS/RTP/SAVPF"],
    ["has plain RTP and a number of no payload", PLAIN_RTP, "must be UDP/TLS/RTP/SAVPF"],
    ["has a number of no payload", CHROMIUM.replaceAll("111", "4294967296"), "it has no Opus"],
    ["has no Opus", CHROMIUM.replace("opus/48000/2", "opus/16000/1"), "it has no Opus"],
    ["does not list Opus", CHROMIUM.replace("SAVPF 111", "SAVPF 112"), "it has no Opus"],
    ["has Opus where RTCP is", CHROMIUM.replaceAll("111", "72"), "it has no Opus"],
    ["only sends", CHROMIUM.replace("a=sendrecv", "a=sendonly"), "the agent could not be heard"],
    ["is inactive", CHROMIUM.replace("a=sendrecv", "a=inactive"), "the agent could not be heard"],
    ["has no rtcp-mux", without(/a=rtcp-mux\r\n/), "it has no rtcp-mux"],
    ["has no ufrag", without(/a=ice-ufrag.*\r\n/), "needs an ice-ufrag"],
    ["has a wrong ufrag", CHROMIUM.replace(/a=ice-ufrag:.*/, "a=ice-ufrag:a b c"), "needs an ice-ufrag"],
    ["has no password", without(/a=ice-pwd.*\r\n/), "needs an ice-pwd of 22"],
    ["has a short password", CHROMIUM.replace(/a=ice-pwd:.*/, "a=ice-pwd:short"), "needs an ice-pwd of 22"],
    ["has no fingerprint", without(/a=fingerprint.*\r\n/), "it has no fingerprint"],
    ["has SHA-1", CHROMIUM.replace("sha-256", "sha-1"), "its fingerprint is none of SHA-256"],
    ["has a cut fingerprint", CHROMIUM.replace(/(sha-256 .*):..\r/, "$1\r"), "its fingerprint is none of SHA-256"],
    ["has no setup", without(/a=setup.*\r\n/), "needs setup:actpass"],
    ["holds", CHROMIUM.replace("setup:actpass", "setup:holdconn"), "needs setup:actpass"],
    ["has a wrong mid", CHROMIUM.replace("a=mid:0", "a=mid:a b"), "its mid must be"],
  ])("W5: an offer that %s is refused, and the message says what would be right", (_, sdp, message) => {
    expect(refusal(sdp)).toContain(message);
  });

  test.each([
    ["candidates by name, of the machine itself and of its network", LOCAL_CANDIDATES],
    ["lengths of packets that differ by direction", ["a=ptime:20", "a=maxptime:3", "a=ptime:4294967296"]],
    ["hundreds of lines without meaning", Array.from({ length: 300 }, (_, n) => `a=x${n}:y`)],
  ])("W5: an offer with %s is read, and they are left out", (_, lines) => {
    const { sdp } = readOffer(CHROMIUM + lines.map((line) => `${line}\r\n`).join(""));
    expect(sdp).toBe(readOffer(CHROMIUM).sdp);
  });

  test("W5: no message of a refusal quotes the offer", () => {
    const secret = "OnYUWDQJ";
    for (const line of CHROMIUM.split("\r\n").keys()) {
      const lines = CHROMIUM.split("\r\n");
      lines[line] = `${lines[line]}\u0001${secret}`;
      expect(refusal(lines.join("\r\n"))).not.toContain(secret);
    }
  });

  test("W5: whatever is changed in an offer, it is normalised or refused", () => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32));
    const random = new Random(seed);
    const outcomes = { accepted: 0, refused: 0 };
    for (let n = 0; n < 12_000; n += 1) {
      const sdp = mutant(random.pick([CHROMIUM, FIREFOX]), random);
      try {
        expect(readOffer(sdp).sdp).toMatch(NORMALISED);
        outcomes.accepted += 1;
      } catch (error) {
        if (!(error instanceof TrunklineError) || error.code !== "bad_offer")
          throw new Error(`SEED=${seed}, mutant ${n}: ${String(error)}\n${sdp}`);
        outcomes.refused += 1;
      }
    }
    // Both happen: the mutants are near misses.
    expect(outcomes.accepted, `SEED=${seed}`).toBeGreaterThan(1_000);
    expect(outcomes.refused, `SEED=${seed}`).toBeGreaterThan(1_000);
  });
});

/** An offer with one to four changes: of lines, of characters, or of words. */
function mutant(sdp: string, random: Random): string {
  let text = sdp;
  for (let change = random.whole(1, 4); change > 0; change -= 1) {
    const lines = text.split("\r\n");
    const at = random.whole(0, lines.length - 1);
    const line = lines[at] as string;
    const place = random.whole(0, line.length);
    const changes: (() => void)[] = [
      () => lines.splice(at, 1),
      () => lines.splice(random.whole(0, lines.length - 1), 0, line),
      () => lines.splice(at, 1, line.slice(0, place)),
      () =>
        lines.splice(at, 1, line.slice(0, place) + String.fromCharCode(random.whole(0, 300)) + line.slice(place + 1)),
      () => lines.splice(at, 1, line.replace(/[0-9]+/, String(random.whole(0, 2 ** 31)))),
      () => lines.splice(at, 1, line.replace(" ", random.pick(["", "  ", ":", "\t"]))),
      () => lines.splice(at, 1, line + line),
      () => lines.splice(at, 1, line.replace(/:.*/, `:${"x".repeat(random.whole(0, 600))}`)),
      () =>
        lines.splice(
          at,
          0,
          random.pick([
            "m=audio 9 UDP/TLS/RTP/SAVPF 111",
            "m=video 9 X 1",
            "a=setup:active",
            "a=",
            "=",
            "a=rtpmap:111",
            "a=mid:\ud800",
          ]),
        ),
    ];
    random.pick(changes)();
    text = lines.join("\r\n");
  }
  return text;
}

describe("answers", () => {
  const ANSWER = [
    ...["v=0", "o=rtc 1 0 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0", "m=audio 9 UDP/TLS/RTP/SAVPF 111"],
    ...["a=mid:0", "a=candidate:1 1 UDP 2122317823 10.0.0.7 40000 typ host", "a=end-of-candidates", "a=sendrecv", ""],
  ].join("\r\n");

  test("have one candidate: the announced address, and no other address of the machine", () => {
    const announced = announce(ANSWER, "203.0.113.7", 40_001);
    expect(announced.match(/a=candidate.*/g)).toEqual(["a=candidate:1 1 UDP 2130706431 203.0.113.7 40001 typ host"]);
    expect(announced).not.toContain("10.0.0.7");
    expect(
      announced.endsWith(
        "a=sendrecv\r\na=candidate:1 1 UDP 2130706431 203.0.113.7 40001 typ host\r\na=end-of-candidates\r\n",
      ),
    ).toBe(true);
    expect(announce(announced, "203.0.113.7", 40_001)).toBe(announced);
  });
});
