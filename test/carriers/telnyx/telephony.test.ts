import Telnyx from "telnyx";
import { describe, expect, test } from "vitest";
import { isTelnyxWebhook } from "../../../src/carriers/telnyx/signature.ts";
import { carrierTelephonyContract } from "../../contract/telephony/carrier-telephony.ts";
import {
  HANG_UP,
  NOW_MS,
  OPTIONS,
  ORDER,
  REFUSAL,
  SPOKEN_REFUSAL,
  STREAM,
  TRANSFER,
} from "../../support/telephony/telephony-under-test.ts";
import { signTelnyx, stateOf, telephonySubject } from "./telephony-subject.ts";

const { telephony, credentials, number, carrierCallId } = telephonySubject;
const { publicKey = "", connectionId = "", apiKey = "" } = credentials;

carrierTelephonyContract(telephonySubject);

const ok = (body: object) => ({ status: 200, headers: {}, body: JSON.stringify(body) });
const bodyOf = ({ body = "" }: { body?: string }) => JSON.parse(body);

describe("the signature of a webhook", () => {
  test.each([
    [-301, false],
    [-300, true],
    [0, true],
    [300, true],
    [301, false],
  ])("that is %i s from now is authentic: %s", (seconds, isGood) => {
    expect(isTelnyxWebhook(publicKey, signTelnyx("{}", NOW_MS + seconds * 1_000), NOW_MS)).toBe(isGood);
  });

  test("is over the time, too", () => {
    const { headers, ...webhook } = signTelnyx("{}");
    const later = String(Number(headers["telnyx-timestamp"]) + 1);
    for (const timestamp of [
      later,
      `0${headers["telnyx-timestamp"]}`,
      ` ${headers["telnyx-timestamp"]}`,
      "1e9",
      "-1",
    ]) {
      expect(
        isTelnyxWebhook(publicKey, { ...webhook, headers: { ...headers, "telnyx-timestamp": timestamp } }, NOW_MS),
      ).toBe(false);
    }
  });

  test("cannot be checked with a key that is none", () => {
    for (const key of ["", "AAAA", "A".repeat(43), `${"A".repeat(42)}==`]) {
      expect(isTelnyxWebhook(key, signTelnyx("{}"), NOW_MS)).toBe(false);
    }
  });

  test("is what the official SDK accepts", async () => {
    const { headers, body } = signTelnyx('{"data":{"event_type":"call.answered"}}', Date.now());
    const sdk = new Telnyx({ apiKey, publicKey });
    await expect(sdk.webhooks.unwrap(body.toString(), { headers })).resolves.toMatchObject({ data: {} });
    await expect(sdk.webhooks.unwrap(`${body} `, { headers })).rejects.toThrow("signature");
  });
});

/** The request that the official SDK makes. */
async function sdkRequest(use: (client: Telnyx) => Promise<unknown>) {
  const sent: { method: string; url: URL; body: unknown; authorization: string | null }[] = [];
  const client = new Telnyx({
    apiKey,
    maxRetries: 0,
    fetch: async (url, init) => {
      const body = init?.body;
      sent.push({
        method: String(init?.method).toUpperCase(),
        url: new URL(String(url)),
        body: typeof body === "string" ? JSON.parse(body) : undefined,
        authorization: new Headers(init?.headers).get("authorization"),
      });
      return new Response('{"data":{}}', { headers: { "content-type": "application/json" } });
    },
  });
  await use(client);
  const [first] = sent;
  if (first === undefined) return expect.fail("no request");
  const { method, url, body, authorization } = first;
  return { method, path: url.pathname, query: [...url.searchParams].sort(), body, authorization };
}

const ours = ({ method, path, headers, body }: ReturnType<typeof telephony.hangUp>["request"]) => {
  const url = new URL(path, telephony.apiUrl.value);
  return {
    method,
    path: url.pathname,
    query: [...url.searchParams].sort(),
    body: body === undefined ? undefined : JSON.parse(body),
    authorization: headers.authorization,
  };
};

describe("the requests are those of the official SDK", () => {
  test("a dial, with one command id for all attempts", async () => {
    const sdk = await sdkRequest((client) =>
      client.calls.dial({
        connection_id: connectionId,
        to: ORDER.to,
        from: ORDER.from,
        command_id: ORDER.callId,
        client_state: stateOf({ callId: ORDER.callId }),
        timeout_secs: 30,
        retry_on_timeout: false,
        webhook_url: ORDER.urls.status,
        webhook_url_method: "POST",
      }),
    );
    expect(ours(telephony.dial(credentials, ORDER).request)).toEqual(sdk);
    expect(telephony.dial(credentials, { ...ORDER }).request).toEqual(telephony.dial(credentials, ORDER).request);
  });

  test("numbers, the application, and what attaches a number", async () => {
    const list = await sdkRequest(async (client) => {
      await client.phoneNumbers.list({ "page[number]": 2, "page[size]": 100, filter: { status: "active" } });
    });
    expect(ours(telephony.listNumbers(credentials, "2").request)).toEqual(list);
    const read = await sdkRequest((client) => client.phoneNumbers.retrieve(number.carrierNumberId));
    expect(ours(telephony.readNumber(credentials, number).request)).toEqual(read);
    const application = await sdkRequest((client) => client.callControlApplications.retrieve(connectionId));
    expect(ours(telephony.verify(credentials).request)).toEqual(application);
    const steps = telephony
      .attachNumber(credentials, number, ORDER.urls)
      .map((step) => ours(step(["call-router"]).request));
    expect(steps).toEqual([
      application,
      await sdkRequest((client) =>
        client.callControlApplications.update(connectionId, {
          application_name: "call-router",
          webhook_event_url: ORDER.urls.voice,
          webhook_api_version: "2",
          call_cost_in_webhooks: true,
        }),
      ),
      await sdkRequest((client) => client.phoneNumbers.update(number.carrierNumberId, { connection_id: connectionId })),
    ]);
  });

  test("the live calls of the application", async () => {
    const sdk = await sdkRequest(async (client) => {
      await client.connections.listActiveCalls(connectionId, { "page[size]": 100 });
    });
    expect(ours(telephony.findCalls(credentials, ORDER, NOW_MS).request)).toEqual(sdk);
  });

  test("commands to a call", async () => {
    const instruct = (instruction: Parameters<typeof telephony.instruct>[2], isAnswered = true) =>
      ours(telephony.instruct(credentials, carrierCallId, instruction, { ...OPTIONS, isAnswered }).request);
    const id = { command_id: OPTIONS.commandId };
    const sdk = (use: (actions: Telnyx["calls"]["actions"]) => Promise<unknown>) =>
      sdkRequest((client) => use(client.calls.actions));
    expect(instruct(STREAM, false)).toEqual(await sdk((actions) => actions.answer(carrierCallId, id)));
    expect(instruct(STREAM)).toEqual(
      await sdk((actions) =>
        actions.startStreaming(carrierCallId, {
          ...id,
          client_state: stateOf({ callId: ORDER.callId, connect: 1 }),
          stream_url: STREAM.stream.url,
          stream_auth_token: STREAM.stream.authToken,
          stream_track: "inbound_track",
          stream_codec: "PCMU",
          stream_bidirectional_mode: "rtp",
          stream_bidirectional_codec: "PCMU",
          stream_bidirectional_sampling_rate: 8_000,
        }),
      ),
    );
    expect(instruct(TRANSFER)).toEqual(
      await sdk((actions) =>
        actions.transfer(carrierCallId, {
          ...id,
          to: TRANSFER.transfer.target,
          from: TRANSFER.transfer.from,
          timeout_secs: 25,
          target_leg_client_state: stateOf({ transferOf: carrierCallId }),
          webhook_url: TRANSFER.transfer.resultUrl,
          webhook_url_method: "POST",
        }),
      ),
    );
    expect(instruct(REFUSAL, false)).toEqual(
      await sdk((actions) => actions.reject(carrierCallId, { ...id, cause: "USER_BUSY" })),
    );
    expect(instruct({ ...REFUSAL, reason: "rejected" }, false)).toEqual(
      await sdk((actions) => actions.reject(carrierCallId, { ...id, cause: "CALL_REJECTED" })),
    );
    expect(instruct(SPOKEN_REFUSAL, false)).toEqual(await sdk((actions) => actions.answer(carrierCallId, id)));
    expect(instruct(SPOKEN_REFUSAL)).toEqual(
      await sdk((actions) =>
        actions.speak(carrierCallId, {
          ...id,
          payload: SPOKEN_REFUSAL.text,
          payload_type: "text",
          voice: "female",
          language: "en-GB",
        }),
      ),
    );
    const hangUp = await sdk((actions) => actions.hangup(carrierCallId, id));
    expect([instruct(REFUSAL), instruct(HANG_UP)]).toEqual([hangUp, hangUp]);
    expect(ours(telephony.hangUp(credentials, carrierCallId).request)).toEqual(
      await sdk((actions) => actions.hangup(carrierCallId, {})),
    );
    const digits = telephony.sendDtmf?.(credentials, carrierCallId, "1w2#").request;
    expect(digits && ours(digits)).toEqual(await sdk((actions) => actions.sendDtmf(carrierCallId, { digits: "1w2#" })));
  });
});

test("a stream to a carrier that was configured for A-law is ordered in A-law", () => {
  const stream = { ...STREAM.stream, outboundCodec: "alaw" } as const;
  const { request } = telephony.instruct(credentials, carrierCallId, { kind: "stream", stream }, OPTIONS);
  expect(bodyOf(request)).toMatchObject({ stream_bidirectional_codec: "PCMA", stream_codec: "PCMU" });
});

test("a text in a language that Telnyx does not have is spoken by its default", () => {
  const languageOf = (language: string) =>
    bodyOf(telephony.instruct(credentials, carrierCallId, { ...SPOKEN_REFUSAL, language }, OPTIONS).request).language;
  expect([languageOf("de-AT"), languageOf("xx")]).toEqual(["de-DE", undefined]);
});

test("a command that the carrier did not confirm is uncertain, and one to a call that is over is gone", () => {
  const { read } = telephony.hangUp(credentials, carrierCallId);
  expect(read(ok({ data: { result: "ok" } }))).toEqual({ kind: "done", value: undefined });
  for (const body of [{}, { data: {} }, { data: { result: "no" } }, { data: [] }]) {
    expect(read(ok(body))).toEqual({ kind: "uncertain", status: 200 });
  }
  const ended = { errors: [{ code: "90018", title: "Call has already ended" }] };
  expect(read({ status: 422, headers: {}, body: JSON.stringify(ended) })).toEqual({ kind: "gone" });
  expect(
    telephony.dial(credentials, ORDER).read({ status: 422, headers: {}, body: JSON.stringify(ended) }),
  ).toMatchObject({
    kind: "refused",
  });
});

test("a page of numbers has those in E.164, and the next page while there is one", () => {
  const data = [
    { id: "1", phone_number: "+14155550101" },
    { id: "a/b", phone_number: "+14155550102" },
    { id: "3", phone_number: "14155550103" },
    7,
  ];
  const { read } = telephony.listNumbers(credentials);
  const numbers = [{ number: "+14155550101", carrierNumberId: "1" }];
  expect(read(ok({ data, meta: { page_number: 1, total_pages: 3 } }))).toEqual({
    kind: "done",
    value: { numbers, nextPage: "2" },
  });
  for (const meta of [{ page_number: 3, total_pages: 3 }, {}, undefined, { page_number: "1", total_pages: "3" }]) {
    expect(read(ok({ data, meta }))).toEqual({ kind: "done", value: { numbers } });
  }
});

test("a number returns to the connection that it had, or to none", () => {
  const connectionOf = (before: object) => {
    const routing = telephony.readNumber(credentials, number).read(ok({ data: before }));
    if (routing.kind !== "done") return expect.fail(routing.kind);
    const [detach] = telephony.detachNumber(credentials, number, routing.value).map((step) => step([]).request);
    return bodyOf(detach ?? {}).connection_id;
  };
  expect(connectionOf({ id: "1", connection_id: "77" })).toBe("77");
  expect(connectionOf({ id: "1", connection_id: null })).toBe("");
});

test("a search finds the live call that names the order, and never says that there is no other", () => {
  const call = (id: string, state: unknown) => ({ call_control_id: id, client_state: state, record_type: "call" });
  const data = [
    call("v3:1", stateOf({ callId: "call_of_another" })),
    call("v3:2", stateOf({ callId: ORDER.callId })),
    call("../3", stateOf({ callId: ORDER.callId })),
    call("v3:4", null),
    call("v3:5", "%%%"),
  ];
  expect(telephony.findCalls(credentials, ORDER, NOW_MS).read(ok({ data }))).toEqual({
    kind: "done",
    value: { calls: [{ carrierCallId: "v3:2", callId: ORDER.callId, isLive: true }], isComplete: false },
  });
});
