import { createHmac } from "node:crypto";
import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { toApiError } from "../../src/api/http/errors.ts";
import { carrierWebhookRoutes } from "../../src/api/telephony/routes.ts";
import type { CallId } from "../../src/core/ids.ts";
import { AGENT, SPEC } from "../support/calls/stored-calls.ts";
import { PhoneService, PUBLIC_URL } from "../support/telephony/phone-service.ts";
import { AUTH_TOKEN, createCarrier } from "../support/telephony/stored.ts";

const OTHER_TOKEN = "0123456789abcdef0123456789abcdef";
const CALL_SID = `CA${"1".repeat(32)}`;

let service: PhoneService;
let app: FastifyInstance;
let hasAgent: boolean;
beforeEach(async () => {
  hasAgent = true;
  await open(await PhoneService.open({ script: { dial: { kind: "done", value: { carrierCallId: CALL_SID } } } }));
});
afterEach(async () => {
  await app.close();
  await service.close();
});

async function open(opened: PhoneService): Promise<void> {
  service = opened;
  const agent = await service.stores.agents.create(service.accountId, AGENT);
  await service.stores.phoneNumbers.update(service.accountId, service.number.id, { agentId: agent.id });
  const inboundSpec = async () =>
    hasAgent ? { spec: SPEC, agent: { id: agent.id, version: agent.version, variables: {} } } : undefined;
  app = Fastify({ bodyLimit: 1024 });
  app.setErrorHandler((error, _request, reply) => {
    const { status, code } = toApiError(error);
    void reply.code(status).send({ code });
  });
  carrierWebhookRoutes(app, { phoneWebhooks: service.webhooks(), inboundSpec });
}

/** As the carrier signs it: https://www.twilio.com/docs/usage/security#validating-requests */
const signatureOf = (url: string, form: Readonly<Record<string, string>>, secret: string): string =>
  createHmac("sha1", secret)
    .update(
      Object.keys(form)
        .sort()
        .reduce((text, name) => text + name + form[name], url),
    )
    .digest("base64");

async function send(path: string, form: Readonly<Record<string, string>>, { secret = AUTH_TOKEN, key = "" } = {}) {
  const url = `/telephony/${key || service.carrier.webhookKey}/${path}`;
  const answer = await app.inject({
    method: "POST",
    url,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-twilio-signature": signatureOf(PUBLIC_URL + url, form, secret),
    },
    payload: new URLSearchParams(form).toString(),
  });
  return { status: answer.statusCode, type: answer.headers["content-type"], body: answer.body };
}

const INCOMING = {
  AccountSid: `AC${"0".repeat(32)}`,
  CallSid: CALL_SID,
  CallStatus: "ringing",
  Direction: "inbound",
  From: "+12025550123",
  To: "+12025550100",
};
const outbound = (status: string, more = {}) => ({
  CallSid: CALL_SID,
  CallStatus: status,
  Direction: "outbound-api",
  From: "+12025550100",
  To: "+12025550123",
  ...more,
});
const inboundCall = () => service.stores.phoneCalls.findByCarrierCall(service.carrier.id, CALL_SID);
const calls = async () => (await service.stores.calls.list(service.accountId, { limit: 10 })).calls;

describe("an inbound call", () => {
  test("is answered with a stream, in the carrier's own document, and its record has the numbers", async () => {
    const answer = await send("voice", INCOMING);
    expect(answer).toMatchObject({ status: 200, type: expect.stringContaining("text/xml") });
    expect(answer.body).toContain(`wss://media.example/carrier_a/${service.tokens[0]}`);
    const { callId = "" as CallId } = (await inboundCall()) ?? {};
    expect(await service.recordOf(callId)).toMatchObject({
      status: "ringing",
      carrierCallId: CALL_SID,
      phone: { direction: "inbound", from: "+12025550123", to: "+12025550100" },
    });
    expect(await service.attach(callId)).toBe(true);
    expect(await service.phaseOf(callId)).toBe("live");
  });

  test("whose webhook comes twice is one call with one token and one answer", async () => {
    const [first, second] = await Promise.all([send("voice", INCOMING), send("voice", INCOMING)]);
    const third = await send("voice", INCOMING);
    expect(second.body).toBe(first.body);
    expect(third.body).toBe(first.body);
    expect([service.tokens.length, (await calls()).length]).toEqual([1, 1]);
  });

  test("to an unknown number hears a refusal and has no record", async () => {
    const answer = await send("voice", { ...INCOMING, To: "+12025550177" });
    expect(answer).toMatchObject({ status: 200, body: expect.stringMatching(/<Say.*call again later.*<Hangup/) });
    expect(await calls()).toEqual([]);
  });

  test("to a number without an agent hears the number's own refusal", async () => {
    hasAgent = false;
    await service.stores.phoneNumbers.update(service.accountId, service.number.id, {
      refusalText: "Wir sind umgezogen.",
    });
    expect((await send("voice", INCOMING)).body).toContain("Wir sind umgezogen.");
  });

  test("without a free slot hears a refusal, and its record says why", async () => {
    await app.close();
    await service.close();
    await open(await PhoneService.open({ slots: 0 }));
    expect((await send("voice", INCOMING)).body).toMatch(/<Say/);
    expect((await calls())[0]).toMatchObject({ status: "ended", endReason: "no_capacity" });
    expect(service.tokens).toEqual([]);
  });

  test("beyond the limit of its number hears a refusal", async () => {
    await service.stores.phoneNumbers.update(service.accountId, service.number.id, { maxConcurrentCalls: 1 });
    await send("voice", INCOMING);
    const second = await send("voice", { ...INCOMING, CallSid: `CA${"2".repeat(32)}` });
    expect(second.body).toMatch(/<Say/);
  });

  test("that is over by the carrier's report ends", async () => {
    await send("voice", INCOMING);
    const { callId = "" as CallId } = (await inboundCall()) ?? {};
    await send("status", { ...INCOMING, CallStatus: "completed", CallbackSource: "call-progress-events" });
    expect(await service.recordOf(callId)).toMatchObject({ status: "ended", endReason: "caller_hangup" });
  });
});

describe("an outbound call", () => {
  test("gets its stream only as the answer to the webhook that reports the answer", async () => {
    const callId = await service.place();
    await service.work();
    await send(`calls/${callId}/status`, outbound("ringing", { CallbackSource: "call-progress-events" }));
    expect(service.tokens).toEqual([]);
    const answer = await send(`calls/${callId}/voice`, outbound("in-progress"));
    expect(answer.body).toContain(service.tokens[0]);
    const repeated = await send(`calls/${callId}/voice`, outbound("in-progress"));
    expect([repeated.body, service.tokens.length]).toEqual([answer.body, 1]);
  });

  test("is known by a webhook before the answer to the request, and is not dialled again", async () => {
    service.client.answer({ dial: { kind: "uncertain", status: 504 } });
    const callId = await service.place();
    await send(`calls/${callId}/status`, outbound("ringing", { CallbackSource: "call-progress-events" }));
    expect(await service.phaseOf(callId)).toBe("ringing");
    await service.work();
    expect(service.operations).toEqual([]);
  });

  test("that is over is hung up by the answer to a late webhook", async () => {
    const callId = await service.place();
    await service.work();
    await service.phoneCalls.request(callId, { kind: "hang_up" }, "api_hangup");
    const answer = await send(`calls/${callId}/voice`, outbound("in-progress"));
    expect(answer.body).toMatch(/<Response><Hangup\s*\/><\/Response>/);
    expect(service.tokens).toEqual([]);
  });

  test("that was deleted, because nothing was known of it, is hung up when it rings and when it is answered after all", async () => {
    const others = { calls: [{ carrierCallId: "CA9", isLive: true }], isComplete: true };
    const script = { dial: { kind: "uncertain", status: 0 }, find_call: { kind: "done", value: others } } as const;
    service.client.answer(script);
    const callId = await service.place();
    await service.work();
    while ((await service.phaseOf(callId)) !== "over") {
      await service.tick(callId);
      await service.work();
    }
    expect(await service.stores.calls.remove(service.accountId, callId)).toBe(true);
    await send(`calls/${callId}/status`, outbound("ringing", { CallbackSource: "call-progress-events" }));
    const answer = await send(`calls/${callId}/voice`, outbound("in-progress"));
    expect(answer.body).toMatch(/<Response><Hangup\s*\/><\/Response>/);
    await service.work();
    expect(service.operations.filter((operation) => operation === "hang_up")).toHaveLength(1);
    expect(service.client.asked.at(-1)?.text).toContain(CALL_SID);
  });

  test("comes back from a transfer by the answer to the webhook about it, the same one each time", async () => {
    service.client.answer({ transfer: { kind: "done", value: undefined } });
    const callId = await service.place();
    await service.work();
    await send(`calls/${callId}/voice`, outbound("in-progress"));
    await service.attach(callId);
    await service.phoneCalls.request(callId, { kind: "transfer", target: "+12025550199" }, "agent_hangup");
    await service.clock.play(10);
    await service.work();
    await service.phoneCalls.handle(callId, { kind: "media-lost" });
    const dialled = outbound("in-progress", { DialCallStatus: "no-answer" });
    const [first, second] = [
      await send(`calls/${callId}/transfer/1`, dialled),
      await send(`calls/${callId}/transfer/1`, dialled),
    ];
    expect(first.body).toContain("wss://media.example/resume/");
    expect(second.body).toBe(first.body);
  });
});

describe("the question what follows a stream", () => {
  const followsUrl = (callId: string, connect: number): string =>
    `${PUBLIC_URL}/telephony/${service.carrier.webhookKey}/calls/${callId}/after-stream/${connect}#`;

  async function answeredCall(): Promise<CallId> {
    const callId = await service.place();
    await service.work();
    expect((await send(`calls/${callId}/voice`, outbound("in-progress"))).body).toContain(followsUrl(callId, 1));
    return callId;
  }

  test("is answered with another stream where none has connected, the same one each time", async () => {
    const callId = await answeredCall();
    const first = await send(`calls/${callId}/after-stream/1`, outbound("in-progress"));
    const second = await send(`calls/${callId}/after-stream/1`, outbound("in-progress"));
    expect(service.tokens).toHaveLength(2);
    expect(first.body).toContain(service.tokens[1]);
    expect(first.body).toContain(followsUrl(callId, 2));
    expect(second.body).toBe(first.body);
    expect(await service.attach(callId)).toBe(true);
    expect(await service.phaseOf(callId)).toBe("live");
  });

  test("is answered with a hang-up where the stream had connected, whether its end was reported or not", async () => {
    const callId = await answeredCall();
    await service.attach(callId);
    const hangsUp = expect.stringMatching(/<Response><Hangup\s*\/><\/Response>/);
    expect((await send(`calls/${callId}/after-stream/1`, outbound("in-progress"))).body).toEqual(hangsUp);
    await service.phoneCalls.handle(callId, { kind: "record-ended", reason: "agent_hangup" });
    expect((await send(`calls/${callId}/after-stream/1`, outbound("in-progress"))).body).toEqual(hangsUp);
  });

  test("is answered with the transfer that waits for the end of the stream", async () => {
    service.client.answer({ transfer: { kind: "done", value: undefined } });
    const callId = await answeredCall();
    await service.attach(callId);
    await service.phoneCalls.request(callId, { kind: "transfer", target: "+12025550199" }, "agent_hangup");
    await service.clock.play(10);
    await service.work();
    const answer = await send(`calls/${callId}/after-stream/1`, outbound("in-progress"));
    expect(answer.body).toMatch(/<Dial action="[^"]*\/transfer\/1#[^"]*".*\+12025550199/);
  });

  test("is answered later where the worker that keeps the caller is not connected, and with a refusal where it is gone", async () => {
    service.client.answer({ transfer: { kind: "done", value: undefined } });
    const callId = await answeredCall();
    await service.attach(callId);
    await service.phoneCalls.request(callId, { kind: "transfer", target: "+12025550199" }, "agent_hangup");
    await service.clock.play(10);
    await service.work();
    await service.phoneCalls.handle(callId, { kind: "media-lost" });
    await send(`calls/${callId}/transfer/1`, outbound("in-progress", { DialCallStatus: "busy" }));
    service.isWorkerThere = false;
    const question = outbound("in-progress");
    expect((await send(`calls/${callId}/after-stream/2`, question)).status).toBe(503);
    await service.phoneCalls.handle(callId, { kind: "record-ended", reason: "worker_lost" });
    const answer = await send(`calls/${callId}/after-stream/2`, question);
    expect(answer.body).toMatch(/<Say.*cannot take your call.*<Hangup/);
  });

  test("needs the carrier's signature and a number", async () => {
    const callId = await answeredCall();
    const forged = { secret: OTHER_TOKEN };
    expect((await send(`calls/${callId}/after-stream/1`, outbound("in-progress"), forged)).status).toBe(403);
    expect((await send(`calls/${callId}/after-stream/x`, outbound("in-progress"))).status).toBe(404);
    expect(service.tokens).toHaveLength(1);
  });
});

describe("a webhook is refused", () => {
  test("404 where no carrier has its address, 403 with another account's signature, or none", async () => {
    const other = await createCarrier(service.stores, service.accountId, {
      credentials: { accountSid: INCOMING.AccountSid, authToken: OTHER_TOKEN },
    });
    expect((await send("voice", INCOMING, { key: "a".repeat(32) })).status).toBe(404);
    expect((await send("voice", INCOMING, { secret: OTHER_TOKEN })).status).toBe(403);
    expect((await send("voice", INCOMING, { key: other.webhookKey })).status).toBe(403);
    expect(await calls()).toEqual([]);
  });

  test("404 for a call of another carrier, whose signature is valid", async () => {
    const callId = await service.place();
    const other = await createCarrier(service.stores, service.accountId);
    const answer = await send(`calls/${callId}/voice`, outbound("in-progress"), { key: other.webhookKey });
    expect([answer.status, service.tokens.length]).toEqual([404, 0]);
  });

  test("404 for an unknown call that is over, or without a transfer of this number", async () => {
    expect((await send("calls/call_unknown/status", outbound("completed"))).status).toBe(404);
    expect((await send("calls/call_unknown/transfer/x", outbound("in-progress"))).status).toBe(404);
  });

  test("413 above 64 KiB, 415 for another content type, 400 for a body that the carrier cannot have sent", async () => {
    expect((await send("voice", { ...INCOMING, From: "1".repeat(65 * 1024) })).status).toBe(413);
    const url = `/telephony/${service.carrier.webhookKey}/voice`;
    const typed = await app.inject({ method: "POST", url, headers: { "content-type": "text/plain" }, payload: "x" });
    expect(typed.statusCode).toBe(415);
    expect((await send("voice", { CallStatus: "ringing" })).status).toBe(400);
  });
});
