import { type CallErrorCode, TrunklineCallError } from "./errors.ts";
import type { Devices } from "./types.ts";

const PROCESSING: MediaTrackConstraints = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };

/** What the names of the browser's errors mean (Media Capture and Streams, section 10.3). */
const CODES: Readonly<Record<string, CallErrorCode>> = {
  NotAllowedError: "microphone_refused",
  SecurityError: "microphone_refused",
  NotFoundError: "no_microphone",
  OverconstrainedError: "no_microphone",
  NotReadableError: "microphone_in_use",
  AbortError: "microphone_in_use",
};

/** Opens a microphone, the default one without `deviceId`. Rejects with a TrunklineCallError. */
export async function openMicrophone(
  constraints: MediaTrackConstraints,
  deviceId: string | undefined,
): Promise<MediaStreamTrack> {
  const audio = { ...PROCESSING, ...constraints, ...(deviceId !== undefined && { deviceId: { exact: deviceId } }) };
  try {
    const stream = await navigator.mediaDevices.getUserMedia({ audio, video: false });
    return stream.getAudioTracks()[0] as MediaStreamTrack;
  } catch (error) {
    const code = error instanceof DOMException ? CODES[error.name] : undefined;
    throw new TrunklineCallError(code ?? "no_microphone", error);
  }
}

/** Whether the caller has allowed the microphone before, so that opening it asks no question. False where browsers do not say. */
export async function isMicrophoneAllowed(): Promise<boolean> {
  try {
    return (await navigator.permissions.query({ name: "microphone" })).state === "granted";
  } catch {
    return false;
  }
}

/** The microphones and loudspeakers. Before the caller has allowed the microphone browsers tell little of them. */
export async function listDevices(): Promise<Devices> {
  const found = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
  const ofKind = (kind: MediaDeviceKind) =>
    found.filter((device) => device.kind === kind).map(({ deviceId: id, label }) => ({ id, label }));
  return { inputs: ofKind("audioinput"), outputs: ofKind("audiooutput") };
}
