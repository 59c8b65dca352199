import { expect, test } from "vitest";
import { errorTextOf } from "../../../web/widget/error-texts.ts";

test.each([
  ["a call that found the service stopped", "service_unavailable", true, false, "busy"],
  ["a call that the stop of the service ended", "service_unavailable", true, true, "lost"],
  ["a call whose page broke the protocol", "protocol_error", true, true, "lost"],
  ["a call that could not start for a reason without a text", "worklet_failed", true, false, "failed"],
  ["a microphone that was unplugged in the call", "microphone_lost", false, true, "noMicrophone"],
  ["a message that the service did not take", "protocol_error", false, true, undefined],
] as const)("the visitor reads what is true of %s", (_, code, fatal, wasReady, expected) => {
  expect(errorTextOf({ code, fatal, message: "" }, wasReady)).toBe(expected);
});
