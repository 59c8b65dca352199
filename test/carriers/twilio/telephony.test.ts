import twilio from "twilio";
import { describe, expect, test } from "vitest";
import type { CallInstruction } from "../../../src/carriers/telephony.ts";
import { rfc2822Ms } from "../../../src/carriers/twilio/dates.ts";
import { isTwilioWebhook } from "../../../src/carriers/twilio/signature.ts";
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
import { misspellings } from "../../support/wires/signatures.ts";
import { signTwilio, telephonySubject } from "./telephony-subject.ts";

const { telephony, credentials, number, carrierCallId } = telephonySubject;
const ACCOUNT = `/2010-04-01/Accounts/${credentials.accountSid}`;

carrierTelephonyContract(telephonySubject);

const ok = (body: object) => ({ status: 200, headers: {}, body: JSON.stringify(body) });

describe("the signature of a webhook", () => {
  const url = "https://mycompany.com/myapp.php?foo=1&bar=2";
  const body = new URLSearchParams({
    Digits: "1234",
    To: "+18005551212",
    From: "+14158675309",
    Caller: "+14158675309",
    CallSid: "CA1234567890ABCDE",
  }).toString();
  const published = "RSOYDt4T1cUTdK1PDd93/VVr8B8=";
  const webhook = (signature: string, address = url) => ({
    method: "POST",
    url: address,
    headers: { "x-twilio-signature": signature },
    body: Buffer.from(body),
  });

  test("of Twilio's documentation is authentic, and none near it", () => {
    expect(isTwilioWebhook("12345", webhook(published))).toBe(true);
    for (const bad of misspellings(published.slice(0, -2))) expect(isTwilioWebhook("12345", webhook(bad))).toBe(false);
    for (const address of [`${url}3`, url.replace("https", "http"), url.replace("com", "org"), url.split("?")[0]]) {
      expect(isTwilioWebhook("12345", webhook(published, address))).toBe(false);
    }
    expect(isTwilioWebhook("123456", webhook(published))).toBe(false);
  });

  test("may be over the address with or without the default port, and with what is for the carrier alone", () => {
    const plain = "https://api.example.com/telephony/k/voice";
    for (const signed of [plain, "https://api.example.com:443/telephony/k/voice", `${plain}#rc=5&rp=all`]) {
      const { headers } = signTwilio(body, "12345", signed);
      expect(isTwilioWebhook("12345", { ...webhook(""), url: plain, headers })).toBe(true);
    }
    const { headers } = signTwilio(body, "12345", "https://api.example.com:8443/telephony/k/voice");
    expect(isTwilioWebhook("12345", { ...webhook(""), url: plain, headers })).toBe(false);
  });

  test("is what the official SDK accepts, also where a parameter has several values", () => {
    for (const params of [
      { A: ["2", "1", "2"], B: "x y+z" },
      { CallSid: "CA1", From: "gr\u00fc\u00df" },
    ]) {
      const expected = twilio.validateRequest.bind(undefined, "12345");
      const pairs = Object.entries(params).flatMap(([name, value]) =>
        [value].flat().map((one): [string, string] => [name, one]),
      );
      const form = new URLSearchParams(pairs).toString();
      const signature = twilio.getExpectedTwilioSignature("12345", url, params);
      expect(expected(signature, url, params)).toBe(true);
      expect(isTwilioWebhook("12345", { ...webhook(signature), body: Buffer.from(form) })).toBe(true);
    }
  });
});

/** The request that the official SDK makes. */
async function sdkRequest(use: (client: ReturnType<typeof twilio>) => Promise<unknown>, body: object) {
  const sent: { method: string; uri: string; data?: Record<string, unknown>; params?: Record<string, unknown> }[] = [];
  const client = twilio(credentials.accountSid, credentials.authToken, {
    httpClient: {
      request: async (options: never) => {
        sent.push(options);
        return { statusCode: 200, body, headers: {} };
      },
    } as never,
  });
  await use(client);
  const [{ method = "", uri = "", data = {}, params = {} } = {}] = sent;
  return { method: method.toUpperCase(), path: new URL(uri).pathname, form: pairsOf(data), query: pairsOf(params) };
}

const pairsOf = (fields: Record<string, unknown>): string[] =>
  Object.entries(fields)
    .flatMap(([name, value]) => [value].flat().map((one) => `${name}=${one}`))
    .sort();

const ourPairs = (text = ""): string[] =>
  [...new URLSearchParams(text)].map(([name, value]) => `${name}=${value}`).sort();

/** The carrier asks such an address again. */
const retried = (url: string): string => `${url}#rc=5&rp=all`;

describe("the requests are those of the official SDK", () => {
  test("a dial", async () => {
    const sdk = await sdkRequest(
      (client) =>
        client.calls.create({
          to: ORDER.to,
          from: ORDER.from,
          url: retried(ORDER.urls.voice),
          method: "POST",
          statusCallback: retried(ORDER.urls.status),
          statusCallbackMethod: "POST",
          statusCallbackEvent: ["initiated", "ringing", "answered", "completed"],
          timeout: 30,
        }),
      { sid: "CA1" },
    );
    const { request } = telephony.dial(credentials, ORDER);
    expect([request.method, request.path, ourPairs(request.body)]).toEqual([sdk.method, sdk.path, sdk.form]);
  });

  test("a list of numbers, one number, and its update", async () => {
    const page = "Page=1&PageToken=PNf0";
    const list = await sdkRequest(
      (client) => client.incomingPhoneNumbers.page({ pageSize: 100, pageNumber: 1, pageToken: "PNf0" }),
      { incoming_phone_numbers: [] },
    );
    const listed = telephony.listNumbers(credentials, page).request;
    expect(listed.path.split("?")[0]).toBe(list.path);
    expect(ourPairs(listed.path.split("?")[1])).toEqual(list.query);

    const read = await sdkRequest((client) => client.incomingPhoneNumbers(number.carrierNumberId).fetch(), {});
    expect(telephony.readNumber(credentials, number).request).toMatchObject({ method: read.method, path: read.path });

    const update = await sdkRequest(
      (client) =>
        client.incomingPhoneNumbers(number.carrierNumberId).update({
          voiceUrl: retried(ORDER.urls.voice),
          voiceMethod: "POST",
          statusCallback: retried(ORDER.urls.status),
          statusCallbackMethod: "POST",
          voiceReceiveMode: "voice",
          voiceApplicationSid: "",
          trunkSid: "",
        }),
      {},
    );
    const [attach] = telephony.attachNumber(credentials, number, ORDER.urls).map((step) => step([]).request);
    expect([attach?.path, ourPairs(attach?.body)]).toEqual([update.path, update.form]);
  });

  test("the calls of two numbers, one call, and its updates", async () => {
    const list = await sdkRequest((client) => client.calls.page({ to: ORDER.to, from: ORDER.from, pageSize: 100 }), {
      calls: [],
    });
    const listed = telephony.findCalls(credentials, ORDER, NOW_MS).request;
    expect([listed.path.split("?")[0], ourPairs(listed.path.split("?")[1])]).toEqual([list.path, list.query]);

    const fetched = await sdkRequest((client) => client.calls(carrierCallId).fetch(), {});
    expect(telephony.readPrice?.(credentials, carrierCallId).request).toMatchObject({
      method: fetched.method,
      path: fetched.path,
    });

    const hangUp = await sdkRequest((client) => client.calls(carrierCallId).update({ status: "completed" }), {});
    const ours = telephony.hangUp(credentials, carrierCallId).request;
    expect([ours.path, ourPairs(ours.body)]).toEqual([hangUp.path, hangUp.form]);

    const twiml = telephony.document(TRANSFER)?.body ?? "";
    const updated = await sdkRequest((client) => client.calls(carrierCallId).update({ twiml }), {});
    const instructed = telephony.instruct(credentials, carrierCallId, TRANSFER, OPTIONS).request;
    expect([instructed.path, ourPairs(instructed.body)]).toEqual([updated.path, updated.form]);
  });

  test("the account, which verifies the credentials", async () => {
    const sdk = await sdkRequest((client) => client.api.v2010.accounts(`${credentials.accountSid}`).fetch(), {});
    expect(telephony.verify(credentials).request).toMatchObject({ method: "GET", path: sdk.path });
    expect(telephony.verify(credentials).request.path).toBe(`${ACCOUNT}.json`);
  });
});

describe("the documents are those of the official SDK", () => {
  const sdk = (write: (response: InstanceType<typeof twilio.twiml.VoiceResponse>) => void): string => {
    const response = new twilio.twiml.VoiceResponse();
    write(response);
    return response.toString();
  };
  const { transfer } = TRANSFER;
  const dial = { action: retried(transfer.resultUrl), method: "POST", timeout: 25, callerId: transfer.from };
  const targetStates = {
    statusCallback: retried(transfer.resultUrl),
    statusCallbackEvent: ["answered" as const],
    statusCallbackMethod: "POST",
  };

  test.each<[string, CallInstruction, string]>([
    [
      "a stream",
      STREAM,
      sdk((response) => {
        response.connect().stream({ url: STREAM.stream.url }).parameter({ name: "callId", value: ORDER.callId });
        response.redirect({ method: "POST" }, retried(STREAM.stream.afterUrl));
      }),
    ],
    [
      "a transfer to a number",
      TRANSFER,
      sdk((response) => void response.dial(dial).number(targetStates, transfer.target)),
    ],
    [
      "a transfer to a SIP address",
      { kind: "transfer", transfer: { ...transfer, target: "sip:desk@example.com" } },
      sdk((response) => void response.dial(dial).sip(targetStates, "sip:desk@example.com")),
    ],
    ["a refusal", REFUSAL, sdk((response) => void response.reject({ reason: "busy" }))],
    [
      "a spoken refusal",
      SPOKEN_REFUSAL,
      sdk((response) => {
        response.say({ language: "en-GB" }, "All lines are busy.");
        response.hangup();
      }),
    ],
    ["a hang-up", HANG_UP, sdk((response) => void response.hangup())],
  ])("%s", (_, instruction, expected) => {
    expect(telephony.document(instruction)?.body).toBe(expected);
  });

  test.each([
    ["de-AT", 'language="de-DE"'],
    ["EN-gb", 'language="en-GB"'],
    ["xx", "<Say>"],
    ['en"><Dial>', "<Say>"],
  ])("a text in %s is spoken in a language that Twilio has", (language, expected) => {
    expect(telephony.document({ ...SPOKEN_REFUSAL, language })?.body).toContain(expected);
  });
});

describe("numbers", () => {
  test("of a page are those with voice, in E.164; the next page is its number and its token", () => {
    const listed = [
      { sid: "PN1", phone_number: "+14155550101", capabilities: { voice: true, sms: true } },
      { sid: "PN2", phone_number: "+14155550102", capabilities: { voice: false, sms: true } },
      { sid: "../x", phone_number: "+14155550103" },
      { sid: "PN4", phone_number: "+1415555\u0661\u0662\u0663\u0664" },
      null,
    ];
    const uri = `${ACCOUNT}/IncomingPhoneNumbers.json?PageSize=100&Page=1&PageToken=PNab&Evil=1`;
    const { read } = telephony.listNumbers(credentials);
    expect(read(ok({ incoming_phone_numbers: listed, next_page_uri: uri }))).toEqual({
      kind: "done",
      value: { numbers: [{ number: "+14155550101", carrierNumberId: "PN1" }], nextPage: "Page=1&PageToken=PNab" },
    });
    expect(read(ok({ incoming_phone_numbers: [], next_page_uri: null }))).toEqual({
      kind: "done",
      value: { numbers: [] },
    });
  });

  const before = {
    sid: number.carrierNumberId,
    voice_url: "https://old.example.com/voice?a=1&b=2",
    voice_method: "GET",
    status_callback: "",
    status_callback_method: "POST",
    voice_application_sid: null,
    trunk_sid: "TK1",
    voice_receive_mode: "voice",
    sms_url: "https://old.example.com/sms",
  };

  test("are restored as they were, with the trunk that had their calls, and messages are never written", () => {
    const routing = telephony.readNumber(credentials, number).read(ok(before));
    if (routing.kind !== "done") return expect.fail(routing.kind);
    expect(JSON.stringify(routing.value)).not.toContain("sms");
    const [detach] = telephony.detachNumber(credentials, number, routing.value).map((step) => step([]).request);
    expect(Object.fromEntries(new URLSearchParams(detach?.body))).toEqual({
      VoiceUrl: before.voice_url,
      VoiceMethod: "GET",
      StatusCallback: "",
      StatusCallbackMethod: "POST",
      VoiceReceiveMode: "voice",
      TrunkSid: "TK1",
    });
    return undefined;
  });

  test("that had nothing lose the address of the service", () => {
    const [detach] = telephony.detachNumber(credentials, number, {}).map((step) => step([]).request);
    expect(Object.fromEntries(new URLSearchParams(detach?.body))).toEqual({
      VoiceUrl: "",
      StatusCallback: "",
      VoiceApplicationSid: "",
    });
  });

  test("with a routing that could not be restored are not read", () => {
    const { read } = telephony.readNumber(credentials, number);
    for (const voice_url of [7, {}, "x".repeat(513)]) {
      expect(read(ok({ ...before, voice_url }))).toEqual({ kind: "uncertain", status: 200 });
    }
  });
});

describe("a search for a call", () => {
  const sinceMs = Date.UTC(2026, 10, 27, 12, 0, 0);
  const row = (sid: string, minute: number, more: object = {}) => ({
    sid,
    status: "queued",
    direction: "outbound-api",
    date_created: `Fri, 27 Nov 2026 ${minute < 0 ? "11" : "12"}:${String((minute + 60) % 60).padStart(2, "0")}:00 +0000`,
    ...more,
  });
  const find = (calls: unknown, more: object = {}) =>
    telephony.findCalls(credentials, ORDER, sinceMs).read(ok({ calls, ...more }));

  test("finds what was placed since, with whether it is live, and nothing older or of another kind", () => {
    const calls = [
      row("CA1", 2),
      row("CA2", 1, { status: "completed" }),
      row("CA3", 1, { direction: "outbound-dial" }),
      row("CA4", 1, { date_created: null }),
      row("CA5", -1),
      row("CA6", -2),
      row("../", 1),
    ];
    expect(find(calls)).toEqual({
      kind: "done",
      value: {
        calls: [
          { carrierCallId: "CA1", isLive: true },
          { carrierCallId: "CA2", isLive: false },
          { carrierCallId: "CA4", isLive: true },
          { carrierCallId: "CA5", isLive: true },
        ],
        isComplete: true,
      },
    });
  });

  test("is complete on the last page, or where the page ends with an older call and is in order", () => {
    const more = { next_page_uri: `${ACCOUNT}/Calls.json?Page=1` };
    const isComplete = (calls: unknown[]) => find(calls, more);
    expect(isComplete([row("CA1", 2), row("CA2", -5)])).toMatchObject({ value: { isComplete: true } });
    expect(isComplete([row("CA1", 2), row("CA2", 1)])).toMatchObject({ value: { isComplete: false } });
    expect(isComplete([row("CA1", -9), row("CA2", -5)])).toMatchObject({ value: { isComplete: false } });
    expect(isComplete([row("CA1", 1), row("CA2", 1, { date_created: "x" })])).toMatchObject({
      value: { isComplete: false },
    });
    expect(isComplete([])).toMatchObject({ value: { isComplete: false } });
  });
});

test("dates are those of RFC 2822, in every month and zone", () => {
  for (let day = 0; day < 1_500; day += 1) {
    const ms = Date.UTC(2023, 10, 27 + day, 13, 14, 15);
    expect(rfc2822Ms(new Date(ms).toUTCString().replace("GMT", "+0000"))).toBe(ms);
  }
  expect(rfc2822Ms("Tue, 31 Aug 2010 20:36:28 -0730")).toBe(Date.UTC(2010, 8, 1, 4, 6, 28));
  for (const bad of [undefined, null, 7, "", "2026-11-27", "Fri, 27 Nox 2026 12:00:00 +0000"]) {
    expect(rfc2822Ms(bad)).toBeUndefined();
  }
});

test("a price is without its sign, and unknown until there is one", () => {
  const read = (price: unknown, unit: unknown) =>
    telephony.readPrice?.(credentials, carrierCallId).read(ok({ sid: "CA1", price, price_unit: unit }));
  expect(read("-0.03000", "usd")).toEqual({ kind: "done", value: { amount: 0.03, currency: "USD" } });
  for (const [price, unit] of [
    [null, "USD"],
    ["x", "USD"],
    ["-0.03", null],
    ["1e9", "USD"],
    ["-0.03", "US$"],
  ]) {
    expect(read(price, unit)).toEqual({ kind: "done", value: undefined });
  }
});

test("a number that Twilio does not know is an invalid one, and a call that is over is gone", () => {
  const refusal = (code: number) => ({ status: 400, headers: {}, body: JSON.stringify({ code }) });
  expect(telephony.dial(credentials, ORDER).read(refusal(21211))).toEqual({
    kind: "refused",
    status: 400,
    code: "21211",
    outcome: "invalid_number",
  });
  expect(telephony.hangUp(credentials, carrierCallId).read(refusal(21220))).toEqual({ kind: "gone" });
});

test("there is no request for digits: they are tones in the agent's audio", () => {
  expect(telephony.sendDtmf).toBeUndefined();
});

test("a call that was answered is not rejected but ended", () => {
  const { request } = telephony.instruct(credentials, carrierCallId, REFUSAL, OPTIONS);
  expect(request.body).toBe("Status=completed");
});
