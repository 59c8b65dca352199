import { fork } from "node:child_process";
import { type ChildModule, childModule } from "../../../core/child-processes/child-module.ts";
import { type Child, type ChildEvents, childOf } from "../../../core/child-processes/child-process.ts";
import { CHILD_ENVIRONMENT, CHILD_OPTIONS } from "../child-environment.ts";
import type { LocalSpeechSettings } from "../jobs.ts";
import type { FromSpeechChild, ToSpeechChild } from "./messages.ts";

export type SpeechChildEvents = ChildEvents<FromSpeechChild>;

/** Throws, or reports the exit at once, when the system cannot start another process. */
export type StartSpeechChild = (events: SpeechChildEvents) => Child<ToSpeechChild>;

/**
 * Starts children that run `program` with the models of `settings`, without this process's environment, which contains API keys of
 * providers.
 */
export const forkSpeechChild =
  (
    { modelFolder, turnModelPath }: Pick<LocalSpeechSettings, "modelFolder" | "turnModelPath">,
    { path, execArgv }: ChildModule = childModule(import.meta.url, "./program"),
  ): StartSpeechChild =>
  (events) => {
    const child = fork(path, [modelFolder ?? "", turnModelPath ?? ""], {
      execArgv: [...execArgv, ...CHILD_OPTIONS],
      env: CHILD_ENVIRONMENT,
      // Samples are sent as they are, and not as JSON.
      serialization: "advanced",
      // ONNX Runtime writes warnings; what matters is in the messages.
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    // A waiting child does not keep this process alive.
    child.unref();
    child.channel?.unref();
    return childOf(child, events);
  };
