import { expect, test } from "vitest";
import { CallSettingsBody, NewCallBody } from "../../../../src/api/calls/schemas/request-schemas.ts";
import { BUILT_IN_TOOLS } from "../../../../src/core/calls/spec.ts";
import { REDACTION_KINDS } from "../../../../src/core/redaction/kinds.ts";
import {
  ALL_SETTINGS,
  OVERRIDE_NAMES,
  REDACTIONS,
  settingLabel,
  usualText,
} from "../../../../web/dashboard/pages/agent/model/settings.ts";
import {
  BUILT_IN_NOTES,
  settingsOfTool,
  withBuiltIn,
  withToolSetting,
} from "../../../../web/dashboard/pages/agent/model/tools.ts";

const SMALLEST = { systemPrompt: "You sell bread.", voice: "one", language: "en" };
const OWN_FIELDS = ["greeting", "redact", "analysis", "selectedTools"];

test("every setting of calls has a field, with the default that the service has", () => {
  const names = Object.keys(CallSettingsBody.shape);
  expect([...ALL_SETTINGS.map(({ name }) => name), ...OWN_FIELDS].sort()).toEqual(names.sort());
  const defaults = NewCallBody.parse(SMALLEST) as Record<string, unknown>;
  for (const { name, usual } of ALL_SETTINGS) expect([name, usual]).toEqual([name, defaults[name]]);
});

test("the service takes every choice and every bound, and nothing beyond the bounds", () => {
  const isTaken = (name: string, value: unknown): boolean => CallSettingsBody.safeParse({ [name]: value }).success;
  for (const setting of ALL_SETTINGS) {
    if (setting.kind === "choice") {
      for (const { value } of setting.choices)
        expect([setting.name, isTaken(setting.name, value)]).toEqual([setting.name, true]);
      continue;
    }
    const { name, min, max } = setting;
    expect([name, min, max].map((value) => value === name || isTaken(name, value))).toEqual([true, true, true]);
    expect([name, isTaken(name, min - 1), isTaken(name, max + 1)]).toEqual([name, false, false]);
  }
});

test("the lists of the form are those of the service", () => {
  expect([...OVERRIDE_NAMES].sort()).toEqual([...Object.keys(CallSettingsBody.shape), "language", "voice"].sort());
  expect(REDACTIONS.map(({ value }) => value)).toEqual([...REDACTION_KINDS]);
  expect(Object.keys(BUILT_IN_NOTES).sort()).toEqual([...BUILT_IN_TOOLS].sort());
  for (const name of OVERRIDE_NAMES) expect(settingLabel(name)).not.toBe(name);
});

test("a default is named in words", () => {
  const recording = ALL_SETTINGS.find(({ name }) => name === "recordingEnabled");
  expect(recording?.kind === "choice" && usualText(recording)).toBe("Default: yes");
});

test("built-in tools are added and taken away, and keep what is fixed of them", () => {
  const tools = withBuiltIn([{ toolName: "transfer", parameterOverrides: { target: "+15550100" } }], "hang_up", true);
  expect(tools.map(({ toolName }) => toolName)).toEqual(["transfer", "hang_up"]);
  expect(withToolSetting(tools, "transfer", "target", undefined)[0]).toEqual({ toolName: "transfer" });
  expect(withToolSetting(tools, "transfer", "target", "+15550101")[0]).toEqual({
    toolName: "transfer",
    parameterOverrides: { target: "+15550101" },
  });
  expect(withBuiltIn(tools, "transfer", false)).toEqual([{ toolName: "hang_up" }]);
  expect(settingsOfTool("hang_up")).toEqual([]);
});
