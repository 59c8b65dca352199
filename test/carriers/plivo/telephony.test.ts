import plivo from "plivo";
import { describe, expect, test } from "vitest";
import { isPlivoWebhook } from "../../../src/carriers/plivo/signature.ts";
import type { CallInstruction } from "../../../src/carriers/telephony.ts";
import { carrierTelephonyContract } from "../../contract/telephony/carrier-telephony.ts";
import { parseXml } from "../../support/telephony/parse-xml.ts";
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
import { hmac, misspellings } from "../../support/wires/signatures.ts";
import { signPlivo, telephonySubject } from "./telephony-subject.ts";

const { telephony, credentials, number, carrierCallId, webhooks } = telephonySubject;
const { authToken = "", authId = "" } = credentials;
const ACCOUNT = `/v1/Account/${authId}/`;

carrierTelephonyContract(telephonySubject);

const ok = (body: object, status = 200) => ({ status, headers: {}, body: JSON.stringify(body) });
const bodyOf = ({ body = "" }: { body?: string } = {}) => JSON.parse(body);

describe("the signature of a webhook", () => {
  const params = {
    CallUUID: carrierCallId,
    From: "15551111111",
    To: "15555555555",
    Digits: "1234",
    Name: "gr\u00fc\u00df",
  };
  const body = new URLSearchParams(params).toString();
  const nonce = "kjsdhfsd87sd7yisud2";
  const webhook = (method: string, url: string, signature: string) => ({
    method,
    url,
    headers: { "x-plivo-signature-v3": signature, "x-plivo-signature-v3-nonce": nonce },
    body: Buffer.from(method === "POST" ? body : ""),
  });

  test.each([
    ["POST", "https://example.com/abcd"],
    ["POST", "https://example.com/abcd?foo=bar&a=1"],
    ["GET", "https://example.com/abcd?foo=bar&a=1"],
    ["GET", "https://example.com/abcd"],
  ])("of a %s of %s is what the official SDK accepts, and none near it", (method, url) => {
    const isSdk = (signature: string) =>
      plivo.validateV3Signature(method, url, nonce, authToken, signature, method === "POST" ? params : {});
    const [path = "", search = ""] = url.split("?");
    const query = search.split("&").sort().join("&");
    const sorted = Object.entries(params)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flat()
      .join("");
    const written =
      method === "POST"
        ? `${path}?${query}${query === "" ? "" : "."}${sorted}`
        : query === ""
          ? path
          : `${path}?${query}`;
    const signature = hmac("sha256", authToken, `${written}.${nonce}`);
    expect(isSdk(signature)).toBe(true);
    expect(isPlivoWebhook(authToken, webhook(method, url, signature))).toBe(true);
    expect(isPlivoWebhook(authToken, webhook(method, url, `AAAA,${signature}`))).toBe(true);
    for (const bad of misspellings(signature.slice(0, -2))) {
      expect(isPlivoWebhook(authToken, webhook(method, url, bad))).toBe(false);
    }
    for (const other of [`${url}2`, url.replace("com", "org"), url.replace("https", "http"), `${url}#a`]) {
      expect(isPlivoWebhook(authToken, webhook(method, other, signature))).toBe(false);
    }
    expect(isPlivoWebhook(`${authToken}0`, webhook(method, url, signature))).toBe(false);
  });

  test("of the documentation's example has a dot before the parameters", () => {
    const url = "https://example.com/abcd?foo=bar";
    const form = new URLSearchParams({
      To: "+15555555555",
      From: "+15551111111",
      Digits: "1234",
      CallUuid: "4vbcpem8",
    });
    const signed = `${url}.CallUuid4vbcpem8Digits1234From+15551111111To+15555555555.${nonce}`;
    const example = { ...webhook("POST", url, hmac("sha256", authToken, signed)), body: Buffer.from(form.toString()) };
    expect(isPlivoWebhook(authToken, example)).toBe(true);
    const withoutQuery = `https://example.com/abcd.CallUuid4vbcpem8Digits1234From+15551111111To+15555555555.${nonce}`;
    const plain = { ...example, url: "https://example.com/abcd" };
    const headers = { ...plain.headers, "x-plivo-signature-v3": hmac("sha256", authToken, withoutQuery) };
    expect(isPlivoWebhook(authToken, { ...plain, headers })).toBe(true);
  });

  test("of the main account counts for a subaccount's number", () => {
    const { headers, ...signed } = signPlivo(body);
    const { "x-plivo-signature-v3": signature = "", ...others } = headers;
    const main = { ...others, "x-plivo-signature-v3": "AAAA", "x-plivo-signature-ma-v3": signature };
    expect(isPlivoWebhook(authToken, { ...signed, headers: main })).toBe(true);
  });

  test("of a GET does not cover a body, so none is allowed", () => {
    const url = `https://example.com/abcd?${new URLSearchParams({ CallUUID: "1" })}`;
    const good = webhook("GET", url, hmac("sha256", authToken, `${url}.${nonce}`));
    expect(isPlivoWebhook(authToken, good)).toBe(true);
    expect(isPlivoWebhook(authToken, { ...good, body: Buffer.from(body) })).toBe(false);
  });
});

test("a webhook by GET is read from its address", () => {
  const [{ body = "", notice } = {}] = webhooks;
  const url = `https://api.example.com/telephony/k/voice?${body}`;
  expect(telephony.readWebhook({ method: "GET", url, headers: {}, body: new Uint8Array() })).toEqual(notice);
});

/** The carrier asks such an address again. */
const retried = (url: string): string => `${url}#rc=5&rp=all`;

describe("the documents are those of the official SDK", () => {
  const sdk = (write: (response: ReturnType<typeof plivo.Response>) => void): string => {
    const response = plivo.Response();
    write(response);
    return response.toXML();
  };
  const { transfer } = TRANSFER;
  const dial = {
    action: retried(transfer.resultUrl),
    method: "POST",
    callbackUrl: retried(transfer.resultUrl),
    callbackMethod: "POST",
    redirect: "true",
    timeout: "25",
    callerId: "442079460123",
  };
  const stream = {
    bidirectional: "true",
    keepCallAlive: "true",
    audioTrack: "inbound",
    contentType: "audio/x-mulaw;rate=8000",
    extraHeaders: `callId=${ORDER.callId}`,
  };

  test.each<[string, CallInstruction, string]>([
    [
      "a stream",
      STREAM,
      sdk((response) => {
        response.addStream(STREAM.stream.url, stream);
        response.addRedirect(retried(STREAM.stream.afterUrl), { method: "POST" });
      }),
    ],
    ["a transfer to a number", TRANSFER, sdk((response) => void response.addDial(dial).addNumber("14155550199"))],
    [
      "a transfer to a SIP address",
      { kind: "transfer", transfer: { ...transfer, target: "sip:desk@example.com" } },
      sdk((response) => void response.addDial(dial).addUser("sip:desk@example.com")),
    ],
    ["a refusal", REFUSAL, sdk((response) => void response.addHangup({ reason: "busy" }))],
    [
      "a spoken refusal",
      SPOKEN_REFUSAL,
      sdk((response) => {
        response.addSpeak("All lines are busy.", { language: "en-GB" });
        response.addHangup({});
      }),
    ],
    ["a hang-up", HANG_UP, sdk((response) => void response.addHangup({}))],
  ])("%s", (_, instruction, expected) => {
    const ours = parseXml(telephony.document(instruction)?.body ?? "");
    expect(ours).toEqual(parseXml(`<?xml version="1.0" encoding="UTF-8"?>${expected}`));
  });

  test.each([
    ["de-AT", "de-DE"],
    ["ja-JP", undefined],
    ["hi", undefined],
  ])("a text in %s is spoken in %s: Plivo drops a document with another language", (language, expected) => {
    const { children } = parseXml(telephony.document({ ...SPOKEN_REFUSAL, language })?.body ?? "");
    expect(children[0]).toMatchObject({
      name: "Speak",
      attributes: expected === undefined ? {} : { language: expected },
    });
  });
});

describe("requests", () => {
  test("dial one number, written without its plus", () => {
    const { request } = telephony.dial(credentials, ORDER);
    expect([request.method, request.path]).toEqual(["POST", `${ACCOUNT}Call/`]);
    expect(bodyOf(request)).toEqual({
      from: "442079460123",
      to: "14155550123",
      answer_url: retried(ORDER.urls.voice),
      answer_method: "POST",
      ring_url: retried(ORDER.urls.status),
      ring_method: "POST",
      hangup_url: retried(ORDER.urls.status),
      hangup_method: "POST",
      ring_timeout: 30,
    });
    for (const to of ["+14155550123<14155550124", "sip:a@example.com", "+1415555\u0661\u0662\u0663\u0664"]) {
      expect(() => telephony.dial(credentials, { ...ORDER, to })).toThrow("checked");
    }
  });

  test("end a call, send digits and redirect a call", () => {
    expect(telephony.hangUp(credentials, carrierCallId).request).toMatchObject({
      method: "DELETE",
      path: `${ACCOUNT}Call/${carrierCallId}/`,
    });
    const digits = telephony.sendDtmf?.(credentials, carrierCallId, "1w2#").request;
    expect([digits?.method, digits?.path]).toEqual(["POST", `${ACCOUNT}Call/${carrierCallId}/DTMF/`]);
    expect(digits && bodyOf(digits)).toEqual({ digits: "1w2#", leg: "aleg" });
    const redirect = telephony.instruct(credentials, carrierCallId, TRANSFER, OPTIONS).request;
    expect([redirect.method, redirect.path]).toEqual(["POST", `${ACCOUNT}Call/${carrierCallId}/`]);
    expect(bodyOf(redirect)).toEqual({ legs: "aleg", aleg_url: retried(OPTIONS.documentUrl), aleg_method: "POST" });
    for (const instruction of [REFUSAL, HANG_UP]) {
      expect(telephony.instruct(credentials, carrierCallId, instruction, OPTIONS).request.method).toBe("DELETE");
    }
  });

  test("ask for the live calls of two numbers, which is never all there may be", () => {
    const { request, read } = telephony.findCalls(credentials, ORDER, NOW_MS);
    const [path, query] = request.path.split("?");
    expect(path).toBe(`${ACCOUNT}Call/`);
    expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
      status: "live",
      call_direction: "outbound",
      from_number: "442079460123",
      to_number: "14155550123",
    });
    expect(read(ok({ api_id: "1", calls: [carrierCallId, "../x", 7] }))).toEqual({
      kind: "done",
      value: { calls: [{ carrierCallId, isLive: true }], isComplete: false },
    });
  });
});

describe("numbers", () => {
  test("of a page are those with voice, in E.164, and the next page is an offset", () => {
    const objects = [
      { number: "18135401302", voice_enabled: true },
      { number: "14153661106", voice_enabled: false },
      { number: "1415\u0661", voice_enabled: true },
      { number: "911", voice_enabled: true },
    ];
    const { read, request } = telephony.listNumbers(credentials, "40");
    expect(request.path).toBe(`${ACCOUNT}Number/?limit=20&offset=40`);
    const numbers = [{ number: "+18135401302", carrierNumberId: "18135401302" }];
    expect(read(ok({ objects, meta: { next: "/v1/Account/x/Number/?limit=20&offset=60" } }))).toEqual({
      kind: "done",
      value: { numbers, nextPage: "60" },
    });
    expect(read(ok({ objects, meta: { next: null } }))).toEqual({ kind: "done", value: { numbers } });
  });

  test("are attached to an application of the service, which is made once and found again", () => {
    const name = `trunkline-${number.carrierNumberId}`;
    const [find, write, update] = telephony.attachNumber(credentials, number, ORDER.urls);
    const listed = find?.([]);
    expect(listed?.request.path).toBe(`${ACCOUNT}Application/?app_name=${name}&limit=20`);
    const others = [{ app_name: `${name}0`, app_id: "1" }, { app_name: name, app_id: "../2" }, null];
    expect(listed?.read(ok({ objects: others }))).toEqual({ kind: "done", value: undefined });
    expect(listed?.read(ok({ objects: [...others, { app_name: name, app_id: "3" }] }))).toEqual({
      kind: "done",
      value: "3",
    });

    const addresses = {
      answer_url: retried(ORDER.urls.voice),
      answer_method: "POST",
      hangup_url: retried(ORDER.urls.status),
      hangup_method: "POST",
    };
    const made = write?.([undefined]);
    expect([made?.request.path, bodyOf(made?.request)]).toEqual([
      `${ACCOUNT}Application/`,
      { app_name: name, ...addresses },
    ]);
    expect(made?.read(ok({ app_id: "4", message: "created" }, 201))).toEqual({ kind: "done", value: "4" });
    expect(made?.read(ok({ message: "created" }, 201))).toEqual({ kind: "uncertain", status: 201 });
    const changed = write?.(["3"]);
    expect([changed?.request.path, bodyOf(changed?.request)]).toEqual([`${ACCOUNT}Application/3/`, addresses]);
    expect(changed?.read(ok({ message: "changed" }, 202))).toEqual({ kind: "done", value: "3" });
    const updated = update?.([undefined, "4"]).request;
    expect([updated?.path, bodyOf(updated)]).toEqual([`${ACCOUNT}Number/${number.carrierNumberId}/`, { app_id: "4" }]);
  });

  test("return to the application that they had, or to none", () => {
    const applicationOf = (before: object) => {
      const routing = telephony.readNumber(credentials, number).read(ok({ number: "442079460123", ...before }));
      if (routing.kind !== "done") return expect.fail(routing.kind);
      const [detach] = telephony.detachNumber(credentials, number, routing.value).map((step) => step([]).request);
      return bodyOf(detach).app_id;
    };
    const application = `${ACCOUNT}Application/29986316244302815/`;
    expect(applicationOf({ application })).toBe("29986316244302815");
    expect(applicationOf({ application, app_id: "7" })).toBe("7");
    for (const none of [null, "", 7, "/v1/Account/x/Application/../"])
      expect(applicationOf({ application: none })).toBe("");
  });
});

test("a price is in dollars, unknown for a call within India, and not there before the record", () => {
  const exchange = telephony.readPrice?.(credentials, carrierCallId);
  const record = {
    call_uuid: carrierCallId,
    from_number: "+14158572518",
    to_number: "14153268174",
    total_amount: "0.13600",
  };
  expect(exchange?.read(ok(record))).toEqual({ kind: "done", value: { amount: 0.136, currency: "USD" } });
  const indian = { ...record, from_number: "+919876543210", to_number: "918012345678" };
  expect(exchange?.read(ok(indian))).toEqual({ kind: "done", value: undefined });
  expect(exchange?.read({ status: 404, headers: {}, body: '{"error":"not found"}' })).toEqual({
    kind: "done",
    value: undefined,
  });
});
