import { expect, test } from "vitest";
import { planCall, UsageError } from "../../../src/cli/simulated/call-arguments.ts";

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

test("without arguments somebody listens to a service of its own, over carrier_a", () => {
  expect(plan()).toEqual({
    line: { wire: "carrier_a" },
    steps: [],
    destination: { at: "own-service" },
    hangUpAfterMs: undefined,
    language: "en-US",
    recordPath: undefined,
    json: false,
  });
});

test("what the caller does keeps the order of the command line", () => {
  expect(plan("--say", "Hello", "--dtmf", "12#", "--play", "a.wav", "--say=Goodbye").steps).toEqual([
    { do: "say", text: "Hello" },
    { do: "press", keys: "12#" },
    { do: "play", path: "a.wav" },
    { do: "say", text: "Goodbye" },
  ]);
});

test("carrier_b alone has a codec for each direction, and an order to lose", () => {
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
    "only carrier_b has A-law; carrier_c is always mulaw",
    "--shuffle is for carrier_b; carrier_c delivers in order",
  ]);
});

test.each([
  ["20s", 20_000],
  ["1500ms", 1_500],
  ["2m", 120_000],
  ["1.5s", 1_500],
  ["7", 7_000],
  ["120m", 7_200_000],
])("--hang-up-after %s is %d ms", (text, ms) => {
  expect(plan("--hang-up-after", text).hangUpAfterMs).toBe(ms);
});

test.each(["999ms", "0", "121m", "-5s", "soon", "5h", "1e3", ""])("--hang-up-after %j is none", (text) => {
  expect(problemsOf([`--hang-up-after=${text}`])).toEqual([
    `--hang-up-after must be a time from 1s to 120m, not ${JSON.stringify(text)}`,
  ]);
});

test("a call goes to a stream, to a service that runs, or to one of its own", () => {
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
  expect(planCall(["--api", "http://localhost:8080/api/v1", "--key", "tlk_given"], access).destination).toEqual({
    at: "service",
    apiUrl: "http://localhost:8080",
    apiKey: "tlk_given",
  });
});

test("a destination that cannot be is told, and no URL that may hold a token is repeated", () => {
  const url = ["--url", "https://media.example.com/stream/secret"];
  expect(problemsOf([...url, "--key", "k"])).toEqual([
    "--url is a stream already: --api and --key go without it",
    "--url must be a ws:// or wss:// address",
  ]);
  expect(problemsOf(["--key", "k"])).toEqual(["--key needs --api or TRUNKLINE_URL, the service that it is for"]);
  expect(problemsOf(["--api", "localhost:8080"])).toEqual([
    "--api must be an http:// or https:// address",
    "--api needs an API key: TRUNKLINE_API_KEY or --key",
  ]);
  expect(problemsOf([], { apiUrl: "ftp://x", apiKey: "k" })).toEqual([
    "TRUNKLINE_URL must be an http:// or https:// address",
  ]);
});

test("all problems are told at once", () => {
  expect(problemsOf(["--wire", "carrier_x", "--codec", "opus", "--say", " ", "--dtmf", "12e"])).toEqual([
    '--wire must be one of carrier_a, carrier_b, carrier_c, not "carrier_x"',
    '--codec must be mulaw or alaw, not "opus"',
    "--say needs something to say",
    '--dtmf takes the keys 0-9, *, # and A-D, not "12e"',
  ]);
  expect(problemsOf(["--wire", "carrier_b", "--shuffle", "-1"])[0]).toContain("--shuffle");
  expect(problemsOf(["--nonsense"])[0]).toContain("--nonsense");
  expect(problemsOf(["What time?"])[0]).toContain("What time?");
});
