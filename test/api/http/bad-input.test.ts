import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ErrorBody } from "../../../src/api/http/errors.ts";
import { CONNECTION_TYPES } from "../../../src/carriers/list.ts";
import { BODY_BYTES_MAX } from "../../../src/core/limits/control-api/api.ts";
import { type ApiUnderTest, apiUnderTest, errorOf, MINIMAL_CALL, pathsOf } from "../../support/api/harness.ts";

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
});
afterAll(() => api.close());

// test/api/calls/bad-input-table.test.ts has the refused bodies and their paths; this file tests the messages and their size.

/** `LEAST` as JSON text, with one more member as literal JSON. */
const withMember = (member: string) => `${JSON.stringify(MINIMAL_CALL).slice(0, -1)},${member}}`;

describe("an invalid field is 400, with its path, its value and what is allowed", () => {
  const whole = (min: number, max: number) => `must be a whole number from ${min} to ${max}`;
  test.each([
    ["maxDuration", "59", whole(60, 7200)],
    ["maxDuration", "60.5", whole(60, 7200)],
    ["maxDuration", '"60"', whole(60, 7200)],
    ["maxDuration", "null", whole(60, 7200)],
    ["maxDuration", "1e+308", whole(60, 7200)],
    ["inactivityTimeout", "301", whole(10, 300)],
    ["temperature", "1.01", "must be a number from 0 to 1"],
    ["model", '"model_d"', "must be one of model_a, model_b, model_c"],
    ["connectionType", '"toString"', `must be one of ${CONNECTION_TYPES.join(", ")}`],
    ["firstSpeaker", '"caller"', "must be one of agent, user"],
    ["inactivityAction", '"sing"', "must be one of hang_up, prompt"],
    ["recordingEnabled", "1", "must be true or false"],
    ["transcriptEnabled", "1", "must be true or false"],
    ["greeting", "null", "must be a string"],
    ["systemPrompt", '""', "must be a string that is not blank"],
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

  test("a number beyond the range of a double is described", async () => {
    const answer = await api.post(withMember('"maxDuration":1e999,"websocket":{"x":-1e999}'));
    expect(errorOf(answer).details.map((detail) => detail.message)).toEqual([
      "maxDuration must be a whole number from 60 to 7200, not a number above 1.7976931348623157e+308",
      "websocket.x must be a finite number, not a number below -1.7976931348623157e+308",
    ]);
  });

  test("unknown fields are refused by name, at every depth", async () => {
    const answer = await api.post({
      ...MINIMAL_CALL,
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

  test("all problems of a request are reported together", async () => {
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

  test("problems of its query and its headers are included", async () => {
    const body = { ...MINIMAL_CALL, model: "x", voice: "Zelda" };
    const answer = await api.post(body, { "idempotency-key": "" }, "/api/v1/calls?dry=1&force=true");
    expect(pathsOf(answer)).toEqual(["/dry", "/force", "/idempotency-key", "/model", "/voice"]);
    expect(errorOf(answer).details.map(({ message }) => message)).toContain('the query has no field "dry"');
  });

  test("only the first hundred of ten thousand unknown fields are named", async () => {
    const answer = await api.post({
      ...MINIMAL_CALL,
      ...Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`f${i}`, 1])),
    });
    expect(errorOf(answer).details).toHaveLength(100);
    expect(errorOf(answer).message).toBe("at least 100 problems, named in details");
  });

  test("when the problems take too much space the first ones are complete, and the message says that there are more", async () => {
    const fields = Array.from({ length: 90 }, (_, i) => [`${"€".repeat(240)}${i}`, 1]);
    const answer = await api.post({ ...MINIMAL_CALL, ...Object.fromEntries(fields) });
    const { details, message } = errorOf(answer);
    expect(details.length).toBeLessThan(90);
    expect(message).toBe(`at least ${details.length} problems, named in details`);
    expect(details.map(({ path }) => path)).toEqual(fields.slice(0, details.length).map(([name]) => `/${name}`));
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
  ])("%s get a small response", async (_what, text) => {
    expect(text.length).toBeLessThanOrEqual(BODY_BYTES_MAX);
    const answer = await api.post(text);
    expect(answer.status).toBe(400);
    expect(errorOf(answer).details).not.toEqual([]);
    expect(Buffer.byteLength(answer.text)).toBeLessThan(64 * 1024);
  });

  test("a path and a name are shown in full at any depth", async () => {
    const definition = { type: "http", name: "a", description: "b", parameters: { type: "object" } };
    const http = { method: "GET", url: "http://127.0.0.1/", headers: { "X-Unusually-Long-Header-Name-Of-A-Shop": 7 } };
    const answer = await api.post({ ...MINIMAL_CALL, selectedTools: [{ definition: { ...definition, http } }] });
    expect(errorOf(answer).details).toEqual([
      {
        path: "/selectedTools/0/definition/http/headers/X-Unusually-Long-Header-Name-Of-A-Shop",
        message:
          "selectedTools.0.definition.http.headers.X-Unusually-Long-Header-Name-Of-A-Shop must be a string, not 7",
      },
      {
        path: "/selectedTools/0/definition/http/url",
        message: expect.stringMatching(/^selectedTools\.0\.definition\.http\.url must name a public server/),
      },
    ]);
  });

  test("an unknown field is named in full, in the path and in the message", async () => {
    const field = "the_name_of_this_field_is_longer_than_forty_characters";
    const answer = await api.post({ ...MINIMAL_CALL, [field]: 1 });
    expect(errorOf(answer).details).toEqual([{ path: `/${field}`, message: `the body has no field "${field}"` }]);
  });

  test("a path that is too long to show ends at a whole name, and the message says so", async () => {
    const key = "k".repeat(100_000);
    const deep = await api.post(withMember(`"websocket":{"${key}":[0,1e999]}`));
    expect(errorOf(deep).details).toEqual([
      {
        path: "/websocket",
        message: `a field inside websocket must be a finite number, not a number above ${Number.MAX_VALUE}`,
      },
    ]);
    const unknown = await api.post(withMember(`"${key}":1`));
    expect(errorOf(unknown).details).toEqual([
      { path: "", message: "the body has an unknown field, whose name has 100000 characters" },
    ]);
  });

  test("an invalid tool name is not repeated", async () => {
    const definition = { type: "client", name: "n".repeat(200_000), description: "b", parameters: { type: "object" } };
    const answer = await api.post({ ...MINIMAL_CALL, selectedTools: [{ definition }] });
    expect(pathsOf(answer)).toEqual(["/connectionType", "/selectedTools/0/definition/name"]);
    expect(answer.text.length).toBeLessThan(2_000);
  });

  test("a value that is too long ends in an ellipsis after a whole grapheme", async () => {
    const family = "👨‍👩‍👧‍👦";
    const answer = await api.post({ ...MINIMAL_CALL, model: family.repeat(10) });
    expect(errorOf(answer).message).toBe(`model must be one of model_a, model_b, model_c, not "${family.repeat(3)}…"`);
  });

  test("a list of more than 32 tools is refused only for its length", async () => {
    const answer = await api.post({ ...MINIMAL_CALL, selectedTools: Array(20_000).fill({ sing: 1 }) });
    expect([pathsOf(answer), errorOf(answer).message]).toEqual([
      ["/selectedTools"],
      "selectedTools must have at most 32 items, not 20000",
    ]);
  });

  test("quotes of the request are short", async () => {
    const answer = await api.post({ ...MINIMAL_CALL, model: "m".repeat(5_000), metadata: "x", websocket: "x" });
    expect(answer.text).toContain(`${"m".repeat(40)}…`);
    expect(answer.text).not.toContain("m".repeat(41));
  });
});

test("the websocket object's errors state what is allowed, also with the G.711 codecs", async () => {
  const messages = async (websocket: unknown) =>
    errorOf(await api.post({ ...MINIMAL_CALL, connectionType: "websocket", websocket })).details.map(
      ({ message }) => message,
    );
  expect(await messages({ inputSampleRate: 44_100, outputSampleRate: "8000", codec: "PCMU" })).toEqual([
    'websocket.codec must be one of pcm_s16le, mulaw, alaw, opus, not "PCMU"',
    "websocket.inputSampleRate must be one of 8000, 16000, 24000, 48000, not 44100",
    'websocket.outputSampleRate must be one of 8000, 16000, 24000, 48000, not "8000"',
  ]);
  expect(await messages({ codec: "alaw", inputSampleRate: 16_000, outputSampleRate: 8_000 })).toEqual([
    "websocket.inputSampleRate must be 8000 with the codecs mulaw and alaw, not 16000",
  ]);
  expect(await messages([])).toEqual(["websocket must be an object, not a list"]);
});

describe("metadata", () => {
  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });

  test("is refused with its size and its depth", async () => {
    const message = async (value: unknown) => errorOf(await api.post({ ...MINIMAL_CALL, metadata: value })).message;
    expect(await message({ a: "x".repeat(8_185) })).toBe("metadata must take at most 8192 bytes as JSON, not 8193");
    expect(await message(nested(6))).toBe("metadata must have at most 5 levels, not 6");
    expect(await message({ a: Array(130_000).fill(0) })).toBe(
      "metadata must take at most 8192 bytes as JSON, not 260007",
    );
  });

  test("is returned unchanged with any keys", async () => {
    const value = { constructor: { prototype: null }, prototype: [1], toString: "x", hasOwnProperty: 0, "": {} };
    const created = await api.post({ ...MINIMAL_CALL, metadata: value });
    const { id } = created.body as { id: string };
    expect((await api.get(`/api/v1/calls/${id}`)).body).toMatchObject({ metadata: value });
  });

  test("is refused with the one reserved name", async () => {
    const answer = await api.post(withMember('"metadata":{"a":{"__proto__":1}}'));
    expect(errorOf(answer).message).toBe("metadata.a.__proto__ is a name that is reserved");
  });
});

describe("an unreadable body", () => {
  test("is not quoted", async () => {
    expect(errorOf(await api.post('{"systemPrompt":"x"')).message).toBe("the body must be valid JSON in UTF-8");
    expect(errorOf(await api.post("[]")).message).toBe("the body must be a JSON object, not a list");
    expect(errorOf(await api.post("[".repeat(33))).message).toBe("the body must have at most 32 levels");
  });

  test("B13: bytes that are not UTF-8 are refused, not replaced", async () => {
    const bytes = Buffer.from(withMember('"greeting":"#"'));
    bytes[bytes.indexOf("#")] = 0xff;
    const answer = await api.app.inject({
      method: "POST",
      url: "/api/v1/calls",
      headers: { "x-api-key": api.key, "content-type": "application/json" },
      payload: bytes,
    });
    expect(answer.statusCode).toBe(400);
  });

  test("may contain any brackets within its strings", async () => {
    expect((await api.post({ ...MINIMAL_CALL, systemPrompt: `${"[{".repeat(100)} \\" \\\\` })).status).toBe(201);
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/xml",
    "multipart/form-data; boundary=x",
    "x",
  ])("the content type %s is 415", async (type) => {
    const answer = await api.post(MINIMAL_CALL, { "content-type": type });
    expect([answer.status, errorOf(answer).code]).toEqual([415, "unsupported_media_type"]);
  });

  test("a body without a content type is 415, and no body at all is 400", async () => {
    const request = { method: "POST", url: "/api/v1/calls", headers: { "x-api-key": api.key } } as const;
    expect((await api.app.inject({ ...request, payload: Buffer.from("{}") })).statusCode).toBe(415);
    const none = await api.app.inject(request);
    for (const { error } of [none.json(), (await api.post("")).body as ErrorBody]) {
      const problem = { path: "", message: "the body must be a JSON object, but is missing or null" };
      expect(error).toMatchObject({ code: "invalid_request", message: problem.message, details: [problem] });
    }
  });

  test("a charset other than UTF-8 is 415, and so is a content encoding", async () => {
    for (const headers of [
      { "content-type": "application/json; charset=utf-8" },
      { "content-type": 'application/json;charset="UTF-8"' },
      { "content-encoding": "identity" },
    ]) {
      expect((await api.post(MINIMAL_CALL, headers)).status).toBe(201);
    }
    for (const headers of [
      { "content-type": "application/json; charset=iso-8859-1" },
      { "content-type": 'application/json; charset="utf-16"' },
      { "content-encoding": "gzip" },
    ]) {
      const answer = await api.post(MINIMAL_CALL, headers);
      expect([answer.status, errorOf(answer).code]).toEqual([415, "unsupported_media_type"]);
    }
  });
});
