import { expect, test } from "vitest";
import { A_LAW_CARRIERS, UNORDERED_CARRIERS } from "../../../src/carriers/list.ts";
import { planCall } from "../../../src/cli/call/arguments.ts";
import { UsageError } from "../../../src/cli/command.ts";
import { SCENARIO } from "../../../src/simulator/callers/scenario.ts";
import { SIMULATED_WIRES } from "../../../src/simulator/lines.ts";

const NOWHERE = { apiUrl: undefined, apiKey: undefined };
const plan = (...args: string[]) => planCall(args, NOWHERE);

function problemsOf(args: readonly string[], access: Parameters<typeof planCall>[1] = NOWHERE): string[] {
  try {
    planCall(args, access);
  } catch (error) {
    if (error instanceof UsageError) return error.message.split("\n");
    throw error;
  }
  return [];
}

test("without arguments the caller asks the service of this machine one question, over carrier_a", () => {
  expect(plan()).toEqual({
    line: { wire: "carrier_a" },
    steps: [{ do: "say", text: SCENARIO.lines[0].text }],
    destination: { at: "local-service", apiKey: undefined },
    hangUpAfterMs: undefined,
    language: "en-US",
    recordPath: undefined,
    json: false,
  });
});

test("a caller with a given time or a stream's address says nothing by default", () => {
  expect(plan("--hang-up-after", "5s").steps).toEqual([]);
  expect(plan("--url", "ws://127.0.0.1:1/stream/t").steps).toEqual([]);
});

test("the caller's actions keep the order of the command line", () => {
  expect(plan("--say", "Hello", "--dtmf", "12#", "--play", "a.wav", "--say=Goodbye").steps).toEqual([
    { do: "say", text: "Hello" },
    { do: "press", digits: "12#" },
    { do: "play", path: "a.wav" },
    { do: "say", text: "Goodbye" },
  ]);
});

test("parameters of the start are given by name, and the last of a name counts", () => {
  expect(
    plan("--parameter", "order=A-17", "--parameter", "a=b=c", "--parameter", "e=", "--parameter", "a=d").line,
  ).toEqual({
    wire: "carrier_a",
    parameters: { order: "A-17", a: "d", e: "" },
  });
  expect(problemsOf(["--parameter", "order", "--parameter", "=x"])).toEqual([
    '--parameter must be name=value, not "order"',
    '--parameter must be name=value, not "=x"',
  ]);
  expect(problemsOf(["--wire", "websocket", "--parameter", "a=b"])).toEqual([
    "--parameter is only for carriers: a raw WebSocket has no start message",
  ]);
});

test("only some carriers have a codec for each direction, and reordering", () => {
  expect(plan("--wire", "carrier_b").line).toEqual({
    wire: "carrier_b",
    codecs: { inbound: "mulaw", outbound: "mulaw" },
  });
  expect(plan("--wire", "carrier_b", "--codec", "alaw", "--shuffle", "7").line).toEqual({
    wire: "carrier_b",
    codecs: { inbound: "alaw", outbound: "mulaw" },
    shuffleSeed: 7,
  });
  expect(plan("--wire", "carrier_b", "--agent-codec", "alaw").line).toMatchObject({
    codecs: { inbound: "mulaw", outbound: "alaw" },
  });
  expect(plan("--wire", "carrier_c", "--codec", "mulaw").line).toEqual({ wire: "carrier_c" });
  expect(problemsOf(["--wire", "carrier_c", "--codec", "alaw", "--shuffle", "1"])).toEqual([
    `A-law is only for ${A_LAW_CARRIERS.join(", ")} among the carriers, not for carrier_c`,
    `--shuffle is only for ${UNORDERED_CARRIERS.join(", ")} and websocket: carrier_c delivers in order`,
  ]);
});

test("a WebSocket client has one codec, a rate for each direction, and the API's defaults", () => {
  const formatOf = (...args: string[]) => plan("--wire", "websocket", ...args).line;
  const pcm = { codec: "pcm_s16le", inputRateHz: 16_000, outputRateHz: 16_000 };
  expect(formatOf()).toEqual({ wire: "websocket", format: pcm });
  expect(formatOf("--rate", "48000", "--shuffle", "7")).toEqual({
    wire: "websocket",
    format: { ...pcm, inputRateHz: 48_000 },
    shuffleSeed: 7,
  });
  expect(formatOf("--codec", "opus", "--agent-rate", "24000")).toMatchObject({
    format: { codec: "opus", inputRateHz: 16_000, outputRateHz: 24_000 },
  });
  const alaw = { codec: "alaw", inputRateHz: 8_000, outputRateHz: 8_000 };
  expect(formatOf("--codec", "alaw")).toMatchObject({ format: alaw });
  expect(formatOf("--codec", "alaw", "--rate", "8000", "--agent-rate", "8000")).toMatchObject({ format: alaw });
  expect(plan("--wire", "websocket", "--type", "Hello", "--dtmf", "1").steps).toEqual([
    { do: "type", text: "Hello" },
    { do: "press", digits: "1" },
  ]);
});

test("options of the wrong transport are reported", () => {
  const websocket = (...args: string[]) => problemsOf(["--wire", "websocket", ...args]);
  expect(websocket("--codec", "PCMU", "--rate", "44100", "--agent-rate", "8k", "--agent-codec", "alaw")).toEqual([
    '--codec must be one of pcm_s16le, mulaw, alaw, opus, not "PCMU"',
    `--agent-codec is only for ${A_LAW_CARRIERS.join(", ")}: websocket has one codec for both directions`,
    '--rate must be one of 8000, 16000, 24000, 48000, not "44100"',
    '--agent-rate must be one of 8000, 16000, 24000, 48000, not "8k"',
  ]);
  expect(websocket("--codec", "mulaw", "--rate", "16000", "--agent-rate", "48000")).toEqual([
    "--rate must be 8000 with mulaw, not 16000",
    "--agent-rate must be 8000 with mulaw, not 48000",
  ]);
  expect(websocket("--codec", "opus", "--shuffle", "1")).toEqual([
    "--shuffle is not for the codec opus: its packets cannot be cut",
  ]);
  expect(websocket("--type", " ")).toEqual(["--type must not be empty"]);
  expect(problemsOf(["--wire", "carrier_b", "--rate", "8000", "--type", "Hello"])).toEqual([
    "--rate is only for websocket, not for carrier_b",
    "--type is only for websocket, not for carrier_b",
  ]);
});

test.each([
  ["20s", 20_000],
  ["1500ms", 1_500],
  ["2m", 120_000],
  ["1.5s", 1_500],
  ["7", 7_000],
  ["120m", 7_200_000],
  ["0000000020.0000000000s", 20_000],
])("--hang-up-after %s is %d ms", (text, ms) => {
  expect(plan("--hang-up-after", text).hangUpAfterMs).toBe(ms);
});

test.each(["999ms", "0", "121m", "-5s", "soon", "5h", "1e3", ""])("--hang-up-after %j is refused", (text) => {
  expect(problemsOf([`--hang-up-after=${text}`])).toEqual([
    `--hang-up-after must be a time from 1s to 120m, not ${JSON.stringify(text)}`,
  ]);
});

test("a call goes to a stream, to a given service, to that of this machine, or to one of its own", () => {
  const access = { apiUrl: "https://api.example.com/", apiKey: "tlk_env" };
  expect(planCall(["--url", "wss://media.example.com/stream/t"], access).destination).toEqual({
    at: "stream",
    url: "wss://media.example.com/stream/t",
  });
  expect(planCall([], access).destination).toEqual({
    at: "service",
    apiUrl: "https://api.example.com",
    apiKey: "tlk_env",
  });
  expect(planCall(["--api", "http://localhost:8080/api/v1"], access).destination).toEqual({
    at: "service",
    apiUrl: "http://localhost:8080",
    apiKey: "tlk_env",
  });
  expect(planCall([], { apiUrl: undefined, apiKey: "tlk_env" }).destination).toEqual({
    at: "local-service",
    apiKey: "tlk_env",
  });
  expect(planCall(["--own-service"], access).destination).toEqual({ at: "own-service" });
});

test("an API key has no option: all users of the machine can see a command line", () => {
  expect(problemsOf(["--key", "tlk_secret"])[0]).toBe("--key is not known");
});

test("an invalid destination is reported, and no URL that may contain a token is repeated", () => {
  expect(problemsOf(["--url", "https://media.example.com/stream/secret", "--own-service"])).toEqual([
    "only one of --url, --api and --own-service can be given",
    "--url must be a ws:// or wss:// address",
  ]);
  expect(problemsOf(["--api", "localhost:8080"])).toEqual([
    "--api must be an http:// or https:// address",
    "--api needs an API key: set TRUNKLINE_API_KEY",
  ]);
  expect(problemsOf([], { apiUrl: "ftp://x", apiKey: "k" })).toEqual([
    "TRUNKLINE_URL must be an http:// or https:// address",
  ]);
});

test("all problems are reported together", () => {
  expect(problemsOf(["--wire", "carrier_x", "--codec", "opus", "--say", " ", "--dtmf", "12e"])).toEqual([
    `--wire must be one of ${SIMULATED_WIRES.join(", ")}, not "carrier_x"`,
    '--codec must be mulaw or alaw, not "opus"',
    "--say must not be empty",
    '--dtmf must be DTMF digits (0-9, *, #, A-D), not "12e"',
  ]);
  expect(problemsOf(["--wire", "carrier_b", "--shuffle", "-1"])[0]).toContain("--shuffle");
  expect(problemsOf(["--nonsense"])[0]).toContain("--nonsense");
  expect(problemsOf(["What time?"])[0]).toContain("What time?");
});

test("a call from a saved agent names it, its version and the values of its variables", () => {
  expect(plan().agent).toBeUndefined();
  expect(plan("--agent", "agent_1").agent).toEqual({ id: "agent_1", variables: {} });
  expect(plan("--agent", "agent_1", "--version", "3", "--variable", "a=b=c", "--variable", "d=").agent).toEqual({
    id: "agent_1",
    version: 3,
    variables: { a: "b=c", d: "" },
  });
  expect(plan("--agent", "agent_1@2").agent).toMatchObject({ id: "agent_1", version: 2 });
  expect(plan("--agent", "agent_1@draft").agent).toMatchObject({ id: "agent_1", version: "draft" });
});

test("what is wrong about the agent of a call is reported together", () => {
  expect(problemsOf(["--agent", "agent_1@2", "--version", "x", "--variable", "=a", "--own-service"])).toEqual([
    "--version must not be given beside a version in --agent",
    '--variable must be name=value, not "=a"',
    "--agent needs a running service: not with --url or --own-service",
  ]);
  for (const version of ["0", "-1", "1.5", "live"]) {
    expect(problemsOf(["--agent", "agent_1", `--version=${version}`])).toEqual([
      `--version must be draft or the number of a version, not "${version}"`,
    ]);
  }
  expect(problemsOf(["--version", "1", "--variable", "a=b"])).toEqual([
    "--version is only for --agent",
    "--variable is only for --agent",
  ]);
});
