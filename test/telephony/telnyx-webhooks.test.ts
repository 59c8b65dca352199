import { generateKeyPairSync, sign } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { millisecondsOf } from "../../src/core/clocks.ts";
import type { WebhookAnswer } from "../../src/telephony/webhooks.ts";
import { PhoneService } from "../support/telephony/phone-service.ts";

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const CONNECTION = "2811212257810187875";
const CREDENTIALS = {
  apiKey: "KEY01A2B3C4D5E6F708192A3B4C5D6E7F80",
  publicKey: publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64"),
  connectionId: CONNECTION,
};

let service: PhoneService;
beforeEach(async () => {
  service = await PhoneService.open({ carrier: { carrier: "carrier_b", credentials: CREDENTIALS } });
});
afterEach(() => service.close());

/** A call comes in, as Telnyx reports it: https://developers.telnyx.com/docs/voice/programmable-voice/receiving-webhooks */
async function comesIn(payload: object): Promise<WebhookAnswer> {
  const call = { call_control_id: "v3:call", direction: "incoming", connection_id: CONNECTION, from: "+12025550123" };
  const data = { event_type: "call.initiated", payload: { ...call, ...payload } };
  const body = Buffer.from(JSON.stringify({ data }));
  const timestamp = String(Math.floor(millisecondsOf(service.clock.epochMs()) / 1_000));
  const signature = sign(null, Buffer.concat([Buffer.from(`${timestamp}|`), body]), privateKey).toString("base64");
  const headers = { "telnyx-timestamp": timestamp, "telnyx-signature-ed25519": signature };
  const webhook = { method: "POST", url: "/", headers, body };
  return await service
    .webhooks()
    .answer(service.carrier.webhookKey, { kind: "account" }, webhook, async () => undefined);
}

test("a caller without a record, to an unknown number or one without an agent, is rejected by a request, once for each webhook", async () => {
  service.client.answer({ hang_up: { kind: "done", value: undefined } });
  expect(await comesIn({ to: "+12025550177" })).toEqual({ kind: "done" });
  expect(await comesIn({ to: service.number.number })).toEqual({ kind: "done" });
  const text = expect.stringMatching(/v3:call\/actions\/reject .*"cause":"USER_BUSY"/);
  expect(service.client.asked).toMatchObject([
    { operation: "hang_up", text },
    { operation: "hang_up", text },
  ]);
  expect((await service.stores.calls.list(service.accountId, { limit: 10 })).calls).toEqual([]);
});

test("a webhook of another application of the account is refused, although its signature is valid", async () => {
  expect(await comesIn({ to: "+12025550177", connection_id: "1" })).toEqual({ kind: "forbidden" });
  expect(service.client.asked).toEqual([]);
});
