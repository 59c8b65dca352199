import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../services/service.ts";

/** Where Debian's package has it. */
const PULSEAUDIO = "/usr/bin/pulseaudio";
export const hasPulseaudio = existsSync(PULSEAUDIO);

export interface SilentLoudspeaker {
  /** What a program needs to play to it. */
  environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** A loudspeaker that is not heard: Firefox runs no Web Audio on a machine without one. */
export async function silentLoudspeaker(): Promise<SilentLoudspeaker> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-pulse-"));
  const socket = join(folder, "native");
  const server = spawn(
    PULSEAUDIO,
    [
      ...["-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--disallow-exit"],
      ...["-L", "module-null-sink rate=48000", "-L", `module-native-protocol-unix auth-anonymous=1 socket=${socket}`],
    ],
    { stdio: "ignore", env: { ...process.env, HOME: folder, XDG_RUNTIME_DIR: folder } },
  );
  const exited = new Promise((resolve) => server.once("exit", resolve));
  const close = async (): Promise<void> => {
    server.kill("SIGKILL");
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await until("the loudspeaker", 15_000, () => existsSync(socket));
  } catch (error) {
    await close();
    throw error;
  }
  return { environment: { PULSE_SERVER: `unix:${socket}` }, close };
}
