import { childModule } from "../../../../src/core/child-processes/child-module.ts";
import { forkTaskChild } from "../../../../src/core/task-processes/child.ts";

/** A parent that says the id of its child when that runs a task without end, and does nothing more about it. */
const child = forkTaskChild(childModule(import.meta.url, "./scripted-process"))({
  onMessage: () => {
    child.send({ task: "spin", cpuMsMax: 60_000 });
    // Its main thread cannot say that it has begun: the message is read before anything else happens there.
    setTimeout(() => console.log(child.pid), 200);
  },
  onExit: () => {},
});
setInterval(() => {}, 60_000);
