import { describe, expect, test } from "vitest";
import { type Config, readConfig } from "../../src/config/config.ts";
import { VARIABLE_GROUPS } from "../../src/config/variables/all.ts";
import { COMMAND_VARIABLES } from "../../src/config/variables/commands.ts";
import type { Variable } from "../../src/core/configuration/variable.ts";
import { LLM_PROVIDERS } from "../../src/speech/llm/providers/list.ts";
import { STT_PROVIDERS } from "../../src/speech/stt/providers/list.ts";
import { TTS_PROVIDERS } from "../../src/speech/tts/providers/list.ts";
import { variablesRead } from "../support/configuration/variables-read.ts";

/** Every variable but those of commands, with what is declared of it. */
const SERVICE_ENTRIES: readonly (readonly [string, Variable])[] = Object.values(VARIABLE_GROUPS)
  .flatMap((variables) => Object.entries(variables))
  .filter(([name]) => !Object.hasOwn(COMMAND_VARIABLES, name));
const PROVIDERS = [...STT_PROVIDERS, ...LLM_PROVIDERS, ...TTS_PROVIDERS];
const ANY_SECRET = "TOOL_SECRET_<NAME>";

/**
 * In production no other variable depends on whether STT and TTS are set, with WebRTC its variables are used, with a collector those
 * of traces, and with a bucket its own.
 */
const PRODUCTION = {
  NODE_ENV: "production",
  WEBRTC_UDP_PORTS: "40000-40015",
  OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318",
  BUCKET_URL: "https://s3.example.com/trunkline",
  BUCKET_ACCESS_KEY_ID: "key",
  BUCKET_SECRET_ACCESS_KEY: "secret",
};

/** The problems that the configuration has with this value of one variable. */
function problemsOf(name: string, value: string): string {
  try {
    readConfig({ [name]: value });
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const rangeProblem = (name: string, { range = [0, 0], orWord }: Variable): string =>
  `${name} must be ${orWord === undefined ? "" : `${orWord} or `}a whole number from ${range[0]} to ${range[1]}, not `;

describe("declared variables", () => {
  test("are those that the service and its commands read, and no others", () => {
    const declared = Object.values(VARIABLE_GROUPS)
      .flatMap(Object.keys)
      .filter((name) => name !== ANY_SECRET);
    expect(declared.toSorted()).toEqual([...variablesRead()].toSorted());
  });

  const withDefault = SERVICE_ENTRIES.filter(([, variable]) => variable.default !== undefined);
  test.each(
    withDefault,
  )("%s set to its default gives the same configuration as when it is not set", (name, variable) => {
    const unset: Config = readConfig(PRODUCTION);
    expect(readConfig({ ...PRODUCTION, [name]: variable.default })).toEqual(unset);
  });

  test.each(
    withDefault,
  )("%s set to another value than its default gives another configuration, or is refused", (name, variable) => {
    const other = otherValue(name, variable);
    let read: Config | undefined;
    try {
      read = readConfig({ ...PRODUCTION, [name]: other });
    } catch {
      // It is refused.
    }
    expect(read).not.toEqual(readConfig(PRODUCTION));
  });

  const numbers = SERVICE_ENTRIES.filter(([, { range }]) => range !== undefined);
  test.each(numbers)("%s takes the numbers of its range and refuses others", (name, variable) => {
    const [min, max] = variable.range ?? [0, 0];
    const problem = rangeProblem(name, variable);
    for (const allowed of [min, max]) expect(problemsOf(name, String(allowed))).not.toContain(problem);
    for (const refused of [min - 1, max + 1]) expect(problemsOf(name, String(refused))).toContain(problem);
    if (variable.orWord !== undefined) expect(problemsOf(name, variable.orWord)).toBe("");
  });

  const words = SERVICE_ENTRIES.filter(([, { oneOf }]) => oneOf !== undefined);
  test.each(words)("%s takes its words and refuses others", (name, { oneOf = [] }) => {
    const used = providerUsing(name);
    for (const word of oneOf) expect(() => readConfig({ ...used, [name]: word })).not.toThrow();
    expect(() => readConfig({ ...used, [name]: "neither" })).toThrow(`${name} must be`);
  });
});

/** A configuration that uses the provider of this variable, if it is one: only then the provider checks it. */
function providerUsing(name: string): Readonly<Record<string, string>> {
  const provider = PROVIDERS.find(({ variables }) => Object.hasOwn(variables, name));
  if (provider === undefined) return {};
  const { id, stage, variables } = provider;
  const apiKeys = Object.keys(variables).filter((variable) => variable.endsWith("_API_KEY"));
  const named = stage === "llm" ? { MODEL_A: `${id}:any-model` } : { [stage.toUpperCase()]: id };
  return { ...named, ...Object.fromEntries(apiKeys.map((variable) => [variable, "key"])) };
}

/** A valid value that is not the default. */
function otherValue(name: string, { default: usual = "", range, oneOf }: Variable): string {
  if (oneOf !== undefined) return oneOf.find((word) => word !== usual) ?? "";
  if (range !== undefined) return String(Number(usual) === range[0] ? range[1] : Number(usual) - 1);
  return name === "DATA_DIR" ? "elsewhere" : `${usual}x`;
}
