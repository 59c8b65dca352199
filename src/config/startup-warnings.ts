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
    notes.push({ fields: { variables }, message: "unknown environment variables" });
  }
  if (config.isTrial) {
    notes.push({
      fields: {},
      message:
        "STT and TTS are not set: using the reference providers (test instruments that understand only simulated callers)",
    });
  }
  if (isOpenToOthers(config.dataDir)) {
    notes.push({
      fields: { dataDir: config.dataDir },
      message: "DATA_DIR is accessible to other users of this machine: run chmod 700 on it",
    });
  }
  if (config.stt === undefined) {
    notes.push({ fields: {}, message: "no STT is configured, so callers are not understood: set STT" });
  }
  if (config.isProduction && !deletesAnything(config.retention)) {
    notes.push({
      fields: {},
      message: "RETENTION is not set: recordings, transcripts and records are never deleted automatically",
    });
  }
  const unbound = [...config.toolSecrets].flatMap(([name, { hosts }]) =>
    hosts.length === 0 ? [TOOL_SECRET_PREFIX + name] : [],
  );
  if (unbound.length > 0) {
    notes.push({
      fields: { secrets: unbound },
      message: `tool secrets without a binding are never sent: add them to ${TOOL_SECRET_BINDINGS} or remove them`,
    });
  }
  if (config.toolsAllowLoopback) {
    notes.push({
      fields: {},
      message: "TOOLS_ALLOW_LOOPBACK is set: tools may call this machine. Do not set it where others create calls",
    });
  }
  if (callsMax < config.callsPerWorker) {
    notes.push({
      fields: { callsMax },
      message: "`ulimit -n` allows fewer calls than CALLS_PER_WORKER: each call needs two file descriptors",
    });
  }
  return notes;
}
