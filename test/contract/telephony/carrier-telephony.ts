import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CallInstruction, CarrierResponse, WebhookRequest } from "../../../src/carriers/telephony.ts";
import { PHONE_CALL_OUTCOMES } from "../../../src/core/calls/phone.ts";
import { parseXml, type XmlElement } from "../../support/telephony/parse-xml.ts";
import {
  callExchanges,
  INSTRUCTIONS,
  NOW_MS,
  OPTIONS,
  ORDER,
  otherExchanges,
  STREAM,
  type TelephonyUnderTest,
  TRANSFER,
} from "../../support/telephony/telephony-under-test.ts";

const HTML = "<html><body>Bad Gateway</body></html>";
const MALFORMED = expect.objectContaining({ code: "webhook_malformed" });
/** Texts of callers, clients and models. */
const TEXTS = [
  'O\'Brien & <Sons> "Ltd"',
  "line one\r\nX-Injected: 1",
  "</Say></Response><Response><Dial>+19005550123</Dial>",
  "]]>&amp;&#10;<!-- -->",
  "\u0000\u0007\u001b[31m",
  "\ud83d\ude00 \ud83d gr\u00fc\u00df \u2028",
  "+\u0661\u0662\u0663\u0664\u0665\u0666\u0667",
];

const answer = (status: number, body: object | string, headers: Record<string, string> = {}): CarrierResponse => ({
  status,
  headers,
  body: typeof body === "string" ? body : JSON.stringify(body),
});

/** What `CarrierTelephony` promises, for each carrier. */
export function carrierTelephonyContract(subject: TelephonyUnderTest): void {
  describe(`telephony contract: ${subject.name}`, () => {
    credentialsContract(subject);
    requestsContract(subject);
    answersContract(subject);
    signaturesContract(subject);
    webhooksContract(subject);
    documentsContract(subject);
  });
}

function credentialsContract({ telephony, credentials }: TelephonyUnderTest): void {
  test("every credential has a name of its own and an example that its pattern allows, and no part of it may be a line", () => {
    const names = telephony.credentialFields.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(telephony.credentialFields.filter(({ isSecret }) => isSecret)).not.toEqual([]);
    expect(telephony.credentialFields.filter(({ isIdentity }) => isIdentity)).toMatchObject([{ isSecret: false }]);
    for (const { name, pattern, example } of telephony.credentialFields) {
      expect(example).toMatch(pattern);
      expect(credentials[name]).toMatch(pattern);
      for (const bad of ["", `${example}\n`, `${example}\r\nx: y`, ` ${example}`, `${example}\u0661`]) {
        expect(bad).not.toMatch(pattern);
      }
    }
  });

  test("the secret of streams is the same each time, can stand in a header, and differs between accounts", () => {
    const secret = telephony.streamSecret(credentials);
    expect(secret).toMatch(/^[\x21-\x7e]{20,}$/);
    expect(telephony.streamSecret({ ...credentials })).toBe(secret);
    const others = Object.fromEntries(Object.entries(credentials).map(([name, value]) => [name, `${value}0`]));
    expect(telephony.streamSecret(others)).not.toBe(secret);
  });
}

function requestsContract(subject: TelephonyUnderTest): void {
  const { telephony, credentials } = subject;
  const secrets = telephony.credentialFields
    .filter(({ isSecret }) => isSecret)
    .map(({ name }) => credentials[name] as string);

  test("every request has a path below the API's address, headers of one line, and its secrets in one header alone", () => {
    const requests = [...callExchanges(subject), ...otherExchanges(subject)].map(({ request }) => request);
    expect(new URL(telephony.apiUrl.value).pathname).toBe("/");
    for (const { method, path, headers, body } of requests) {
      expect(path).toMatch(/^\/[A-Za-z0-9_~.:/?&=%+-]*$/);
      expect(new URL(path, telephony.apiUrl.value).href).toBe(`${telephony.apiUrl.value}${path}`);
      for (const [name, value] of Object.entries(headers)) {
        expect(name).toMatch(/^[a-z-]+$/);
        expect(value).toMatch(/^[\x20-\x7e]+$/);
      }
      expect(body === undefined).toBe(method === "GET" || method === "DELETE");
      expect(headers["content-type"] === undefined).toBe(body === undefined);
      for (const secret of secrets) expect(`${path}${body}`).not.toContain(secret);
    }
  });

  test.each(TEXTS)("the text %j in an instruction adds nothing to a request", (text) => {
    for (const instruction of [
      { kind: "stream", stream: { ...STREAM.stream, url: text, callId: text, afterUrl: text } },
      { kind: "transfer", transfer: { ...TRANSFER.transfer, target: text, from: text, resultUrl: text } },
      { kind: "refuse", reason: "busy", text, language: text },
    ] as const) {
      const plain = INSTRUCTIONS.findLast(({ kind }) => kind === instruction.kind) ?? instruction;
      const { request } = telephony.instruct(credentials, subject.carrierCallId, instruction, OPTIONS);
      const expected = telephony.instruct(credentials, subject.carrierCallId, plain, OPTIONS).request;
      expect(request.path).toBe(expected.path);
      expect(request.headers).toEqual(expected.headers);
      if (instruction.kind !== "refuse") expect(namesIn(request.body)).toEqual(namesIn(expected.body));
    }
  });

  test.each([
    "..",
    ".",
    "a/b",
    "a b",
    "a\r\nb",
    "",
    "\u0661",
    "a?b",
    "a#b",
    "x".repeat(300),
  ])("the id %j never reaches a path", (id) => {
    expect(() => telephony.hangUp(credentials, id)).toThrow("checked");
    expect(() => telephony.readNumber(credentials, { ...subject.number, carrierNumberId: id })).toThrow("checked");
  });

  test("the page of a list is no address: whatever it is, the same resource is listed", () => {
    const path = (page?: string) => telephony.listNumbers(credentials, page).request.path.split("?")[0];
    for (const page of ["https://evil.example/?Page=1", "../../x", "Page=1&PageToken=..%2f", "1\r\nx: y", "\ud800"]) {
      expect(path(page)).toBe(path());
      expect(telephony.listNumbers(credentials, page).request.path).toMatch(/^\/[\x21-\x7e]*$/);
    }
  });
}

/** The names in a body, a form or JSON. */
function namesIn(body = ""): readonly string[] {
  if (body.startsWith("{")) return Object.keys(JSON.parse(body));
  return [...new URLSearchParams(body).keys()];
}

function answersContract(subject: TelephonyUnderTest): void {
  const { telephony, credentials, refusal, hasCodes } = subject;
  const all = () => [...callExchanges(subject), ...otherExchanges(subject)];
  const dial = () => telephony.dial(credentials, ORDER);

  test.each([
    500, 501, 502, 504, 503, 408, 301, 302, 199,
  ])("after a status %i the request may have been carried out", (status) => {
    for (const body of ["", HTML, "{}", refusal("1"), '{"sid":"CA1"}']) {
      for (const { read } of all()) expect(read(answer(status, body))).toEqual({ kind: "uncertain", status });
    }
  });

  test("a success that cannot be read is uncertain for a call that was to be placed", () => {
    const ids = [undefined, null, 7, "", "..", "a/b", "a\r\nb", "\u0661", ["CA1"], { id: 1 }, "x".repeat(300)];
    for (const body of ["", HTML, "[]", "null", "{", "{}", ...ids.map((id) => subject.dialled(id))]) {
      expect(dial().read(answer(201, body))).toEqual({ kind: "uncertain", status: 201 });
    }
    expect(dial().read(answer(201, subject.dialled("a-B_c:1")))).toEqual({
      kind: "done",
      value: { carrierCallId: "a-B_c:1" },
    });
  });

  test("HTML in place of JSON is uncertain, also with a status of success", () => {
    for (const { request, read } of all()) {
      expect(read(answer(200, HTML)), request.operation).toEqual({ kind: "uncertain", status: 200 });
      expect(read(answer(422, HTML)), request.operation).toEqual({ kind: "uncertain", status: 422 });
    }
  });

  test.each([
    [429, { "retry-after": "7" }, { kind: "busy", afterMs: 7_000 }],
    [429, {}, { kind: "busy" }],
    [429, { "retry-after": "Fri, 27 Nov 2026 12:00:00 GMT" }, { kind: "busy" }],
    [429, { "retry-after": "-1" }, { kind: "busy" }],
    [429, { "retry-after": "9999999999" }, { kind: "busy" }],
    [503, { "retry-after": "0" }, { kind: "busy", afterMs: 0 }],
  ] as const)("%i with %j is busy", (status, headers, expected) => {
    for (const body of ["", HTML, refusal("1")]) {
      for (const { request, read } of all()) {
        // A proxy before the carrier may say 503 when the call has been placed.
        const mayBePlaced = status === 503 && request.operation === "dial";
        expect(read(answer(status, body, headers)), request.operation).toEqual(
          mayBePlaced ? { kind: "uncertain", status } : expected,
        );
      }
    }
  });

  test.each([400, 401, 403, 409, 422])("%i with the carrier's error is a refusal with its code", (status) => {
    const code = hasCodes ? "123" : `http_${status}`;
    for (const { read } of all()) {
      expect(read(answer(status, refusal("123")))).toMatchObject({ kind: "refused", status, code });
    }
    for (const bad of ["a b", "\u0661", "x".repeat(100), ""]) {
      expect(dial().read(answer(status, refusal(bad)))).toMatchObject({ kind: "refused", code: `http_${status}` });
    }
  });

  test("credentials are refused whatever the body is", () => {
    for (const status of [401, 403]) {
      expect(telephony.verify(credentials).read(answer(status, HTML))).toMatchObject({ kind: "refused", status });
    }
  });

  test("404 is gone for a call, and a refusal for anything else", () => {
    for (const { read } of callExchanges(subject)) {
      for (const body of ["", HTML, refusal("20404")]) expect(read(answer(404, body))).toEqual({ kind: "gone" });
    }
    expect(dial().read(answer(404, refusal("20404")))).toMatchObject({ kind: "refused", outcome: "failed" });
    expect(telephony.verify(credentials).read(answer(404, refusal("20404")))).toMatchObject({ kind: "refused" });
  });

  test("only a refused dial has an outcome, `failed` where the code says nothing", () => {
    for (const code of ["99999", "constructor", "__proto__", "toString"]) {
      expect(dial().read(answer(400, refusal(code)))).toMatchObject({ kind: "refused", outcome: "failed" });
    }
    for (const { request, read } of all()) {
      if (request.operation !== "dial") expect(read(answer(400, refusal("21211")))).not.toHaveProperty("outcome");
    }
  });

  test("no body makes a reader throw, or an answer of an unknown kind", () => {
    const kinds = ["done", "refused", "gone", "busy", "uncertain"];
    const exchanges = all();
    const statuses = fc.constantFrom(200, 201, 204, 400, 404, 422, 429, 500, 503);
    const bodies = fc.oneof(fc.string(), fc.json(), hostileJson());
    fc.assert(
      fc.property(statuses, bodies, (status, body) => {
        for (const { read } of exchanges) expect(kinds).toContain(read(answer(status, body)).kind);
      }),
      { numRuns: 200 },
    );
  });
}

/** Objects with the members that readers look for, of wrong types. */
function hostileJson(): fc.Arbitrary<string> {
  const names = [
    ...["sid", "calls", "data", "errors", "objects", "meta", "incoming_phone_numbers", "next_page_uri", "price"],
    ...["price_unit", "request_uuid", "app_id", "auth_id", "number", "code", "result", "total_amount", "call_uuid"],
  ];
  const value = fc.oneof(fc.jsonValue(), fc.array(fc.dictionary(fc.constantFrom(...names), fc.jsonValue())));
  return fc.dictionary(fc.constantFrom(...names), value).map((object) => JSON.stringify(object));
}

function signaturesContract(subject: TelephonyUnderTest): void {
  const { telephony, credentials, webhooks, sign } = subject;
  const isAuthentic = (webhook: WebhookRequest) => telephony.isAuthenticWebhook(credentials, webhook, NOW_MS);

  test("every webhook is authentic as it was signed", () => {
    for (const { name, body } of webhooks) expect(isAuthentic(sign(body)), name).toBe(true);
  });

  test("no near miss of a webhook is authentic", () => {
    const { body = "" } = webhooks[0] ?? {};
    const good = sign(body);
    const changed = Buffer.from(good.body);
    for (let at = 0; at < changed.length; at += 1) {
      const bytes = Buffer.from(changed);
      bytes[at] = (bytes[at] as number) ^ 1;
      expect(isAuthentic({ ...good, body: bytes }), `byte ${at}`).toBe(false);
    }
    for (const bytes of [changed.subarray(1), changed.subarray(0, -1), Buffer.concat([changed, Buffer.from("&x=1")])]) {
      expect(isAuthentic({ ...good, body: bytes })).toBe(false);
    }
    for (const name of Object.keys(good.headers)) {
      const { [name]: value = "", ...without } = good.headers;
      expect(isAuthentic({ ...good, headers: without }), name).toBe(false);
      for (const bad of ["", "=", "AAAA", `${value.slice(0, -3)}`, value.slice(3), ",,,,", "\u0661"]) {
        expect(isAuthentic({ ...good, headers: { ...good.headers, [name]: bad } }), `${name}: ${bad}`).toBe(false);
      }
    }
    for (const method of ["PUT", "DELETE", "post", ""]) expect(isAuthentic({ ...good, method })).toBe(false);
    expect(isAuthentic({ ...good, body: Buffer.from([0xff, 0xfe]) })).toBe(false);
  });

  test("a form with more parameters than a carrier sends is not authentic, even with its signature", () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `p${index}=1`).join("&");
    const isForm = webhooks.every(({ body }) => !body.startsWith("{"));
    if (isForm) expect([isAuthentic(sign(many(256))), isAuthentic(sign(many(257)))]).toEqual([true, false]);
  });

  test("calls that come to this service already are recognized, also at an earlier address of it, and no others", () => {
    const { pathname } = new URL(ORDER.urls.voice);
    const own = {
      voice_url: `https://earlier.example${pathname}`,
      connection_id: credentials.connectionId,
      app_id: "17",
    };
    const others = { voice_url: "https://before.example/", connection_id: "1", app_id: "18" };
    const isOwn = (routing: object, attachment?: unknown) =>
      telephony.isAttachedRouting(credentials, { ...routing }, ORDER.urls, attachment);
    expect(isOwn(own, "17")).toBe(true);
    expect(isOwn({ ...own, voice_url: `${own.voice_url}#rc=5&rp=all` }, "17")).toBe(true);
    expect([isOwn(others, "17"), isOwn({}, "17"), isOwn({}), isOwn(others)]).toEqual([false, false, false, false]);
  });

  test("the webhook of another account is not authentic", () => {
    const { body = "" } = webhooks[0] ?? {};
    for (const { name, example } of telephony.credentialFields) {
      const others = { ...credentials, [name]: example };
      const decides = ["authToken", "publicKey", "connectionId"].includes(name);
      expect(telephony.isAuthenticWebhook(others, sign(body), NOW_MS)).toBe(!decides);
    }
  });
}

function webhooksContract(subject: TelephonyUnderTest): void {
  const { telephony, webhooks, sign, incoming } = subject;
  const read = (body: string | Uint8Array) =>
    telephony.readWebhook({ ...sign(""), body: typeof body === "string" ? Buffer.from(body) : body });

  test.each(webhooks)("$name is read", ({ body, notice }) => {
    expect(read(body)).toEqual(notice);
  });

  test("the samples have an inbound call, every state of an outbound one, and every outcome", () => {
    const kinds = new Set(webhooks.map(({ notice }) => notice.kind));
    expect([...kinds]).toEqual(
      expect.arrayContaining(["incoming", "answered", "ended", "transfer", "stream", "other"]),
    );
    const outcomes = webhooks.flatMap(({ notice }) => (notice.kind === "ended" ? [notice.outcome] : []));
    expect(new Set(outcomes)).toEqual(new Set(PHONE_CALL_OUTCOMES));
  });

  test.each([
    "",
    "..",
    "a/b",
    "a b",
    "a\r\nb",
    "<CA>",
    "\u0661",
    "x".repeat(300),
  ])("the call id %j is malformed", (id) => {
    expect(() => read(incoming({ id, from: "+14155550123", to: "+442079460123" }))).toThrow(MALFORMED);
  });

  test.each(TEXTS)("the number %j is read as a text without control characters, and as no other number", (text) => {
    const notice = read(incoming({ id: subject.carrierCallId, from: text, to: `${text}${"9".repeat(400)}` }));
    if (notice.kind !== "incoming") return expect.fail(notice.kind);
    const plain = text.replace(/\p{Cs}/gu, "\ufffd").replace(/[\p{Cc}\u2028]/gu, "");
    expect(notice.from).toBe(plain);
    expect(notice.to.startsWith(plain)).toBe(true);
    expect(notice.to.length).toBeLessThanOrEqual(256);
    return undefined;
  });

  test.each(["", "{}", "[]", "null", "=&=&", "{", "%", "a=1&a=2", '{"data":7}'])("the body %j is malformed", (body) => {
    expect(() => read(body)).toThrow(MALFORMED);
  });

  test("bytes that are not UTF-8, and more parameters than a carrier sends, are malformed or say nothing", () => {
    expect(() => read(Buffer.from([0xff, 0xfe, 0x00]))).toThrow(MALFORMED);
    const many = Array.from({ length: 10_000 }, (_, index) => `p${index}=1`).join("&");
    expect(() => read(many)).toThrow(MALFORMED);
  });

  test("no changed webhook does anything but be read or be malformed", () => {
    const bodies = webhooks.map(({ body }) => Buffer.from(body));
    fc.assert(
      fc.property(fc.constantFrom(...bodies), fc.nat(), fc.uint8Array({ maxLength: 4 }), (body, at, bytes) => {
        const from = at % body.length;
        const changed = Buffer.concat([body.subarray(0, from), bytes, body.subarray(from + 1)]);
        try {
          const notice = read(changed);
          for (const text of textsIn(notice)) {
            expect(text.length).toBeLessThanOrEqual(256);
            expect(text).not.toMatch(/\p{Cc}/u);
          }
        } catch (error) {
          expect(error).toEqual(MALFORMED);
        }
      }),
      { numRuns: 500 },
    );
  });
}

const textsIn = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

function documentsContract({ telephony }: TelephonyUnderTest): void {
  test("a carrier has a document for every instruction, or for none; each is XML with one root", () => {
    const documents = INSTRUCTIONS.map((instruction) => telephony.document(instruction));
    const present = documents.filter((document) => document !== undefined);
    expect([0, INSTRUCTIONS.length]).toContain(present.length);
    for (const { contentType, body } of present) {
      expect(contentType).toMatch(/^(?:text|application)\/xml; charset=utf-8$/);
      expect(parseXml(body)).toMatchObject({ name: "Response", attributes: {} });
    }
  });

  test("whatever a text is, the document has the elements of any other text, and no more", () => {
    const texts = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...TEXTS));
    const shape = (instruction: CallInstruction) => {
      const document = telephony.document(instruction);
      return document && shapeOf(parseXml(document.body));
    };
    fc.assert(
      fc.property(texts, (text) => {
        expect(instructionsWith(text).map(shape)).toEqual(instructionsWith("x").map(shape));
      }),
      { numRuns: 300 },
    );
  });
}

/** Instructions with the text in each place of theirs. */
const instructionsWith = (text: string): readonly CallInstruction[] => [
  { kind: "stream", stream: { ...STREAM.stream, url: `w${text}`, callId: text, afterUrl: text } },
  { kind: "transfer", transfer: { ...TRANSFER.transfer, target: `sip:${text}`, from: text, resultUrl: text } },
  { kind: "refuse", reason: "busy", text: `t${text}`, language: "de" },
];

/** The elements of a document and the names of their attributes, without any text. */
const shapeOf = ({ name, attributes, children }: XmlElement): unknown => ({
  name,
  attributes: Object.keys(attributes),
  children: children.map((child) => (typeof child === "string" ? "" : shapeOf(child))),
});
