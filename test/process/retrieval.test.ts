import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { childModule } from "../../src/core/child-processes/child-module.ts";
import { systemClock } from "../../src/core/clock.ts";
import { RetrievalClient } from "../../src/knowledge/host/client.ts";
import type { FromChild, RetrievalAssignment } from "../../src/process/channel/protocol.ts";
import { connectorTo } from "../../src/store/handoff/socket-path.ts";
import { addition, CORPUS, question } from "../support/knowledge/indexes.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const START_MS_MAX = 60_000;

/** Starts the program as the supervisor does. Resolves when it is ready. */
async function started(retrieval: RetrievalAssignment): Promise<ChildProcess> {
  const { path, execArgv } = childModule(import.meta.url, "../../src/process/retrieval");
  const child = fork(path, { execArgv, env: {} });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.send({ kind: "assign", options: { retrieval } });
  for (;;) {
    const [message] = (await once(child, "message")) as [FromChild];
    if (message.kind === "ready") return child;
  }
}

test(
  "a process that is killed is replaced by one that has the index, answers what was pending, and ends when it is asked to",
  async () => {
    const folder = temporaryDirectory();
    const retrieval: RetrievalAssignment = {
      socketPath: join(folder, "retrieval.sock"),
      folder: join(folder, "corpora"),
      embeddings: undefined,
      logLevel: "error",
    };
    const first = await started(retrieval);
    const client = new RetrievalClient({ connect: connectorTo(retrieval.socketPath), clock: systemClock });
    onTestFinished(() => client.close());
    expect(await client.change({ kind: "corpus", corpusId: CORPUS, languageId: "en" })).toBe("made");
    expect(await client.change(addition(1, ["Apples are red.", "Pears are green."]))).toBe("done");
    const ask = () => client.query(question("red apple", 1), new AbortController().signal);
    expect((await ask()).passages).toMatchObject([{ text: "Apples are red." }]);
    expect(await client.metrics(5_000)).toContain(
      'trunkline_retrieval_questions_total{outcome="answered",process="retrieval"} 1',
    );
    const gone = once(first, "exit");
    first.kill("SIGKILL");
    await gone;
    const second = await started(retrieval);
    expect((await ask()).passages).toMatchObject([{ text: "Apples are red." }]);
    expect(await client.state()).toMatchObject([{ corpusId: CORPUS, documents: [{ version: 1, isComplete: true }] }]);
    const exited = once(second, "exit");
    second.send({ kind: "stop" });
    expect(await exited).toEqual([0, null]);
  },
  2 * START_MS_MAX,
);
