import { constants, getPriority, setPriority } from "node:os";
import { join } from "node:path";
import { exitWithParent } from "../core/child-processes/parent-watchdog.ts";
import { mediaKeyOf } from "../core/encryption/chunks.ts";
import { HEARTBEAT_MS } from "../core/limits/service/processes.ts";
import { REPLAY_CHECK_MS_MAX } from "../core/limits/storage/storage.ts";
import { createLogger } from "../core/log/logger.ts";
import { loadResampler } from "../media/resampler.ts";
import { localJournalProcessor } from "../record/finalization/journal-processor.ts";
import { journalDirectory, journalFileOf } from "../record/journal/reader.ts";
import { type RenderProgress, recordingPath } from "../record/recording/render.ts";
import { deleteUnfinished } from "../record/recording/wav-file.ts";
import { makeWaveform } from "../record/recording/waveform.ts";
import { checkReplay } from "../record/replay/check.ts";
import { LiveSpans } from "../record/traces/live-spans.ts";
import { exitOnUncaughtException } from "./channel/child-side.ts";
import { type RendererMessage, type RendererRequest, serializeError } from "./renderer/messages.ts";

/**
 * Composition root of the renderer, a child of the control process. It makes records and recordings from journals at a low
 * priority. It is given the key of each call with the request, and has no other secrets and no state, and it may be killed at any time: a recording gets its name when it is complete.
 */
exitOnUncaughtException(createLogger("renderer", "info"));
const [dataDir = "", parentPid = ""] = process.argv.slice(2);
// Never raised: that needs a privilege.
setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
// The control process ends the renderer by closing the IPC channel.
for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"]) process.on(signal, () => {});
process.on("disconnect", () => process.exit(0));
exitWithParent(Number(parentPid));
// A renderer that died has left unfinished files. No other renderer runs.
for (const folder of [join(dataDir, "recordings"), journalDirectory(dataDir)]) await deleteUnfinished(folder);

const makeResampler = await loadResampler();
const liveSpans = new LiveSpans();

/** A response that cannot be sent is lost; the control process requests it again from the next renderer. */
function send(message: RendererMessage): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

async function answer({ id, kind, callId, mediaKey, trace, isRedacted }: RendererRequest): Promise<RendererMessage> {
  try {
    const key = mediaKey === undefined ? undefined : mediaKeyOf(callId, mediaKey);
    const journals = localJournalProcessor(dataDir, makeResampler, async () => key);
    if (kind === "trace" && trace !== undefined) {
      const page = await liveSpans.read(callId, journalFileOf(dataDir, callId, key), trace);
      return { kind: "traced", id, page: page ?? null };
    }
    if (kind === "waveform") {
      await makeWaveform({ path: recordingPath(dataDir, callId), key });
      return { kind: "waveform-made", id };
    }
    if (kind === "replay") {
      const signal = AbortSignal.timeout(REPLAY_CHECK_MS_MAX);
      return { kind: "replayed", id, check: await checkReplay(journalFileOf(dataDir, callId, key), signal) };
    }
    if (kind === "project") {
      liveSpans.forget(callId);
      return { kind: "projected", id, call: await journals.project(callId, trace, isRedacted) };
    }
    const onProgress = (progress: RenderProgress): void => send({ kind: "progress", id, progress });
    return { kind: "rendered", id, recording: (await journals.render(callId, onProgress)) ?? null };
  } catch (error) {
    return { kind: "failed", id, failure: serializeError(error) };
  }
}

process.on("message", (request: RendererRequest) => void answer(request).then(send));
setInterval(() => send({ kind: "heartbeat" }), HEARTBEAT_MS);
send({ kind: "ready" });
if (!process.connected) process.exit(0);
