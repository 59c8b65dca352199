import { describe, expect, test } from "vitest";
import { readConfig } from "../../../src/config/config.ts";

const PORTS = { WEBRTC_UDP_PORTS: "40000-40015" };

describe("the configuration of WebRTC", () => {
  test("is there with its ports, and has one worker then", () => {
    expect(readConfig({}).webrtc).toBeUndefined();
    expect(readConfig(PORTS).webrtc).toEqual({
      workers: 1,
      mediaPort: 8082,
      publicUrl: undefined,
      udpPorts: { first: 40_000, last: 40_015 },
      publicAddress: undefined,
      turn: undefined,
    });
    expect(readConfig({ ...PORTS, MEDIA_PORT: "0", WEBRTC_MEDIA_PORT: "0" }).webrtc?.mediaPort).toBe(0);
    expect(readConfig({ ...PORTS, WEBRTC_WORKERS: "0" }).webrtc).toBeUndefined();
  });

  test("has what is set", () => {
    const { webrtc } = readConfig({
      ...PORTS,
      WEBRTC_WORKERS: "3",
      WEBRTC_MEDIA_PORT: "9000",
      PUBLIC_WEBRTC_URL: "wss://webrtc.example.com/",
      WEBRTC_PUBLIC_ADDRESS: "203.0.113.7",
      TURN_URLS: "turn:turn.example.com:3478, turns:turn.example.com:5349?transport=tcp",
      TURN_SECRET: "s3cret",
    });
    expect(webrtc).toMatchObject({
      workers: 3,
      mediaPort: 9_000,
      publicUrl: "wss://webrtc.example.com",
      publicAddress: "203.0.113.7",
      turn: {
        urls: ["turn:turn.example.com:3478", "turns:turn.example.com:5349?transport=tcp"],
        secret: "s3cret",
      },
    });
  });

  test.each([
    [{ WEBRTC_WORKERS: "1" }, "WEBRTC_WORKERS needs WEBRTC_UDP_PORTS"],
    [{ ...PORTS, MEDIA_PORT: "8082" }, "WEBRTC_MEDIA_PORT must differ from MEDIA_PORT, and both are 8082"],
    [{ WEBRTC_UDP_PORTS: "40000" }, "WEBRTC_UDP_PORTS must be a range of ports such as 40000-40015"],
    [{ WEBRTC_UDP_PORTS: "40015-40000" }, "WEBRTC_UDP_PORTS must be a range"],
    [{ WEBRTC_UDP_PORTS: "65000-70000" }, "WEBRTC_UDP_PORTS must be a range"],
    [{ ...PORTS, WEBRTC_WORKERS: "9" }, "WEBRTC_UDP_PORTS must have 18 ports for WEBRTC_WORKERS=9"],
    [{ ...PORTS, PUBLIC_WEBRTC_URL: "https://a.example" }, "PUBLIC_WEBRTC_URL must be a ws:// or wss:// address"],
    [{ ...PORTS, WEBRTC_PUBLIC_ADDRESS: "example.com" }, "WEBRTC_PUBLIC_ADDRESS must be an IP address"],
    [{ ...PORTS, TURN_URLS: "turn:a.example" }, "TURN_URLS and TURN_SECRET must be set together"],
    [{ ...PORTS, TURN_URLS: "https://a.example", TURN_SECRET: "s" }, "TURN_URLS must be addresses such as"],
    [
      { ...PORTS, MEDIA_HOST: "0.0.0.0", PUBLIC_MEDIA_URL: "wss://a.example" },
      "PUBLIC_WEBRTC_URL must be set together with MEDIA_HOST=0.0.0.0",
    ],
  ])("%j is refused: %s", (env, problem) => {
    expect(() => readConfig(env)).toThrow(problem);
  });
});
