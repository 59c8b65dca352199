import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import plivo from "plivo";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ConnectProxy } from "../../../src/simulator/emulator/connect-proxy.ts";
import { CarrierEmulator, type EmulatorOptions } from "../../../src/simulator/emulator/emulator.ts";
import { PERSON_DEFAULT } from "../../../src/simulator/emulator/scenario.ts";
import { Customer, type CustomerAnswer, eventually, type ReceivedWebhook } from "../../support/emulator/customer.ts";
import { PlivoSdk } from "../../support/emulator/plivo-sdk.ts";
import { hasOpenssl, TestAuthority } from "../../support/network/certificates.ts";

// The carrier's own SDK, unmodified: it reaches the emulator through its CONNECT proxy, and trusts the authority of the test.

const [NUMBER, PERSON, TARGET] = ["+12025550187", "+12025550142", "+12025550143"];
const [PLAIN_NUMBER, PLAIN_PERSON] = ["12025550187", "12025550142"];
const OPTIONS: EmulatorOptions = {
  carrier: "plivo",
  numbers: [NUMBER, "+12025550188"],
  scenario: {
    person: { ...PERSON_DEFAULT, ringsAfterMs: 5, reactsAfterMs: 5 },
    pricedAfterMs: 0,
  },
};

describe.skipIf(!hasOpenssl)("each endpoint, by the official SDK (only where openssl is installed)", () => {
  const directory = mkdtempSync(join(tmpdir(), "trunkline-"));
  const emulator = new CarrierEmulator(OPTIONS);
  let [proxy, sdk]: [ConnectProxy | undefined, PlivoSdk | undefined] = [undefined, undefined];
  const call = <Value>(path: string, args: readonly unknown[] = [], token?: string): Promise<Value> => {
    if (sdk === undefined) throw new Error("the SDK starts before the first test");
    return sdk.call<Value>(path, args, token);
  };

  beforeAll(async () => {
    await emulator.start();
    const authority = new TestAuthority(directory);
    proxy = new ConnectProxy({ ...authority.issue("plivo", "DNS:api.plivo.com"), server: emulator.server });
    sdk = new PlivoSdk(emulator.credentials, await proxy.start(), authority.certFile);
  });
  afterAll(async () => {
    sdk?.close();
    await proxy?.stop();
    await emulator.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  test("the account is read with its credentials, and with no others", async () => {
    const resourceUri = `/v1/Account/${emulator.credentials.authId}/`;
    expect(await call("accounts.get")).toMatchObject({ resourceUri, billingMode: "prepaid" });
    await expect(call("accounts.get", [], "wrong")).rejects.toThrow("401: Could not verify");
  });

  test("numbers are listed page by page, and move from one application to another", async () => {
    const page = (offset: number) => call<{ number: string }[]>("numbers.list", [{ limit: 1, offset }]);
    const listed = [...(await page(0)), ...(await page(1))];
    expect(listed.map(({ number }) => number)).toEqual([PLAIN_NUMBER, "12025550188"]);
    const created = await call<{ appId: string }>("applications.create", [
      "trunkline",
      { answerUrl: "https://service.example.com/voice" },
    ]);
    expect(await call("numbers.update", [PLAIN_NUMBER, { appId: created.appId }])).toMatchObject({
      message: "changed",
    });
    const { application } = await call<{ application: string }>("numbers.get", [PLAIN_NUMBER]);
    expect(application.endsWith(`/Application/${created.appId}/`)).toBe(true);
    const applications = await call<{ appId: string }[]>("applications.list", [{}]);
    expect(applications.map(({ appId }) => appId)).toContain(created.appId);
  });

  test("an application's addresses are read and changed", async () => {
    const [application] = await call<{ appId: string }[]>("applications.list", [{}]);
    const update = { answerUrl: "https://service.example.com/other", hangupUrl: "https://service.example.com/status" };
    await call("applications.update", [application?.appId, update]);
    expect(await call("applications.get", [application?.appId])).toMatchObject({ answerUrl: update.answerUrl });
    await expect(call("applications.get", ["1"])).rejects.toThrow("404: not found");
  });

  test("a call is placed, is live, takes DTMF, is transferred and hung up, and is a record afterwards", async () => {
    const answerUrl = "http://127.0.0.1:9/voice";
    emulator.network.setPerson(PERSON, { reactsAfterMs: 60_000 });
    const { requestUuid } = await call<{ requestUuid: string }>("calls.create", [
      PLAIN_NUMBER,
      PLAIN_PERSON,
      answerUrl,
      {},
    ]);
    expect(emulator.placed).toMatchObject([
      { carrierCallId: requestUuid, from: NUMBER, to: PERSON, urls: [answerUrl] },
    ]);
    await eventually(() => emulator.legOf(requestUuid)?.state === "ringing");
    expect(await call("calls.listLiveCalls", [{}])).toMatchObject([{ callUuid: requestUuid }]);
    expect(await call("calls.getLiveCall", [requestUuid])).toMatchObject({
      callStatus: "ringing",
      direction: "outbound",
    });
    await call("calls.sendDigits", [requestUuid, "12"]);
    expect(emulator.legOf(requestUuid)?.receivedDigits).toBe("12");
    const transfer = { legs: "aleg", alegUrl: answerUrl };
    expect(await call("calls.transfer", [requestUuid, transfer])).toMatchObject({ message: "call transfered" });
    await call("calls.hangup", [requestUuid]);
    await expect(call("calls.hangup", [requestUuid])).rejects.toThrow("404: call not found");
    expect(await call("calls.get", [requestUuid])).toMatchObject({
      hangupCauseCode: 1000,
      hangupSource: "API Request",
      totalAmount: "0.00000",
    });
    const records = await call<{ callUuid: string }[]>("calls.list", [{ toNumber: PLAIN_PERSON }]);
    expect(records.map(({ callUuid }) => callUuid)).toEqual([requestUuid]);
  });

  test("a call that is queued can be cancelled", async () => {
    emulator.network.setPerson(TARGET, { ringsAfterMs: 60_000 });
    const created = await call<{ requestUuid: string }>("calls.create", [
      PLAIN_NUMBER,
      TARGET,
      "http://127.0.0.1:9/voice",
      {},
    ]);
    expect(await call("calls.listQueuedCalls")).toMatchObject([{ callUuid: created.requestUuid }]);
    await call("calls.cancel", [created.requestUuid]);
    expect(emulator.legOf(created.requestUuid)).toMatchObject({ state: "ended", cause: "canceled" });
  });

  test("a call to an invalid number is refused", async () => {
    await expect(call("calls.create", [PLAIN_NUMBER, "12", "http://127.0.0.1:9/voice", {}])).rejects.toThrow(
      "400: 12 is not a valid phone number",
    );
    await expect(call("calls.get", ["unknown"])).rejects.toThrow("404: call not found");
  });

  test("none is left out: the SDK has driven every endpoint of the emulator", () => {
    const driven = new Set(emulator.requests.map(({ endpoint }) => endpoint));
    expect(emulator.endpoints.filter(({ id }) => !driven.has(id))).toEqual([]);
  });
});

const xml = (content: string): CustomerAnswer => ({ body: `<Response>${content}</Response>` });

/** An emulator, and a customer whose application its number has. */
async function scene(answer: (webhook: ReceivedWebhook, customer: Customer) => CustomerAnswer) {
  const emulator = new CarrierEmulator(OPTIONS);
  const url = await emulator.start();
  const customer = await Customer.start(answer);
  onTestFinished(() => emulator.stop());
  emulator.setWebhooks(NUMBER, { voiceUrl: `${customer.url}/voice?key=1`, statusUrl: `${customer.url}/hangup` });
  const { authId = "", authToken = "" } = emulator.credentials;
  const isSigned = ({ method, headers, path, form }: ReceivedWebhook): boolean => {
    const { "x-plivo-signature-v3-nonce": nonce = "", "x-plivo-signature-v3": signature = "" } = headers;
    return plivo.validateV3Signature(method, `${customer.url}${path}`, nonce, authToken, signature, form).valueOf();
  };
  const ask = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${url}/v1/Account/${authId}/${path}`, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`${authId}:${authToken}`).toString("base64")}`,
        "content-type": "application/json",
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return { emulator, customer, authToken, isSigned, ask };
}

const stream = ({ streamUrl }: Customer): CustomerAnswer =>
  xml(
    `<Stream bidirectional="true" keepCallAlive="true" contentType="audio/x-mulaw;rate=8000" extraHeaders="order=A17">${streamUrl}/stream/token</Stream>`,
  );

test("a call that comes in is answered with a stream, and its end is reported; all is signed", async () => {
  const { emulator, customer, authToken, isSigned } = await scene(({ path }, own) =>
    path === "/voice?key=1" ? stream(own) : {},
  );
  const leg = emulator.call({ from: PERSON, to: NUMBER });
  await customer.until(() => (customer.streams[0]?.messages.length ?? 0) > 1);
  const [opened] = customer.streams;
  const { authId } = emulator.credentials;
  expect(opened?.messages[0]).toMatchObject({
    event: "start",
    start: { callId: emulator.callIdOf(leg), accountId: authId },
    extra_headers: "order=A17",
  });
  const nonce = String(opened?.headers["x-plivo-signature-v3-nonce"]);
  const signature = String(opened?.headers["x-plivo-signature-v3"]);
  const url = `${customer.streamUrl}/stream/token`;
  expect(plivo.validateV3Signature("GET", url, nonce, authToken, signature)).toBe(true);
  emulator.network.hangUp(leg, "person");
  await customer.until(() => customer.received.length === 2);
  expect(customer.received[0]?.form).toMatchObject({
    Event: "StartApp",
    CallStatus: "ringing",
    From: PLAIN_PERSON,
    To: PLAIN_NUMBER,
  });
  expect(customer.received[1]?.form).toMatchObject({
    ...{
      Event: "Hangup",
      CallStatus: "completed",
      HangupCauseCode: "4000",
      HangupSource: "Caller",
      TotalCost: "0.00850",
    },
  });
  expect(customer.received.map(isSigned)).toEqual([true, true]);
});

test("an outbound call rings, is answered with a document, and ends", async () => {
  const { customer, ask, isSigned } = await scene(({ path }) => (path === "/answer" ? xml("<Hangup/>") : {}));
  const urls = {
    answer_url: `${customer.url}/answer`,
    ring_url: `${customer.url}/ring`,
    hangup_url: `${customer.url}/end`,
  };
  const created = await ask("POST", "Call/", { from: PLAIN_NUMBER, to: PLAIN_PERSON, ...urls });
  const { request_uuid: uuid } = (await created.json()) as { request_uuid: string };
  await customer.until(() => customer.received.length === 3);
  expect(customer.received.map(({ path, form }) => [path, form.CallStatus])).toEqual([
    ["/ring", "ringing"],
    ["/answer", "in-progress"],
    ["/end", "completed"],
  ]);
  expect(customer.received.every(({ form }) => form.CallUUID === uuid && form.RequestUUID === uuid)).toBe(true);
  expect(customer.received.every(isSigned)).toBe(true);
});

describe("a transfer by <Dial>", () => {
  const dial = ({ url }: Customer): CustomerAnswer =>
    xml(
      `<Dial action="${url}/result" timeout="1" callerId="${PLAIN_NUMBER}" callbackUrl="${url}/legs"><Number>${TARGET}</Number></Dial>`,
    );

  test("connects the caller, and reports both ends of the other leg", async () => {
    const { emulator, customer, isSigned } = await scene(({ path }, own) =>
      path === "/voice?key=1" ? dial(own) : xml(""),
    );
    emulator.network.setPerson(TARGET, { hangsUpAfterMs: 20 });
    const leg = emulator.call({ from: PERSON, to: NUMBER });
    await eventually(() => leg.state === "ended");
    await customer.until(() => customer.received.some(({ path }) => path === "/hangup"));
    const actions = customer.received.filter(({ path }) => path === "/legs").map(({ form }) => form.DialAction);
    expect(actions).toEqual(["answer", "hangup"]);
    expect(customer.received.find(({ path }) => path === "/result")?.form).toMatchObject({
      DialStatus: "completed",
      DialRingStatus: "true",
    });
    expect(customer.received.every(isSigned)).toBe(true);
  });

  test.each([
    ["busy", "busy", "false"],
    ["decline", "busy", "true"],
    ["invalid_number", "failed", "false"],
  ] as const)("to someone who plans %s brings the caller back to a stream", async (does, status, rang) => {
    const { emulator, customer } = await scene(({ path }, own) => (path === "/voice?key=1" ? dial(own) : stream(own)));
    emulator.network.setPerson(TARGET, { does });
    const leg = emulator.call({ from: PERSON, to: NUMBER });
    await customer.until(() => customer.streams.length === 1);
    expect(customer.received.find(({ path }) => path === "/result")?.form).toMatchObject({
      DialStatus: status,
      DialRingStatus: rang,
      DialBLegUUID: "",
    });
    expect(leg.state).toBe("answered");
  });
});

test.each([
  ["<Hangup reason='rejected'/>", "declined"],
  ["<Hangup reason='busy'/>", "busy"],
  ["<Speak>x</Speak>", "completed"],
  ["<Stream>wss://service.example.com/stream</Stream>", "canceled"],
])("the document %s ends a call that comes in as %s", async (content, cause) => {
  const { emulator } = await scene(() => xml(content));
  const leg = emulator.call({ from: PERSON, to: NUMBER });
  await eventually(() => leg.state === "ended");
  expect(leg.cause).toBe(cause);
});
