import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { runProgram } from "../support/services/run-program.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const COMPILE_MS_MAX = 60_000;
const BUILDING = "There is no build in dist/ yet: building it, once.\n";

/** The SDK names its worklet, which the service serves under another name. */
const SDK = 'export const worklet: URL = new URL("./worklet.js", import.meta.url);\n';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A checkout of this project whose service only prints that it runs, with a client that can do nothing. */
function checkout(files: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-start-"));
  folders.push(folder);
  const packages = ["web/client/tsconfig.json", "web/sdk/tsconfig.json"];
  for (const part of ["package.json", "tsconfig.json", "tsconfig.build.json", "scripts", ...packages]) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const sources = {
    "web/client/src/index.ts": 'export const version: string = "0";\n',
    "web/sdk/src/index.ts": SDK,
    "web/sdk/src/worklet/processor.ts": 'export const name: string = "audio";\n',
    "web/widget/main.ts": "export {};\n",
    "web/talk/main.ts": "export {};\n",
    "web/talk/style.css": "body { margin: 0 }\n",
    "web/dashboard/vite.config.ts": 'export default { root: import.meta.dirname, logLevel: "warn" };\n',
    "web/dashboard/app/pages.ts": "",
    "web/dashboard/index.html": "<!doctype html>\n",
    "src/main.ts": 'import { text } from "./text.ts";\n\nconsole.log(text);\n',
    "src/text.ts": 'export const text: string = "the service runs";\n',
    ...files,
  };
  for (const [path, text] of Object.entries(sources)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return {
    path: (relative: string) => join(folder, relative),
    start: () => runProgram([join(folder, "scripts/start.mjs")]),
    // As `npm run build` runs it, without npm.
    build: () => runProgram([join(folder, (/^node (\S+)$/.exec(buildScript()) ?? [])[1] ?? "no script of Node's")]),
  };
}

const buildScript = (): string =>
  (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: { build: string } }).scripts.build;

describe("npm start", { timeout: COMPILE_MS_MAX }, () => {
  test("builds once, and then runs the build", async () => {
    const { start } = checkout();
    expect(await start()).toEqual({ code: 0, stdout: "the service runs\n", stderr: BUILDING });
    expect(await start()).toEqual({ code: 0, stdout: "the service runs\n", stderr: "" });
  });

  test("runs what npm run build has built", async () => {
    const { build, start } = checkout();
    expect(await build()).toMatchObject({ code: 0 });
    expect(await start()).toEqual({ code: 0, stdout: "the service runs\n", stderr: "" });
  });

  test("what modules read at run time, and its licence, are beside the modules in the build", async () => {
    const files = { "src/media/a.wasm": "code", "src/media/a.f32": "weights", "src/media/LICENSE.a": "terms" };
    const { build, path } = checkout({ ...files, "src/media/a.c": "source" });
    expect(await build()).toMatchObject({ code: 0 });
    for (const [name, text] of Object.entries(files)) {
      expect(readFileSync(path(name.replace("src/", "dist/")), "utf8")).toBe(text);
    }
    expect(existsSync(path("dist/media/a.c"))).toBe(false);
  });

  test("the commands import the client from the build", async () => {
    const main = 'import { version } from "#client";\n\nconsole.log("client " + version);\n';
    const { start } = checkout({ "src/main.ts": main });
    expect(await start()).toEqual({ code: 0, stdout: "client 0\n", stderr: BUILDING });
  });

  test("what browsers load is bundled, with its types", async () => {
    const { build, path } = checkout({
      "web/sdk/src/index.ts": `export { version } from "./version.ts";\n${SDK}`,
      "web/sdk/src/version.ts": 'export const version: string = "2";\n',
    });
    expect(await build()).toMatchObject({ code: 0 });
    expect(await import(path("dist/web/sdk/index.js"))).toMatchObject({ version: "2" });
    expect(readFileSync(path("dist/web/sdk/index.d.ts"), "utf8")).toContain("version");
    expect(existsSync(path("dist/web/sdk/worklet.js"))).toBe(true);
  });

  test("a module of the browser's that cannot be bundled fails the build", async () => {
    const { build, path } = checkout({ "web/sdk/src/index.ts": 'export * from "./missing.js";\n' });
    expect(await build()).toMatchObject({ code: 1 });
    expect(existsSync(path("dist/.finished"))).toBe(false);
  });

  test("runs and emits nothing while the client has a type error", async () => {
    const { path, start } = checkout({ "web/client/src/index.ts": "export const version: string = 1;\n" });
    expect(await start()).toMatchObject({ code: 1, stdout: expect.stringContaining("web/client/src/index.ts") });
    expect(existsSync(path("dist/main.js"))).toBe(false);
  });

  test("builds again after an interrupted build", async () => {
    // The compiler had written the first module, but not the second.
    const { start } = checkout({ "dist/main.js": 'import "./text.js";\n' });
    expect(await start()).toEqual({ code: 0, stdout: "the service runs\n", stderr: BUILDING });
  });

  test("does not run a finished build that an interrupted npm run build has partly overwritten", async () => {
    const { path, start, build } = checkout();
    await build();
    writeFileSync(path("src/text.ts"), "export const text: string = 1;\n");
    expect(await build()).toMatchObject({ code: 1 });
    expect((await start()).stderr).toBe(BUILDING);
  });

  test("runs and emits nothing while the sources have a type error", async () => {
    const { path, start } = checkout({ "src/text.ts": "export const text: string = 1;\n" });
    for (const _ of ["the first time", "the second time"]) {
      const { code, stdout, stderr } = await start();
      expect(code).toBe(1);
      expect(stdout).toContain("src/text.ts");
      expect(stdout).not.toContain("the service runs");
      expect(stderr).toBe(BUILDING);
    }
    expect(existsSync(path("dist/main.js"))).toBe(false);
  });
});
