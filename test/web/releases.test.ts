import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
// @ts-expect-error: a script without types.
import { buildPages } from "../../scripts/build-pages.mjs";
// @ts-expect-error: a script without types.
import { keepRelease } from "../../scripts/keep-release.mjs";
import { temporaryDirectory } from "../support/temporary-directory.ts";

/** A build whose widget is of this version; its SDK and worklet never change. */
function built(version: string): string {
  const folder = temporaryDirectory();
  const entries = { widget: `widget-${version}.js`, sdk: "sdk.js", talk: "talk.js", talkStyle: "talk.css" };
  for (const name of [entries.widget, entries.sdk, "worklet.js"]) writeFileSync(join(folder, name), name);
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ files: {}, entries, worklet: "worklet.js" }));
  return folder;
}

test("the files of the last five releases are kept, and those that a later release has, too", () => {
  const kept = join(temporaryDirectory(), "releases");
  mkdirSync(kept);
  for (const version of ["1", "2", "3", "4", "5", "6", "6"]) keepRelease(version, built(version), kept);
  const widgets = ["2", "3", "4", "5", "6"].map((version) => `widget-${version}.js`);
  expect(readdirSync(kept).sort()).toEqual(["releases.json", "sdk.js", ...widgets, "worklet.js"]);
  const list = JSON.parse(readFileSync(join(kept, "releases.json"), "utf8")) as { version: string }[];
  expect(list.map(({ version }) => version)).toEqual(["6", "5", "4", "3", "2"]);
  expect(existsSync(join(kept, "talk.js"))).toBe(false);
});

test("a build serves the files of earlier releases under the hashes that pages have pinned", async () => {
  const [folder, sdk, releases] = [temporaryDirectory(), temporaryDirectory(), temporaryDirectory()];
  writeFileSync(join(sdk, "worklet.js"), "worklet");
  writeFileSync(join(sdk, "index.js"), 'new URL("./worklet.js", import.meta.url)');
  const pinned = "widget of an earlier release";
  writeFileSync(join(releases, "0123456789abcdef0123.js"), pinned);
  writeFileSync(join(releases, "releases.json"), "[]");
  expect(await buildPages(folder, sdk, releases)).toBe(true);
  const { files, entries } = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as {
    files: Record<string, { contentType: string; integrity: string }>;
    entries: { widget: string };
  };
  expect(files["0123456789abcdef0123.js"]).toEqual({
    contentType: "text/javascript; charset=utf-8",
    integrity: `sha384-${createHash("sha384").update(pinned).digest("base64")}`,
  });
  expect(readFileSync(join(folder, "0123456789abcdef0123.js"), "utf8")).toBe(pinned);
  expect(Object.keys(files)).toContain(entries.widget);
  expect(Object.keys(files)).not.toContain("releases.json");
}, 30_000);

test("`npm version` keeps the files of the release in the commit that it tags", () => {
  const folder = temporaryDirectory();
  const run = (command: string, ...args: string[]): string =>
    execFileSync(command, args, { cwd: folder, encoding: "utf8" });
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: { version: string } };
  const project = { name: "release", version: "1.0.0", scripts: { version: scripts.version, build: "node build.mjs" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(project));
  cpSync("scripts", join(folder, "scripts"), { recursive: true });
  symlinkSync(join(process.cwd(), "node_modules"), join(folder, "node_modules"));
  // In place of the build, which takes long: only its result is read.
  writeFileSync(
    join(folder, "build.mjs"),
    `import { cpSync } from "node:fs"; cpSync("built", "dist/web/pages", { recursive: true });`,
  );
  cpSync(built("1.0.1"), join(folder, "built"), { recursive: true });
  writeFileSync(join(folder, ".gitignore"), "node_modules\ndist\n");
  run("git", "init", "--quiet");
  run("git", "config", "user.email", "release@example.com");
  run("git", "config", "user.name", "Release");
  run("git", "add", ".");
  run("git", "commit", "--quiet", "--message", "before");
  run("npm", "version", "1.0.1");
  const committed = run("git", "show", "--name-only", "--format=", "v1.0.1^{commit}").trim().split("\n");
  expect(committed).toEqual([
    "package.json",
    ...["releases.json", "sdk.js", "widget-1.0.1.js", "worklet.js"].map((name) => `web/releases/${name}`),
  ]);
  expect(run("git", "status", "--porcelain")).toBe("");
}, 30_000);
