import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BODY_BYTES_MAX } from "../../src/core/limits.ts";
import { type ApiUnderTest, apiUnderTest, errorOf, LEAST, pathsOf } from "./harness.ts";

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
});
afterAll(() => api.close());

/** `LEAST` as JSON text, with one more member spelled by hand. */
const withMember = (member: string) => `${JSON.stringify(LEAST).slice(0, -1)},${member}}`;

describe("a field that is wrong is 400, with its path, its value and what it may be", () => {
  const whole = (min: number, max: number) => `must be a whole number from ${min} to ${max}`;
  test.each([
    // C16
    ["maxDuration", "0", whole(60, 7200)],
    ["maxDuration", "-1", whole(60, 7200)],
    ["maxDuration", "59", whole(60, 7200)],
    ["maxDuration", "7201", whole(60, 7200)],
    ["maxDuration", "60.5", whole(60, 7200)],
    ["maxDuration", '"60"', whole(60, 7200)],
    ["maxDuration", "null", whole(60, 7200)],
    ["maxDuration", "2147483648", whole(60, 7200)],
    ["maxDuration", "1e+308", whole(60, 7200)],
    ["inactivityTimeout", "9", whole(10, 300)],
    ["inactivityTimeout", "301", whole(10, 300)],
    ["temperature", "-0.01", "must be a number from 0 to 1"],
    ["temperature", "1.01", "must be a number from 0 to 1"],
    ["temperature", '"0"', "must be a number from 0 to 1"],
    ["model", '"model_d"', "must be one of model_a, model_b, model_c"],
    ["model", '"MODEL_A"', "must be one of model_a, model_b, model_c"],
    ["connectionType", '"carrier_d"', "must be one of carrier_a, carrier_b, carrier_c, websocket, webrtc"],
    ["connectionType", '"toString"', "must be one of carrier_a, carrier_b, carrier_c, websocket, webrtc"],
    ["connectionType", "7", "must be one of carrier_a, carrier_b, carrier_c, websocket, webrtc"],
    ["firstSpeaker", '"nobody"', "must be one of agent, user"],
    ["inactivityAction", '"sing"', "must be one of hang_up, prompt"],
    ["interruptible", '"true"', "must be true or false"],
    ["recordingEnabled", "1", "must be true or false"],
    ["greeting", "null", "must be a string"],
  ])("%s: %s", async (field, value, rule) => {
    const answer = await api.post(withMember(`"${field}":${value}`));
    const message = `${field} ${rule}, not ${value}`;
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toEqual({
      code: "invalid_request",
      message,
      details: [{ path: `/${field}`, message }],
      requestId: answer.headers["x-request-id"],
    });
  });

  test.each([
    "NaN",
    "Infinity",
    "-Infinity",
    "060",
    "+60",
    "0x40",
  ])("C16: maxDuration: %s is no JSON", async (value) => {
    const answer = await api.post(withMember(`"maxDuration":${value}`));
    expect([answer.status, errorOf(answer).message]).toEqual([400, "the body must be valid JSON in UTF-8"]);
  });

  test("C16: 1e999 is refused wherever it stands", async () => {
    const answer = await api.post(
      withMember('"maxDuration":1e999,"temperature":-1e999,"websocket":{"x":1e999},"metadata":{"a":[0,{"b":1e400}]}'),
    );
    expect(answer.status).toBe(400);
    expect(pathsOf(answer)).toEqual(["/maxDuration", "/metadata/a/1/b", "/temperature", "/websocket/x"]);
  });

  test("a number that no double can hold is called by what it is", async () => {
    const answer = await api.post(withMember('"maxDuration":1e999,"websocket":{"x":-1e999}'));
    expect(errorOf(answer).details.map((detail) => detail.message)).toEqual([
      "maxDuration must be a whole number from 60 to 7200, not a number above 1.7976931348623157e+308",
      "websocket.x must be a number that a double can hold, not a number below -1.7976931348623157e+308",
    ]);
  });

  test("required fields are named when they are missing, and the prompt when it is blank", async () => {
    expect(pathsOf(await api.post({}))).toEqual(["/language", "/systemPrompt", "/voice"]);
    for (const systemPrompt of ["", " \n\t\u00a0", "\u0000\u001b\u200b\ufeff", 5, null, ["x"]]) {
      const answer = await api.post({ ...LEAST, systemPrompt });
      expect([answer.status, pathsOf(answer)]).toEqual([400, ["/systemPrompt"]]);
    }
  });

  test("unknown fields are refused by name, at every depth", async () => {
    const answer = await api.post({
      ...LEAST,
      tenantId: "x",
      id: "call_1",
      "a/b~c": 1,
      selectedTools: [{ toolName: "hang_up", extra: 1, parameterOverrides: { soft: true } }],
    });
    expect(pathsOf(answer)).toEqual([
      "/a~1b~0c",
      "/id",
      "/selectedTools/0/extra",
      "/selectedTools/0/parameterOverrides/soft",
      "/tenantId",
    ]);
    expect(errorOf(answer).details.map((detail) => detail.message)).toContain('the body has no field "tenantId"');
  });

  test("everything wrong with a request is told at once", async () => {
    const answer = await api.post({
      voice: "Zelda",
      language: "xx",
      temperature: 7,
      connectionType: "websocket",
      websocket: { codec: "mulaw", inputSampleRate: 16_000, outputSampleRate: 8_000, channels: 2 },
      selectedTools: [{ toolName: "sing", toolId: 4 }, {}, "hang_up"],
      metadata: [],
      extra: 1,
    });
    expect(pathsOf(answer)).toEqual([
      "/extra",
      "/language",
      "/metadata",
      "/selectedTools/0",
      "/selectedTools/0/toolId",
      "/selectedTools/0/toolName",
      "/selectedTools/1",
      "/selectedTools/2",
      "/systemPrompt",
      "/temperature",
      "/voice",
      "/websocket/channels",
      "/websocket/inputSampleRate",
    ]);
    expect(errorOf(answer).message).toBe("13 problems, each named in details");
  });

  test("of a body with ten thousand unknown fields the first hundred are named", async () => {
    const answer = await api.post({
      ...LEAST,
      ...Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`f${i}`, 1])),
    });
    expect(errorOf(answer).details).toHaveLength(100);
    expect(errorOf(answer).message).toBe("at least 100 problems, named in details");
  });

  const websocket = (value: string) => withMember(`"connectionType":"websocket","websocket":${value}`);
  const keys = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, i) => `"${prefix}${i}":1e999`).join();
  test.each([
    [
      "numbers under a key of 100,000 characters",
      websocket(`{"${"k".repeat(100_000)}":[${"1e999,".repeat(24_999)}1e999]}`),
    ],
    [
      "numbers under many keys",
      websocket(`${`{"${"~\\\\".repeat(600)}":`.repeat(28)}[${"1e999,".repeat(25_000)}0]${"}".repeat(28)}`),
    ],
    ["keys that all look alike", withMember(keys("k".repeat(60), 3_000))],
    ["keys of control characters", withMember(keys("\\u0001".repeat(20), 1_500))],
    ["keys of wide characters", websocket(`{${keys("€".repeat(40), 1_500)}}`)],
    ["keys that are half a surrogate pair", withMember(`"metadata":{${keys("\\ud800".repeat(20), 1_500)}}`)],
    [
      "tools with everything wrong",
      withMember(
        `"selectedTools":[${`{${keys('\\"'.repeat(40), 8)},"toolName":"${"\\\\".repeat(40)}"},`.repeat(31)}{}]`,
      ),
    ],
    ["tools without end", withMember(`"selectedTools":[${"{},".repeat(80_000)}{}]`)],
    ["values as long as the body", withMember(`"model":"${"\\u0000".repeat(43_000)}"`)],
  ])("%s get a small answer", async (_what, text) => {
    expect(text.length).toBeLessThanOrEqual(BODY_BYTES_MAX);
    const answer = await api.post(text);
    expect(answer.status).toBe(400);
    expect(errorOf(answer).details).not.toEqual([]);
    expect(Buffer.byteLength(answer.text)).toBeLessThan(64 * 1024);
  });

  test("of a very long path the end is told as well as the beginning", async () => {
    const [key, long] = ["k".repeat(100_000), `${"k".repeat(20)}…${"k".repeat(20)}`];
    const [first] = errorOf(await api.post(withMember(`"websocket":{"${key}":[0,1e999]}`))).details;
    expect(first?.path).toBe(`/websocket/${long}/1`);
  });

  test("a list of more than 32 tools is refused for its length alone", async () => {
    const post = (count: number) => api.post({ ...LEAST, selectedTools: Array(count).fill({ toolName: "hang_up" }) });
    expect((await post(32)).status).toBe(201);
    expect(errorOf(await post(33)).message).toBe("selectedTools must have at most 32 items, not 33");
    const answer = await api.post({ ...LEAST, selectedTools: Array(20_000).fill({ sing: 1 }) });
    expect(pathsOf(answer)).toEqual(["/selectedTools"]);
  });

  test("a tool without an id is 400, not 501", async () => {
    const answer = await api.post({ ...LEAST, selectedTools: [{ toolId: "" }] });
    expect([answer.status, pathsOf(answer)]).toEqual([400, ["/selectedTools/0/toolId"]]);
  });

  test("what was sent is quoted no further than it helps", async () => {
    const answer = await api.post({ ...LEAST, model: "m".repeat(5_000), metadata: "x", websocket: "x" });
    expect(answer.text).toContain(`${"m".repeat(40)}…`);
    expect(answer.text).not.toContain("m".repeat(41));
  });
});

describe("the websocket object", () => {
  const post = (websocket: unknown) => api.post({ ...LEAST, connectionType: "websocket", websocket });

  // M9; NaN is no JSON, see above.
  test.each([0, -8_000, 7_999, 8_000.5, 44_100, 192_000, "8000", null])("M9: a rate of %j is 400", async (rateHz) => {
    const answer = await post({ inputSampleRate: rateHz, outputSampleRate: rateHz });
    const problems = ["input", "output"].map((side) => ({
      path: `/websocket/${side}SampleRate`,
      message: `websocket.${side}SampleRate must be one of 8000, 16000, 24000, 48000, not ${JSON.stringify(rateHz)}`,
    }));
    expect([answer.status, errorOf(answer).details]).toEqual([400, problems]);
  });

  test.each(["PCMU", "mulaw ", "muⅼaw", "ulaw", "", 1])("M9: the codec %j is 400", async (codec) => {
    const answer = await post({ codec });
    expect([answer.status, pathsOf(answer)]).toEqual([400, ["/websocket/codec"]]);
    expect(errorOf(answer).message).toContain("must be one of pcm_s16le, mulaw, alaw, opus");
  });

  test.each([0, 2, 255])("M9: channels: %j is 400", async (channels) => {
    expect(pathsOf(await post({ channels }))).toEqual(["/websocket/channels"]);
  });

  test.each(["mulaw", "alaw"])("%s runs at 8000 Hz only", async (codec) => {
    for (const rateHz of [16_000, 24_000, 48_000]) {
      const answer = await post({ codec, inputSampleRate: rateHz, outputSampleRate: 8_000 });
      expect([answer.status, pathsOf(answer)]).toEqual([400, ["/websocket/inputSampleRate"]]);
    }
    for (const rates of [{}, { inputSampleRate: 8_000 }, { inputSampleRate: 8_000, outputSampleRate: 8_000 }]) {
      expect((await post({ codec, ...rates })).status).toBe(501);
    }
  });

  test.each([
    undefined,
    {},
    { codec: "opus", inputSampleRate: 48_000, outputSampleRate: 24_000 },
  ])("%j is right, and 501 until this version carries it", async (websocket) => {
    expect((await post(websocket)).status).toBe(501);
  });

  test.each([null, "mulaw", [], 5])("%j is 400", async (websocket) => {
    const answer = await post(websocket);
    expect([answer.status, pathsOf(answer)]).toEqual([400, ["/websocket"]]);
  });

  test("is not looked at beside another connectionType", async () => {
    for (const websocket of [null, "x", { codec: "PCMU", inputSampleRate: 44_100 }]) {
      for (const connectionType of [undefined, "carrier_a"]) {
        expect((await api.post({ ...LEAST, connectionType, websocket })).status).toBe(201);
      }
    }
  });
});

describe("metadata", () => {
  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });

  test("goes up to 5 levels and 8 KiB, and no further", async () => {
    const textOf = (bytes: number) => ({ a: "é".repeat((bytes - 8) / 2) });
    expect(Buffer.byteLength(JSON.stringify(textOf(8_192)))).toBe(8_192);
    const status = async (metadata: unknown) => (await api.post({ ...LEAST, metadata })).status;
    expect([await status(nested(5)), await status(nested(6))]).toEqual([201, 400]);
    expect([await status({ a: [[[["x"]]]] }), await status({ a: [[[[[]]]]] })]).toEqual([201, 400]);
    expect([await status(textOf(8_192)), await status(textOf(8_194))]).toEqual([201, 400]);
    expect([await status(null), await status([]), await status("x"), await status({})]).toEqual([400, 400, 400, 201]);
  });

  test("is refused with what it takes, and how deep it goes", async () => {
    const message = async (value: unknown) => errorOf(await api.post({ ...LEAST, metadata: value })).message;
    expect(await message({ a: "x".repeat(8_185) })).toBe("metadata must take at most 8192 bytes as JSON, not 8193");
    expect(await message(nested(6))).toBe("metadata must have at most 5 levels, not 6");
    expect(await message({ a: Array(130_000).fill(0) })).toBe(
      "metadata must take at most 8192 bytes as JSON, not 260007",
    );
  });

  test("comes back as it went, whatever its keys are", async () => {
    const value = { constructor: { prototype: null }, prototype: [1], toString: "x", hasOwnProperty: 0, "": {} };
    const created = await api.post({ ...LEAST, metadata: value });
    const { id } = created.body as { id: string };
    expect((await api.get(`/api/v1/calls/${id}`)).body).toMatchObject({ metadata: value });
  });

  test("D7: the one name that cannot be kept is refused, and nothing is changed by it", async () => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    const answer = await api.post(
      withMember('"__proto__":{"maxDuration":1},"metadata":{"__proto__":{"x":1},"a":{"__proto__":1}}'),
    );
    expect(answer.status).toBe(400);
    expect(pathsOf(answer)).toEqual(["/__proto__", "/metadata/__proto__", "/metadata/a/__proto__"]);
    expect(answer.text).toContain("metadata.a.__proto__ is a name that is reserved");
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });
});

describe("a body that cannot be read", () => {
  test.each([
    ["half an object", '{"systemPrompt":"x"'],
    ["two objects", "{}{}"],
    ["a trailing comma", '{"a":1,}'],
    ["a word", "hello"],
  ])("%s is 400, and not quoted", async (_what, text) => {
    const answer = await api.post(text);
    expect([answer.status, errorOf(answer).message]).toEqual([400, "the body must be valid JSON in UTF-8"]);
  });

  test.each(["[]", "null", '"x"', "5"])("%s is 400: it is no object", async (text) => {
    const answer = await api.post(text);
    expect([answer.status, pathsOf(answer)[0]]).toEqual([400, ""]);
  });

  test("B13: text that is no UTF-8, or half a surrogate pair, is refused; odd text that is legal is kept", async () => {
    const bytes = Buffer.from(withMember('"greeting":"#"'));
    bytes[bytes.indexOf("#")] = 0xff;
    const answer = await api.app.inject({
      method: "POST",
      url: "/api/v1/calls",
      headers: { "x-api-key": api.key, "content-type": "application/json" },
      payload: bytes,
    });
    expect(answer.statusCode).toBe(400);
    for (const half of ['"greeting":"\\ud800"', '"metadata":{"\\udc00":1}', '"metadata":{"a":["\\ud83d x"]}']) {
      expect((await api.post(withMember(half))).status).toBe(400);
    }
    expect((await api.post(withMember('"greeting":"\\ud83d\\ude00 \\u0000 \\u202e \\ufeff"'))).status).toBe(201);
  });

  test("32 levels are read and 33 are not, brackets inside strings aside", async () => {
    const levels = (count: number) => withMember(`"websocket":${"[".repeat(count - 1)}${"]".repeat(count - 1)}`);
    expect((await api.post(levels(32))).status).toBe(201);
    const answer = await api.post(levels(33));
    expect([answer.status, errorOf(answer).message]).toEqual([
      400,
      "the body must not be nested deeper than 32 levels",
    ]);
    expect((await api.post({ ...LEAST, systemPrompt: `${"[{".repeat(100)} \\" \\\\` })).status).toBe(201);
    expect((await api.post("[".repeat(200_000))).status).toBe(400);
  });

  test("256 KiB are read and one byte more is 413", async () => {
    const bodyOf = (bytes: number) =>
      withMember(`"greeting":"${"x".repeat(bytes - withMember('"greeting":""').length)}"`);
    expect((await api.post(bodyOf(BODY_BYTES_MAX))).status).toBe(201);
    const answer = await api.post(bodyOf(BODY_BYTES_MAX + 1));
    expect([answer.status, errorOf(answer).code]).toEqual([413, "payload_too_large"]);
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/xml",
    "multipart/form-data; boundary=x",
    "x",
  ])("the content type %s is 415", async (type) => {
    const answer = await api.post(LEAST, { "content-type": type });
    expect([answer.status, errorOf(answer).code]).toEqual([415, "unsupported_media_type"]);
  });

  test("a body without a content type is 415, and no body at all is 400", async () => {
    const request = { method: "POST", url: "/api/v1/calls", headers: { "x-api-key": api.key } } as const;
    expect((await api.app.inject({ ...request, payload: Buffer.from("{}") })).statusCode).toBe(415);
    const none = await api.app.inject(request);
    expect([none.statusCode, none.json().error.message]).toEqual([
      400,
      "the body must be a JSON object, but is missing or null",
    ]);
    expect(errorOf(await api.post("")).message).toBe("the body must be a JSON object, but is missing");
  });

  test("a charset other than UTF-8 is 415, and so is a content encoding", async () => {
    for (const headers of [
      { "content-type": "application/json; charset=utf-8" },
      { "content-type": 'application/json;charset="UTF-8"' },
      { "content-encoding": "identity" },
    ]) {
      expect((await api.post(LEAST, headers)).status).toBe(201);
    }
    for (const headers of [
      { "content-type": "application/json; charset=iso-8859-1" },
      { "content-type": 'application/json; charset="utf-16"' },
      { "content-encoding": "gzip" },
    ]) {
      const answer = await api.post(LEAST, headers);
      expect([answer.status, errorOf(answer).code]).toEqual([415, "unsupported_media_type"]);
    }
  });
});
