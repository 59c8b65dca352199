import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

/** How often a download that takes long says that it goes on. */
const PROGRESS_MS = 5_000;

/**
 * Downloads a package into `folder` by `npm pack`, which follows the user's npm configuration: registry, proxy, certificates, cache.
 * No script of the package runs. Resolves with the path of its archive; rejects with npm's own reason, or with that of the abort.
 */
export async function downloadPackage(
  specifier: string,
  folder: string,
  write: (line: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const started = performance.now();
  const progress = setInterval(() => {
    write(`  still downloading, ${Math.round((performance.now() - started) / 1_000)} s`);
  }, PROGRESS_MS);
  try {
    // `npm run --silent` would silence this npm, too, and take its reason for a failure away.
    await runNpm(["pack", specifier, "--pack-destination", folder, "--ignore-scripts", "--loglevel", "error"], signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(
      `npm could not download ${specifier}: ${messageOf(error)}; is this machine online, and does \`npm ping\` reach your registry?`,
      { cause: error },
    );
  } finally {
    clearInterval(progress);
  }
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (archive === undefined) throw new Error(`npm downloaded no archive of ${specifier}`);
  return join(folder, archive);
}

async function runNpm(args: readonly string[], signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const npm = spawn("npm", args, { stdio: ["ignore", "ignore", "pipe"], signal });
    let errors = "";
    npm.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    let failure: Error | undefined;
    npm.once("error", (error) => {
      failure = new Error(`npm cannot be started: ${error.message}`);
    });
    // After an abort it may still write, until it has ended.
    npm.once("close", (code) => (code === 0 ? resolve() : reject(failure ?? new Error(reasonOf(errors, code)))));
  });
}

/** npm's first lines about the failure, without the line that names its log. */
function reasonOf(errors: string, code: number | null): string {
  const lines = [...errors.matchAll(/^npm (?:error|ERR!) (.+)$/gm)].map(([, line = ""]) => line.trim());
  const reasons = lines.filter((line) => !/complete log|^(?:syscall|errno|path) /.test(line)).slice(0, 3);
  return reasons.length > 0 ? reasons.join("; ") : `it ended with exit code ${code}`;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
