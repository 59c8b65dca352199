import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NEW_CALL, Service } from "../../support/services/service.ts";

/** What a newcomer writes with the generated types and nothing else: requests with the fields that are required. */
const PROGRAM = `
import createClient from "openapi-fetch";
import type { components, paths } from "./api.ts";

const [baseUrl = "", key = "", voice = "", language = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { "X-API-Key": key } });

const created = await client.POST("/calls", { body: { systemPrompt: "You are a bakery.", voice, language } });
if (created.error !== undefined) throw new Error(created.error.error.message);
const { id, websocketUrl } = created.data;

const listed = await client.GET("/calls", { params: { query: { status: "created", metadata: { a: "b" } } } });
const all = await client.GET("/calls");
const transcript = await client.GET("/calls/{id}/transcript", { params: { path: { id } } });

const missing = await client.GET("/calls/{id}", { params: { path: { id: "call_1" } } });
type Codes = "invalid_request" | "unauthorized" | "forbidden" | "not_found" | "rate_limited" | "internal" | "unavailable";
const code: Codes | undefined = missing.error?.error.code;

// These are only to compile: every field that has a default may be left out, at every depth.
export const raw: components["schemas"]["NewCallInput"] = {
  systemPrompt: "x",
  voice,
  language,
  connectionType: "websocket",
  websocket: {},
  selectedTools: [{ definition: { type: "client", name: "a", description: "b", parameters: { type: "object" } } }],
};
export const agent: components["schemas"]["NewAgentInput"] = {
  name: "x",
  basePrompt: "y",
  languageId: language,
  voiceId: voice,
};
// What is answered has every field: no check for undefined is asked for.
const first: number | undefined = all.data?.data[0]?.configuration.maxDuration;

console.log(JSON.stringify({
  id,
  scheme: new URL(websocketUrl).protocol,
  listed: listed.data?.data.length,
  all: all.data?.data.map((call) => call.id),
  transcript: transcript.data?.data,
  code,
  first,
}));
`;

const ROOT = resolve(import.meta.dirname, "../../..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");
const GENERATOR = createRequire(join(ROOT, "node_modules/client-generator/package.json"));

let service: Service;
let folder: string;
beforeAll(async () => {
  service = await Service.start();
  folder = mkdtempSync(join(tmpdir(), "trunkline-client-"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const document = await service.fetch("GET", "/api/v1/openapi.json");
  writeFileSync(join(folder, "openapi.json"), document.bytes);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const cli = join(dirname(GENERATOR.resolve("openapi-typescript")), "../bin/cli.js");
  run(cli, "openapi.json", "--output", "api.ts");
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program of Node in the folder. Throws with what it wrote when it fails. */
const run = (program: string, ...given: string[]): string =>
  execFileSync(process.execPath, [program, ...given], { cwd: folder, encoding: "utf8", stdio: "pipe" });

/** What the compiler says of a program; empty when it compiles. */
function compile(name: string, source: string): string {
  writeFileSync(join(folder, `${name}.ts`), source);
  const flags = ["--strict", "--module", "nodenext", "--target", "es2023", "--types", "node", "--skipLibCheck"];
  try {
    run(TSC, ...flags, "--exactOptionalPropertyTypes", "--rewriteRelativeImportExtensions", `${name}.ts`);
    return "";
  } catch (error) {
    return String((error as { stdout: string }).stdout);
  }
}

describe("a client that openapi-typescript generates with its own defaults", () => {
  test("compiles with the required fields alone, and places, lists and reads a call of the real service", () => {
    expect(compile("program", PROGRAM)).toBe("");
    const { voice, language } = NEW_CALL;
    const output = run("program.js", `${service.apiUrl}/api/v1`, service.apiKey, voice, language);
    const { id, ...rest } = JSON.parse(output);
    expect(id).toMatch(/^call_/);
    expect(rest).toEqual({ scheme: "ws:", listed: 0, all: [id], transcript: [], code: "not_found", first: 3000 });
  }, 120_000);

  test("does not compile without a field that is required, or with one that there is not", () => {
    const body = (fields: string): string => `
      import type { components } from "./api.ts";
      export const body: components["schemas"]["NewCallInput"] = { ${fields} };
    `;
    expect(compile("missing", body('systemPrompt: "x", voice: "y"'))).toMatch(/language/);
    expect(compile("unknown", body('systemPrompt: "x", voice: "y", language: "en", tone: 1'))).toMatch(/tone/);
  }, 120_000);
});
