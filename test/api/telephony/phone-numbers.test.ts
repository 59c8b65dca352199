import { afterEach, beforeEach, expect, test } from "vitest";
import { Keyring, sealingKeyOf } from "../../../src/store/sealing/seal.ts";
import type { Carrier } from "../../../src/store/telephony/carrier-store.ts";
import type { PhoneNumber } from "../../../src/store/telephony/phone-number-store.ts";
import { type Answer, type ApiUnderTest, apiUnderTest, errorOf, pathsOf } from "../../support/api/harness.ts";
import { AGENT } from "../../support/calls/stored-calls.ts";
import { createCarrier, importNumber, queuedCall } from "../../support/telephony/stored.ts";

const NUMBERS = "/api/v1/phone-numbers";

let api: ApiUnderTest;
let carrier: Carrier;
beforeEach(async () => {
  api = await apiUnderTest();
  carrier = await createCarrier(api.stores, api.accountId);
});
afterEach(() => api.close());

const post = (path: string, body?: object): Promise<Answer> => api.post(body ?? {}, {}, `${NUMBERS}${path}`);
const patch = (id: string, body: object): Promise<Answer> => api.patch(body, {}, `${NUMBERS}/${id}`);
const importAll = (more: object = {}): Promise<Answer> => post("/import", { carrierId: carrier.id, ...more });
const stored = (number: PhoneNumber): Promise<PhoneNumber | undefined> =>
  api.stores.phoneNumbers.get(api.accountId, number.id);
const operations = (): string[] => api.carrierClient.asked.map(({ operation }) => operation);

test("the numbers of a carrier are imported page by page, and again without effect", async () => {
  const page = (number: string, nextPage?: string) => ({
    kind: "done" as const,
    value: { numbers: [{ number, carrierNumberId: `PN${number}` }], ...(nextPage !== undefined && { nextPage }) },
  });
  api.carrierClient.answer({ list_numbers: page("+15550100", "Page=7") });
  const first = (await importAll()).body as { data: object[]; nextCursor: string };
  expect(first.data).toMatchObject([
    { number: "+15550100", name: "+15550100", carrierId: carrier.id, attached: false },
  ]);
  api.carrierClient.answer({ list_numbers: page("+15550101") });
  const second = await importAll({ cursor: first.nextCursor });
  expect(second.body).toMatchObject({ data: [{ number: "+15550101" }], nextCursor: null });
  expect(api.carrierClient.asked[1]?.text).toContain("Page=7");
  const list = (await api.get(`${NUMBERS}?carrierId=${carrier.id}`)).body as { data: object[] };
  expect(list.data).toMatchObject([{ number: "+15550100" }, { number: "+15550101" }]);
  expect((await importAll()).body).toMatchObject({ data: [list.data[1]] });
});

test("a number that the account has at another carrier stays there, and an import leaves it out", async () => {
  const other = await createCarrier(api.stores, api.accountId);
  const number = await importNumber(api.stores, other, "+15550100");
  api.carrierClient.answer({
    list_numbers: { kind: "done", value: { numbers: [{ number: "+15550100", carrierNumberId: "PN1" }] } },
  });
  expect((await importAll()).body).toMatchObject({ data: [], nextCursor: null });
  expect((await stored(number))?.carrierId).toBe(other.id);
});

test("an import answers what is wrong with the carrier, the cursor, and the account's limit", async () => {
  expect((await post("/import", { carrierId: "carrier_unknown" })).status).toBe(404);
  expect((await importAll({ cursor: "nonsense" })).status).toBe(400);
  api.carrierClient.answer({ list_numbers: { kind: "refused", status: 403, code: "20006" } });
  const refused = await importAll();
  expect([refused.status, errorOf(refused).message]).toEqual([
    400,
    "carrier_a refused the list of its numbers with status 403, code 20006",
  ]);
  api.carrierClient.answer({ list_numbers: { kind: "busy", isUnreachable: true } });
  expect((await importAll()).status).toBe(503);
});

test("a number gets a name, an agent, a webhook and limits, and loses them", async () => {
  const { id } = await importNumber(api.stores, carrier);
  const { id: agentId } = await api.stores.agents.create(api.accountId, AGENT);
  const change = { name: "desk", agentId, inboundWebhookUrl: "https://x.example/in", maxConcurrentCalls: 2 };
  const changed = await patch(id, { ...change, refusalText: "We are closed." });
  expect(changed.body).toMatchObject({ ...change, refusalText: "We are closed.", number: "+15550100" });
  const { inboundWebhookSecret: secret } = changed.body as { inboundWebhookSecret: string };
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect((await api.get(`${NUMBERS}/${id}`)).text).not.toContain("whsec_");
  const again = await patch(id, { inboundWebhookUrl: change.inboundWebhookUrl });
  expect((again.body as { inboundWebhookSecret: string }).inboundWebhookSecret).not.toBe(secret);
  expect((await patch(id, { name: "desk" })).body).not.toHaveProperty("inboundWebhookSecret");
  const bare = { agentId: null, inboundWebhookUrl: null, maxConcurrentCalls: null, refusalText: null };
  expect((await patch(id, bare)).body).toMatchObject({ ...bare, name: "desk" });
  const wrong = await patch(id, {
    agentId: "agent_unknown",
    inboundWebhookUrl: "http://10.0.0.1/",
    refusalText: "\u0000",
    number: "+1",
  });
  expect([wrong.status, pathsOf(wrong)]).toEqual([400, ["/agentId", "/inboundWebhookUrl", "/number", "/refusalText"]]);
});

test("attaching stores what the carrier did before, then sets the service's webhooks; detaching restores it", async () => {
  const number = await importNumber(api.stores, carrier);
  expect((await post(`/${number.id}/attach`)).body).toMatchObject({ attached: true });
  expect(operations().at(0)).toBe("read_number");
  const set = api.carrierClient.asked.filter(({ operation }) => operation === "attach_number");
  expect(set.map(({ text }) => decodeURIComponent(text)).join()).toContain(`/telephony/${carrier.webhookKey}/voice`);
  expect(await stored(number)).toMatchObject({ routingBefore: { voice_url: "https://before.example/" } });
  expect((await api.delete(`${NUMBERS}/${number.id}`)).status).toBe(409);
  expect((await post(`/${number.id}/detach`)).body).toMatchObject({ attached: false });
  const restored = api.carrierClient.asked.filter(({ operation }) => operation === "detach_number");
  expect(restored.map(({ text }) => decodeURIComponent(text)).join()).toContain("https://before.example/");
  const asked = operations().length;
  expect((await post(`/${number.id}/detach`)).status).toBe(200);
  expect(operations()).toHaveLength(asked);
  expect((await api.delete(`${NUMBERS}/${number.id}`)).status).toBe(204);
});

test("a number that the carrier did not change is not attached, and one that it may have changed is", async () => {
  const number = await importNumber(api.stores, carrier);
  api.carrierClient.answer({ attach_number: { kind: "refused", status: 404, code: "20404" } });
  const refused = await post(`/${number.id}/attach`);
  expect([refused.status, errorOf(refused).message]).toEqual([
    400,
    "carrier_a refused the change of the number with status 404, code 20404",
  ]);
  expect(await stored(number)).toMatchObject({ isAttached: false });
  api.carrierClient.answer({ attach_number: { kind: "uncertain", status: 0 } });
  expect((await post(`/${number.id}/attach`)).status).toBe(503);
  expect(await stored(number)).toMatchObject({ isAttached: true, routingBefore: expect.anything() });
});

test("a number whose account at the carrier is gone can be detached by force", async () => {
  const number = await importNumber(api.stores, carrier);
  await post(`/${number.id}/attach`);
  api.carrierClient.answer({ detach_number: { kind: "refused", status: 401, code: "" } });
  expect((await post(`/${number.id}/detach`)).status).toBe(400);
  expect(await stored(number)).toMatchObject({ isAttached: true });
  expect((await post(`/${number.id}/detach`, { force: true })).body).toMatchObject({ attached: false });
});

test("a number that was detached by force and is attached again gets back what was there first, never this service", async () => {
  const number = await importNumber(api.stores, carrier);
  const before = { voice_url: "https://before.example/" };
  await post(`/${number.id}/attach`);
  await post(`/${number.id}/detach`, { force: true });
  const own = { voice_url: `https://earlier-tunnel.example/telephony/${carrier.webhookKey}/voice` };
  api.carrierClient.answer({ read_number: { kind: "done", value: own } });
  await post(`/${number.id}/attach`);
  expect(await stored(number)).toMatchObject({ isAttached: true, routingBefore: before });
  // What the operator has set at the carrier meanwhile counts.
  await post(`/${number.id}/detach`, { force: true });
  api.carrierClient.answer({ read_number: { kind: "done", value: { voice_url: "https://new.example/" } } });
  await post(`/${number.id}/attach`);
  expect(await stored(number)).toMatchObject({ routingBefore: { voice_url: "https://new.example/" } });
});

test("a number whose first attachment was not recorded restores nothing rather than this service", async () => {
  const number = await importNumber(api.stores, carrier);
  const own = { voice_url: `https://voice.example.com/telephony/${carrier.webhookKey}/voice` };
  api.carrierClient.answer({ read_number: { kind: "done", value: own } });
  await post(`/${number.id}/attach`);
  expect(await stored(number)).toMatchObject({ isAttached: true, routingBefore: {} });
});

test("a number that the carrier no longer has is detached", async () => {
  const number = await importNumber(api.stores, carrier);
  await post(`/${number.id}/attach`);
  api.carrierClient.answer({ detach_number: { kind: "gone" } });
  expect((await post(`/${number.id}/detach`)).body).toMatchObject({ attached: false });
});

test("without a public address nothing is attached, and the carrier is not asked", async () => {
  const local = await apiUnderTest(undefined, { publicUrl: undefined });
  try {
    const number = await importNumber(local.stores, await createCarrier(local.stores, local.accountId));
    const answer = await local.post({}, {}, `${NUMBERS}/${number.id}/attach`);
    expect([answer.status, errorOf(answer).message]).toEqual([409, expect.stringContaining("PUBLIC_API_URL")]);
    expect(local.carrierClient.asked).toEqual([]);
    const { data } = (await local.get("/api/v1/carriers")).body as { data: { webhookUrls: unknown }[] };
    expect(data[0]?.webhookUrls).toBeNull();
  } finally {
    await local.close();
  }
});

test("a carrier whose key is lost says so", async () => {
  const number = await importNumber(api.stores, carrier);
  await api.stores.forgetLostSecrets(new Keyring([sealingKeyOf(Buffer.alloc(32, 1))]), false);
  const answer = await post(`/${number.id}/attach`);
  expect([answer.status, errorOf(answer).message]).toEqual([409, expect.stringContaining("give it new credentials")]);
});

test("telephone calls are listed by their direction and their numbers", async () => {
  const nowMs = api.clock.epochMs();
  await api.stores.phoneCalls.create(queuedCall(api.accountId, carrier.id, nowMs));
  for (const query of ["direction=outbound", "from=%2B15550100", "to=%2B15550199&status=queued"]) {
    const { data } = (await api.get(`/api/v1/calls?${query}`)).body as { data: object[] };
    expect(data).toMatchObject([
      { status: "queued", phone: { direction: "outbound", from: "+15550100", to: "+15550199", carrierId: carrier.id } },
    ]);
  }
  expect((await api.get("/api/v1/calls?direction=inbound")).body).toMatchObject({ data: [] });
  expect((await api.get("/api/v1/calls?direction=sideways")).status).toBe(400);
});

test("a person of an emulated carrier calls an attached number, and says what the request says", async () => {
  const number = await importNumber(api.stores, carrier, "+15550100");
  const path = `/${number.id}/test-call`;
  const early = await post(path);
  expect([early.status, errorOf(early).message]).toEqual([409, "the number is not attached: attach it first"]);
  await post(`/${number.id}/attach`);
  const answer = await post(path, { says: ["When do you open?"] });
  expect([answer.status, answer.body]).toEqual([202, { from: "+12025550142", to: "+15550100" }]);
  expect(api.carrierClient.asked.at(-1)).toMatchObject({
    operation: "test_call",
    text: expect.stringContaining('"says":["When do you open?"]'),
  });
  const wrong = await post(path, { says: ["", 5], loud: true });
  expect([wrong.status, pathsOf(wrong).sort()]).toEqual([400, ["/loud", "/says/0", "/says/1"]]);
  api.carrierClient.answer({ test_call: { kind: "busy", isUnreachable: true } });
  expect((await post(path)).status).toBe(503);
});

test("a real carrier gets no test call", async () => {
  const number = await importNumber(api.stores, carrier, "+15550100");
  await post(`/${number.id}/attach`);
  api.state.isEmulated = false;
  const refused = await post(`/${number.id}/test-call`);
  expect([refused.status, errorOf(refused).message]).toEqual([409, expect.stringContaining("no emulator")]);
  expect(operations()).not.toContain("test_call");
});
