import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CARRIER_NAMES } from "../../../src/carriers/list.ts";
import { BODY_BYTES_MAX } from "../../../src/core/limits/control-api/api.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import {
  type Answer,
  type ApiUnderTest,
  apiUnderTest,
  errorOf,
  MINIMAL_CALL,
  pathsOf,
} from "../../support/api/harness.ts";
import { redeemedBy } from "../../support/tokens.ts";

/** The outcome of a body: a call, or an error with this code. */
type Outcome =
  | "created"
  | "invalid_request"
  | "unknown_voice"
  | "unknown_language"
  | "unavailable"
  | "payload_too_large";
const STATUS: Readonly<Record<Outcome, number>> = {
  created: 201,
  invalid_request: 400,
  unknown_voice: 400,
  unknown_language: 400,
  payload_too_large: 413,
  unavailable: 501,
};

/** A value as JSON text, and the paths that its error names if they are not the field's own. */
type Value = string | readonly [text: string, ...paths: string[]];

interface Field {
  /** The id of the check that these rows prove. */
  id?: "C16" | "M9";
  /** JSON with `#` in the place of the value; the fields of a minimal call surround it. */
  member: string;
  path: string;
  rows: Readonly<Partial<Record<Outcome, readonly Value[]>>>;
}

/** A quoted text of this many bytes. */
const long = (bytes: number, unit = "x"): string => `"${unit.repeat((bytes - 2) / Buffer.byteLength(unit))}"`;
const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
const tools = (count: number): string => `[${Array(count).fill('{"toolName":"hang_up"}').join()}]`;

const ODD_TEXTS = ['"\\u0000 in \\u001b[31mit"', '"שלום ‮ عالم"', '"👩‍👩‍👧 né 漢字"', '"<b>\\"\\\\\\n"', '"__proto__"'];
const HALVES = ['"\\ud800"', '"a \\udc00 b"', '"\\udc00\\ud800"'];
const NO_TEXT = ["null", "5", "true", "[]", "{}", '["x"]', '{"toString":"x"}'];
const NO_NUMBER = ["null", "true", "[]", "{}", "[60]", '{"valueOf":60}', '""', '"60"', '" 60 "', '"sixty"'];
const NO_FLAG = ["null", "0", "1", '""', '"true"', '"false"', "[]", "{}", "[true]"];
/** Values outside an enum: other spellings of `word`, inherited members of objects, and values that are not text. */
const noWord = (word: string): string[] => [
  ...["null", "5", "true", "[]", "{}", `["${word}"]`, '""', '" "', '"__proto__"', '"constructor"', '"toString"'],
  ...[`"${word.toUpperCase()}"`, `"${word} "`, `"${word}\\u0000"`, `"${word.replace("a", "а")}\\u200b"`, '"\\ud800"'],
];
const NO_INTEGER_IN = (min: number, max: number): string[] => [
  ...[String(min - 1), String(max + 1), `${min}.5`, `${max}.0000001`, "0", "-0", "-1", `-${min}`, "1e-7"],
  ...["2147483648", "4294967356", "9007199254740993", "1e+308", "1e999", "-1e999", `${"9".repeat(400)}`],
];

const field = (name: string, rows: Field["rows"], id?: Field["id"]): Field => ({
  member: `"${name}":#`,
  path: `/${name}`,
  rows,
  ...(id !== undefined && { id }),
});
const websocket = (name: string, rows: Field["rows"]): Field => ({
  member: `"connectionType":"websocket","websocket":{"${name}":#}`,
  path: `/websocket/${name}`,
  rows,
  id: "M9",
});
const tool = (name: string, rows: Field["rows"], beside = ""): Field => ({
  member: `"selectedTools":[{${beside}"${name}":#}]`,
  path: `/selectedTools/0/${name}`,
  rows,
});

const PLAIN_HTTP = { method: "GET", url: "https://x.example/" };

const RATES = {
  created: ["8000", "16000", "24000", "48000", "8e3", "16000.0"],
  invalid_request: [
    ...[...NO_NUMBER, '"8000"', '"NaN"', "0", "-0", "-8000", "7999", "8001", "8000.5", "8000.0000001", "11025"],
    ...["16", "16384", "22050", "32000", "44100", "47999", "96000", "192000", "4294975296", "1e999", "-1e999"],
  ],
};

const FIELDS: readonly Field[] = [
  field("systemPrompt", {
    created: ['"x"', '" x "', '"constructor"', ...ODD_TEXTS, long(200_000), long(120_000, "é")],
    invalid_request: [...NO_TEXT, '""', '" \\n\\t"', '"\\u00a0\\u3000"', '"\\u200b\\ufeff\\u0000"', ...HALVES],
    payload_too_large: [[long(BODY_BYTES_MAX)], [long(BODY_BYTES_MAX, "👋👋")]],
  }),
  field("voice", {
    created: ['"Alice"', '"fake/en-us"'],
    invalid_request: [...NO_TEXT, ...HALVES],
    unknown_voice: ['""', '"alice"', '"Alice "', '"Аlice"', '"fake/EN-us"', '"Clara"', ...ODD_TEXTS, long(100_000)],
  }),
  field("language", {
    created: ['"en-US"', '"en-us"', '"EN-US"', '"en-GB"'],
    invalid_request: [...NO_TEXT, ...HALVES],
    unknown_language: ['""', '"xx"', '"en_US"', '" en-US"', '"еn-US"', '"English"', '"d"', ...ODD_TEXTS, long(100_000)],
  }),
  field("languagePinned", { created: ["true", "false"], invalid_request: NO_FLAG }),
  field("model", { created: ['"model_a"', '"model_b"', '"model_c"'], invalid_request: noWord("model_a") }),
  field("temperature", {
    created: ["0", "-0", "0.0", "1", "1.0", "1e0", "0.5", "1e-400", "0.000000000000001", `0.${"3".repeat(1_000)}`],
    invalid_request: [...NO_NUMBER, "-0.01", "-1e-300", "1.01", "1.0000000000000002", "2", "1e308", "1e999", "-1e999"],
  }),
  field("greeting", {
    created: ['""', '" "', '"Hello!"', ...ODD_TEXTS, long(200_000)],
    invalid_request: [...NO_TEXT, ...HALVES],
  }),
  field("firstSpeaker", { created: ['"agent"', '"user"'], invalid_request: [...noWord("agent"), '"caller"'] }),
  field("interruptible", { created: ["true", "false"], invalid_request: NO_FLAG }),
  field(
    "maxDuration",
    {
      created: ["60", "61", "60.0", "6e1", "600", "7199", "7200", "7.2e3"],
      invalid_request: [...NO_NUMBER, ...NO_INTEGER_IN(60, 7_200)],
    },
    "C16",
  ),
  field("inactivityTimeout", {
    created: ["10", "11", "1e1", "30", "299", "300"],
    invalid_request: [...NO_NUMBER, ...NO_INTEGER_IN(10, 300)],
  }),
  field("inactivityAction", { created: ['"hang_up"', '"prompt"'], invalid_request: noWord("hang_up") }),
  field("recordingEnabled", { created: ["true", "false"], invalid_request: NO_FLAG }),
  field("transcriptEnabled", { created: ["true", "false"], invalid_request: NO_FLAG }),
  field("useParameters", { created: ["true", "false"], invalid_request: NO_FLAG }),
  field("connectionType", {
    created: [...CARRIER_NAMES, "websocket"].map((name) => `"${name}"`),
    unavailable: ['"webrtc"'],
    invalid_request: [...noWord("carrier_a"), '"carrier_x"', '"twilio"'],
  }),
  // With another transport it is not checked, except for values that no body may contain.
  field("websocket", {
    created: ["null", "5", '"x"', "[]", "{}", '{"codec":"PCMU","inputSampleRate":44100,"constructor":{}}'],
    invalid_request: [
      ['{"x":1e999}', "/websocket/x"],
      ['{"__proto__":{}}', "/websocket/__proto__"],
      ['["\\ud800"]', "/websocket/0"],
    ],
  }),
  {
    member: '"connectionType":"websocket","websocket":#',
    path: "/websocket",
    id: "M9",
    rows: {
      created: [
        "{}",
        '{"codec":"mulaw"}',
        '{"codec":"alaw","inputSampleRate":8000,"outputSampleRate":8000}',
        '{"codec":"opus","inputSampleRate":48000}',
      ],
      invalid_request: [
        ...["null", "5", "true", '"mulaw"', "[]", '[{"codec":"mulaw"}]'],
        ...[0, 1, 2, 255].map((channels): [string, string] => [`{"channels":${channels}}`, "/websocket/channels"]),
        ['{"sampleRate":16000}', "/websocket/sampleRate"],
        ['{"Codec":"mulaw"}', "/websocket/Codec"],
        ['{"constructor":1}', "/websocket/constructor"],
        ['{"__proto__":{"codec":"mulaw"}}', "/websocket/__proto__"],
        ['{"codec":"alaw","outputSampleRate":16000}', "/websocket/outputSampleRate"],
        ['{"codec":"mulaw","inputSampleRate":48000,"outputSampleRate":24000}', ...sides()],
        ['{"codec":"mulaw","inputSampleRate":44100,"outputSampleRate":"x"}', ...sides()],
      ],
    },
  },
  websocket("inputSampleRate", RATES),
  websocket("outputSampleRate", RATES),
  websocket("codec", {
    created: ['"pcm_s16le"', '"mulaw"', '"alaw"', '"opus"'],
    invalid_request: [
      ...[...noWord("mulaw"), ...noWord("alaw").slice(-4), '"PCMU"', '"PCMA"', '"ulaw"', '"pcm"', '"pcm_s16be"'],
      ...['"muⅼaw"', '"mu-law"', '"ｍulaw"', '"οpus"', '"Opus"', '"L16"', '"mulaw,alaw"', '["mulaw","alaw"]'],
    ],
  }),
  field("selectedTools", {
    created: ["[]", tools(1), '[{"toolName":"hang_up"},{"toolName":"transfer"},{"toolName":"switch_language"}]'],
    invalid_request: [
      [tools(3), "/selectedTools/1/toolName", "/selectedTools/2/toolName"],
      ...["null", "5", "true", '"hang_up"', "{}", '{"0":{"toolName":"hang_up"},"length":1}', tools(33)],
      `[${"{},".repeat(80_000)}{}]`,
      ...["null", "5", '"hang_up"', "[]", "{}", '[{"toolName":"hang_up"}]'].map(item),
      ['[{"toolName":"hang_up"},null,{"toolName":"sing"}]', "/selectedTools/1", "/selectedTools/2/toolName"],
      ['[{"toolName":"hang_up","toolId":"tool_1"}]', "/selectedTools/0", "/selectedTools/0/toolId"],
      ['[{"parameterOverrides":{}}]', "/selectedTools/0"],
      ['[{"toolName":"hang_up","extra":1}]', "/selectedTools/0/extra"],
      ['[{"toolName":"hang_up","__proto__":{}}]', "/selectedTools/0/__proto__"],
    ],
  }),
  tool("toolName", {
    created: ['"hang_up"', '"transfer"', '"send_dtmf"', '"switch_language"'],
    invalid_request: [...noWord("hang_up"), ['"query_corpus"', "/selectedTools/0/parameterOverrides/corpusIds"]],
  }),
  tool("toolId", {
    invalid_request: [...NO_TEXT, '""', '" "', ...HALVES, '"tool_1"', '"x"', '"💣"', '"../../etc"'],
  }),
  tool("definition", {
    created: [definition()],
    invalid_request: [
      ...["null", "5", "true", '"weather"', "[]", '[{"name":"weather"}]'],
      ["{}", ...["type", "name", "description", "parameters"].map(inDefinition)],
      [definition({ constructor: 1 }), inDefinition("constructor")],
      [definition().replace("{", '{"__proto__":{},'), inDefinition("__proto__")],
      [definition().replace("{", '{"n":1e999,'), inDefinition("n")],
    ],
  }),
  tool(
    "parameterOverrides",
    {
      created: ["{}"],
      invalid_request: [
        ...["null", "5", "true", '"x"', "[]", "[{}]"],
        ['{"soft":true}', "/selectedTools/0/parameterOverrides/soft"],
        ['{"constructor":1}', "/selectedTools/0/parameterOverrides/constructor"],
      ],
    },
    '"toolName":"hang_up",',
  ),
  override("transfer", "target", ['"+15550100"', '"sip:desk@example.com"'], ['""', '" "', "5", "null", long(300)]),
  override("switch_language", "language", ['"de"', '"en-GB"'], ['""', '"tlh-"', '"no language"', "5", "null", "[]"]),
  defined("type", ['"http"'], [...noWord("http"), '"grpc"', ['"client"', "/connectionType", inDefinition("http")]]),
  defined("name", ['"x"', '"order_status-2"', long(66)], [...NO_TEXT, '""', '"a b"', '"é"', '"hang_up"', long(67)]),
  defined("description", ['"x"', long(1_026)], [...NO_TEXT, '""', '" "', long(1_027), ...HALVES]),
  defined("timeoutMs", ["1000", "30000"], [...NO_NUMBER, ...NO_INTEGER_IN(1_000, 30_000)]),
  defined(
    "parameters",
    ['{"type":"object"}', '{"type":"object","properties":{"a":{"enum":[1]}},"required":["a"]}'],
    [
      ...["null", "5", "[]", "{}", '{"type":"string"}', '{"type":"object","properties":5}', '"object"'],
      ...['{"type":"object","required":"a"}', '{"type":"object","$ref":"https://x.example/"}', nested(20)],
      `{"type":"object","description":${long(8_192)}}`,
    ],
  ),
  inHttp(
    "method",
    ['"GET"', '"POST"', '"PUT"', '"PATCH"', '"DELETE"'],
    [...noWord("get").filter((text) => text !== '"GET"'), '"get"', '"CONNECT"'],
  ),
  inHttp(
    "url",
    ['"https://x.example/a?b=c"'],
    [
      ...[...NO_TEXT, '""', '"x.example"', '"file:///etc/passwd"', '"https://x.example:22/"', '"http://127.1/"'],
      ...['"http://169.254.169.254/latest"', '"http://a@x.example/"', '"https://x.example/{none}"', '"http://[::1]/"'],
      ...['"https://{host}.example/"', '"https://x.example/a b"', '"https://x.example/../a"', '"gopher://x.example/"'],
    ],
  ),
  inHttp(
    "headers",
    ["{}", '{"Authorization":"Bearer {{SHOP_TOKEN}}","X-API-Key":"k"}'],
    [
      ...["null", "5", "[]", '"x"', `{${Array.from({ length: 17 }, (_, at) => `"x-${at}":""`).join()}}`],
      ...([["Host"], ["content-length"], ["a b"], ["X", "5"], ["X", '"a\\r\\nb"'], ["X", '"{{NONE}}"']] as const).map(
        ([name, value = '"x"']): [string, string] => [
          `{"${name}":${value}}`,
          `${inDefinition("http/headers")}/${name}`,
        ],
      ),
      ['{"X":"1","x":"2"}', `${inDefinition("http/headers")}/x`],
    ],
  ),
  field("metadata", {
    created: [
      ...["{}", '{"":""}', '{"a":[null,true,-0.5,{"b":[]}]}', '{"constructor":{"prototype":null},"toString":1}'],
      ...['{"2":"b","1":"a"}', '{"né \\u0000 \\u2028":"👋 ‮"}', '{"n":9007199254740991}', nested(5)],
      `{"a":${long(8_186)}}`,
      `{"a":${long(8_186, "é")}}`,
    ],
    invalid_request: [
      ...["null", "5", "true", '"x"', "[]", '[{"a":1}]', nested(6), '{"a":[[[[[]]]]]}'],
      ...[`{"a":${long(8_187)}}`, `{"a":${long(8_188, "é")}}`, `{"a":[${"0,".repeat(100_000)}0]}`],
      ['{"__proto__":1}', "/metadata/__proto__"],
      ['{"a":[{"__proto__":{"x":1}}]}', "/metadata/a/0/__proto__"],
      ['{"n":-1e999}', "/metadata/n"],
      ['{"\\ud800":1}', "/metadata/\ufffd"],
      ['{"a":"\\ud800"}', "/metadata/a"],
    ],
  }),
  ...["accountId", "id", "status", "createdAt", "websocketUrl", "agentId", "tenantId", "maxduration", "max_duration"]
    .concat("SystemPrompt", "voiceId", "constructor", "toString", "hasOwnProperty", "ｍodel", "", " voice")
    .map((name) => field(name, { invalid_request: ["1", "null"] })),
  field("__proto__", { invalid_request: ["1", "null", '{"maxDuration":60}', '{"isAdmin":true}'] }),
  { member: '"a/b~c\\n":#', path: "/a~1b~0c\ufffd", rows: { invalid_request: ["1"] } },
];

function override(toolName: string, name: string, created: Value[], invalid_request: Value[]): Field {
  return {
    member: `"selectedTools":[{"toolName":"${toolName}","parameterOverrides":{"${name}":#}}]`,
    path: `/selectedTools/0/parameterOverrides/${name}`,
    rows: { created, invalid_request },
  };
}

function inDefinition(name: string): string {
  return `/selectedTools/0/definition/${name}`;
}

/** A valid definition with changes; undefined members are omitted. */
function definition(changes: Record<string, unknown> = {}): string {
  const parameters = { type: "object", properties: { order: { type: "string" } } };
  const http = { method: "GET", url: "https://x.example/{order}" };
  return JSON.stringify({ type: "http", name: "order", description: "Tells.", parameters, http, ...changes });
}

function defined(name: string, created: Value[], invalid_request: Value[]): Field {
  const others = definition({ [name]: undefined, ...(name === "parameters" && { http: PLAIN_HTTP }) });
  const member = `"selectedTools":[{"definition":${others.slice(0, -1)},"${name}":#}}]`;
  return { member, path: inDefinition(name), rows: { created, invalid_request } };
}

function inHttp(name: string, created: Value[], invalid_request: Value[]): Field {
  const others = JSON.stringify({ ...PLAIN_HTTP, [name]: undefined }).slice(0, -1);
  const member = `"selectedTools":[{"definition":${definition({ http: undefined }).slice(0, -1)},"http":${others},"${name}":#}}}]`;
  return { member, path: inDefinition(`http/${name}`), rows: { created, invalid_request } };
}

function sides(): [string, string] {
  return ["/websocket/inputSampleRate", "/websocket/outputSampleRate"];
}

function item(text: string): [string, string] {
  return [`[${text}]`, "/selectedTools/0"];
}

/** A minimal call with `member` replaced. */
function bodyOf(member: string, value: string): string {
  const rest = Object.entries(MINIMAL_CALL).filter(([name]) => !member.startsWith(`"${name}":`));
  return `${JSON.stringify(Object.fromEntries(rest)).slice(0, -1)},${member.replace("#", () => value)}}`;
}

interface Row {
  name: string;
  text: string;
  outcome: Outcome;
  paths: string[];
}

const FIELD_ROWS: Row[] = FIELDS.flatMap(({ member, path, rows, id }) =>
  Object.entries(rows).flatMap(([outcome, values]) =>
    values.map((given): Row => {
      const [value, ...paths] = typeof given === "string" ? [given] : given;
      const shown = value.length > 60 ? `${value.slice(0, 50)}… (${value.length} characters)` : value;
      const ownPaths = outcome === "created" || outcome === "payload_too_large" ? [] : [path];
      return {
        name: `${id === undefined ? "" : `${id}: `}${member.replace("#", () => shown)}`,
        text: bodyOf(member, value),
        outcome: outcome as Outcome,
        paths: paths.length > 0 ? paths : ownPaths,
      };
    }),
  ),
);

/** Every field. */
const FULL = {
  ...MINIMAL_CALL,
  ...{ model: "model_c", temperature: 0.7, greeting: "Hello!", firstSpeaker: "agent", interruptible: true },
  ...{
    languagePinned: true,
    maxDuration: 60,
    inactivityTimeout: 300,
    inactivityAction: "hang_up",
    recordingEnabled: false,
    transcriptEnabled: false,
    useParameters: true,
  },
  ...{ connectionType: "carrier_a", websocket: { codec: "opus" }, selectedTools: [{ toolName: "hang_up" }] },
  metadata: { order: 17 },
};

const without = (name: string): string => JSON.stringify({ ...FULL, [name]: undefined });
const least = JSON.stringify(MINIMAL_CALL).slice(1, -1);
const REQUIRED = ["/language", "/systemPrompt", "/voice"];
const invalid = (name: string, text: string, ...paths: string[]): Row => ({
  ...{ name, text, outcome: "invalid_request", paths },
});
const created = (name: string, text: string): Row => ({ name, text, outcome: "created", paths: [] });

const BODY_ROWS: Row[] = [
  ...Object.keys(FULL).map((name) =>
    name in MINIMAL_CALL
      ? invalid(`everything but ${name}`, without(name), `/${name}`)
      : created(`everything but ${name}`, without(name)),
  ),
  created("everything", JSON.stringify(FULL)),
  created("the least", `{${least}}`),
  created("with white space around it", ` \r\n\t{${least}} \n`),
  created("names spelled with escapes", `{${least.replace("voice", "\\u0076oice")}}`),
  // RFC 8259, section 4 leaves duplicate names open; JSON.parse takes the last one, and so do we.
  created("the same name twice, the last one right", `{${least},"maxDuration":5,"maxDuration":60}`),
  invalid("the same name twice, the last one wrong", `{${least},"maxDuration":60,"maxDuration":5}`, "/maxDuration"),
  invalid("the same unknown name twice", `{${least},"x":1,"x":2}`, "/x"),
  invalid("__proto__ twice", `{${least},"__proto__":1,"__proto__":{}}`, "/__proto__"),
  created("a name twice, once with escapes", `{${least},"m\\u006fdel":"x","model":"model_a"}`),
  ...["{}", '{"systemPrompt":null,"voice":null,"language":null}', '{"systemPrompt":" ","voice":1,"language":[]}'].map(
    (text) => invalid(text, text, ...REQUIRED),
  ),
  ...["null", "true", "5", '"x"', "[]", `[{${least}}]`, '[["x"]]'].map((text) => invalid(text, text, "")),
  invalid("1e999", "1e999", ""),
  invalid("half a surrogate pair", '"\\ud800"', ""),
  invalid("nothing", "", ""),
  ...[" ", "{", "}", "hello", "{}{}", `{${least},}`, `{${least}}x`, "{'a':1}", "{a:1}", '{"a":01}'].map((text) =>
    invalid(`no JSON: ${text}`, text),
  ),
  ...["NaN", "Infinity", "-Infinity", "undefined", "060", "+60", "0x3c", "6_0", "60.", ".6e2", "1e", "--1"].map(
    (text) => invalid(`no JSON: maxDuration ${text}`, `{${least},"maxDuration":${text}}`),
  ),
  ...["NaN", "Infinity", "0x1F40", "8_000", "08000", "8kHz"].map((text) =>
    invalid(
      `M9: no JSON: inputSampleRate ${text}`,
      `{${least},"connectionType":"websocket","websocket":{"inputSampleRate":${text}}}`,
    ),
  ),
  ...['"\u0001"', '"\n"', '"\\x41"', '"\\u12"', '"', "'x'", "`x`", "/* */ 1", "1 // x"].map((text) =>
    invalid(`no JSON: greeting ${JSON.stringify(text)}`, `{${least},"greeting":${text}}`),
  ),
  invalid("a byte order mark", `\ufeff{${least}`),
  invalid("33 levels", `{${least},"websocket":${"[".repeat(32)}${"]".repeat(32)}}`),
  created("32 levels", `{${least},"websocket":${"[".repeat(31)}${"]".repeat(31)}}`),
  invalid("brackets that never close", "[".repeat(200_000)),
  { ...created("one byte too many", `{${least}}`.padEnd(BODY_BYTES_MAX + 1)), outcome: "payload_too_large" },
  created("as many bytes as there may be", `{${least}}`.padEnd(BODY_BYTES_MAX)),
];

const ROWS = [...FIELD_ROWS, ...BODY_ROWS];

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
});
afterAll(() => api.close());

/** Every member that a polluted prototype would show, functions by identity. */
const prototypes = (): unknown[] =>
  [Object.prototype, Array.prototype, String.prototype, Number.prototype, Function.prototype].map((prototype) =>
    Reflect.ownKeys(prototype).map((key) => [key, Object.getOwnPropertyDescriptor(prototype, key)]),
  );
const before = prototypes();

/** The specification that the gateway receives for a created call. */
async function specOf({ body }: Answer) {
  const token = (body as { websocketUrl: string }).websocketUrl.slice(-64);
  return (await api.stores.redemptions.redeem(hashSecret(token), redeemedBy("worker-1")))?.spec;
}

describe("POST /calls", () => {
  test.each(ROWS.map((row) => [row.name, row.outcome, row] as const))("%s → %s", async (_name, _outcome, row) => {
    const answer = await api.post(row.text);
    expect(answer.status).toBe(STATUS[row.outcome]);
    if (row.outcome === "created") {
      const { systemPrompt, metadata } = JSON.parse(row.text);
      // Accepted values are stored unchanged.
      expect(await specOf(answer)).toMatchObject({ systemPrompt, ...(metadata !== undefined && { metadata }) });
      return;
    }
    const { code, message, details, requestId, ...others } = errorOf(answer);
    expect([code, pathsOf(answer)]).toEqual([row.outcome, [...row.paths].sort()]);
    expect([others, requestId]).toEqual([{}, answer.headers["x-request-id"]]);
    for (const text of [message, ...details.map((detail) => detail.message)]) expect(text).toMatch(/^\S.{5,}\S$/su);
    expect(Buffer.byteLength(answer.text)).toBeLessThan(4_096);
  });

  test("every field has rows, and only valid bodies create calls", async () => {
    expect(ROWS.length).toBeGreaterThan(400);
    for (const name of Object.keys(FULL)) {
      expect(
        FIELDS.filter(({ path }) => path === `/${name}`),
        name,
      ).not.toEqual([]);
    }
    const made = api.logged.filter((line) => line.includes('"call created"'));
    expect(made).toHaveLength(ROWS.filter(({ outcome }) => outcome === "created").length);
    expect(api.logged.filter((line) => line.includes('"status":5') && !line.includes('"status":501'))).toEqual([]);
  });

  test("D7: no field name changes a prototype", () => {
    expect(prototypes()).toEqual(before);
    expect(Object.keys({ ...Object.prototype })).toEqual([]);
  });
});
