import { expect, test } from "vitest";
import { readConfig } from "../../../src/config/config.ts";

const TOKEN = "k3".repeat(16);

test("the operator's token is read, and there is none by default", () => {
  expect(readConfig({ OPERATOR_TOKEN: TOKEN }).operatorToken).toBe(TOKEN);
  expect(readConfig({}).operatorToken).toBeUndefined();
});

test.each([
  ["is too short", "k3".repeat(15)],
  ["has a space", `${TOKEN} x`],
  ["has a letter that no header carries", `${TOKEN}ä`],
])("one that %s is refused, and not shown", (_what, token) => {
  const read = (): unknown => readConfig({ OPERATOR_TOKEN: token });
  expect(read).toThrow("OPERATOR_TOKEN must have 32 characters or more");
  expect(read).not.toThrow(token);
});

test("without a metrics port there is nowhere to send it", () => {
  expect(() => readConfig({ OPERATOR_TOKEN: TOKEN, METRICS_PORT: "off" })).toThrow(
    "OPERATOR_TOKEN needs the metrics port",
  );
});
