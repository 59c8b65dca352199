import type { Finished } from "../processes.ts";

/** The glibc 2.x that the binaries for Node 24 and 26 need; those for 20 and 22 run on every one that these Nodes run on. */
const GLIBC_MINOR_OF_NEWEST = 38;

export type MediaServerName = "uws" | "ws";

/** The package of binaries that `npm ci` installs on this machine's system and architecture for a Node line; "none" where there is none. */
export const uwsPackages = (nodeMajor: number): string =>
  process.platform === "linux" && process.arch === "x64" ? `linux-x64-${nodeMajor}` : "none";

/** What ought to serve the media port with `MEDIA_SERVER=auto`. `glibcMinor`: undefined for another C library. */
export function expectedMediaServer(nodeMajor: number, glibcMinor: number | undefined): MediaServerName {
  if (uwsPackages(nodeMajor) === "none" || glibcMinor === undefined) return "ws";
  return nodeMajor <= 22 || glibcMinor >= GLIBC_MINOR_OF_NEWEST ? "uws" : "ws";
}

/** What the service's log says that serves it; undefined where it says nothing. */
export function mediaServerInLog(log: string): string | undefined {
  const line = log.split("\n").find((each) => each.includes('"media server selected"'));
  return line === undefined ? undefined : /"mediaServer":"(\w+)"/.exec(line)?.[1];
}

/** Why a service that was started, and asked to stop once it was ready, was not served by `expected`; empty where it was. */
export function whyNotServed(expected: MediaServerName, { code, output }: Pick<Finished, "code" | "output">): string {
  const found = mediaServerInLog(output);
  const log = output.slice(-3_000);
  if (!output.includes('"service ready"')) return `it was never ready (exit code ${code})\n${log}`;
  if (code !== 0) return `asked to stop, it ended with exit code ${code}\n${log}`;
  return found === expected ? "" : `it was ${found ?? "not named"}\n${log}`;
}
