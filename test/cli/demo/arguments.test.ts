import { expect, test } from "vitest";
import { UsageError } from "../../../src/cli/command.ts";
import { planDemo } from "../../../src/cli/demo/arguments.ts";

test("the demo without options has no carrier, and the telephone demo has the first one", () => {
  expect(planDemo([])).toEqual({ json: false, human: false });
  expect(planDemo(["--phone", "--json"])).toEqual({ json: true, human: false, phone: "twilio" });
  expect(planDemo(["--phone", "--carrier", "plivo"])).toMatchObject({ phone: "plivo" });
});

test.each([
  [["--phone", "--carrier", "twillio"], "--carrier must be one of twilio, telnyx, plivo"],
  [["--carrier", "telnyx"], "--carrier needs --phone"],
  [["--phone", "--human"], "--human and --phone exclude each other"],
])("%j is a usage error", (args, problem) => {
  expect(() => planDemo(args)).toThrow(UsageError);
  expect(() => planDemo(args)).toThrow(problem);
});
