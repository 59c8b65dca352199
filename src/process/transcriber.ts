import { getPriority, setPriority } from "node:os";
import { readConfig } from "../config/config.ts";
import { readSearchPath } from "../config/environment.ts";
import { exitWithParent } from "../core/child-processes/parent-watchdog.ts";
import { systemClock } from "../core/clock.ts";
import { HEARTBEAT_MS } from "../core/limits/service/processes.ts";
import {
  TRANSCRIBER_NICE,
  TRANSCRIPTION_CHANNELS_MAX,
  TRANSCRIPTIONS_CONCURRENT_MAX,
} from "../core/limits/transcriptions/transcriptions.ts";
import { createLogger } from "../core/log/logger.ts";
import { loadResampler } from "../media/resampler.ts";
import { loadFvad } from "../media/voice-activity/fvad.ts";
import { SpeechClient } from "../speech/local/host/client.ts";
import { createBatchProviders } from "../speech/stt/batch/create.ts";
import { connectorTo } from "../store/handoff/socket-path.ts";
import { findFfmpeg } from "../transcription/audio/find-ffmpeg.ts";
import { exitOnUncaughtException } from "./channel/child-side.ts";
import type { FromTranscriber, ToTranscriber } from "./transcriber/messages.ts";
import { TranscriberTasks } from "./transcriber/tasks.ts";
import { loadVoiceActivity } from "./worker/voice-activity.ts";

/**
 * Composition root of the transcriber, a child of the control process. It decodes files, cuts them into parts and asks providers for
 * their words, at a low priority. It has no state and may be killed at any time: the control process stores each part.
 */
const [parentPid = "", speechSocketPath = ""] = process.argv.slice(2);
exitOnUncaughtException(createLogger("transcriber", "info"));
// Never raised: that needs a privilege.
setPriority(Math.max(getPriority(), TRANSCRIBER_NICE));
// The control process ends the transcriber by closing the IPC channel.
for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"]) process.on(signal, () => {});
process.on("disconnect", () => process.exit(0));
exitWithParent(Number(parentPid));

const clock = systemClock;
const config = readConfig(undefined, { checksFiles: false });
const log = createLogger("transcriber", config.logLevel);
const [makeResampler, openFvad] = await Promise.all([loadResampler(), loadFvad()]);
const streamsMax = TRANSCRIPTIONS_CONCURRENT_MAX * TRANSCRIPTION_CHANNELS_MAX;
const voiceActivity = await loadVoiceActivity(openFvad, config.vad, streamsMax);
const speech = createBatchProviders({
  config,
  clock,
  log,
  openSpeech: async () => new SpeechClient({ connect: connectorTo(speechSocketPath), clock }),
});

/** A message that cannot be sent is lost with the control process; what is stored is not requested again. */
function send(message: FromTranscriber): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

const tasks = new TranscriberTasks({
  sttOf: (account, needs) => speech.forAccount(account, needs),
  voiceActivity,
  makeResampler,
  ffmpeg: findFfmpeg({ program: config.ffmpeg, searchPath: readSearchPath() }),
  clock,
  send,
});
process.on("message", (message: ToTranscriber) => tasks.handle(message));
setInterval(() => send({ kind: "heartbeat" }), HEARTBEAT_MS);
send({ kind: "ready" });
if (!process.connected) process.exit(0);
