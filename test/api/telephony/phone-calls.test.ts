import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  PHONE_CALLS_WAITING_ACCOUNT_MAX,
  PHONE_CALLS_WAITING_MAX,
} from "../../../src/core/limits/phone/phone-calls.ts";
import type { PhoneNumber } from "../../../src/store/telephony/phone-number-store.ts";
import {
  type Answer,
  type ApiUnderTest,
  apiUnderTest,
  errorOf,
  MINIMAL_CALL,
  pathsOf,
  VOICES,
} from "../../support/api/harness.ts";
import { AGENT } from "../../support/calls/stored-calls.ts";
import { createCarrier, importNumber, queuedCall } from "../../support/telephony/stored.ts";

const PHONE_CALLS = "/api/v1/phone-calls";
const INLINE = MINIMAL_CALL;

let api: ApiUnderTest;
let number: PhoneNumber;
beforeEach(async () => {
  api = await apiUnderTest();
  const carrier = await createCarrier(api.stores, api.accountId);
  number = await importNumber(api.stores, carrier, "+12025550100");
});
afterEach(() => api.close());

const BODY = { to: "+12025550123", from: "+12025550100" };
const post = (body: object, headers = {}): Promise<Answer> => api.post(body, headers, PHONE_CALLS);
const idOf = (answer: Answer): string => (answer.body as { id: string }).id;

describe("POST /phone-calls", () => {
  test("queues a call with an inline configuration, and names it", async () => {
    const made = await post({ ...BODY, ...INLINE, ringTimeout: 20 });
    expect([made.status, made.headers.location]).toEqual([201, `/api/v1/calls/${idOf(made)}`]);
    expect(made.body).toMatchObject({
      status: "queued",
      connectionType: "carrier_a",
      phone: { direction: "outbound", from: "+12025550100", to: "+12025550123", phoneNumberId: number.id },
    });
    expect(JSON.stringify(made.body)).not.toContain("websocketUrl");
    expect((await api.get(`/api/v1/calls/${idOf(made)}`)).status).toBe(200);
  });

  test("takes the id of a number, and a saved agent", async () => {
    const agent = await api.stores.agents.create(api.accountId, {
      ...AGENT,
      voiceId: VOICES[0]?.id ?? "",
      languageId: VOICES[0]?.language ?? "",
    });
    const made = await post({ to: BODY.to, from: number.id, agentId: agent.id });
    expect(made.body).toMatchObject({ status: "queued", agentId: agent.id, phone: { from: "+12025550100" } });
  });

  test("is the same call for a repeated request, and 409 for another one with its key", async () => {
    const headers = { "idempotency-key": "once" };
    const [first, second] = [await post({ ...BODY, ...INLINE }, headers), await post({ ...BODY, ...INLINE }, headers)];
    expect([idOf(second), second.headers["idempotent-replayed"]]).toEqual([idOf(first), "true"]);
    const other = await post({ ...BODY, ...INLINE, ringTimeout: 9 }, headers);
    expect([other.status, errorOf(other).code]).toEqual([409, "idempotency_mismatch"]);
  });

  test("is 429 while so many calls of the carrier wait that another would not be dialled in time", async () => {
    const { accountId, stores, clock } = api;
    const waiting = queuedCall(accountId, number.carrierId, clock.epochMs(), { dueAtMs: clock.epochMs() });
    for (let count = 0; count < PHONE_CALLS_WAITING_MAX; count += 1) await stores.phoneCalls.create(waiting);
    const refused = await post({ ...BODY, ...INLINE });
    expect([refused.status, errorOf(refused).code, refused.headers["retry-after"]]).toEqual([
      429,
      "rate_limited",
      "10",
    ]);
    expect(await api.metrics.registry.metrics()).toMatch(/calls_limited_total\{limit="carrier_waiting"[^}]*\} 1\n/);
  });

  test("is 429 also while so many calls of all carriers of the account wait", async () => {
    api.stores.phoneCalls.create = async () => ({ kind: "full", of: "account" });
    const refused = await post({ ...BODY, ...INLINE });
    expect([refused.status, errorOf(refused).code, errorOf(refused).message]).toEqual([
      429,
      "rate_limited",
      `the account has reached its limit of ${PHONE_CALLS_WAITING_ACCOUNT_MAX} calls that wait to be dialled`,
    ]);
    expect(await api.metrics.registry.metrics()).toMatch(/calls_limited_total\{limit="account_waiting"[^}]*\} 1\n/);
  });

  test("names all problems together", async () => {
    const refused = await post({ to: "+19005551234", from: BODY.from, ringTimeout: 121, connectionType: "carrier_b" });
    expect(refused.status).toBe(400);
    expect(pathsOf(refused)).toEqual(
      expect.arrayContaining(["/to", "/ringTimeout", "/connectionType", "/systemPrompt", "/voice"]),
    );
  });

  test.each([
    ["+4930123456", "of a country"],
    ["911", "in E.164"],
    ["+881612345678", "satellite"],
    ["+12025550123\r\nX: y", "in E.164"],
    ["+１２０２５５５０１２３", "in E.164"],
  ])("refuses the destination %j", async (to, rule) => {
    const refused = await post({ ...BODY, ...INLINE, to });
    expect([refused.status, pathsOf(refused)]).toEqual([400, ["/to"]]);
    expect(errorOf(refused).details[0]?.message).toContain(rule);
  });

  test("refuses a number that is not the account's, and an unknown agent", async () => {
    expect(pathsOf(await post({ ...BODY, ...INLINE, from: "+12025550177" }))).toEqual(["/from"]);
    expect((await post({ ...BODY, agentId: "agent_01990000-0000-7000-8000-000000000000" })).status).toBe(404);
  });

  test("counts as a creation of the account: past its limit a minute it is 429, and a repeated request is answered", async () => {
    const limits = { limits: { creationsPerMinute: 1 } };
    await api.stores.accounts.update(api.accountId, limits);
    const headers = { "idempotency-key": "once" };
    const first = await post({ ...BODY, ...INLINE }, headers);
    const refused = await post({ ...BODY, ...INLINE });
    expect([refused.status, errorOf(refused).code, refused.headers["retry-after"]]).toEqual([
      429,
      "rate_limited",
      "60",
    ]);
    expect((await api.post(MINIMAL_CALL)).status).toBe(429);
    expect(idOf(await post({ ...BODY, ...INLINE }, headers))).toBe(idOf(first));
    api.clock.advance(60_000);
    expect((await post({ ...BODY, ...INLINE })).status).toBe(201);
  });

  test("is 429 past a spend limit of the account, and a repeated request is answered", async () => {
    const headers = { "idempotency-key": "once" };
    const first = await post({ ...BODY, ...INLINE }, headers);
    api.state.accountOver = "input_tokens";
    for (const more of [{}, { "idempotency-key": "other" }]) {
      const refused = await post({ ...BODY, ...INLINE }, more);
      expect([refused.status, errorOf(refused).code]).toEqual([429, "spend_limit"]);
    }
    expect(idOf(await post({ ...BODY, ...INLINE }, headers))).toBe(idOf(first));
  });

  test("gives the numbers of the call to variables of the agent that are named `from` and `to`", async () => {
    const agent = await api.stores.agents.create(api.accountId, {
      ...AGENT,
      basePrompt: "You call {{to}} from {{from}}. {{toString}}",
      voiceId: VOICES[0]?.id ?? "",
      languageId: VOICES[0]?.language ?? "",
      variables: [
        { name: "from", type: "string" },
        { name: "to", type: "string", default: "somebody" },
        { name: "toString", type: "string", default: "usual" },
      ],
    });
    const variablesOf = async (body: object) =>
      ((await post({ ...BODY, from: number.id, agentId: agent.id, ...body })).body as { variables: object }).variables;
    expect(await variablesOf({})).toEqual({ from: "+12025550100", to: "+12025550123", toString: "usual" });
    expect(await variablesOf({ variables: { from: "the bakery" } })).toMatchObject({ from: "the bakery" });
  });

  test("is 503 where carriers know no address of the service", async () => {
    await api.close();
    api = await apiUnderTest(undefined, { publicUrl: undefined });
    const refused = await post({ ...BODY, ...INLINE });
    expect([refused.status, errorOf(refused).code]).toEqual([503, "unavailable"]);
  });
});

describe("a telephone call", () => {
  test("that is queued ends by POST /calls/{id}/end, and is not dialled", async () => {
    const id = idOf(await post({ ...BODY, ...INLINE }));
    const over = await api.post(undefined, {}, `/api/v1/calls/${id}/end`);
    expect([over.status, (over.body as { endReason: string }).endReason]).toEqual([200, "api_hangup"]);
    expect(api.carrierClient.asked).toEqual([]);
  });

  test("that is not live is not transferred and gets no digits; a target that is never called is 400", async () => {
    const id = idOf(await post({ ...BODY, ...INLINE }));
    const transfer = (target: string) => api.post({ target }, {}, `/api/v1/calls/${id}/transfer`);
    expect((await transfer("+12025550199")).status).toBe(409);
    expect((await transfer("sip:desk@example.com")).status).toBe(409);
    expect(pathsOf(await transfer("+19005551234"))).toEqual(["/target"]);
    expect(pathsOf(await transfer("sip:a@b.example?Route=x"))).toEqual(["/target"]);
    expect((await api.post({ digits: "1x" }, {}, `/api/v1/calls/${id}/dtmf`)).status).toBe(400);
  });
});
