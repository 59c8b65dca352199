import twilio from "twilio";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { CarrierEmulator, type EmulatorOptions } from "../../../src/simulator/emulator/emulator.ts";
import { PERSON_DEFAULT } from "../../../src/simulator/emulator/scenario.ts";
import { Customer, type CustomerAnswer, eventually, type ReceivedWebhook } from "../../support/emulator/customer.ts";

// The carrier's own SDK, unmodified: its HTTP client sends to the emulator's address instead of the carrier's.

const [NUMBER, PERSON, BUSY] = ["+12025550187", "+12025550142", "+12025550143"];
const OPTIONS: EmulatorOptions = {
  carrier: "twilio",
  numbers: [NUMBER, "+12025550188"],
  scenario: {
    people: { [BUSY]: [{ does: "busy" }] },
    person: { ...PERSON_DEFAULT, ringsAfterMs: 5, reactsAfterMs: 5 },
    pricedAfterMs: 0,
  },
};

class EmulatorClient extends twilio.RequestClient {
  readonly #url: string;

  constructor(url: string) {
    super();
    this.#url = url;
  }

  override request: twilio.RequestClient["request"] = (options) =>
    super.request({ ...options, uri: options.uri.replace("https://api.twilio.com", this.#url) });
}

async function startEmulator(options: Partial<EmulatorOptions> = {}) {
  const emulator = new CarrierEmulator({ ...OPTIONS, ...options });
  const url = await emulator.start();
  const { accountSid = "", authToken = "" } = emulator.credentials;
  const clientFor = (token: string) => twilio(accountSid, token, { httpClient: new EmulatorClient(url) });
  return { emulator, url, accountSid, authToken, clientFor, client: clientFor(authToken) };
}

const twiml = (content: string): CustomerAnswer => ({
  body: `<?xml version="1.0" encoding="UTF-8"?><Response>${content}</Response>`,
});

describe("each endpoint, by the official SDK", () => {
  let carrier: Awaited<ReturnType<typeof startEmulator>>;
  beforeAll(async () => {
    carrier = await startEmulator();
  });
  afterAll(() => carrier.emulator.stop());

  test("the account can be fetched with its credentials, and with no others", async () => {
    const { client, clientFor, accountSid } = carrier;
    const account = await client.api.v2010.accounts(accountSid).fetch();
    expect({ sid: account.sid, status: account.status }).toEqual({ sid: accountSid, status: "active" });
    const refused = clientFor("wrong").api.v2010.accounts(accountSid).fetch();
    await expect(refused).rejects.toMatchObject({ status: 401, code: 20003 });
  });

  test("numbers are listed page by page, and their webhooks are read and changed", async () => {
    const { client } = carrier;
    const all = await client.incomingPhoneNumbers.list({ pageSize: 1 });
    expect(all.map(({ phoneNumber }) => phoneNumber)).toEqual([NUMBER, "+12025550188"]);
    const sid = all[0]?.sid ?? "";
    const voiceUrl = "https://service.example.com/voice";
    const statusCallback = "https://service.example.com/status";
    await client.incomingPhoneNumbers(sid).update({ voiceUrl, voiceMethod: "POST", statusCallback });
    const number = await client.incomingPhoneNumbers(sid).fetch();
    expect(number).toMatchObject({ voiceUrl, voiceMethod: "POST", statusCallback, phoneNumber: NUMBER });
    await client.incomingPhoneNumbers(sid).update({ voiceUrl: "", statusCallback: "" });
    expect((await client.incomingPhoneNumbers(sid).fetch()).voiceUrl).toBe("");
  });

  test("a call is placed, found, redirected and hung up, and has its price afterwards", async () => {
    const { client, emulator } = carrier;
    const call = await client.calls.create({
      from: NUMBER,
      to: PERSON,
      twiml: "<Response><Pause length='60'/></Response>",
    });
    expect(call).toMatchObject({ status: "queued", direction: "outbound-api", from: NUMBER, to: PERSON });
    await eventually(async () => (await client.calls(call.sid).fetch()).status === "in-progress");
    expect(
      (await client.calls.list({ to: PERSON, startTimeAfter: new Date(Date.now() - 3_600_000) })).map(({ sid }) => sid),
    ).toEqual([call.sid]);
    expect(await client.calls.list({ to: PERSON, startTimeAfter: new Date(Date.now() + 3_600_000) })).toEqual([]);
    await client.calls(call.sid).update({ twiml: "<Response><Pause length='30'/></Response>" });
    await client.calls(call.sid).update({ status: "completed" });
    const ended = await client.calls(call.sid).fetch();
    expect(ended).toMatchObject({ status: "completed", price: "-0.00850", priceUnit: "USD" });
    await expect(client.calls(call.sid).update({ status: "completed" })).rejects.toMatchObject({
      status: 404,
      code: 20404,
    });
    expect(emulator.placed.map(({ carrierCallId }) => carrierCallId)).toEqual([call.sid]);
  });

  test("a call to an invalid number, from a foreign number, and an unknown call are refused with the carrier's codes", async () => {
    const { client } = carrier;
    const url = "https://service.example.com/voice";
    await expect(client.calls.create({ from: NUMBER, to: "12", url })).rejects.toMatchObject({
      status: 400,
      code: 21211,
    });
    await expect(client.calls.create({ from: "+12025550100", to: PERSON, url })).rejects.toMatchObject({ code: 21210 });
    await expect(client.calls(`CA${"0".repeat(32)}`).fetch()).rejects.toMatchObject({ status: 404, code: 20404 });
  });

  test("none is left out: the SDK has driven every endpoint of the emulator", () => {
    const { requests, endpoints } = carrier.emulator;
    const driven = new Set(requests.map(({ endpoint }) => endpoint));
    expect(endpoints.filter(({ id }) => !driven.has(id))).toEqual([]);
  });
});

/** An emulator and a customer whose number's webhook is set. */
async function scene(
  answer: (webhook: ReceivedWebhook, customer: Customer) => CustomerAnswer,
  options: Partial<EmulatorOptions> = {},
) {
  const carrier = await startEmulator(options);
  const customer = await Customer.start(answer);
  onTestFinished(() => carrier.emulator.stop());
  carrier.emulator.setWebhooks(NUMBER, { voiceUrl: `${customer.url}/voice`, statusUrl: `${customer.url}/status` });
  const isSigned = ({ headers, path, form }: ReceivedWebhook): boolean =>
    twilio.validateRequest(carrier.authToken, headers["x-twilio-signature"] ?? "", `${customer.url}${path}`, form);
  return { ...carrier, customer, isSigned };
}

const stream = ({ streamUrl }: Customer, next = ""): CustomerAnswer =>
  twiml(
    `<Connect><Stream url="${streamUrl}/stream/token"><Parameter name="order" value="A-17"/></Stream></Connect>${next}`,
  );

test("a call that comes in is answered with a stream, its DTMF reaches the stream, and its end is reported; all is signed", async () => {
  const { emulator, customer, authToken, accountSid, isSigned } = await scene(({ path }, own) =>
    path === "/voice" ? stream(own) : {},
  );
  const leg = emulator.call({ from: PERSON, to: NUMBER });
  await customer.until(() => (customer.streams[0]?.messages.length ?? 0) > 2);
  const [opened] = customer.streams;
  expect(opened?.messages[1]).toMatchObject({
    event: "start",
    start: { callSid: emulator.callIdOf(leg), accountSid, customParameters: { order: "A-17" } },
  });
  const url = `${customer.streamUrl}/stream/token`;
  expect(twilio.validateRequest(authToken, String(opened?.headers["x-twilio-signature"]), url, {})).toBe(true);
  emulator.network.press(leg, "7");
  await customer.until(
    () => opened?.messages.some((message) => (message as { event: string }).event === "dtmf") === true,
  );
  emulator.network.hangUp(leg, "person");
  await customer.until(() => customer.received.length === 2);
  expect(customer.received[0]?.form).toMatchObject({
    CallStatus: "ringing",
    Direction: "inbound",
    From: PERSON,
    To: NUMBER,
  });
  expect(customer.received[1]?.form).toMatchObject({
    CallStatus: "completed",
    CallDuration: expect.stringMatching(/^[1-9]\d*$/),
  });
  expect(customer.received.map(isSigned)).toEqual([true, true]);
});

test("an outbound call reports its states in order, and its document is fetched at the answer", async () => {
  const { client, customer, isSigned } = await scene(({ path }) => (path === "/outbound" ? twiml("<Hangup/>") : {}));
  const call = await client.calls.create({
    from: NUMBER,
    to: PERSON,
    url: `${customer.url}/outbound`,
    statusCallback: `${customer.url}/states?call=call_1`,
    statusCallbackEvent: ["initiated", "ringing", "answered", "completed"],
  });
  await customer.until(() => customer.received.length === 5);
  const states = customer.received.filter(({ path }) => path === "/states?call=call_1").map(({ form }) => form);
  expect(states.map(({ CallStatus }) => CallStatus)).toEqual(["initiated", "ringing", "in-progress", "completed"]);
  expect(states.map(({ SequenceNumber }) => SequenceNumber)).toEqual(["0", "1", "2", "3"]);
  expect(states.every(({ CallSid }) => CallSid === call.sid)).toBe(true);
  expect(customer.received.every(isSigned)).toBe(true);
});

test.each([
  [{ does: "busy" }, "busy", "486"],
  [{ does: "decline" }, "busy", "603"],
  [{ does: "no_answer" }, "no-answer", "487"],
  [{ does: "invalid_number" }, "failed", "404"],
] as const)("a person who plans %j ends a call as %s", async (plan, status, sip) => {
  const { client, emulator, customer } = await scene(() => ({}));
  emulator.network.setPerson(PERSON, plan);
  const statusCallback = `${customer.url}/status`;
  await client.calls.create({ from: NUMBER, to: PERSON, url: `${customer.url}/voice`, statusCallback, timeout: 0.1 });
  await customer.until(() => customer.received.length === 1);
  expect(customer.received[0]?.form).toMatchObject({ CallStatus: status, SipResponseCode: sip });
});

describe("a transfer by <Dial>", () => {
  const dial = ({ url }: Customer, to: string, timeoutS = 20): CustomerAnswer =>
    twiml(`<Dial action="${url}/result" timeout="${timeoutS}" callerId="${NUMBER}"><Number>${to}</Number></Dial>`);

  test("connects the caller, who stays until the other person hangs up", async () => {
    const { emulator, customer } = await scene(({ path }, own) => (path === "/voice" ? dial(own, PERSON) : twiml("")));
    emulator.network.setPerson(PERSON, { hangsUpAfterMs: 20 });
    const leg = emulator.call({ from: BUSY, to: NUMBER });
    await customer.until(() => customer.received.some(({ path }) => path === "/result"));
    const result = customer.received.find(({ path }) => path === "/result");
    expect(result?.form).toMatchObject({
      DialCallStatus: "completed",
      DialBridged: "true",
      CallSid: emulator.callIdOf(leg),
    });
    await eventually(() => leg.state === "ended");
  });

  test.each([
    ["busy", "busy"],
    ["no_answer", "no-answer"],
    ["invalid_number", "failed"],
  ] as const)("to someone who plans %s asks what to do now, and a stream brings the caller back", async (does, status) => {
    const { emulator, customer } = await scene(({ path }, own) =>
      path === "/voice" ? dial(own, BUSY, 0.05) : stream(own),
    );
    emulator.network.setPerson(BUSY, { does });
    const leg = emulator.call({ from: PERSON, to: NUMBER });
    await customer.until(() => customer.streams.length === 1);
    expect(customer.received.find(({ path }) => path === "/result")?.form.DialCallStatus).toBe(status);
    expect(leg.state).toBe("answered");
  });

  test("ends the call where the stream of the return cannot be connected: its document has nothing more", async () => {
    const { emulator, customer } = await scene(({ path }, own) => (path === "/voice" ? dial(own, BUSY) : stream(own)));
    emulator.network.setPerson(BUSY, { does: "busy" });
    const leg = emulator.call({ from: PERSON, to: NUMBER }, { failsStream: 1 });
    await eventually(() => leg.state === "ended");
    expect(customer.streams).toEqual([]);
    expect(leg.endedBy).toBe("account");
  });

  test("asks what follows where the stream cannot be connected, as long as the address says, and without its fragment", async () => {
    let asked = 0;
    const { emulator, customer } = await scene(({ path }, own) => {
      if (path === "/next") asked += 1;
      if (path === "/next") return asked === 1 ? { status: 503 } : stream(own);
      return stream(own, `<Redirect>${own.url}/next#rc=1&amp;rp=5xx</Redirect>`);
    });
    emulator.call({ from: PERSON, to: NUMBER }, { failsStream: 1 });
    await customer.until(() => customer.streams.length === 1);
    const next = customer.received.filter(({ path }) => path === "/next");
    expect(next.map(({ form }) => form.CallStatus)).toEqual(["in-progress", "in-progress"]);
  });

  test("ends with the caller, who hangs up while it rings", async () => {
    const { emulator, customer } = await scene(({ path }, own) => (path === "/voice" ? dial(own, BUSY) : {}));
    emulator.network.setPerson(BUSY, { does: "no_answer" });
    const leg = emulator.call({ from: PERSON, to: NUMBER });
    await eventually(() => emulator.network.legs[1]?.state === "ringing");
    emulator.network.hangUp(leg, "person");
    await customer.until(() => customer.received.some(({ path }) => path === "/result"));
    expect(emulator.network.legs.map(({ state }) => state)).toEqual(["ended", "ended"]);
  });

  test("by an update of a live call closes its stream first", async () => {
    const { client, emulator, customer } = await scene(({ path }, own) =>
      path === "/voice" || path === "/result" ? stream(own) : dial(own, BUSY),
    );
    const leg = emulator.call({ from: PERSON, to: NUMBER });
    await customer.until(() => (customer.streams[0]?.messages.length ?? 0) > 1);
    await client.calls(emulator.callIdOf(leg)).update({ url: `${customer.url}/transfer` });
    await customer.until(() => customer.streams.length === 2);
    expect(customer.streams[0]?.messages.at(-1)).toMatchObject({ event: "stop" });
    await customer.until(() => (customer.streams[1]?.messages.length ?? 0) > 1);
    const ids = customer.streams.map(({ messages }) => (messages[1] as { streamSid: string }).streamSid);
    expect(new Set(ids).size).toBe(2);
  });
});

test("a caller who hangs up before the document has arrived gets no stream", async () => {
  const { emulator, customer } = await scene(({ path }, own) => {
    if (path !== "/voice") return {};
    for (const leg of emulator.network.legs) emulator.network.hangUp(leg, "person");
    return stream(own);
  });
  const leg = emulator.call({ from: PERSON, to: NUMBER });
  await customer.until(() => customer.received.some(({ path }) => path === "/status"));
  expect(customer.received.at(-1)?.form).toMatchObject({ CallStatus: "no-answer", CallSid: emulator.callIdOf(leg) });
  expect({ streams: customer.streams.length, hasStream: emulator.streams.has(leg) }).toEqual({
    streams: 0,
    hasStream: false,
  });
});

test("a document that rejects a call after the answer ends it", async () => {
  const { client, emulator, customer } = await scene(({ path }) => (path === "/outbound" ? twiml("<Reject/>") : {}));
  const call = await client.calls.create({ from: NUMBER, to: PERSON, url: `${customer.url}/outbound` });
  await eventually(() => emulator.legOf(call.sid)?.state === "ended");
  expect(emulator.legOf(call.sid)).toMatchObject({ cause: "completed", endedBy: "account" });
});

test("an answering machine is reported to a call that was placed with its detection", async () => {
  const { client, emulator, customer } = await scene(() => twiml("<Hangup/>"));
  emulator.network.setPerson(PERSON, { does: "machine" });
  const order = { from: NUMBER, to: PERSON, url: `${customer.url}/outbound` };
  await client.calls.create({ ...order, machineDetection: "Enable" });
  await client.calls.create(order);
  await customer.until(() => customer.received.length === 2);
  expect(customer.received.map(({ form }) => form.AnsweredBy).sort()).toEqual(["machine_start", undefined]);
});

test("a document in the order that cannot be read places no call", async () => {
  const { client, emulator } = await scene(() => ({}));
  const order = { from: NUMBER, to: PERSON, twiml: "<Response><Say>" };
  await expect(client.calls.create(order)).rejects.toMatchObject({ status: 400 });
  expect(emulator.placed).toEqual([]);
});

test.each([
  ["<Reject reason='busy'/>", "busy", false],
  ["<Reject/>", "declined", false],
  ["<Say>We are closed.</Say><Hangup/>", "completed", true],
  ["<Unknown/>", "completed", true],
  ["<Say>not closed", "completed", true],
])("the document %s ends a call that comes in as %s", async (content, cause, isAnswered) => {
  const { emulator } = await scene(() => twiml(content));
  const leg = emulator.call({ from: PERSON, to: NUMBER }, { hangsUpAfterMs: 30 });
  await eventually(() => leg.state === "ended");
  expect({ cause: leg.cause, isAnswered: leg.answeredAt !== undefined }).toEqual({ cause, isAnswered });
});
