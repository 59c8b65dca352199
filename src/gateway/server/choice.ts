import { unavailable } from "../../core/errors.ts";
import { NODE_MAJOR_TESTED_MAX } from "../../core/runtime/node-version.ts";
import type { MediaServerName } from "./media-server.ts";

/** `MEDIA_SERVER`: a library by name, or the best one available on this machine. */
export type MediaServerSetting = "auto" | MediaServerName;

/** A package of the uWebSockets.js binaries, as found in node_modules. */
export interface UwsPackage {
  /** The Node line that its binary is for. */
  nodeMajor: number;
  /** `@uwsjs/linux-x64-20` */
  name: string;
  folder: string;
  /** Undefined where the package has no readable package.json. */
  version: string | undefined;
  /** What is wrong with the binary, as far as its file shows; undefined when it is complete and for this machine. */
  problem: string | undefined;
}

/** What the choice depends on. */
export interface Runtime {
  /** `20.19.0` */
  nodeVersion: string;
  platform: string;
  arch: string;
  /** `2.36`; undefined on systems without glibc, as on Alpine. */
  glibcVersion: string | undefined;
  packages: readonly UwsPackage[];
}

export type MediaServerChoice = (
  | { mediaServer: "uws"; folder: string; version: string }
  /** `detail`: why uWebSockets.js is not used. */
  | { mediaServer: "ws"; detail: string }
) & {
  /**
   * Every worker listens on the port itself (SO_REUSEPORT); otherwise the supervisor accepts connections and hands them
   * over.
   */
  sharesPort: boolean;
};

/** The Node lines that have binaries, with the oldest glibc that each binary supports. */
export const UWS_LINES: readonly { nodeMajor: number; glibcMin: string }[] = [
  { nodeMajor: 20, glibcMin: "2.27" },
  { nodeMajor: 22, glibcMin: "2.27" },
  { nodeMajor: 24, glibcMin: "2.38" },
  { nodeMajor: 26, glibcMin: "2.38" },
];

/** The package with the binary for this Node line. Packages exist only for Linux on x64. */
export const uwsPackageName = (nodeMajor: number): string => `@uwsjs/linux-x64-${nodeMajor}`;

/**
 * Chooses the library that serves the media port, without loading any. Throws `unavailable`, with one line for the
 * operator, where node_modules does not match what `npm ci` installs for this Node, and where the requested library is
 * not available.
 */
export function chooseMediaServer(setting: MediaServerSetting, runtime: Runtime): MediaServerChoice {
  const nodeMajor = Number.parseInt(runtime.nodeVersion, 10);
  const sharesPort = netSharesPorts(runtime);
  if (setting === "ws") return { mediaServer: "ws", detail: "MEDIA_SERVER=ws", sharesPort };
  const noBinaryReason = reasonForNoBinary(nodeMajor, runtime);
  const fitting = runtime.packages.find((found) => found.nodeMajor === nodeMajor);
  // A newer Node uses whatever is installed.
  if (nodeMajor <= NODE_MAJOR_TESTED_MAX) assertInstalledFor(nodeMajor, runtime);
  if (noBinaryReason === undefined && fitting !== undefined) return chosen(fitting);
  const detail = noBinaryReason ?? `the optional package ${uwsPackageName(nodeMajor)} is not installed`;
  if (setting === "uws") throw unavailable(`MEDIA_SERVER=uws is not available: ${detail}`);
  return { mediaServer: "ws", detail, sharesPort };
}

/**
 * Whether `net` has the option `reusePort` (from Node 22.12 and 23.1 on), and the system spreads connections over the
 * listeners.
 */
function netSharesPorts({ nodeVersion, platform }: Runtime): boolean {
  const knowsOption = isAtLeast(nodeVersion, "22.12") && !nodeVersion.startsWith("23.0.");
  return platform === "linux" && knowsOption;
}

/** Why no package can fit this machine; undefined when one does. */
function reasonForNoBinary(nodeMajor: number, { platform, arch, glibcVersion }: Runtime): string | undefined {
  const none = `no uWebSockets.js binary for Node ${nodeMajor}`;
  if (platform !== "linux" || arch !== "x64") return `${none} on ${platform} ${arch}`;
  if (glibcVersion === undefined) return `${none} without glibc`;
  const line = UWS_LINES.find((candidate) => candidate.nodeMajor === nodeMajor);
  if (line === undefined) return none;
  return isAtLeast(glibcVersion, line.glibcMin)
    ? undefined
    : `${none} with glibc ${glibcVersion}: it needs ${line.glibcMin}`;
}

/**
 * npm installs the one package that fits the Node it runs under; if only another one is there, it was installed by
 * another Node.
 */
function assertInstalledFor(nodeMajor: number, { packages, nodeVersion }: Runtime): void {
  const [other] = packages;
  if (other === undefined || packages.some((found) => found.nodeMajor === nodeMajor)) return;
  throw unavailable(
    `this is Node ${nodeVersion}, and node_modules was installed under Node ${other.nodeMajor}: run npm ci`,
  );
}

function chosen({ name, folder, version, problem }: UwsPackage): MediaServerChoice {
  if (version === undefined) throw unavailable(`the package ${name} is incompletely installed: run npm ci`);
  if (problem !== undefined) throw unavailable(`the package ${name} cannot be used, ${problem}: run npm ci`);
  return { mediaServer: "uws", folder, version, sharesPort: true };
}

/** Compares versions by their first two numbers, `2.36`. */
function isAtLeast(version: string, min: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [minMajor = 0, minMinor = 0] = min.split(".").map(Number);
  return major > minMajor || (major === minMajor && minor >= minMinor);
}
