import type { Clock } from "../../../core/clock.ts";
import type { LocalSpeechSettings } from "../jobs.ts";
import { forkSpeechChild } from "./child.ts";
import { type PoolObserver, SpeechPool } from "./pool.ts";

interface PoolLog {
  warn(fields: object, message: string): void;
}

/** Logs what an operator should know about the children. */
export const loggedChildren = (log: PoolLog): Pick<PoolObserver, "childEnded"> => ({
  childEnded: (cause, detail) => log.warn({ cause, detail }, "local speech process ended and is replaced"),
});

/** The local speech models in children of this process. */
export const openSpeechPool = (settings: LocalSpeechSettings, clock: Clock, log: PoolLog): SpeechPool =>
  new SpeechPool({
    processes: settings.processes,
    start: forkSpeechChild(settings),
    clock,
    observer: { childReady: () => {}, jobEnded: () => {}, ...loggedChildren(log) },
  });
