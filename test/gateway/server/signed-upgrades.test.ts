import { createHmac } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { CARRIER_NAMES } from "../../../src/carriers/list.ts";
import type { ConnectionType } from "../../../src/core/calls/spec.ts";
import { RawWs } from "../../support/network/raw-ws.ts";
import {
  MEDIA_URL,
  type MediaService,
  type MediaServiceOptions,
  mediaService,
} from "../../support/services/media-service.ts";

let service: MediaService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

async function start(options?: MediaServiceOptions): Promise<MediaService> {
  service = await mediaService(options);
  return service;
}

type Headers = Readonly<Record<string, string>>;

async function upgrade(url: string, token: string, headers: Headers = {}) {
  const ws = await RawWs.connect(url);
  const answer = await ws.upgrade(`/stream/${token}`, headers);
  return { ws, status: answer?.status, body: answer?.body ?? "" };
}

const SECRETS = { carrier_a: ["secret-a", "older-a"], carrier_b: ["secret-b"], carrier_c: ["secret-c"] };
const NONCE = "20021976";

const signedByA = (token: string, secret = "secret-a"): Headers => ({
  "X-Twilio-Signature": createHmac("sha1", secret).update(`${MEDIA_URL}/stream/${token}`).digest("base64"),
});
const fromB = (): Headers => ({ "x-telnyx-streaming-auth-token": "secret-b" });
const signedByC = (token: string): Headers => ({
  "X-Plivo-Signature-V3": createHmac("sha256", "secret-c")
    .update(`${MEDIA_URL}/stream/${token}.${NONCE}`)
    .digest("base64"),
  "X-Plivo-Signature-V3-Nonce": NONCE,
});

const SIGNED: readonly [ConnectionType, (token: string) => Headers][] = [
  ["carrier_a", signedByA],
  ["carrier_a", (token) => signedByA(token, "older-a")],
  ["carrier_b", fromB],
  ["carrier_b", () => ({ Authorization: "Bearer secret-b" })],
  ["carrier_c", signedByC],
];

describe("upgrades that must be signed", () => {
  test("a valid signature of the call's own carrier opens the stream, with any of its secrets", async () => {
    const { url, create, ended } = await start({ carrierSecrets: SECRETS });
    for (const [connectionType, sign] of SIGNED) {
      const { callId, token } = await create({ connectionType });
      const { ws, status } = await upgrade(url, token, sign(token));
      expect([connectionType, status]).toEqual([connectionType, 101]);
      ws.destroy();
      expect((await ended(callId)).endReason).toBe("caller_hangup");
    }
  });

  test("a call of a carrier with a secret is not opened without its signature, and the response is the usual 401", async () => {
    const { url, create, ended } = await start({ carrierSecrets: SECRETS });
    const unknown = await upgrade(url, "x".repeat(64), signedByA("x".repeat(64)));
    const errorOf = (body: string) => ({ ...JSON.parse(body).error, requestId: "" });
    const forged: ((token: string) => Headers)[] = [
      () => ({}),
      () => ({ "X-Twilio-Signature": "" }),
      () => ({ "X-Twilio-Signature": "!" }),
      (token) => signedByA(token, "guessed"),
      () => signedByA("y".repeat(64)),
      () => ({ "x-telnyx-streaming-auth-token": "secret-a" }),
      () => ({ Authorization: "Bearer" }),
      (token) => ({ ...signedByC(token), "X-Plivo-Signature-V3-Nonce": "1" }),
    ];
    for (const headers of forged) {
      const { callId, token } = await create({ connectionType: "carrier_a" });
      const { status, body } = await upgrade(url, token, headers(token));
      expect([status, errorOf(body)]).toEqual([401, errorOf(unknown.body)]);
      // It costs the carrier nothing.
      const { ws, status: then } = await upgrade(url, token, signedByA(token));
      expect(then).toBe(101);
      ws.destroy();
      expect(await ended(callId)).toMatchObject({ endReason: "caller_hangup" });
    }
  });

  test("a client of the raw protocol needs no signature, whatever secrets are configured", async () => {
    const { url, create, ended } = await start({ carrierSecrets: SECRETS });
    const format = { codec: "mulaw", inputRateHz: 8_000, outputRateHz: 8_000 } as const;
    const { callId, token } = await create({ connectionType: "websocket", websocket: format });
    const { ws, status } = await upgrade(url, token);
    expect(status).toBe(101);
    expect(JSON.parse(String((await ws.readFrame())?.payload))).toMatchObject({ type: "ready", callId });
    ws.destroy();
    expect(await ended(callId)).toMatchObject({ endReason: "caller_hangup" });
  });

  test("a token with another carrier's signature is refused, and stays valid for its own", async () => {
    const { url, create, ended, gateway } = await start({ carrierSecrets: SECRETS });
    const { callId, token } = await create({ connectionType: "carrier_a" });
    expect((await upgrade(url, token, fromB())).status).toBe(401);
    expect(gateway.callIds()).toEqual([]);
    const { ws, status } = await upgrade(url, token, signedByA(token));
    expect(status).toBe(101);
    ws.destroy();
    expect(await ended(callId)).toMatchObject({ endReason: "caller_hangup" });
  });

  test("a carrier without a secret needs no signature, even if others need one", async () => {
    const { url, create, ended } = await start({ carrierSecrets: { carrier_b: ["secret-b"] } });
    const open = await create({ connectionType: "carrier_a" });
    const first = await upgrade(url, open.token);
    expect(first.status).toBe(101);
    first.ws.destroy();
    await ended(open.callId);
    const closed = await create({ connectionType: "carrier_b" });
    expect((await upgrade(url, closed.token)).status).toBe(401);
  });

  test("no secret and no signature reaches a log line or a file", async () => {
    const { url, create, ended, logged, directory } = await start({ carrierSecrets: SECRETS });
    const { callId, token } = await create({ connectionType: "carrier_a" });
    const headers = signedByA(token);
    const { ws } = await upgrade(url, token, headers);
    ws.destroy();
    await ended(callId);
    const { allBytes } = await import("../../support/temporary-directory.ts");
    for (const text of [logged.join("\n"), allBytes(directory)]) {
      for (const hidden of ["secret-a", "secret-b", headers["X-Twilio-Signature"] ?? "?"]) {
        expect(text).not.toContain(hidden);
      }
    }
  });
});

test.each([
  ...CARRIER_NAMES,
  "websocket",
] as const)("C7: a second socket of a %s call gets 401, while the first lives and is not disturbed", async (connectionType) => {
  const { url, create, ended, gateway } = await start();
  const websocket = { codec: "pcm_s16le", inputRateHz: 48_000, outputRateHz: 24_000 } as const;
  const { callId, token } = await create({ connectionType, websocket });
  const first = await upgrade(url, token);
  expect(first.status).toBe(101);
  for (let again = 0; again < 3; again += 1) expect((await upgrade(url, token)).status).toBe(401);
  expect(gateway.callIds()).toEqual([callId]);
  first.ws.destroy();
  expect((await ended(callId)).endReason).toBe("caller_hangup");
});
