import Telnyx from "telnyx";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { CarrierEmulator, type EmulatorOptions } from "../../../src/simulator/emulator/emulator.ts";
import { PERSON_DEFAULT } from "../../../src/simulator/emulator/scenario.ts";
import { Customer, eventually, type ReceivedWebhook } from "../../support/emulator/customer.ts";

// The carrier's own SDK, unmodified, with the emulator's address as its base URL.

const [NUMBER, PERSON, TARGET] = ["+12025550187", "+12025550142", "+12025550143"];
const OPTIONS: EmulatorOptions = {
  carrier: "telnyx",
  numbers: [NUMBER, "+12025550188"],
  scenario: {
    person: { ...PERSON_DEFAULT, ringsAfterMs: 5, reactsAfterMs: 5 },
    pricedAfterMs: 0,
  },
};

async function startEmulator(options: Partial<EmulatorOptions> = {}) {
  const emulator = new CarrierEmulator({ ...OPTIONS, ...options });
  const baseURL = `${await emulator.start()}/v2`;
  const { apiKey = "", publicKey = "", connectionId = "" } = emulator.credentials;
  const clientFor = (key: string) => new Telnyx({ apiKey: key, publicKey, baseURL, maxRetries: 0 });
  return { emulator, connectionId, clientFor, client: clientFor(apiKey) };
}

const itemsOf = async <Item>(list: AsyncIterable<Item>): Promise<Item[]> => {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
};

describe("each endpoint, by the official SDK", () => {
  let carrier: Awaited<ReturnType<typeof startEmulator>>;
  beforeAll(async () => {
    carrier = await startEmulator();
  });
  afterAll(() => carrier.emulator.stop());

  test("the balance is read with the API key, and with no other", async () => {
    const { client, clientFor } = carrier;
    expect((await client.balance.retrieve()).data).toMatchObject({ record_type: "balance", currency: "USD" });
    await expect(clientFor("KEY0").balance.retrieve()).rejects.toMatchObject({ status: 401 });
  });

  test("numbers are listed page by page, and move from one application to another", async () => {
    const { client, connectionId } = carrier;
    const numbers = await itemsOf(client.phoneNumbers.list({ "page[size]": 1 } as never));
    expect(numbers.map(({ phone_number: number }) => number)).toEqual([NUMBER, "+12025550188"]);
    const created = await client.callControlApplications.create({
      application_name: "trunkline",
      webhook_event_url: "https://service.example.com/voice",
    });
    const id = created.data?.id ?? "";
    const number = numbers[0]?.id ?? "";
    await client.phoneNumbers.update(number, { connection_id: id });
    expect((await client.phoneNumbers.retrieve(number)).data).toMatchObject({
      connection_id: id,
      connection_name: "trunkline",
    });
    await client.phoneNumbers.update(number, { connection_id: connectionId });
    expect((await itemsOf(client.callControlApplications.list())).map((one) => one.id)).toEqual([connectionId, id]);
  });

  test("an application's webhook is read and changed", async () => {
    const { client, connectionId } = carrier;
    const update = { application_name: "renamed", webhook_event_url: "https://service.example.com/other" };
    await client.callControlApplications.update(connectionId, update);
    expect((await client.callControlApplications.retrieve(connectionId)).data).toMatchObject(update);
    await expect(client.callControlApplications.retrieve("1")).rejects.toMatchObject({ status: 404 });
  });

  test("a call is placed once for a command id, is listed, and takes every command", async () => {
    const { client, connectionId, emulator } = carrier;
    const order = {
      connection_id: connectionId,
      from: NUMBER,
      to: PERSON,
      command_id: "7c2f",
      client_state: "Y2FsbF8x",
    };
    const { data } = await client.calls.dial(order);
    const again = await client.calls.dial(order);
    expect(data).toMatchObject({ record_type: "call", is_alive: true, client_state: "Y2FsbF8x" });
    expect(again.data?.call_control_id).toBe(data?.call_control_id);
    expect(emulator.placed.length).toBe(1);
    expect(emulator.placed[0]).toMatchObject({ commandId: "7c2f", clientState: "Y2FsbF8x", from: NUMBER, to: PERSON });
    const id = data?.call_control_id ?? "";
    const { actions } = client.calls;
    emulator.network.setPerson(TARGET, { does: "no_answer" });
    const unanswered = (await client.calls.dial({ connection_id: connectionId, from: NUMBER, to: TARGET })).data;
    const early = actions.sendDtmf(unanswered?.call_control_id ?? "", { digits: "1" });
    await expect(early).rejects.toMatchObject({ status: 422 });
    await actions.hangup(unanswered?.call_control_id ?? "", {});
    await eventually(() => emulator.legOf(id)?.state === "answered");
    const active = await itemsOf(client.connections.listActiveCalls(connectionId));
    expect(active.map((call) => call.call_control_id)).toEqual([id]);
    await actions.sendDtmf(id, { digits: "1w2" });
    await actions.speak(id, { payload: "Hello", voice: "female" });
    await actions.startStreaming(id, { stream_url: "ws://127.0.0.1:9/stream", stream_bidirectional_mode: "rtp" });
    await actions.stopStreaming(id, {});
    await actions.transfer(id, { to: TARGET });
    expect((await actions.hangup(id, {})).data?.result).toBe("ok");
    expect((await client.calls.retrieveStatus(id)).data?.is_alive).toBe(false);
    await expect(actions.hangup(id, {})).rejects.toMatchObject({ status: 422 });
    expect(emulator.legOf(id)?.receivedDigits).toBe("1w2");
  });

  test("a call that comes in is answered or rejected", async () => {
    const { client, emulator } = carrier;
    const [answered, rejected] = [0, 1].map(() => emulator.network.receive({ from: PERSON, to: NUMBER }));
    if (answered === undefined || rejected === undefined) throw new Error("two calls came in");
    // Without the webhook that would name them.
    await expect(client.calls.actions.answer(emulator.callIdOf(answered), {})).rejects.toMatchObject({ status: 404 });
    const [first, second] = [0, 1].map(() => emulator.call({ from: PERSON, to: NUMBER }));
    if (first === undefined || second === undefined) throw new Error("two calls came in");
    await client.calls.actions.answer(emulator.callIdOf(first), {});
    await client.calls.actions.reject(emulator.callIdOf(second), { cause: "USER_BUSY" });
    expect([first.state, second.cause]).toEqual(["answered", "busy"]);
  });

  test("none is left out: the SDK has driven every endpoint of the emulator", () => {
    const { requests, endpoints } = carrier.emulator;
    const driven = new Set(requests.map(({ endpoint }) => endpoint));
    expect(endpoints.filter(({ id }) => !driven.has(id))).toEqual([]);
  });
});

interface Event {
  event_type: string;
  payload: Record<string, unknown>;
}

/** An emulator and a customer that receives its events. */
async function scene(options: Partial<EmulatorOptions> = {}) {
  const carrier = await startEmulator(options);
  const customer = await Customer.start();
  onTestFinished(() => carrier.emulator.stop());
  carrier.emulator.setWebhooks(NUMBER, { voiceUrl: `${customer.url}/voice` });
  const events = (): Event[] => customer.received.map(({ body }) => (JSON.parse(body) as { data: Event }).data);
  const types = (): string[] => events().map((event) => event.event_type);
  const until = (type: string): Promise<void> => customer.until(() => types().includes(type));
  return { ...carrier, customer, events, types, until };
}

const STREAM = {
  stream_bidirectional_mode: "rtp",
  stream_bidirectional_codec: "PCMU",
  stream_track: "inbound_track",
} as const;

test("a call that comes in is answered with a stream that carries its secret; its events are signed", async () => {
  const { emulator, client, customer, events, types, until } = await scene();
  const leg = emulator.call({ from: PERSON, to: NUMBER });
  await until("call.initiated");
  const id = emulator.callIdOf(leg);
  expect(events()[0]?.payload).toMatchObject({
    call_control_id: id,
    direction: "incoming",
    from: PERSON,
    to: NUMBER,
    state: "parked",
  });
  const order = {
    ...STREAM,
    stream_url: `${customer.streamUrl}/stream/token`,
    stream_auth_token: "s3cret",
    client_state: "Y2FsbF8x",
  };
  await client.calls.actions.answer(id, order as never);
  await customer.until(() => (customer.streams[0]?.messages.length ?? 0) > 1);
  expect(customer.streams[0]?.headers).toMatchObject({ "x-telnyx-streaming-auth-token": "s3cret" });
  expect(customer.streams[0]?.messages[1]).toMatchObject({
    event: "start",
    start: { call_control_id: id, from: PERSON, to: NUMBER, client_state: "Y2FsbF8x" },
  });
  emulator.network.hangUp(leg, "person");
  await customer.until(() => types().includes("call.hangup") && types().includes("streaming.stopped"));
  expect(types().slice(0, 3)).toEqual(["call.initiated", "call.answered", "streaming.started"]);
  const hangup = events().find((event) => event.event_type === "call.hangup");
  expect(hangup?.payload).toMatchObject({
    hangup_cause: "normal_clearing",
    hangup_source: "caller",
    client_state: "Y2FsbF8x",
  });
  const verify = ({ body, headers }: ReceivedWebhook): Promise<unknown> => client.webhooks.unwrap(body, { headers });
  await expect(Promise.all(customer.received.map(verify))).resolves.toHaveLength(5);
  const [first] = customer.received;
  if (first === undefined) throw new Error("there are five events");
  await expect(verify({ ...first, body: first.body.replace(PERSON, TARGET) })).rejects.toThrow();
});

test.each([
  [{ does: "busy" }, "user_busy", "486"],
  [{ does: "decline" }, "call_rejected", "603"],
  [{ does: "no_answer" }, "timeout", "487"],
  [{ does: "invalid_number" }, "not_found", "404"],
] as const)("a person who plans %j ends a call by %s", async (plan, cause, sip) => {
  const { client, connectionId, emulator, events, until } = await scene();
  emulator.network.setPerson(PERSON, plan);
  await client.calls.dial({ connection_id: connectionId, from: NUMBER, to: PERSON, timeout_secs: 0.05 });
  await until("call.hangup");
  expect(events().at(-1)?.payload).toMatchObject({ hangup_cause: cause, sip_hangup_cause: sip });
});

describe("a transfer", () => {
  async function answered(options: Partial<EmulatorOptions> = {}) {
    const transferred = await scene(options);
    const leg = transferred.emulator.call({ from: PERSON, to: NUMBER });
    const id = transferred.emulator.callIdOf(leg);
    await transferred.client.calls.actions.answer(id, {});
    await transferred.until("call.answered");
    return { ...transferred, leg, id };
  }

  test("that is answered connects both legs, and the end of one ends the other", async () => {
    const { client, emulator, customer, events, types, leg, id } = await answered();
    await client.calls.actions.transfer(id, { to: TARGET, webhook_url: `${customer.url}/transfer` });
    await customer.until(() => types().filter((type) => type === "call.bridged").length === 2);
    const [, target] = emulator.network.legs;
    if (target === undefined) throw new Error("the target has a leg");
    expect(target.parent).toBe(leg);
    emulator.network.hangUp(target, "person");
    await customer.until(() => types().filter((type) => type === "call.hangup").length === 2);
    expect(leg.state).toBe("ended");
    const sessions = new Set(events().map(({ payload }) => payload.call_session_id));
    expect(sessions.size).toBe(1);
    const ofTarget = customer.received.filter(({ path }) => path === "/transfer");
    expect(ofTarget.length).toBe(4);
  });

  test.each([
    ["busy", "user_busy"],
    ["no_answer", "timeout"],
    ["decline", "call_rejected"],
  ] as const)("to someone who plans %s leaves the first call as it was", async (does, cause) => {
    const { client, emulator, events, until, leg, id } = await answered();
    emulator.network.setPerson(TARGET, { does });
    await client.calls.actions.transfer(id, { to: TARGET, timeout_secs: 0.05 });
    await until("call.hangup");
    expect(events().at(-1)?.payload).toMatchObject({ hangup_cause: cause });
    expect(leg.state).toBe("answered");
    await client.calls.actions.sendDtmf(id, { digits: "1" });
  });

  test("is cancelled when the caller hangs up while it rings", async () => {
    const { client, emulator, leg, id } = await answered();
    emulator.network.setPerson(TARGET, { does: "no_answer" });
    await client.calls.actions.transfer(id, { to: TARGET });
    emulator.network.hangUp(leg, "person");
    expect(emulator.network.legs[1]).toMatchObject({ state: "ended", cause: "canceled" });
  });

  test("with park_after_unbridge keeps the caller when the target hangs up", async () => {
    const { client, emulator, until, leg, id } = await answered();
    emulator.network.setPerson(TARGET, { hangsUpAfterMs: 10 });
    await client.calls.actions.transfer(id, { to: TARGET, park_after_unbridge: "self" });
    await until("call.hangup");
    expect(leg.state).toBe("answered");
  });
});

test("an application that wants it gets the price of a call", async () => {
  const { client, connectionId, customer, emulator, events, until } = await scene();
  await client.callControlApplications.update(connectionId, {
    application_name: "priced",
    webhook_event_url: `${customer.url}/voice`,
    call_cost_in_webhooks: true,
  });
  emulator.network.setPerson(PERSON, { hangsUpAfterMs: 10 });
  await client.calls.dial({ connection_id: connectionId, from: NUMBER, to: PERSON });
  await until("call.cost");
  expect(events().at(-1)?.payload).toMatchObject({ total_cost: "0.00850", status: "success" });
});
