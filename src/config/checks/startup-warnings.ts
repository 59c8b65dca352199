import { deletesAnything } from "../../core/retention.ts";
import { TOOL_SECRET_BINDINGS, TOOL_SECRET_PREFIX } from "../../core/tools/secrets.ts";
import { isOpenToOthers } from "../../store/data-dir/data-dir.ts";
import type { Config } from "../config.ts";
import type { UnknownVariable } from "./unknown-variables.ts";

/** A log line at the start about a setting that may be a mistake. */
interface StartupWarning {
  fields: Readonly<Record<string, unknown>>;
  message: string;
}

/**
 * The warnings of a configuration. The supervisor logs them once for all processes. `callsMax` is how many calls a worker can
 * carry with the file descriptors that the system allows. No warning contains the value of a variable.
 */
export function startupWarnings(
  config: Pick<
    Config,
    "dataDir" | "isProduction" | "toolSecrets" | "toolsAllowLoopback" | "callsPerWorker" | "retention"
  >,
  unknown: readonly UnknownVariable[],
  callsMax: number,
): StartupWarning[] {
  const warnings: StartupWarning[] = [];
  if (unknown.length > 0) {
    const variables = unknown.map(({ name, nearest }) => `${name}: did you mean ${nearest}?`);
    warnings.push({ fields: { variables }, message: "unknown environment variables" });
  }
  if (isOpenToOthers(config.dataDir)) {
    warnings.push({
      fields: { dataDir: config.dataDir },
      message: "DATA_DIR is accessible to other users of this machine: run chmod 700 on it",
    });
  }
  if (config.isProduction && !deletesAnything(config.retention)) {
    warnings.push({
      fields: {},
      message: "RETENTION is not set: recordings, transcripts and records are never deleted automatically",
    });
  }
  const unbound = [...config.toolSecrets].flatMap(([name, { hosts }]) =>
    hosts.length === 0 ? [TOOL_SECRET_PREFIX + name] : [],
  );
  if (unbound.length > 0) {
    warnings.push({
      fields: { secrets: unbound },
      message: `tool secrets without a binding are never sent: add them to ${TOOL_SECRET_BINDINGS} or remove them`,
    });
  }
  if (config.toolsAllowLoopback) {
    warnings.push({
      fields: {},
      message: "TOOLS_ALLOW_LOOPBACK is set: tools may call this machine. Do not set it where others create calls",
    });
  }
  if (callsMax < config.callsPerWorker) {
    warnings.push({
      fields: { callsMax },
      message: "`ulimit -n` allows fewer calls than CALLS_PER_WORKER: each call needs two file descriptors",
    });
  }
  return warnings;
}
