import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { blocksOf } from "../../support/docs/blocks.ts";
import { missingOutput } from "../../support/docs/shown-output.ts";
import { typesOf } from "../../support/openapi/client-types.ts";
import { PROJECT } from "../../support/repository/files.ts";
import { NEW_CALL, Service } from "../../support/services/service.ts";

const PACKAGE = join(PROJECT, "web/client");
const README = join(PACKAGE, "README.md");
const MODULES = join(PROJECT, "node_modules");
/** The compiler of this project, and the one that most projects have. */
const COMPILERS = {
  7: join(MODULES, "typescript/bin/tsc"),
  5: createRequire(join(MODULES, "client-generator/package.json")).resolve("typescript/bin/tsc"),
};

const COMPILE_MS_MAX = 120_000;

let service: Service;
/** An empty folder, into which the package is installed from its tarball. */
let folder: string;
/** The commands, the program and its output of the page. */
let blocks: ReturnType<typeof blocksOf>["blocks"];

/** Runs a command as a reader without a network. Throws with what it wrote when it fails. */
function run(program: string, args: readonly string[], cwd = folder): string {
  const env = { ...process.env, npm_config_offline: "true", TRUNKLINE_API_KEY: service.apiKey };
  try {
    return execFileSync(program, args, { cwd, env, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(" ")}:\n${stdout}\n${stderr}`);
  }
}

const blockOf = (language: string, index = 0): string =>
  blocks.filter((block) => block.language === language)[index]?.text ?? "";

/** Compiles a program of the folder as strictly as a new project, the types of the package included. */
function compile(name: string, compiler: string, ...flags: string[]): void {
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"];
  run(process.execPath, [compiler, ...strict, "--target", "es2022", "--module", "nodenext", ...flags, name]);
}

beforeAll(async () => {
  service = await Service.start();
  folder = mkdtempSync(join(tmpdir(), "trunkline-package-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "shop", private: true, type: "module" }));
  blocks = blocksOf("web/client/README.md", readFileSync(README, "utf8")).blocks;
  run("sh", ["-c", `${blockOf("sh")} --pack-destination ${folder}`], PROJECT);
  run("sh", ["-c", blockOf("sh", 1)]);
}, COMPILE_MS_MAX);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the package of the TypeScript client", { timeout: COMPILE_MS_MAX }, () => {
  test("holds the client, its types, its page and its licence, and nothing else; it needs no other package", () => {
    const installed = join(folder, "node_modules/trunkline-client");
    expect(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
      "trunkline-client",
    ]);
    expect(readdirSync(installed).sort()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
    const modules = readdirSync(join(PACKAGE, "src")).map((name) => name.replace(/\.ts$/, ""));
    expect(readdirSync(join(installed, "dist")).sort()).toEqual(
      modules.flatMap((name) => [`${name}.d.ts`, `${name}.js`]).sort(),
    );
    const versionOf = (path: string): string => JSON.parse(readFileSync(path, "utf8")).version;
    expect(versionOf(join(installed, "package.json"))).toBe(versionOf(join(PROJECT, "package.json")));
  });

  test("installs, compiles and runs against the service as its page shows", () => {
    writeFileSync(join(folder, "shop.ts"), blockOf("ts").replace("http://127.0.0.1:8080", service.apiUrl));
    compile("shop.ts", COMPILERS[7], "--types", "node", "--typeRoots", join(MODULES, "@types"));
    const shown = blockOf("text").replace("127.0.0.1:8081", new URL(service.mediaUrl).host);
    expect(missingOutput(shown, run(process.execPath, ["shop.js"]))).toBe("");
  });

  test.each([5, 7] as const)("compiles with TypeScript %i for browsers, without the types of Node", (version) => {
    writeFileSync(
      join(folder, "page.ts"),
      `import { TrunklineClient, type Schema } from "trunkline-client";
       const client = new TrunklineClient({ baseUrl: location.origin, apiKey: "" });
       export const names = async (): Promise<string[]> => (await client.get("/voices")).data.map(({ name }) => name);
       export const call: Schema<"NewCallInput"> = { systemPrompt: "x", voice: "y", language: "en" };
       // @ts-expect-error There is no such path.
       export const wrong = () => client.get("/call");`,
    );
    compile("page.ts", COMPILERS[version], "--lib", "es2022,dom,dom.iterable", "--noEmit");
  });

  test("has the types of the document of the running service", async () => {
    const { body } = await service.fetch<object>("GET", "/api/v1/openapi.json");
    expect(typesOf(body) === readFileSync(join(PACKAGE, "src/generated.ts"), "utf8")).toBe(true);
  });

  test("gets errors of the service as one class, with all problems together", () => {
    const body = { ...NEW_CALL, maxDuration: 5, tone: 1 };
    writeFileSync(
      join(folder, "refused.js"),
      `import { TrunklineApiError, TrunklineClient } from "trunkline-client";
       const client = new TrunklineClient({ baseUrl: "${service.apiUrl}", apiKey: process.env.TRUNKLINE_API_KEY });
       const failed = client.post("/calls", { body: ${JSON.stringify(body)} });
       const error = await failed.catch((thrown) => thrown);
       const { code, status, details, requestId } = error;
       console.log(JSON.stringify({ isOurs: error instanceof TrunklineApiError, code, status, details, requestId }));`,
    );
    const { details, requestId, ...rest } = JSON.parse(run(process.execPath, ["refused.js"]));
    expect(rest).toEqual({ isOurs: true, code: "invalid_request", status: 400 });
    expect(details.map(({ path }: { path: string }) => path).sort()).toEqual(["/maxDuration", "/tone"]);
    expect(requestId).toMatch(/^req_/);
  });
});
