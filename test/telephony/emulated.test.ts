import { expect, test } from "vitest";
import { isOnThisMachine, testCall } from "../../src/telephony/emulated.ts";

test.each([
  ["http://127.0.0.1:8400", true],
  ["http://localhost:8400", true],
  ["http://[::1]:8400", true],
  ["https://api.twilio.com", false],
  ["https://localhost.example.com", false],
  ["http://10.0.0.7:8400", false],
])("the API of a carrier at %s is on this machine: %s", (url, isOwn) => {
  expect(isOnThisMachine(url)).toBe(isOwn);
});

const FROM = "+12025550142";
const TO = "+12025550187";

test("the emulator is asked by its own API, without credentials", () => {
  const { request } = testCall({ from: FROM, to: TO, says: ["Hello"] });
  expect(request).toMatchObject({ method: "POST", path: "/emulator/calls", operation: "test_call" });
  expect(Object.keys(request.headers)).toEqual(["content-type"]);
  expect(JSON.parse(request.body ?? "")).toEqual({ from: FROM, to: TO, says: ["Hello"], hangsUpAfterMs: 60_000 });
  expect(JSON.parse(testCall({ from: FROM, to: TO, says: [] }).request.body ?? "")).not.toHaveProperty("says");
});

test("what is no emulator knows no such call", () => {
  const { read } = testCall({ from: FROM, to: TO, says: [] });
  const answerOf = (status: number) => read({ status, headers: {}, body: "" }).kind;
  expect([answerOf(201), answerOf(404), answerOf(400)]).toEqual(["done", "gone", "refused"]);
});
