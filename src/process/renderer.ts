import { constants, getPriority, setPriority } from "node:os";
import { join } from "node:path";
import { HEARTBEAT_MS } from "../core/limits/processes.ts";
import { createLogger } from "../core/log/logger.ts";
import { loadResampler } from "../media/resampler.ts";
import { localJournalProcessor } from "../record/finalization/journal-processor.ts";
import { deleteUnfinished } from "../record/recording/wav-file.ts";
import { type RendererMessage, type RendererRequest, serializeError } from "./renderer/messages.ts";
import { exitWithParent } from "./renderer/parent-watchdog.ts";
import { exitOnUncaughtException } from "./supervisor-channel.ts";

/**
 * Composition root of the renderer, a child of the control process: makes records and recordings of journals, when nobody else
 * wants the processor. It knows no secret, keeps nothing, and may be killed at any moment: a recording gets its name when it is
 * whole.
 */
exitOnUncaughtException(createLogger("renderer", "info"));
const [dataDir = "", parentPid = ""] = process.argv.slice(2);
// Never up: not every user may.
setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
// The control process says when it is over, by closing the channel.
for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"]) process.on(signal, () => {});
process.on("disconnect", () => process.exit(0));
exitWithParent(Number(parentPid));
// One that died has left what it had written; and no other renderer is meant to live.
await deleteUnfinished(join(dataDir, "recordings"));

const work = localJournalProcessor(dataDir, await loadResampler());

/** What cannot be told any more is asked for again. */
function send(message: RendererMessage): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

async function answer({ id, kind, callId }: RendererRequest): Promise<RendererMessage> {
  try {
    if (kind === "project") return { kind: "projected", id, call: await work.project(callId) };
    return { kind: "rendered", id, recording: (await work.render(callId)) ?? null };
  } catch (error) {
    return { kind: "failed", id, failure: serializeError(error) };
  }
}

process.on("message", (request: RendererRequest) => void answer(request).then(send));
setInterval(() => send({ kind: "heartbeat" }), HEARTBEAT_MS);
send({ kind: "ready" });
if (!process.connected) process.exit(0);
