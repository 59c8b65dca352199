import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { finished } from "../processes.ts";

const SUITE = "trixie";
/** A root of debootstrap does not know localhost; Docker and every installed system do. */
const HOSTS = "127.0.0.1 localhost\n::1 localhost\n";
/** What Node's own image has besides the least: Node 26 is linked against libatomic. */
const PACKAGES = "libatomic1";
/** What the test suite asks of the system. */
const TEST_TOOLS = "openssl sox nginx-light ca-certificates procps";

/** Why no root can be made or entered on this machine; empty where it can. */
export function whyNoRoot(): string {
  if (process.platform !== "linux" || process.arch !== "x64") return "roots are made on Linux x64 only";
  if (process.getuid?.() !== 0) return "only root may make and enter a root folder";
  for (const [tool, option] of [
    ["debootstrap", "--version"],
    ["nsenter", "--version"],
    ["ip", "-V"],
  ] as const) {
    if (spawnSync(tool, [option]).status !== 0) return `${tool} is not installed`;
  }
  if (spawnSync("unshare", ["--mount", "--pid", "--net", "--fork", "true"]).status !== 0)
    return "this machine allows no namespaces";
  return "";
}

/**
 * A Debian 13 root folder in `cache`, made by debootstrap where it is not there yet or was made otherwise; 220 MB. With
 * `testTools` one that also has what the test suite asks of the system. Throws with the tool's words when it cannot be made.
 */
export async function debianRoot(cache: string, testTools = false): Promise<string> {
  const root = join(cache, testTools ? "debian-13-tests" : "debian-13");
  const recipe = [SUITE, PACKAGES, HOSTS, ...(testTools ? [TEST_TOOLS] : [])].join(" ");
  const mark = join(cache, testTools ? "debian-13-tests.made" : "debian-13.made");
  if (existsSync(mark) && readFileSync(mark, "utf8") === recipe) return root;
  rmSync(mark, { force: true });
  rmSync(root, { recursive: true, force: true });
  const script = testTools
    ? `cp -a "${await debianRoot(cache)}" "${root}" && chroot "${root}" sh -c 'apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ${TEST_TOOLS}'`
    : `debootstrap --variant=minbase --include=${PACKAGES} ${SUITE} "${root}"`;
  const { code, output } = await finished(["bash", "-c", script], {
    directory: cache,
    logFile: join(cache, "debian-root.log"),
    timeoutMs: 900_000,
  });
  if (code !== 0) throw new Error(`the Debian 13 root cannot be made: ${output.slice(-2_000)}`);
  writeFileSync(join(root, "etc/hosts"), HOSTS);
  writeFileSync(mark, recipe);
  return root;
}
