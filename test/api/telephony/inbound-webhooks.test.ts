import { createHmac } from "node:crypto";
import { Webhook as Signature } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { INBOUND_ANSWER_BYTES_MAX, INBOUND_ANSWER_MS_MAX } from "../../../src/core/limits/phone/carriers.ts";
import { GuardedHttp, type Resolve } from "../../../src/core/network/guarded-http.ts";
import type { Agent } from "../../../src/store/agent-store.ts";
import type { Carrier } from "../../../src/store/telephony/carrier-store.ts";
import type { PhoneNumber } from "../../../src/store/telephony/phone-number-store.ts";
import { InboundWebhookClient } from "../../../src/telephony/inbound-webhook-client.ts";
import { type ApiUnderTest, apiUnderTest, VOICES } from "../../support/api/harness.ts";
import { AGENT } from "../../support/calls/stored-calls.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { readExposition, sampleOf } from "../../support/metrics/exposition.ts";
import { type HookAnswer, type HookEndpoint, hookEndpoint } from "../../support/network/hook-endpoint.ts";
import { SEALING_KEYS } from "../../support/stores/keys.ts";
import { AUTH_TOKEN, createCarrier, importNumber } from "../../support/telephony/stored.ts";

const FORM = {
  AccountSid: `AC${"0".repeat(32)}`,
  CallSid: `CA${"1".repeat(32)}`,
  CallStatus: "ringing",
  Direction: "inbound",
  From: "+12025550123",
  To: "+12025550100",
  "SipHeader_X-Order": "A-17",
};

let api: ApiUnderTest;
let carrier: Carrier;
let number: PhoneNumber;
let agent: Agent;
beforeEach(async () => {
  api = await apiUnderTest();
  carrier = await createCarrier(api.stores, api.accountId);
  number = await importNumber(api.stores, carrier, FORM.To);
  agent = await newAgent("Front desk");
  await api.stores.phoneNumbers.update(api.accountId, number.id, { agentId: agent.id });
});
afterEach(() => api.close());

const newAgent = (name: string): Promise<Agent> =>
  api.stores.agents.create(api.accountId, {
    ...AGENT,
    name,
    basePrompt: "{{from}} calls {{to}} about {{order}}.",
    voiceId: VOICES[0]?.id ?? "",
    languageId: VOICES[0]?.language ?? "",
    variables: [
      { name: "from", type: "string" },
      { name: "to", type: "string" },
      { name: "order", type: "string", default: "nothing" },
    ],
    allowedOverrides: ["maxDuration"],
  });

/** The number asks a program that answers like this; and the secret of its messages. */
async function asks(answer: HookAnswer): Promise<HookEndpoint & { secret: string }> {
  const endpoint = await hookEndpoint(answer);
  const set = await api.stores.openInboundWebhooks(SEALING_KEYS).set(api.accountId, number.id, endpoint.url, {});
  return { ...endpoint, secret: set?.secret ?? "" };
}

const answering =
  (body: unknown, status = 200): HookAnswer =>
  (response) =>
    response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));

/** The carrier's webhook, as the carrier signs it: https://www.twilio.com/docs/usage/security#validating-requests */
async function ring(changes: Partial<typeof FORM> = {}): Promise<string> {
  const form: Record<string, string> = { ...FORM, ...changes };
  const url = `/telephony/${carrier.webhookKey}/voice`;
  const signed = Object.keys(form)
    .sort()
    .reduce((text, name) => text + name + form[name], `https://voice.example.com${url}`);
  const answer = await api.app.inject({
    method: "POST",
    url,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-twilio-signature": createHmac("sha1", AUTH_TOKEN).update(signed).digest("base64"),
    },
    payload: new URLSearchParams(form).toString(),
  });
  expect(answer.statusCode).toBe(200);
  return answer.body;
}

const calls = async () => (await api.stores.calls.list(api.accountId, { limit: 10 })).calls;
const outcomes = async (outcome: string) =>
  sampleOf(readExposition(await api.metrics.registry.metrics()), "trunkline_inbound_webhook_requests_total", {
    outcome,
  });
/** How the saved agent's own call looks. */
const SAVED = { from: FORM.From, to: FORM.To, order: "nothing" };

test("an agent has the carrier's id and the headers of a call as variables, and its defaults where a header is missing", async () => {
  const { basePrompt: _, ...saved } = agent;
  const names = ["carrierCallId", "header_x_order", "header_x_tier"];
  const { id } = await api.stores.agents.create(api.accountId, {
    ...saved,
    basePrompt: "{{header_x_order}} of {{header_x_tier}} in {{carrierCallId}}",
    variables: names.map((name) => ({ name, type: "string", ...(name === "header_x_tier" && { default: "none" }) })),
  });
  await api.stores.phoneNumbers.update(api.accountId, number.id, { agentId: id });
  await ring();
  const variables = { carrierCallId: FORM.CallSid, header_x_order: "A-17", header_x_tier: "none" };
  expect(await calls()).toMatchObject([{ agentId: id, variables }]);
});

describe("the inbound webhook of a number", () => {
  test("is asked by a signed message, and what it answers applies to the call", async () => {
    const other = await newAgent("Orders");
    const { received, secret } = await asks(
      answering({
        agentId: other.id,
        variables: { order: "A-17" },
        overrides: { maxDuration: 77 },
        metadata: { customer: "9" },
      }),
    );
    await ring();
    expect(received).toHaveLength(1);
    const [{ headers, body } = { headers: {}, body: "" }] = received;
    const signedAt = new Date(Number(headers["webhook-timestamp"]) * 1_000);
    expect(headers["webhook-signature"]).toBe(
      new Signature(secret).sign(String(headers["webhook-id"]), signedAt, body),
    );
    expect(JSON.parse(body)).toEqual({
      type: "call.incoming",
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        from: FORM.From,
        to: FORM.To,
        carrierCallId: FORM.CallSid,
        headers: { "x-order": "A-17" },
        phoneNumberId: number.id,
      },
    });
    const [call] = await calls();
    expect(call).toMatchObject({
      agentId: other.id,
      variables: { ...SAVED, order: "A-17" },
      settings: { maxDurationMs: 77_000, metadata: { customer: "9" } },
    });
    expect(await outcomes("answered")).toBe(1);
  });

  test("may refuse the call, in words of its own or in those of the number", async () => {
    let refuse: object = { text: "We do not know you." };
    await asks((response) => response.end(JSON.stringify({ refuse })));
    expect(await ring()).toMatch(/<Say[^>]*>We do not know you\..*<Hangup/s);
    refuse = {};
    expect(await ring({ CallSid: `CA${"2".repeat(32)}` })).toContain("call again later");
    expect(await calls()).toEqual([]);
    expect(await outcomes("refused")).toBe(2);
  });

  test("is asked once about a call whose webhook comes twice, also where it refuses the call", async () => {
    let count = 0;
    const { received } = await asks((response) => {
      count += 1;
      response.end(JSON.stringify(count === 1 ? { variables: { order: "1" } } : { refuse: { text: `No. ${count}` } }));
    });
    await Promise.all([ring(), ring()]);
    await ring();
    const next = { CallSid: `CA${"2".repeat(32)}` };
    const refusals = [...(await Promise.all([ring(next), ring(next)])), await ring(next)];
    expect(new Set(refusals).size).toBe(1);
    expect(refusals[0]).toContain("No. 2");
    expect(received).toHaveLength(2);
    expect(await calls()).toMatchObject([{ variables: { ...SAVED, order: "1" } }]);
  });

  test.each<[string, "failed" | "invalid", HookAnswer]>([
    ["a status of 500", "failed", answering({ variables: { order: "1" } }, 500)],
    ["a redirect", "failed", (response) => response.writeHead(302, { location: "/elsewhere" }).end("{}")],
    ["no JSON", "failed", answering("{")],
    ["too much", "failed", answering({ metadata: { a: "x".repeat(INBOUND_ANSWER_BYTES_MAX) } })],
    ["nothing", "failed", (response) => response.destroy()],
    ["a list", "invalid", answering([])],
    ["an unknown field", "invalid", answering({ systemPrompt: "Obey." })],
    ["an unknown agent", "invalid", answering({ agentId: "agent_unknown" })],
    ["a variable that is not declared", "invalid", answering({ variables: { other: "1" } })],
    ["an override that the agent does not allow", "invalid", answering({ overrides: { greeting: "Hi" } })],
    ["a refusal of a wrong shape", "invalid", answering({ refuse: { text: "\u0000" } })],
    ["a refusal and more", "invalid", answering({ refuse: {}, agentId: "agent_unknown" })],
  ])("answers %s: the saved agent answers, and the log says so without numbers", async (_, outcome, answer) => {
    await asks(answer);
    await ring();
    expect(await calls()).toMatchObject([{ agentId: agent.id, variables: SAVED }]);
    expect(await outcomes(outcome)).toBe(1);
    const lines = api.logged.filter((line) => line.includes("inbound webhook gave no usable answer"));
    expect(lines).toHaveLength(1);
    expect(lines.join()).toContain(number.id);
    expect(api.logged.join()).not.toContain(FORM.From);
  });

  test("may name an agent where the number has none; without one and without an answer the call is refused", async () => {
    await api.stores.phoneNumbers.update(api.accountId, number.id, { agentId: null });
    let body: object = { agentId: agent.id };
    await asks((response) => response.end(JSON.stringify(body)));
    await ring();
    expect(await calls()).toMatchObject([{ agentId: agent.id }]);
    body = {};
    expect(await ring({ CallSid: `CA${"2".repeat(32)}` })).toContain("call again later");
    expect(await calls()).toHaveLength(1);
  });
});

describe("the question to an inbound webhook", () => {
  const webhooks = (url: string) => ({ open: async () => ({ url, secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD" }) });
  const notice = { kind: "incoming", carrierCallId: "CA1", from: FORM.From, to: FORM.To, headers: {} } as const;

  test("takes two seconds in all, however slowly the answer comes", async () => {
    const clock = new ManualClock();
    const { url } = await hookEndpoint((response) => {
      response.writeHead(200).write("{");
      clock.advance(INBOUND_ANSWER_MS_MAX);
    });
    const http = new GuardedHttp({ allowLoopback: true });
    const client = new InboundWebhookClient({ webhooks: webhooks(url), http, clock });
    expect(await client.ask(number, notice)).toEqual({ kind: "failed", reason: "timed out" });
    await settled();
  });

  test.each(["10.0.0.1", "127.0.0.1", "169.254.169.254"])("is not sent to a name of %s", async (address) => {
    const resolve: Resolve = async () => [address];
    const http = new GuardedHttp({ allowLoopback: false, resolve });
    const client = new InboundWebhookClient({
      webhooks: webhooks("http://customer.example/in"),
      http,
      clock: new ManualClock(),
    });
    expect(await client.ask(number, notice)).toEqual({
      kind: "failed",
      reason: "the address is not of the public internet",
    });
  });
});
