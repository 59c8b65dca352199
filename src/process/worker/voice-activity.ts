import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { VadSetting } from "../../config/config.ts";
import { systemErrorCodeOf, TrunklineError } from "../../core/errors.ts";
import type { VoiceActivityDetection } from "../../media/voice-activity/detector.ts";
import { type FvadFactory, fvadDetection } from "../../media/voice-activity/fvad.ts";
import { loadSilero, SILERO_FILES } from "../../media/voice-activity/silero/silero.ts";
import { twoStageDetection } from "../../media/voice-activity/two-stage.ts";

/** Where the network's two files are; the constant of the network's module. */
type SileroFiles = typeof SILERO_FILES;

/**
 * Loads the voice activity detection that VAD names, once per worker, for at most `streamsMax` streams at a time. Both settings use
 * the WebRTC VAD, which a spare worker has loaded before its assignment. Throws `bad_configuration` when a file of the network cannot
 * be read.
 */
export async function loadVoiceActivity(
  openFvad: FvadFactory,
  vad: VadSetting,
  streamsMax: number,
  files: SileroFiles = SILERO_FILES,
): Promise<VoiceActivityDetection> {
  if (vad === "fvad") return fvadDetection(openFvad);
  const [network, weights] = await Promise.all([readNetworkFile(files.network), readNetworkFile(files.weights)]);
  return twoStageDetection(openFvad, await loadSilero(network, weights, streamsMax));
}

async function readNetworkFile(file: URL): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    const reason = systemErrorCodeOf(error) ?? "unreadable";
    const problem = `the speech detector's file ${fileURLToPath(file)} cannot be read (${reason})`;
    const help = "install or build the service again, or set VAD=fvad to do without it";
    throw new TrunklineError("bad_configuration", "caller", `${problem}: ${help}`, { cause: error });
  }
}
