import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planCarrier } from "../../../src/cli/carrier/arguments.ts";
import { UsageError } from "../../../src/cli/command.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** A file with this text, that is gone after the test. */
function file(text: string): string {
  const path = join(temporaryDirectory(), "file.json");
  writeFileSync(path, text);
  return path;
}

test("a carrier alone is emulated on its port with a seed of its own", () => {
  expect(planCarrier(["twilio"], 7)).toMatchObject({
    ...{ carrier: "twilio", port: 8_400, credentials: {}, scenario: { seed: 7 } },
    ...{ numbers: undefined, webhooks: undefined, proxy: undefined },
  });
});

test("people, addresses, numbers and the seed are read", () => {
  const options = ["--person", "+12025550143=busy", "--person", "+12025550144=decline", "--seed", "3", "--port", "0"];
  const urls = ["--voice-url", "http://127.0.0.1:8080/voice", "--status-url", "http://127.0.0.1:8080/status"];
  const plan = planCarrier(["plivo", "--number", "+12025550187", ...options, ...urls], 7);
  expect(plan).toMatchObject({
    ...{ carrier: "plivo", port: 0, numbers: ["+12025550187"] },
    webhooks: { voiceUrl: "http://127.0.0.1:8080/voice", statusUrl: "http://127.0.0.1:8080/status" },
    scenario: { seed: 3, people: { "+12025550143": [{ does: "busy" }], "+12025550144": [{ does: "decline" }] } },
  });
});

test("a scenario and credentials are read from files", () => {
  const scenario = { person: { reactsAfterMs: 5 }, faults: [{ kind: "status", status: 429 }], pricePerMinute: 1 };
  const files = ["--scenario", file(JSON.stringify(scenario)), "--credentials", file('{"apiKey":"KEY1"}')];
  const plan = planCarrier(["telnyx", ...files], 7);
  expect(plan.credentials).toEqual({ apiKey: "KEY1" });
  expect(plan.scenario).toMatchObject({
    ...{ seed: 7, faults: scenario.faults, pricePerMinute: 1, webhooks: [] },
    person: { does: "answer", reactsAfterMs: 5 },
  });
});

test.each([
  [[], "a command is missing"],
  [["vonage"], '"vonage" is not a command: it must be twilio, telnyx, plivo'],
  [["twilio", "telnyx"], '"telnyx" is one argument too many after twilio'],
  [["twilio", "--person", "+12025550143=sing"], "the behaviour of --person must be one of answer, busy"],
  [["twilio", "--person", "12=busy"], "--person must begin with a number in E.164"],
  [["twilio", "--number", "12025550143"], "--number must be a number in E.164"],
  [["twilio", "--port", "65536"], "--port must be a whole number from 0 to 65535"],
  [["twilio", "--voice-url", "localhost"], "--voice-url must be an http:// or https:// address"],
  [["twilio", "--status-url", "http://127.0.0.1/"], "--status-url needs --voice-url"],
  [["twilio", "--proxy", "0"], "--proxy, --cert and --key need each other"],
  [["twilio", "--scenario", "missing.json"], "--scenario: ENOENT"],
])("%j is refused: %s", (args, problem) => {
  expect(() => planCarrier(args, 7)).toThrow(UsageError);
  expect(() => planCarrier(args, 7)).toThrow(problem);
});

test("a scenario with a mistake is refused by the name of the member", () => {
  const path = file('{"people":{"+12025550143":[{"does":"sing"}]}}');
  expect(() => planCarrier(["twilio", "--scenario", path], 7)).toThrow("does");
});
