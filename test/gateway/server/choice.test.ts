import { copyFileSync, mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { chooseMediaServer, type Runtime, UWS_LINES, uwsPackageName } from "../../../src/gateway/server/choice.ts";
import { loadUws } from "../../../src/gateway/server/uws/module.ts";
import { currentRuntime } from "../../../src/gateway/server/uws/packages.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const LINUX = { platform: "linux", arch: "x64", glibcVersion: "2.41" } as const;

/** A complete package. */
const completePackage = (nodeMajor: number): Runtime["packages"][number] => ({
  nodeMajor,
  name: uwsPackageName(nodeMajor),
  folder: `/node_modules/${uwsPackageName(nodeMajor)}`,
  version: "20.0.0",
  problem: undefined,
});

/** What `npm ci` installs for this Node on this system. */
const installed = (nodeVersion: string, system: Omit<Runtime, "nodeVersion" | "packages"> = LINUX): Runtime => ({
  nodeVersion,
  ...system,
  packages: UWS_LINES.filter(({ nodeMajor }) => nodeMajor === Number.parseInt(nodeVersion, 10)).map(({ nodeMajor }) =>
    completePackage(nodeMajor),
  ),
});

describe("the choice of the media server", () => {
  test.each(["20.19.0", "22.23.3", "24.21.0", "26.10.0"])("on Node %s it is uWebSockets.js", (nodeVersion) => {
    const choice = chooseMediaServer("auto", installed(nodeVersion));
    expect(choice).toMatchObject({ mediaServer: "uws", version: "20.0.0" });
  });

  test.each<[string, Runtime, string]>([
    [
      "Node 24 on Debian 12",
      installed("24.21.0", { ...LINUX, glibcVersion: "2.36" }),
      "Node 24 with glibc 2.36: it needs 2.38",
    ],
    [
      "Alpine",
      { ...installed("22.1.0", { ...LINUX, glibcVersion: undefined }), packages: [] },
      "Node 22 without glibc",
    ],
    ["an ARM machine", { ...installed("22.1.0", { ...LINUX, arch: "arm64" }), packages: [] }, "Node 22 on linux arm64"],
    ["macOS", { ...installed("22.1.0", { ...LINUX, platform: "darwin" }), packages: [] }, "Node 22 on darwin x64"],
    ["a Node between the lines", installed("25.2.0"), "Node 25"],
    ["a Node above all lines", installed("27.0.0"), "Node 27"],
  ])("on %s it is ws, with the reason, and uws is refused for the same reason", (_what, runtime, reason) => {
    expect(chooseMediaServer("auto", runtime)).toMatchObject({
      mediaServer: "ws",
      detail: `no uWebSockets.js binary for ${reason}`,
    });
    expect(() => chooseMediaServer("uws", runtime)).toThrow(
      `MEDIA_SERVER=uws is not available: no uWebSockets.js binary for ${reason}`,
    );
  });

  test("Node 24 with glibc 2.38 has its binary, and so has any later one", () => {
    for (const glibcVersion of ["2.38", "2.41", "3.0"]) {
      expect(chooseMediaServer("uws", installed("24.0.0", { ...LINUX, glibcVersion })).mediaServer).toBe("uws");
    }
    expect(chooseMediaServer("auto", installed("24.0.0", { ...LINUX, glibcVersion: "2.4" })).mediaServer).toBe("ws");
  });

  test("an install without optional packages uses ws, with the reason", () => {
    const runtime = { ...installed("22.1.0"), packages: [] };
    const detail = "the optional package @uwsjs/linux-x64-22 is not installed";
    expect(chooseMediaServer("auto", runtime)).toMatchObject({ mediaServer: "ws", detail });
    expect(() => chooseMediaServer("uws", runtime)).toThrow(detail);
  });

  test.each([
    ["22.1.0", 20],
    ["20.19.0", 22],
    ["25.0.0", 24],
    ["24.1.0", 22],
  ])("on Node %s a tree that was installed under Node %d is refused in one line", (nodeVersion, nodeMajor) => {
    const runtime = { ...LINUX, nodeVersion, packages: [completePackage(nodeMajor)] };
    for (const setting of ["auto", "uws"] as const) {
      expect(() => chooseMediaServer(setting, runtime)).toThrow(
        `this is Node ${nodeVersion}, and node_modules was installed under Node ${nodeMajor}: run npm ci`,
      );
    }
    expect(chooseMediaServer("ws", runtime)).toMatchObject({ mediaServer: "ws", detail: "MEDIA_SERVER=ws" });
  });

  test.each<[string, string, boolean]>([
    ["20.20.2", "linux", false],
    ["22.11.0", "linux", false],
    ["22.12.0", "linux", true],
    ["23.0.0", "linux", false],
    ["23.1.0", "linux", true],
    ["24.0.0", "linux", true],
    ["26.10.0", "linux", true],
    ["24.0.0", "darwin", false],
    ["24.0.0", "win32", false],
  ])("with ws on Node %s and %s workers share the port: %s", (nodeVersion, platform, sharesPort) => {
    const runtime = { ...LINUX, nodeVersion, platform, packages: [] };
    expect(chooseMediaServer("ws", runtime)).toEqual({ mediaServer: "ws", detail: "MEDIA_SERVER=ws", sharesPort });
    expect(chooseMediaServer("auto", runtime)).toMatchObject({ mediaServer: "ws", sharesPort });
  });

  test("with uWebSockets.js workers share the port on every Node", () => {
    for (const nodeVersion of ["20.19.0", "24.21.0"]) {
      expect(chooseMediaServer("auto", installed(nodeVersion))).toMatchObject({ mediaServer: "uws", sharesPort: true });
    }
  });

  test("Node 27 uses what is installed, whatever it was installed under", () => {
    const runtime = { ...LINUX, nodeVersion: "27.0.0", packages: [completePackage(26)] };
    expect(chooseMediaServer("auto", runtime).mediaServer).toBe("ws");
  });
});

const here = currentRuntime();
const [real] = here.packages;

/** A node_modules tree with a copy of the real package; returns its folder and what a module in that tree finds. */
function tree(folderOf: NonNullable<typeof real>): { folder: string; look: () => Runtime } {
  const directory = temporaryDirectory();
  const folder = join(directory, "node_modules", folderOf.name);
  mkdirSync(folder, { recursive: true });
  for (const file of ["package.json", "index.js", "uws.node"])
    copyFileSync(join(folderOf.folder, file), join(folder, file));
  return { folder, look: () => currentRuntime(join(directory, "module.js")) };
}

describe.skipIf(real === undefined)("a package of the binaries (only where one is installed)", () => {
  const found = real as NonNullable<typeof real>;

  test("is found where modules are looked up", () => {
    expect(here.nodeVersion).toBe(process.versions.node);
    const { folder, look } = tree(found);
    expect(look().packages).toEqual([{ ...found, folder }]);
    expect(currentRuntime(join(temporaryDirectory(), "module.js")).packages).toEqual([]);
  });

  test.each<[string, (folder: string) => void, RegExp]>([
    [
      "without its package.json",
      (folder) => rmSync(join(folder, "package.json")),
      /incompletely installed: run npm ci$/,
    ],
    ["without its loader", (folder) => rmSync(join(folder, "index.js")), /incompletely installed: run npm ci$/],
    ["without its binary", (folder) => rmSync(join(folder, "uws.node")), /its uws\.node cannot be read: run npm ci$/],
    [
      "cut off",
      (folder) => truncateSync(join(folder, "uws.node"), 100_000),
      /truncated: 100000 of \d+ bytes: run npm ci$/,
    ],
    ["empty", (folder) => truncateSync(join(folder, "uws.node"), 0), /is not a Linux binary: run npm ci$/],
    [
      "that is a page of HTML",
      (folder) => writeFileSync(join(folder, "uws.node"), "<html>".repeat(100)),
      /not a Linux binary/,
    ],
    [
      "for ARM",
      (folder) => writeFileSync(join(folder, "uws.node"), elfHeader(183)),
      /another processor \(ELF machine 183/,
    ],
  ])("%s: one line names it", (_what, spoil, problem) => {
    const { folder, look } = tree(found);
    spoil(folder);
    const runtime = { ...look(), ...LINUX, nodeVersion: `${found.nodeMajor}.99.0` };
    for (const setting of ["auto", "uws"] as const) {
      expect(() => chooseMediaServer(setting, runtime)).toThrow(problem);
      expect(() => chooseMediaServer(setting, runtime)).toThrow(new RegExp(`^the package ${found.name} `));
    }
  });

  test("that the system refuses to load is reported in one line", () => {
    const { folder } = tree(found);
    writeFileSync(join(folder, "uws.node"), elfHeader(62));
    expect(() => loadUws(folder)).toThrow(
      /^the media server's binary cannot be loaded \(.*\): run npm ci, or set MEDIA_SERVER=ws$/,
    );
  });
});

test.each([
  "",
  "module.exports = {};",
  "module.exports = requi",
])("a loader that holds %j is reported in one line", (loader) => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, "index.js"), loader);
  expect(() => loadUws(folder)).toThrow(
    /^the media server's binary cannot be loaded \(.*\): run npm ci, or set MEDIA_SERVER=ws$/,
  );
});

/** The header of an ELF file for a processor, and nothing after it. */
function elfHeader(machine: number): Buffer {
  const header = Buffer.alloc(64);
  header.write("\x7fELF\x02\x01\x01", "latin1");
  header.writeUInt16LE(machine, 18);
  return header;
}
