import type { StorePlace } from "../../store/open-stores.ts";
import { notACommand, pathOption, readArguments, surplusArgument, UsageError } from "../command.ts";
import { backup, restore } from "./backup.ts";
import { cleanBucket } from "./clean-bucket.ts";
import { drain } from "./drain.ts";
import { forgetSecrets } from "./forget-secrets.ts";
import { readJobsCommand } from "./jobs.ts";
import { printMediaKey } from "./media-key.ts";
import type { AdminOutput } from "./output.ts";
import { printOwnerLink } from "./owner-link.ts";
import { prune } from "./prune.ts";
import { recover } from "./recover.ts";
import { roll } from "./roll.ts";
import { rotateSecrets, rotateTokenKey } from "./rotate-keys.ts";
import { exportDatabase, importDatabase } from "./transfer.ts";

/** What a command does with an installation, once its arguments are read. */
export type AdminWork = (place: StorePlace, output: AdminOutput) => void | Promise<void>;

/** What stands after the name of a command. */
interface Given {
  arguments: readonly string[];
  dryRun: boolean;
  status: string | undefined;
  kind: string | undefined;
  limit: string | undefined;
}

interface AdminCommand {
  /** The options that it takes, beside --data-dir. */
  options: readonly (keyof typeof OPTIONS)[];
  /** Throws UsageError. */
  read: (given: Given) => AdminWork;
}

const OPTIONS = {
  "data-dir": { type: "string" },
  "dry-run": { type: "boolean" },
  status: { type: "string" },
  kind: { type: "string" },
  limit: { type: "string" },
} as const;

const COMMANDS: Readonly<Record<string, AdminCommand>> = {
  drain: alone("drain", ({ dataDir }, { say }) => drain(dataDir, say)),
  roll: alone("roll", ({ dataDir }, { say }) => roll(dataDir, say)),
  jobs: {
    options: ["status", "kind", "limit"],
    read: ({ arguments: rest, ...options }) => readJobsCommand(rest, options),
  },
  prune: withDryRun("prune", prune),
  "clean-bucket": withDryRun("clean-bucket", cleanBucket),
  export: withPath("export", exportDatabase),
  import: withPath("import", importDatabase),
  backup: withPath("backup", backup),
  restore: withPath("restore", restore),
  recover: withDryRun("recover", recover),
  "media-key": {
    options: [],
    read: ({ arguments: [callId, ...rest] }) => {
      if (callId === undefined) throw new UsageError(["media-key needs the id of a call"]);
      refuseSurplus(rest, "media-key");
      return (place, { say }) => printMediaKey(place, callId, say);
    },
  },
  "owner-link": alone("owner-link", (place, { say }) => printOwnerLink(place, say)),
  "rotate-token-key": alone("rotate-token-key", ({ dataDir }, { say }) => rotateTokenKey(dataDir, say)),
  "rotate-secrets-key": alone("rotate-secrets-key", ({ dataDir }, { say }) => rotateSecrets(dataDir, say)),
  "forget-secrets": withDryRun("forget-secrets", forgetSecrets),
};

/** Reads a command line. Throws UsageError. */
export function readAdminCommand(args: readonly string[]): { work: AdminWork; dataDir: string | undefined } {
  const { values, positionals } = readArguments(args, OPTIONS, { allowPositionals: true });
  const [name, ...rest] = positionals;
  const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw new UsageError([notACommand(name, Object.keys(COMMANDS).join(" or "))]);
  const foreign = (Object.keys(values) as (keyof typeof OPTIONS)[]).filter(
    (option) => option !== "data-dir" && !command.options.includes(option),
  );
  if (foreign.length > 0) throw new UsageError(foreign.map(notTaken));
  const { "dry-run": dryRun = false, status, kind, limit } = values;
  return {
    work: command.read({ arguments: rest, dryRun, status, kind, limit }),
    dataDir: pathOption("data-dir", values["data-dir"]),
  };
}

/** `--dry-run is for prune and recover only`. */
function notTaken(option: keyof typeof OPTIONS): string {
  const takers = Object.entries(COMMANDS).filter(([, { options }]) => options.includes(option));
  return `--${option} is for ${takers.map(([name]) => name).join(" and ")} only`;
}

/** A command without arguments. */
function alone(name: string, work: AdminWork): AdminCommand {
  return {
    options: [],
    read: ({ arguments: rest }) => {
      refuseSurplus(rest, name);
      return work;
    },
  };
}

/** A command that can show what it would do. */
function withDryRun(
  name: string,
  work: (place: StorePlace, dryRun: boolean, output: AdminOutput) => Promise<void>,
): AdminCommand {
  return {
    options: ["dry-run"],
    read: ({ arguments: rest, dryRun }) => {
      refuseSurplus(rest, name);
      return (place, output) => work(place, dryRun, output);
    },
  };
}

/** A command with the path of a file or folder. */
function withPath(
  name: string,
  work: (place: StorePlace, path: string, output: AdminOutput) => Promise<void>,
): AdminCommand {
  return {
    options: [],
    read: ({ arguments: [path, ...rest] }) => {
      if (path === undefined) throw new UsageError([`${name} needs the path of a file or folder`]);
      refuseSurplus(rest, name);
      return (place, output) => work(place, path, output);
    },
  };
}

function refuseSurplus(rest: readonly string[], name: string): void {
  if (rest.length > 0) throw new UsageError(rest.map((argument) => surplusArgument(argument, name)));
}
