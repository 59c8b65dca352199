import { constants, getPriority, setPriority } from "node:os";
import { join } from "node:path";
import { HEARTBEAT_MS } from "./core/limits.ts";
import { createLogger } from "./core/log.ts";
import { loadResampler } from "./media/resampler.ts";
import { endWithParent } from "./parent-watch.ts";
import { failInOneLine } from "./processes.ts";
import { journalWork } from "./record/journal-work.ts";
import { sweepUnfinished } from "./record/wav-file.ts";
import { type FromRenderer, failureOf, type ToRenderer } from "./renderer-messages.ts";

/**
 * Composition root of the renderer, a child of the control process: makes records and recordings of journals, when nobody else
 * wants the processor. It knows no secret, keeps nothing, and may be killed at any moment: a recording gets its name when it is
 * whole.
 */
failInOneLine(createLogger("renderer", "info"));
const [dataDir = "", parentPid = ""] = process.argv.slice(2);
// Never up: not every user may.
setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
// The control process says when it is over, by closing the channel.
for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"]) process.on(signal, () => {});
process.on("disconnect", () => process.exit(0));
endWithParent(Number(parentPid));
// One that died has left what it had written; and no other renderer is meant to live.
await sweepUnfinished(join(dataDir, "recordings"));

const work = journalWork(dataDir, await loadResampler());

/** What cannot be told any more is asked for again. */
function tell(message: FromRenderer): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

async function answer({ id, kind, callId }: ToRenderer): Promise<FromRenderer> {
  try {
    if (kind === "project") return { kind: "projected", id, call: await work.project(callId) };
    return { kind: "rendered", id, recording: (await work.render(callId)) ?? null };
  } catch (error) {
    return { kind: "failed", id, failure: failureOf(error) };
  }
}

process.on("message", (request: ToRenderer) => void answer(request).then(tell));
setInterval(() => tell({ kind: "heartbeat" }), HEARTBEAT_MS);
tell({ kind: "ready" });
if (!process.connected) process.exit(0);
