import type { ClusterSettings } from "../../../src/config/cluster.ts";
import { HEARTBEAT_MS } from "../../../src/core/limits/service/processes.ts";
import type { ChildKind, SpeechAssignment } from "../../../src/process/channel/protocol.ts";
import type { MediaPort } from "../../../src/process/supervisor/media-port.ts";
import { type Roll, Supervisor } from "../../../src/process/supervisor/supervisor.ts";
import { ManualClock } from "../manual-clock.ts";
import { memoryLog } from "../memory-log.ts";
import { type ScriptedChild, ScriptedChildren } from "./scripted-child.ts";

export const PORTS: Readonly<Record<ChildKind, number>> = { control: 8080, worker: 8081, speech: 0, retrieval: 0 };
export const DRAIN_MS = 30_000;
export const TOKEN_TTL_S = 10;

/** All messages that a child got but the restarts, which are sent at each death. */
export const received = (child: ScriptedChild | undefined): string[] =>
  child?.received.filter((kind) => kind !== "restarts") ?? [];

/** How the children of a test behave. */
export interface ChildBehavior {
  /** How long each takes until it is ready; undefined for one that never is. */
  readyMs: (child: ScriptedChild) => number | undefined;
  /** Those that are silent send no heartbeats. */
  isSilent: (child: ScriptedChild) => boolean;
  /** How long each takes to exit when it is asked to; undefined for one that hangs. */
  leavesMs: (child: ScriptedChild) => number | undefined;
  /** The system starts no process at all, for want of memory. */
  isRefused: () => boolean;
  /** There is a speech process. */
  speech: SpeechAssignment;
}

/** A supervisor with children that are ready after 500 ms, send heartbeats, and exit at once when asked, where `behavior` says nothing else. */
export function scriptedSupervisor(
  workers: number,
  behavior: Partial<ChildBehavior> = {},
  mediaPort?: MediaPort,
  cluster?: ClusterSettings,
) {
  const { readyMs = () => 500, isSilent = () => false, leavesMs = () => 0, isRefused = () => false, speech } = behavior;
  const clock = new ManualClock();
  const children = new ScriptedChildren();
  const { log, lines } = memoryLog();
  const rolls: Roll[] = [];
  const ownerLinks: string[] = [];
  let drainRequests = 0;
  children.onStart = (child) => {
    const delayMs = readyMs(child);
    const beat = (): void => {
      if (!child.lives) return;
      if (!isSilent(child)) child.emit({ kind: "heartbeat" });
      clock.after(HEARTBEAT_MS, beat);
    };
    if (delayMs === undefined) return;
    clock.after(delayMs, () => {
      if (!child.lives) return;
      child.emit({ kind: "ready", port: PORTS[child.kind] });
      beat();
    });
  };
  /** Each leaves once, at the first word that it is to go. */
  const leaving = new Set<ScriptedChild>();
  const look = (): void => {
    for (const child of children.started) {
      const isAsked = child.kind === "worker" ? child.received.length > 0 : child.received.includes("stop");
      const delayMs = leavesMs(child);
      if (!isAsked || delayMs === undefined || leaving.has(child)) continue;
      leaving.add(child);
      clock.after(delayMs, () => child.exit(0));
    }
    clock.after(10, look);
  };
  look();
  const supervisor = new Supervisor({
    config: {
      apiHost: "127.0.0.1",
      apiPort: 0,
      cluster,
      mediaHost: "127.0.0.1",
      mediaPort: 0,
      mediaTls: undefined,
      publicMediaUrl: undefined,
      webrtc: undefined,
      workers,
      drainMs: DRAIN_MS,
      tokenTtlS: TOKEN_TTL_S,
    },
    startChild: (...asked) => {
      if (isRefused()) throw new Error("spawn ENOMEM");
      return children.start(...asked);
    },
    socketPath: "/run/control.sock",
    speech,
    retrieval: { socketPath: "/run/retrieval.sock", folder: "/corpora", embeddings: undefined, logLevel: "info" },
    mediaServer: { mediaServer: "ws", detail: "planted", sharesPort: mediaPort === undefined },
    earlierWorkersAreGone: true,
    mediaPorts: mediaPort && { media: mediaPort, webrtc: mediaPort },
    clock,
    log,
    onRoll: (roll) => rolls.push(roll),
    onDrainRequested: () => {
      drainRequests += 1;
    },
    onOwnerLink: (url) => ownerLinks.push(url),
  });
  const logged = (msg: string): Record<string, unknown>[] =>
    lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line.msg === msg);
  const up = async () => {
    const ready = await clock.drive(supervisor.start());
    await clock.play(100);
    return ready;
  };
  return { clock, children, supervisor, logged, lines, rolls, ownerLinks, drainRequests: () => drainRequests, up };
}
