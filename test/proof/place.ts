import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Finished, finished, PROJECT } from "./processes.ts";

export interface Command {
  /** For `bash -c`. */
  script: string;
  /** As the command sees it: inside a root, a path of that root. */
  directory: string;
  environment?: Readonly<Record<string, string>>;
  /** Everything it writes goes here. */
  logFile: string;
  timeoutMs: number;
}

/** Where commands run: this machine, or a root of another Debian on it. */
export interface Place {
  /** The system's own name, as the results name it. */
  name: string;
  /** 41 for glibc 2.41; undefined for another C library. */
  glibcMinor: number | undefined;
  /** Where checkouts and Node binaries lie, as commands of this place see it. */
  folder: string;
  /** A path of this place, as this machine sees it. */
  outside(path: string): string;
  run(command: Command): Promise<Finished>;
}

/** This machine as it is; checkouts and Node binaries lie in `cache`. */
export function thisMachine(cache: string): Place {
  return {
    folder: cache,
    name: systemName("/"),
    glibcMinor: glibcMinor([]),
    outside: (path) => path,
    run: ({ script, ...rest }) => finished(["bash", "-c", script], rest),
  };
}

/**
 * A root folder of another Debian, with /proc and /dev, in mount and process namespaces of its own: no mount and no process
 * outlives the command. Needs root's rights. npm uses this machine's cache, registry and certificates.
 */
export function insideRoot(root: string): Place {
  return {
    folder: "/srv",
    name: systemName(root),
    glibcMinor: glibcMinor(["chroot", root]),
    outside: (path) => join(root, path),
    run: ({ script, directory, environment = {}, ...rest }) =>
      finished(enterRoot(root, { script, directory, environment: { ...npmEnvironment(root), ...environment } }), {
        ...rest,
        directory: PROJECT,
      }),
  };
}

/** What is run inside a root, and who runs it. */
export interface Inside {
  script: string;
  directory: string;
  environment: Readonly<Record<string, string>>;
  /** Of the root's own users; default root. */
  user?: string | undefined;
  /** Whether it has a network of its own, of nothing but a loopback interface. */
  ownNetwork?: boolean;
}

/** The command line that runs `script` inside `root`, as process 1 of its namespace. */
export function enterRoot(
  root: string,
  { script, directory, environment, user, ownNetwork = false }: Inside,
): string[] {
  const prepare = [
    "set -e",
    'mount -t proc proc "$1/proc"',
    'mount --rbind /dev "$1/dev"',
    // The cache of npm on this machine: what was fetched once is not fetched again.
    'if [ -n "$2" ]; then mkdir -p "$1/root/.npm"; mount --bind "$2" "$1/root/.npm"; fi',
    ...(ownNetwork ? ["ip link set lo up"] : []),
    'root=$1; shift 2; exec chroot "$root" "$@"',
  ].join("\n");
  const namespaces = ["--mount", "--pid", "--fork", "--kill-child", ...(ownNetwork ? ["--net"] : [])];
  return [
    ...["unshare", ...namespaces, "bash", "-c", prepare, "bash", root, npmCache()],
    ...insideCommand({ script, directory, environment, user }),
  ];
}

/** The command line that runs `script` inside `root` beside a process that `enterRoot` started, in that process's namespaces. */
export const joinRoot = (pid: number, root: string, inside: Inside): string[] => [
  ...["nsenter", "--target", String(pid), "--mount", "--pid", "--net", "chroot", root],
  ...insideCommand(inside),
];

function insideCommand({ script, directory, environment, user }: Omit<Inside, "ownNetwork">): string[] {
  const home = user === undefined ? "/root" : `/home/${user}`;
  const variables = { PATH, HOME: home, LANG: "C.UTF-8", ...environment };
  const asUser = user === undefined ? [] : ["setpriv", "--reuid", user, "--regid", user, "--init-groups"];
  const change = 'cd "$1" && shift && exec "$@"';
  return [
    ...["/usr/bin/env", "-i", ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)],
    ...[...asUser, "/bin/sh", "-c", change, "sh", directory, "/bin/sh", "-c", script],
  ];
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** What npm inside a root needs of this machine's settings to reach the same registry. */
export function npmEnvironment(root: string): Record<string, string> {
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  const registry = npmSetting("registry");
  const inside = "/etc/ssl/this-machine.crt";
  if (certificates !== undefined && existsSync(certificates)) {
    mkdirSync(join(root, "etc/ssl"), { recursive: true });
    copyFileSync(certificates, join(root, inside));
  }
  return {
    CI: "true",
    ...(registry !== "" && { npm_config_registry: registry }),
    ...(certificates !== undefined && { NODE_EXTRA_CA_CERTS: inside }),
  };
}

const npmCache = (): string => {
  const folder = npmSetting("cache");
  return existsSync(folder) ? folder : "";
};

const npmSetting = (name: string): string => {
  const { stdout } = spawnSync("npm", ["config", "get", name], { encoding: "utf8" });
  return stdout?.trim() ?? "";
};

/** The system of a root folder, from its own os-release. */
function systemName(root: string): string {
  const release = readFileSync(join(root, "etc/os-release"), "utf8");
  return /^PRETTY_NAME="?([^"\n]*)/m.exec(release)?.[1]?.replace("GNU/Linux ", "") ?? "unknown system";
}

/** 41 for glibc 2.41; undefined for another C library. `enter`: the command that leads into a root. */
export function glibcMinor(enter: readonly string[]): number | undefined {
  const [program = "getconf", ...args] = [...enter, "getconf", "GNU_LIBC_VERSION"];
  const minor = /glibc 2\.(\d+)/.exec(spawnSync(program, args, { encoding: "utf8" }).stdout ?? "")?.[1];
  return minor === undefined ? undefined : Number(minor);
}

/** What a folder takes on the disk, in whole MB of 2^20 bytes. */
export function megabytes(folder: string): number {
  const size = spawnSync("du", ["-sm", folder], { encoding: "utf8" }).stdout ?? "";
  return Number.parseInt(size, 10);
}
