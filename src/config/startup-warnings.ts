import { deletesAnything } from "../core/retention.ts";
import { TOOL_SECRET_BINDINGS, TOOL_SECRET_PREFIX } from "../core/tools/secrets.ts";
import { isOpenToOthers } from "../store/data-dir/data-dir.ts";
import type { Config } from "./config.ts";
import type { UnknownVariable } from "./unknown-variables.ts";

/** A line of the log at the start: a part of the configuration that may be a mistake. */
export interface StartupWarning {
  fields: Readonly<Record<string, unknown>>;
  message: string;
}

/**
 * What the configuration is worth a line for. Said once, by the supervisor, however many processes there are. `callsMax` is how many calls
 * a worker can have with the descriptors that the system allows. No note has the value of a variable.
 */
export function startupWarnings(
  config: Pick<
    Config,
    | "dataDir"
    | "isProduction"
    | "isTrial"
    | "stt"
    | "toolSecrets"
    | "toolsAllowLoopback"
    | "callsPerWorker"
    | "retention"
  >,
  unknown: readonly UnknownVariable[],
  callsMax: number,
): StartupWarning[] {
  const notes: StartupWarning[] = [];
  if (unknown.length > 0) {
    const variables = unknown.map(({ name, nearest }) => `${name}: did you mean ${nearest}?`);
    notes.push({ fields: { variables }, message: "environment variables that look like ours are not known" });
  }
  if (config.isTrial) {
    notes.push({
      fields: {},
      message:
        "STT and TTS are not set: using the reference pair (test instruments; they understand only simulated callers)",
    });
  }
  if (isOpenToOthers(config.dataDir)) {
    notes.push({
      fields: { dataDir: config.dataDir },
      message: "other users of this machine may enter DATA_DIR. Run chmod 700 on it",
    });
  }
  if (config.stt === undefined) {
    notes.push({ fields: {}, message: "no STT is configured: callers are not understood. Set STT" });
  }
  if (config.isProduction && !deletesAnything(config.retention)) {
    notes.push({
      fields: {},
      message: "RETENTION is not set: recordings, transcripts and records are kept until somebody deletes them",
    });
  }
  const unbound = [...config.toolSecrets].flatMap(([name, { hosts }]) =>
    hosts.length === 0 ? [TOOL_SECRET_PREFIX + name] : [],
  );
  if (unbound.length > 0) {
    notes.push({
      fields: { secrets: unbound },
      message: `secrets of tools without a binding are sent nowhere: bind them in ${TOOL_SECRET_BINDINGS}, or remove them`,
    });
  }
  if (config.toolsAllowLoopback) {
    notes.push({
      fields: {},
      message: "TOOLS_ALLOW_LOOPBACK is set: tools may call this machine. Never set it where others create calls",
    });
  }
  if (callsMax < config.callsPerWorker) {
    notes.push({
      fields: { callsMax },
      message: "fewer calls than CALLS_PER_WORKER: each needs two descriptors, and `ulimit -n` allows for no more",
    });
  }
  return notes;
}
