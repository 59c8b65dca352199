import "../core/node-version.ts";
import { setTimeout as delay } from "node:timers/promises";
import { readStorePlace } from "../config/environment.ts";
import { systemClock } from "../core/clock.ts";
import { elapsedMs } from "../core/clocks.ts";
import { TOKEN_KEY_POLL_MS } from "../core/limits/admission.ts";
import { PROCESS_START_MS_MAX } from "../core/limits/processes.ts";
import { processStartTime, SupervisorFile, type SupervisorState } from "../process/supervisor/state-file.ts";
import type { Roll } from "../process/supervisor/supervisor.ts";
import { openDataDir } from "../store/data-dir/data-dir.ts";
import { rotateTokenKeys } from "../store/data-dir/token-keys.ts";
import type { StorePlace } from "../store/open-stores.ts";
import { rotateSecretsKey } from "../store/sealing/secrets-key.ts";
import { backup, restore } from "./admin/backup.ts";
import { prune } from "./admin/prune.ts";
import { recover } from "./admin/recover.ts";
import { exportDatabase, importDatabase } from "./admin/transfer.ts";
import { notACommand, pathOption, readArguments, runCommand, surplusArgument, UsageError } from "./command.ts";

const HELP = `Administers the service, on the machine or in the container where it runs.

  npm run admin -- roll                 replace the media workers one by one, without losing calls or streams
  npm run admin -- prune                delete now what RETENTION would delete within the hour
  npm run admin -- prune --dry-run      show what would be deleted, and delete nothing
  npm run admin -- export <file>        write everything that the database has to a new file, also while the service runs
  npm run admin -- import <file>        read such a file into an empty database, SQLite or Postgres; the service must not run
  npm run admin -- backup <folder>      copy database, journals, recordings and keys into a new folder, also while the service runs
  npm run admin -- restore <folder>     put such a copy into an empty data directory and database; the service must not run
  npm run admin -- recover              make the records of journals that have none; the service must not run
  npm run admin -- recover --dry-run    show what would be made
  npm run admin -- rotate-secrets-key   seal secrets with a new key from the next start on; earlier keys still open theirs
  npm run admin -- rotate-token-key     sign new stream tokens with a new key; tokens of the previous key stay valid until the next rotation

  --data-dir <path>                     the service's data directory, instead of DATA_DIR

Commands read DATABASE_URL, and prune RETENTION, from their own environment: run them with the service's.

The exit code is 0 on success, 1 on failure, 2 for a usage error.
`;

const POLL_MS = 100;
/** For each worker, also of a roll already in progress. A supervisor without progress for this long hangs. */
const PROGRESS_MS_MAX = 3 * PROCESS_START_MS_MAX;

async function run(args: readonly string[]): Promise<number> {
  const options = { "data-dir": { type: "string" }, "dry-run": { type: "boolean" } } as const;
  const { values, positionals } = readArguments(args, options, { allowPositionals: true });
  const [command, ...others] = positionals;
  const execute = command !== undefined && Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (execute === undefined) throw new UsageError([notACommand(command, Object.keys(COMMANDS).join(" or "))]);
  const takesPath = command !== undefined && PATH_COMMANDS.includes(command);
  const [file] = takesPath ? others.splice(0, 1) : [];
  if (takesPath && file === undefined) throw new UsageError([`${command} needs the path of a file or folder`]);
  if (others[0] !== undefined) throw new UsageError([surplusArgument(others[0], command)]);
  const dryRun = values["dry-run"] === true;
  if (dryRun && command !== "prune" && command !== "recover") {
    throw new UsageError(["--dry-run is for prune and recover only"]);
  }
  const place = readStorePlace();
  const dataDir = pathOption("data-dir", values["data-dir"]) ?? place.dataDir;
  await execute({ place: { ...place, dataDir }, dryRun, file: file ?? "" });
  return 0;
}

interface Invocation {
  place: StorePlace;
  dryRun: boolean;
  /** The file of the command; empty for one that has none. */
  file: string;
}

const PATH_COMMANDS: readonly string[] = ["export", "import", "backup", "restore"];

const COMMANDS: Readonly<Record<string, (given: Invocation) => void | Promise<void>>> = {
  roll: ({ place }) => roll(new SupervisorFile(place.dataDir)),
  prune: ({ place, dryRun }) => prune(place, dryRun, printLine),
  export: ({ place, file }) => exportDatabase(place, file, printLine),
  import: ({ place, file }) => importDatabase(place, file, printLine),
  backup: ({ place, file }) => backup(place, file, printLine),
  restore: ({ place, file }) => restore(place, file, printLine),
  recover: ({ place, dryRun }) => recover(place, dryRun, printLine),
  "rotate-token-key": ({ place }) => rotateTokenKey(place.dataDir),
  "rotate-secrets-key": ({ place }) => rotateSecrets(place.dataDir),
};

/** Works without a running service, too. Throws when the folder or the file cannot be used. */
function rotateSecrets(dataDir: string): void {
  openDataDir(dataDir);
  const { id } = rotateSecretsKey(dataDir);
  printLine(
    `secrets key ${id} made: a service that is started from now on seals with it, and seals again what is sealed with earlier keys`,
  );
}

/** Works without a running service, too. Throws when the folder cannot be used. */
function rotateTokenKey(dataDir: string): void {
  openDataDir(dataDir);
  rotateTokenKeys(dataDir);
  printLine(
    `token key rotated: a running service signs new tokens with it within ${(2 * TOKEN_KEY_POLL_MS) / 1_000} s`,
  );
}

/** Requests a roll and reports its progress until it is over. Throws when it fails. */
async function roll(file: SupervisorFile): Promise<void> {
  const state = runningSupervisor(file);
  // A roll in progress continues first: the requested one is the next.
  const number = (state.roll?.number ?? 0) + 1;
  if (state.roll?.state === "running") printLine("another roll is in progress; this one follows it");
  process.kill(state.pid, "SIGHUP");
  let printed = 0;
  let previous = "";
  for (let progressMs = systemClock.nowMs(); ; await delay(POLL_MS)) {
    const roll = runningSupervisor(file).roll;
    // Includes the roll before it.
    const latest = JSON.stringify(roll) ?? "";
    if (latest !== previous) progressMs = systemClock.nowMs();
    previous = latest;
    if (roll !== undefined && roll.number >= number) {
      for (const { pid, byPid } of roll.replaced.slice(printed)) {
        printed += 1;
        printLine(`${printed} of ${roll.workers}: worker ${pid ?? "(dead)"} was replaced by ${byPid}`);
      }
      if (isOver(roll, number)) return;
    }
    if (elapsedMs(progressMs, systemClock.nowMs()) > PROGRESS_MS_MAX)
      throw new Error("the supervisor has stopped reporting progress: see its log");
  }
}

function isOver({ state, number }: Roll, requested: number): boolean {
  if (state === "failed" && number === requested) {
    throw new Error(
      "the worker roll was aborted; the workers that were not replaced keep running: see the service's log",
    );
  }
  if (state === "running" && number === requested) return false;
  printLine("every worker was replaced; the old ones exit when their calls have ended, within DRAIN_MS");
  return true;
}

/** Throws when no supervisor runs: a signal to any other process could end it. */
function runningSupervisor(file: SupervisorFile): SupervisorState {
  const state = file.read();
  if (state === undefined)
    throw new Error("no service runs here: its data directory names no supervisor (is DATA_DIR right?)");
  const start = processStartTime(state.pid);
  if (start === undefined)
    throw new Error(`the service is not running: its supervisor, process ${state.pid}, has exited`);
  if (start !== state.start) throw new Error(`process ${state.pid} is not a Trunkline supervisor: nothing was done`);
  return state;
}

function printLine(text: string): void {
  process.stdout.write(`${text}\n`);
}

await runCommand({ help: HELP, example: "npm run admin -- roll", run });
