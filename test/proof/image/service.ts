import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expectedMediaServer, mediaServerInLog } from "../node/media-server.ts";
import { enterRoot, glibcMinor, joinRoot } from "../place.ts";
import { exitCode, killGroup, PROJECT, startGroup } from "../processes.ts";
import type { Proof } from "../proof.ts";
import type { Stage } from "./dockerfile.ts";
import type { BuiltStage } from "./image.ts";

const HEALTHY_MS_MAX = 60_000;
const STOPPED_MS_MAX = 30_000;
const POLL_MS = 250;
/** What `docker run` is given in README.md besides ports and a volume. */
const RUN_ENVIRONMENT = { PUBLIC_MEDIA_URL: "wss://media.example.com" };

/**
 * Starts the image's program as its user, as process 1 and in a network of its own, and holds the image's health check against it:
 * unhealthy before the service runs, healthy once it does. Then stops it as `docker stop` does.
 */
export async function proveService({ cache, checks }: Proof, image: BuiltStage, stage: Stage): Promise<void> {
  const { healthCheck, entryPoint = [], command = [] } = stage;
  if (healthCheck === undefined || image.user === undefined || image.user === "root") {
    checks.failed("the image has a health check and a user of its own", `its user is ${image.user ?? "root"}`);
    return;
  }
  const environment = { ...image.environment, ...RUN_ENVIRONMENT };
  const inside = { directory: image.directory, environment, user: image.user };
  const check = { ...inside, script: shellCommand(healthCheck) };
  const without = run(enterRoot(image.root, { ...check, ownNetwork: true }));
  checks.check("the health check fails where no service runs", without === 1 ? "" : `its exit code was ${without}`);

  const logFile = join(cache, "image-service.log");
  const script = shellCommand([...entryPoint, ...command]);
  const service = startGroup(enterRoot(image.root, { ...inside, script, ownNetwork: true }), {
    directory: PROJECT,
    logFile,
  });
  const ended = exitCode(service);
  const log = () => readFileSync(logFile, "utf8");
  try {
    const healthy = await becomesHealthy(service.pid, () => run(joinRoot(processOne(service.pid), image.root, check)));
    if (!checks.check("the health check passes once the service runs", healthy ? "" : log().slice(-3_000))) return;
    const pid = processOne(service.pid);
    const owner = ownerOf(pid);
    const right = owner !== undefined && owner !== "0";
    checks.check(
      `the service runs as the user ${image.user}`,
      right ? "" : `the owner of process 1 is ${owner ?? "gone"}`,
    );
    const found = mediaServerInLog(log());
    const expected = expectedMediaServer(image.nodeMajor, glibcMinor(["chroot", image.root]));
    const other = `it was ${found ?? "not named in the log"}`;
    checks.check(`its media port is served by ${expected}`, found === expected ? "" : other);
    // Process 0 would be this program's own group.
    if (pid > 0) process.kill(pid, "SIGTERM");
    const code = await Promise.race([ended, sleep(STOPPED_MS_MAX, undefined, { ref: false })]);
    const late = `not within ${STOPPED_MS_MAX} ms`;
    checks.check("SIGTERM ends it with exit code 0", code === 0 ? "" : `${code ?? late}\n${log().slice(-3_000)}`);
  } finally {
    killGroup(service);
  }
}

/** For a shell that becomes the program. */
const shellCommand = (argv: readonly string[]): string =>
  `exec ${argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")}`;

const run = ([program = "", ...args]: readonly string[]): number =>
  spawnSync(program, args, { cwd: PROJECT, stdio: "ignore" }).status ?? -1;

async function becomesHealthy(pid: number | undefined, check: () => number): Promise<boolean> {
  for (const startedAt = performance.now(); performance.now() - startedAt < HEALTHY_MS_MAX; await sleep(POLL_MS)) {
    if (ownerOf(processOne(pid)) === undefined) continue;
    if (check() === 0) return true;
  }
  return false;
}

/** Process 1 of the namespace that `unshare` made, by its number on this machine; 0 where there is none yet. */
function processOne(unsharePid: number | undefined): number {
  try {
    return Number.parseInt(readFileSync(`/proc/${unsharePid}/task/${unsharePid}/children`, "utf8"), 10) || 0;
  } catch {
    return 0;
  }
}

/** The user id of a process; undefined where it does not run. */
function ownerOf(pid: number): string | undefined {
  try {
    return /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  } catch {
    return undefined;
  }
}
