import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { blocksOf } from "../../support/docs/blocks.ts";
import { PROJECT } from "../../support/repository/files.ts";

const PACKAGE = join(PROJECT, "web/sdk");
const README = readFileSync(join(PACKAGE, "README.md"), "utf8");
const MODULES = join(PROJECT, "node_modules");
/** The compiler of this project, and the one that most projects have. */
const COMPILERS = {
  7: join(MODULES, "typescript/bin/tsc"),
  5: createRequire(join(MODULES, "client-generator/package.json")).resolve("typescript/bin/tsc"),
};
const SCRIPTS = ["index.js", "worklet.js"];
const GZIP_BYTES_MAX = 25 * 1_024;
const COMPILE_MS_MAX = 120_000;

const { blocks } = blocksOf("web/sdk/README.md", README);
const blockOf = (language: string, index = 0): string =>
  blocks.filter((block) => block.language === language)[index]?.text ?? "";

/** An empty folder, into which the package is installed from its tarball as its page says. */
let folder: string;
let installed: string;

function run(program: string, args: readonly string[], cwd = folder): string {
  const env = { ...process.env, npm_config_offline: "true" };
  try {
    return execFileSync(program, args, { cwd, env, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(" ")}:\n${stdout}\n${stderr}`);
  }
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "trunkline-sdk-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "shop", private: true, type: "module" }));
  run("sh", ["-c", `${blockOf("sh")} --pack-destination ${folder}`], PROJECT);
  run("sh", ["-c", blockOf("sh", 1)]);
  installed = join(folder, "node_modules/trunkline-sdk");
}, COMPILE_MS_MAX);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the package of the browser SDK", { timeout: COMPILE_MS_MAX }, () => {
  test("holds two scripts, types, its page and its licence; it needs no other package", () => {
    expect(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
      "trunkline-sdk",
    ]);
    expect(readdirSync(installed).sort()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
    const files = readdirSync(join(installed, "dist"), { recursive: true, encoding: "utf8" });
    expect(files.filter((name) => name.endsWith(".js")).sort()).toEqual(SCRIPTS);
    const versionOf = (path: string): string => JSON.parse(readFileSync(path, "utf8")).version;
    expect(versionOf(join(installed, "package.json"))).toBe(versionOf(join(PROJECT, "package.json")));
  });

  test("has scripts of at most 25 KB compressed, which are those that the service serves", () => {
    const scripts = SCRIPTS.map((name) => readFileSync(join(installed, "dist", name)));
    const sizes = scripts.map((script) => gzipSync(script, { level: 9 }).length);
    console.log(`Compressed bytes of ${SCRIPTS.join(" and ")}: ${sizes.join(" and ")}`);
    expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(GZIP_BYTES_MAX);
    expect(SCRIPTS.map((name) => readFileSync(join(PROJECT, "dist/web/sdk", name)))).toEqual(scripts);
  });

  test("needs nothing that a strict policy forbids, and finds the worklet beside it", () => {
    const [sdk = "", worklet = ""] = SCRIPTS.map((name) => readFileSync(join(installed, "dist", name), "utf8"));
    for (const script of [sdk, worklet])
      expect(script).not.toMatch(/\beval\(|new Function|["'`](?:blob|data):|\bimport\(/);
    expect(sdk).toMatch(/new URL\(["'`]\.\/worklet\.js["'`],\s*import\.meta\.url\)/);
    expect(worklet).not.toMatch(/\bimport\b|\bexport\b/);
  });

  test.each([5, 7] as const)("compiles with TypeScript %i as its page shows", (version) => {
    writeFileSync(
      join(folder, "page.ts"),
      `${blockOf("ts")}
       const { code } = await call.start().then(() => ({ code: "none" as const }), (error: TrunklineCallError) => error);
       export const sentence: string = code === "none" ? "" : ERROR_SENTENCES[code];
       // @ts-expect-error There is no such event.
       call.addEventListener("noise", () => {});
       // @ts-expect-error One of both.
       new TrunklineCall({ url: "", session: async () => ({ websocketUrl: "" }) });
       new TrunklineCall({ url: "" }, { microphone: false, transport: "websocket" }).sendText("hello");`.replace(
        "import { TrunklineCall }",
        "import { ERROR_SENTENCES, TrunklineCall, type TrunklineCallError }",
      ),
    );
    const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--noEmit"];
    const browser = ["--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom,dom.iterable"];
    run(process.execPath, [COMPILERS[version], ...strict, ...browser, "page.ts"]);
  });

  test("has all codes of errors on its page, each with a sentence for people", async () => {
    const { ERROR_SENTENCES } = (await import(join(installed, "dist/index.js"))) as {
      ERROR_SENTENCES: Readonly<Record<string, string>>;
    };
    const [, section = ""] = README.split("\n## Errors\n");
    const named = new Set(
      [...(section.split("\n## ")[0] ?? "").matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = ""]) => {
        return [...cell.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name).filter((name) => name !== "fatal");
      }),
    );
    expect([...named].sort()).toEqual(Object.keys(ERROR_SENTENCES).sort());
    for (const sentence of Object.values(ERROR_SENTENCES)) expect(sentence).toMatch(/^[A-Z].{20,120}\.$/);
  });

  test("has a page without links out of the package, and with every event of a call", () => {
    expect(README).not.toMatch(/\]\(\.{0,2}\//);
    const { events = "" } = /\n## Events\n(?<events>.*?)\n## /s.exec(README)?.groups ?? {};
    const types = readFileSync(join(installed, "dist/types.d.ts"), "utf8");
    const { members = "" } = /interface CallEvents \{(?<members>.*?)\n\}/s.exec(types)?.groups ?? {};
    const names = [...members.matchAll(/^ {4}(\w+): CustomEvent/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(5);
    expect([...events.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name).sort()).toEqual(names.sort());
  });
});
