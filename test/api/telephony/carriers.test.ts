import { afterEach, beforeEach, expect, test } from "vitest";
import { CARRIERS_MAX } from "../../../src/core/limits/phone/carriers.ts";
import { type Answer, type ApiUnderTest, apiUnderTest, errorOf, pathsOf } from "../../support/api/harness.ts";
import { createCarrier, importNumber } from "../../support/telephony/stored.ts";
import { allBytes } from "../../support/temporary-directory.ts";

const CARRIERS = "/api/v1/carriers";
const SECRET = "0c0ffee0c0ffee0c0ffee0c0ffee0c0f";
const ACCOUNT = `AC${"1".repeat(32)}`;
const BODY = { carrier: "carrier_a", name: "main", credentials: { accountSid: ACCOUNT, authToken: SECRET } };

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

const post = (body: object): Promise<Answer> => api.post(body, {}, CARRIERS);
const patch = (id: string, body: object): Promise<Answer> => api.patch(body, {}, `${CARRIERS}/${id}`);
const listed = async (): Promise<unknown[]> => ((await api.get(CARRIERS)).body as { data: unknown[] }).data;
const messagesOf = (answer: Answer): string =>
  errorOf(answer)
    .details.map(({ message }) => message)
    .join();

test("credentials are stored once the carrier has accepted them, and shown without their secrets", async () => {
  const made = await post(BODY);
  const { id } = made.body as { id: string };
  expect([made.status, made.headers.location]).toEqual([201, `${CARRIERS}/${id}`]);
  expect(made.body).toMatchObject({
    carrier: "carrier_a",
    name: "main",
    credentials: { accountSid: ACCOUNT },
    webhookUrls: {
      voice: expect.stringMatching(/^https:\/\/voice\.example\.com\/telephony\/[\w-]{32}\/voice$/),
      status: expect.stringMatching(/\/status$/),
    },
    emulated: true,
    maxConcurrentCalls: null,
    callsPerSecond: 1,
    allowedCountries: null,
    allowedNumbers: null,
    verifiedAt: expect.any(String),
  });
  expect(api.carrierClient.asked.map(({ carrier, operation }) => [carrier, operation])).toEqual([
    ["carrier_a", "verify"],
  ]);
  expect(await listed()).toEqual([made.body]);
  expect((await api.get(`${CARRIERS}/${id}`)).body).toEqual(made.body);
});

test("L1: a secret of a carrier is in no answer, log line or file, whatever is wrong with the request", async () => {
  const made = await post(BODY);
  const { id } = made.body as { id: string };
  api.carrierClient.answer({ verify: { kind: "refused", status: 401, code: "20003" } });
  const refused = [
    await post(BODY),
    await post({ ...BODY, credentials: { accountSid: SECRET, authToken: `${SECRET} ` } }),
    await post({ ...BODY, credentials: { ...BODY.credentials, [SECRET]: 1 } }),
    await post({ ...BODY, credentials: SECRET }),
    await post({ ...BODY, name: 1, carrier: "carrier_z" }),
    await patch(id, { credentials: { accountSid: ACCOUNT, authToken: 7 } }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 400]);
  const audit = await api.get("/api/v1/audit-events");
  expect(audit.text).toContain("carrier.created");
  const shown = [made, ...refused.filter((_, at) => at !== 3), await api.get(CARRIERS), audit].map(({ text }) => text);
  for (const text of [shown.join(), api.logged.join(), allBytes(api.directory)]) {
    expect(text.includes(SECRET)).toBe(false);
  }
});

test("credentials that the carrier refuses are 400 with its status, and nothing is stored", async () => {
  api.carrierClient.answer({ verify: { kind: "refused", status: 401, code: "20003" } });
  const answer = await post(BODY);
  expect([answer.status, pathsOf(answer)]).toEqual([400, ["/credentials"]]);
  expect(errorOf(answer).message).toBe("credentials were refused by carrier_a with status 401, code 20003");
  expect(await listed()).toEqual([]);
});

test.each([
  [{ kind: "busy", isUnreachable: true }, "carrier_a could not be reached from the service", "5"],
  [{ kind: "busy", afterMs: 30_000 }, "carrier_a takes no more requests at present", "30"],
  [{ kind: "uncertain", status: 500 }, "carrier_a answered with status 500", "5"],
  [{ kind: "uncertain", status: 0 }, "carrier_a did not answer", "5"],
] as const)("a carrier that cannot be asked is 503: %j", async (verify, message, retryAfter) => {
  api.carrierClient.answer({ verify });
  const answer = await post(BODY);
  expect([answer.status, errorOf(answer).code]).toEqual([503, "unavailable"]);
  expect(errorOf(answer).message).toContain(message);
  expect(answer.headers["retry-after"]).toBe(retryAfter);
  expect(await listed()).toEqual([]);
});

test("all problems of a request are reported together, before the carrier is asked", async () => {
  const answer = await post({
    carrier: "carrier_a",
    name: " ",
    credentials: { accountSid: "x", other: 1 },
    callsPerSecond: 0,
    allowedCountries: ["de"],
    allowedNumbers: ["0900"],
    nonsense: 1,
  });
  expect([answer.status, pathsOf(answer)]).toEqual([
    400,
    [
      "/allowedCountries/0",
      "/allowedNumbers/0",
      "/callsPerSecond",
      "/credentials",
      "/credentials/accountSid",
      "/credentials/authToken",
      "/name",
      "/nonsense",
    ],
  ]);
  expect(messagesOf(answer)).toContain("must have no other fields than accountSid, authToken");
  expect(messagesOf(answer)).toContain("credentials.accountSid must be AC and 32 hexadecimal digits");
  expect(pathsOf(await post({}))).toEqual(["/carrier", "/credentials", "/name"]);
  expect(api.carrierClient.asked).toEqual([]);
});

test("a change is stored without asking the carrier, but for new credentials", async () => {
  const { id } = (await post(BODY)).body as { id: string };
  const limited = await patch(id, { maxConcurrentCalls: 3, allowedCountries: ["DE", "AT"] });
  expect(limited.body).toMatchObject({ maxConcurrentCalls: 3, allowedCountries: ["DE", "AT"], name: "main" });
  expect((await patch(id, { maxConcurrentCalls: null })).body).toMatchObject({ maxConcurrentCalls: null });
  expect(api.carrierClient.asked).toHaveLength(1);
  const other = { accountSid: `AC${"2".repeat(32)}`, authToken: SECRET };
  expect((await patch(id, { credentials: other })).body).toMatchObject({
    credentials: { accountSid: other.accountSid },
  });
  expect(api.carrierClient.asked).toHaveLength(2);
  api.carrierClient.answer({ verify: { kind: "refused", status: 403, code: "" } });
  expect((await patch(id, { credentials: BODY.credentials })).status).toBe(400);
  expect((await api.get(`${CARRIERS}/${id}`)).body).toMatchObject({ credentials: { accountSid: other.accountSid } });
  expect((await patch("carrier_unknown", { name: "x" })).status).toBe(404);
});

test("a carrier in use names no other account there, and may get another secret", async () => {
  const carrier = await createCarrier(api.stores, api.accountId);
  const number = await importNumber(api.stores, carrier);
  await api.stores.phoneNumbers.setAttached(api.accountId, number.id, {});
  const refused = await patch(carrier.id, { credentials: { accountSid: ACCOUNT, authToken: SECRET } });
  expect([refused.status, errorOf(refused).code]).toEqual([409, "conflict"]);
  expect(errorOf(refused).message).toContain("accountSid can be changed once you detach its numbers");
  const own = { ...carrier.publicCredentials, authToken: SECRET };
  expect((await patch(carrier.id, { credentials: own })).status).toBe(200);
});

test("a carrier in use may get another public key, which names no account, and no other application", async () => {
  const credentials = {
    apiKey: "KEY0123456789ABCDEF0123456789ABCDEF_example",
    publicKey: `${"A".repeat(43)}=`,
    connectionId: "1293384261075731499",
  };
  const { apiKey: _, ...publicCredentials } = credentials;
  const telnyx = { carrier: "carrier_b", publicCredentials, credentials } as const;
  const carrier = await createCarrier(api.stores, api.accountId, telnyx);
  const number = await importNumber(api.stores, carrier);
  await api.stores.phoneNumbers.setAttached(api.accountId, number.id, {});
  const publicKey = "eu2zvPjhY6odxV34Z/EsRiERvTodkev4Fq0SlK90Izg=";
  const corrected = await patch(carrier.id, { credentials: { ...credentials, publicKey } });
  expect([corrected.status, corrected.body]).toMatchObject([200, { credentials: { publicKey } }]);
  const refused = await patch(carrier.id, { credentials: { ...credentials, connectionId: "1" } });
  expect([refused.status, errorOf(refused).message]).toEqual([
    409,
    expect.stringContaining("in use: connectionId can be changed once"),
  ]);
});

test("a carrier in use stays, and one that is deleted takes its numbers along", async () => {
  const carrier = await createCarrier(api.stores, api.accountId);
  const number = await importNumber(api.stores, carrier);
  await api.stores.phoneNumbers.setAttached(api.accountId, number.id, {});
  const refused = await api.delete(`${CARRIERS}/${carrier.id}`);
  expect([refused.status, errorOf(refused).message]).toEqual([409, expect.stringContaining("detach its numbers")]);
  await api.stores.phoneNumbers.setDetached(api.accountId, number.id);
  expect((await api.delete(`${CARRIERS}/${carrier.id}`)).status).toBe(204);
  expect((await api.delete(`${CARRIERS}/${carrier.id}`)).status).toBe(404);
  expect((await api.get(`/api/v1/phone-numbers/${number.id}`)).status).toBe(404);
});

test("an account has a limit of carriers, of which the carrier hears nothing", async () => {
  for (let count = 0; count < CARRIERS_MAX; count++) await createCarrier(api.stores, api.accountId);
  const refused = await post(BODY);
  expect([refused.status, errorOf(refused).message]).toEqual([
    409,
    `the account has reached its limit of ${CARRIERS_MAX} carriers`,
  ]);
  expect(api.carrierClient.asked).toEqual([]);
});
