import { availableParallelism } from "node:os";
import { describe, expect, test } from "vitest";
import { CARRIER_NAMES } from "../../src/carriers/list.ts";
import { readConfig, unknownVariables } from "../../src/config/config.ts";
import { VALID_MODELS, VALID_STT } from "../support/providers/valid-names.ts";

const NO_SECRETS = Object.fromEntries(CARRIER_NAMES.map((name) => [name, []]));

describe("configuration", () => {
  test("without variables the service listens on this machine only, and understands people without an account", () => {
    expect(readConfig({})).toMatchObject({
      apiHost: "127.0.0.1",
      apiPort: 8080,
      mediaPort: 8081,
      publicMediaUrl: undefined,
      publicApiUrls: [],
      mediaTls: undefined,
      metricsHost: "127.0.0.1",
      metricsPort: 9464,
      operatorToken: undefined,
      isProduction: false,
      stt: "local",
      tts: "espeak",
      models: { model_a: "reference", model_b: "reference", model_c: "reference" },
      streamsMax: {},
      vad: "silero",
      preemptiveReplies: false,
      carrierSecrets: NO_SECRETS,
      outboundCodecs: { carrier_b: "mulaw" },
      toolSecrets: new Map(),
      toolsAllowLoopback: false,
    });
  });

  test("in production the STT and the TTS have the same defaults, and each is independent of the other", () => {
    const plain = { stt: "local", tts: "espeak" };
    expect(readConfig({ NODE_ENV: "production" })).toMatchObject({ ...plain, isProduction: true });
    expect(readConfig({ TTS: "reference" })).toMatchObject({ ...plain, tts: "reference" });
    expect(readConfig({ STT: "reference" })).toMatchObject({ ...plain, stt: "reference" });
  });

  test("providers have the configured stream limits; others have none", () => {
    expect(readConfig({ PROVIDER_STREAMS_MAX: "deepgram:50, elevenlabs:5" }).streamsMax).toEqual({
      deepgram: 50,
      elevenlabs: 5,
    });
    expect(() => readConfig({ PROVIDER_STREAMS_MAX: "whisper:5" })).toThrow(
      /PROVIDER_STREAMS_MAX must name any of .*, not "whisper"/,
    );
  });

  test("providers and their models have prices only if configured", () => {
    const given = '{"currency": "USD", "deepgram": {"audioMinute": 0.6}, "openai:gpt-4o": {"inputTokensMillion": 2.5}}';
    const { prices } = readConfig({ PRICES: given });
    expect(prices?.currency).toBe("USD");
    expect(prices?.perUnit.get("deepgram")?.audioSeconds).toBeCloseTo(0.01);
    expect([...(prices?.perUnit.keys() ?? [])]).toEqual(["deepgram", "openai:gpt-4o"]);
    expect(readConfig({}).prices).toBeUndefined();
    expect(() => readConfig({ PRICES: "prices.json" })).toThrow("PRICES must be a JSON object");
  });

  test("there is one worker less than cores, and at least one", () => {
    expect(readConfig({}).workers).toBe(Math.max(1, availableParallelism() - 1));
    expect(readConfig({ WORKERS: "4" }).workers).toBe(4);
  });

  test("all problems are reported together, each with the variable, its value and what is allowed", () => {
    expect(() =>
      readConfig({
        STT: "whisper",
        MODEL_B: "gpt",
        API_PORT: "80a",
        TOKEN_TTL_S: "4",
        LOG_LEVEL: "loud",
        PUBLIC_MEDIA_URL: "https://x.example?a=1",
        PUBLIC_API_URL: "https://api.example.com, ftp://x.example, https://x.example?a=1",
        MEDIA_TLS_CERT_FILE: "/etc/cert.pem",
        METRICS_PORT: "on",
        WORKERS: "65",
        CALLS_PER_WORKER: "1e3",
        DRAIN_MS: "-1",
        ESPEAK_PROCESSES: "0",
        PROVIDER_STREAMS_MAX: "deepgram:5, elevenlabs:0",
        PREEMPTIVE_REPLIES: "yes",
        VAD: "neural",
        PRICES: '{"currency": "dollars"}',
        CARRIER_A_AUTH_TOKEN: "good,",
        CARRIER_B_OUTBOUND_CODEC: "PCMA",
        TOOL_SECRET_shop: "x",
        TOOL_SECRET_SHOP: "canary\u00e9",
        TOOLS_ALLOW_LOOPBACK: "yes",
      }),
    ).toThrowError(
      [
        "bad configuration:",
        '  LOG_LEVEL must be one of debug, info, warn, error, not "loud"',
        '  PUBLIC_MEDIA_URL must be a ws:// or wss:// address without a query or a password, not "https://x.example?…"',
        "  MEDIA_TLS_CERT_FILE and MEDIA_TLS_KEY_FILE must be set together, or neither of them",
        '  PUBLIC_API_URL must be http:// or https:// addresses without a query or a password, not "ftp://x.example"',
        '  PUBLIC_API_URL must be http:// or https:// addresses without a query or a password, not "https://x.example?…"',
        '  API_PORT must be a whole number from 0 to 65535, not "80a"',
        '  METRICS_PORT must be off or a whole number from 0 to 65535, not "on"',
        '  TOKEN_TTL_S must be a whole number from 5 to 600, not "4"',
        '  WORKERS must be a whole number from 1 to 64, not "65"',
        '  CALLS_PER_WORKER must be a whole number from 1 to 100000, not "1e3"',
        '  DRAIN_MS must be a whole number from 0 to 7200000, not "-1"',
        '  ESPEAK_PROCESSES must be a whole number from 1 to 16, not "0"',
        '  PROVIDER_STREAMS_MAX must be a provider and a number from 1 to 100000, elevenlabs:5, or several, separated by commas, not " elevenlabs:0"',
        '  PRICES must have a currency of three capital letters, "currency": "USD"',
        '  VAD must be one of silero, fvad, not "neural"',
        '  PREEMPTIVE_REPLIES must be on or off, not "yes"',
        "  CARRIER_A_AUTH_TOKEN must be secrets of printable ASCII, separated by commas",
        '  CARRIER_B_OUTBOUND_CODEC must be one of pcmu, pcma, not "PCMA"',
        "  TOOL_SECRET_shop must have a name of A-Z, 0-9 and _ after TOOL_SECRET_",
        "  TOOL_SECRET_SHOP must be printable ASCII",
        '  TOOLS_ALLOW_LOOPBACK must be true or false, not "yes"',
        `  STT must be one of ${VALID_STT}, not "whisper"`,
        `  MODEL_B must be ${VALID_MODELS}; not "gpt"`,
      ].join("\n"),
    );
  });

  test("secrets of tools are the variables with their prefix, with surrounding space removed", () => {
    const env = { TOOL_SECRET_SHOP_TOKEN: " Bearer x ", TOOL_SECRET_EMPTY: " ", TOOL_SECRETS: "no", OTHER: "no" };
    expect([...readConfig(env).toolSecrets]).toEqual([
      ["SHOP_TOKEN", { value: "Bearer x", hosts: [], accountIds: [] }],
    ]);
  });

  test("ADV-M8: TOOL_SECRET_BINDINGS says which account may send a secret to which server", () => {
    const accounts = ["account_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"];
    const hosts = ["API.Example.com", "api.example.com:8443", "api.example.com:443", "[2001:DB8::1]"];
    const env = { TOOL_SECRET_SHOP: "x", TOOL_SECRET_BINDINGS: JSON.stringify({ SHOP: { hosts, accounts } }) };
    const spelled = ["api.example.com", "api.example.com:8443", "api.example.com", "[2001:db8::1]"];
    expect([...readConfig(env).toolSecrets]).toEqual([["SHOP", { value: "x", hosts: spelled, accountIds: accounts }]]);
    expect(unknownVariables(env)).toEqual([]);
  });

  const ACCOUNTS = ["account_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"];
  test.each([
    ["canary", "TOOL_SECRET_BINDINGS must be a JSON object such as"],
    ["[]", "TOOL_SECRET_BINDINGS must be a JSON object such as"],
    [{ SHOP: "api.example.com" }, 'TOOL_SECRET_BINDINGS, "SHOP", must be a JSON object such as'],
    [{ SHOP: { hosts: ["a.example"] } }, "with at least one host and one account"],
    [{ SHOP: { hosts: [], accounts: ACCOUNTS } }, "with at least one host and one account"],
    [{ SHOP: { hosts: ["a.example"], accounts: ACCOUNTS, paths: ["/"] } }, "with at least one host and one account"],
    [{ SHOP: { hosts: ["*.example.com"], accounts: ACCOUNTS } }, 'without wildcards, not "*.example.com"'],
    [{ SHOP: { hosts: ["https://a.example"], accounts: ACCOUNTS } }, 'not "https://a.example"'],
    [{ SHOP: { hosts: ["a.example/x"], accounts: ACCOUNTS } }, 'not "a.example/x"'],
    [
      { SHOP: { hosts: ["a.example"], accounts: ["default"] } },
      'accounts by their ids, account_..., which npm run api-keys -- list shows, not "default"',
    ],
    [{ OTHER: { hosts: ["a.example"], accounts: ACCOUNTS } }, "names OTHER, but TOOL_SECRET_OTHER is not set"],
  ])("ADV-M8: invalid bindings are refused: %j", (bindings, why) => {
    const text = typeof bindings === "string" ? bindings : JSON.stringify(bindings);
    const read = () => readConfig({ TOOL_SECRET_SHOP: "x", TOOL_SECRET_BINDINGS: text });
    expect(read).toThrowError(why);
    expect(read).not.toThrowError("canary");
  });

  test("S6: tools may be allowed to call this machine, but not in production", () => {
    expect(readConfig({ TOOLS_ALLOW_LOOPBACK: "true" }).toolsAllowLoopback).toBe(true);
    expect(readConfig({ TOOLS_ALLOW_LOOPBACK: "false", NODE_ENV: "production" }).toolsAllowLoopback).toBe(false);
    expect(() => readConfig({ TOOLS_ALLOW_LOOPBACK: "true", NODE_ENV: "production" })).toThrowError(
      "TOOLS_ALLOW_LOOPBACK must not be true together with NODE_ENV=production: it is for tests and trials",
    );
  });

  test("every number is accepted at its bounds and refused beyond them", () => {
    for (const [key, min, max] of [
      ["API_PORT", 0, 65_535],
      ["MEDIA_PORT", 0, 65_535],
      ["METRICS_PORT", 0, 65_535],
      ["TOKEN_TTL_S", 5, 600],
      ["CALLS_PER_WORKER", 1, 100_000],
      ["CALLS_PER_API_KEY", 1, 100_000],
      ["MAX_WORDLESS_S", 30, 7_200],
      ["DRAIN_MS", 0, 7_200_000],
      ["MEDIA_TIMEOUT_S", 5, 3_600],
      ["ESPEAK_PROCESSES", 1, 16],
    ] as const) {
      for (const value of [min, max]) expect(() => readConfig({ [key]: ` ${value} ` })).not.toThrow();
      for (const value of [min - 1, max + 1, "1.5", "0x1", "1e1", "99999999999", "NaN", "١"]) {
        expect(() => readConfig({ [key]: String(value) }), `${key}=${value}`).toThrow(`${key} must be `);
      }
    }
  });

  test("ADV-M3: by default peers are pinged every 5 s and lost after 15 s, and a gap in media does not end a call", () => {
    expect(readConfig({}).liveness).toEqual({
      pingIntervalMs: 5_000,
      pingTimeoutMs: 15_000,
      mediaTimeoutMs: undefined,
    });
    expect(readConfig({ PING_INTERVAL_S: "10", PING_TIMEOUT_S: "30", MEDIA_TIMEOUT_S: "20" }).liveness).toEqual({
      pingIntervalMs: 10_000,
      pingTimeoutMs: 30_000,
      mediaTimeoutMs: 20_000,
    });
    expect(() => readConfig({ PING_INTERVAL_S: "15" })).toThrow(
      "PING_TIMEOUT_S must be more than PING_INTERVAL_S, 15, not 15",
    );
    expect(() => readConfig({ PING_INTERVAL_S: "31" })).toThrow("PING_INTERVAL_S must be a whole number from 1 to 30");
    expect(() => readConfig({ PING_TIMEOUT_S: "61" })).toThrow("PING_TIMEOUT_S must be a whole number from 2 to 60");
  });

  test("an API key may have as many calls as there are call slots, unless configured otherwise", () => {
    expect(readConfig({}).callsPerApiKey).toBeUndefined();
    expect(readConfig({ CALLS_PER_API_KEY: " 20 " }).callsPerApiKey).toBe(20);
  });

  test("an empty variable counts as not set", () => {
    const keys = ["API_HOST", "API_PORT", "METRICS_HOST", "METRICS_PORT", "PUBLIC_MEDIA_URL", "PUBLIC_API_URL"];
    const others = ["MEDIA_TLS_CERT_FILE", "MEDIA_TLS_KEY_FILE", "DATA_DIR", "STT", "TTS", "MODEL_A", "LOG_LEVEL"];
    expect(readConfig(Object.fromEntries([...keys, ...others].map((key) => [key, " "])))).toEqual(readConfig({}));
  });

  test("the metrics can be served on another address, or not at all", () => {
    expect(readConfig({ METRICS_HOST: "10.0.0.7", METRICS_PORT: "0" })).toMatchObject({
      metricsHost: "10.0.0.7",
      metricsPort: 0,
    });
    expect(readConfig({ METRICS_PORT: "off" }).metricsPort).toBeUndefined();
  });

  test("a gateway that listens on all addresses needs PUBLIC_MEDIA_URL", () => {
    expect(() => readConfig({ MEDIA_HOST: "0.0.0.0" })).toThrow(
      "PUBLIC_MEDIA_URL must be set together with MEDIA_HOST=0.0.0.0",
    );
    for (const host of ["0", "0.0", "0x0", "::0", "0:0:0:0:0:0:0:0"]) {
      expect(() => readConfig({ MEDIA_HOST: host })).toThrow(
        `PUBLIC_MEDIA_URL must be set together with MEDIA_HOST=${host}`,
      );
    }
    for (const host of ["::1", "10.0.0.7", "media.internal"])
      expect(readConfig({ MEDIA_HOST: host }).mediaHost).toBe(host);
    expect(readConfig({ MEDIA_HOST: "::", PUBLIC_MEDIA_URL: "wss://media.example.com" }).mediaHost).toBe("::");
  });

  test("carriers' secrets are lists, and no error message quotes a secret", () => {
    const { carrierSecrets } = readConfig({
      PUBLIC_MEDIA_URL: "wss://media.example.com",
      CARRIER_A_AUTH_TOKEN: " new , old ",
      CARRIER_B_STREAM_AUTH_TOKEN: "b",
    });
    expect(carrierSecrets).toEqual({ ...NO_SECRETS, carrier_a: ["new", "old"], carrier_b: ["b"] });
    for (const bad of ["hush,", ",hush", "hush hush", "hüsh", "hush\n2"]) {
      const read = () => readConfig({ CARRIER_B_STREAM_AUTH_TOKEN: bad });
      expect(read).toThrow("CARRIER_B_STREAM_AUTH_TOKEN must be secrets of printable ASCII");
      expect(read).not.toThrow(/h.sh/);
    }
  });

  test("carriers' secrets need the public address, which carriers sign", () => {
    for (const key of ["CARRIER_A_AUTH_TOKEN", "CARRIER_C_AUTH_TOKEN"]) {
      expect(() => readConfig({ [key]: "x" })).toThrow(`PUBLIC_MEDIA_URL must be set together with ${key}`);
    }
    expect(() => readConfig({ CARRIER_B_STREAM_AUTH_TOKEN: "x" })).not.toThrow();
  });

  test("carrier_b gets A-law if configured", () => {
    const { outboundCodecs } = readConfig({});
    const configured = readConfig({ CARRIER_B_OUTBOUND_CODEC: "pcma" });
    expect(configured.outboundCodecs).toEqual({ ...outboundCodecs, carrier_b: "alaw" });
  });

  test("a public address must be one that clients outside can use", () => {
    for (const url of [
      "wss:x.example",
      "wss:/x.example",
      "wss:\\\\x.example",
      "//x.example",
      "wss://",
      "wss://x.example:99999",
    ]) {
      expect(() => readConfig({ PUBLIC_MEDIA_URL: url }), url).toThrow("PUBLIC_MEDIA_URL must be a ws:// or wss://");
      const apiUrl = url.replace("wss:", "https:");
      expect(() => readConfig({ PUBLIC_API_URL: apiUrl }), apiUrl).toThrow(
        "PUBLIC_API_URL must be http:// or https://",
      );
    }
  });

  test("a secret in an address is refused and not quoted", () => {
    for (const rest of [
      "user:s3cret@x.example",
      "user:s3/cret@x.example/path",
      "x.example?key=s3cret",
      "x.example#s3cret",
    ]) {
      for (const [key, url] of [
        ["PUBLIC_MEDIA_URL", `wss://${rest}`],
        ["PUBLIC_API_URL", `https://${rest}`],
      ] as const) {
        expect(() => readConfig({ [key]: url }), url).toThrow(/without a query or a password, not "(?!.*s3)/);
      }
    }
  });

  test("a slash at the end of a public address is removed", () => {
    expect(readConfig({ PUBLIC_MEDIA_URL: "wss://media.example.com/v1/" }).publicMediaUrl).toBe(
      "wss://media.example.com/v1",
    );
  });
});
