import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { asWorkerId } from "../../../src/core/ids.ts";
import type { ProcessMetrics } from "../../../src/core/metrics/aggregation.ts";
import { HandoffServer } from "../../../src/store/handoff/control-server.ts";
import type { HandoffClient } from "../../../src/store/handoff/worker-client.ts";
import { handoffClient } from "../../support/services/handoff-client.ts";
import { handoffServer } from "../../support/services/handoff-server.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** The control process's end of a handoff socket, and workers on demand. */
async function controlEnd() {
  const path = join(temporaryDirectory(), "control.sock");
  const server = new HandoffServer(handoffServer(path));
  await server.listen();
  closers.push(() => server.close());
  /** Connects a worker with these metrics. */
  const worker = async (tell: () => Promise<string | undefined>): Promise<HandoffClient> => {
    const before = server.workerCount;
    const handoff = handoffClient(path, {
      workerId: asWorkerId(`worker-${before}`),
      metrics: async () => named(await tell()),
    });
    closers.push(() => void handoff.close());
    while (server.workerCount === before) await turn();
    return handoff;
  };
  return { server, worker };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const never = new AbortController().signal;

/** Metrics that are identified by the name of the first. */
const named = (name: string | undefined): ProcessMetrics | undefined =>
  name === undefined ? undefined : ([{ name, help: "", type: "gauge", values: [] }] as unknown as ProcessMetrics);

/** The metrics of each worker, by that name. */
const ask = async (server: HandoffServer, signal = never): Promise<(string | undefined)[]> =>
  [...(await server.metrics(signal)).values()].map((metrics) => metrics?.[0]?.name);

/** Requests the metrics and aborts once the request has had time to arrive. */
async function askInVain(server: HandoffServer): Promise<(string | undefined)[]> {
  const patience = new AbortController();
  const answer = ask(server, patience.signal);
  for (let turns = 0; turns < 20; turns += 1) await turn();
  patience.abort();
  return await answer;
}

test("the worker is asked for its metrics each time", async () => {
  const { server, worker } = await controlEnd();
  let requestCount = 0;
  await worker(async () => `metrics ${++requestCount}\n# with lines\n`);
  expect(await ask(server)).toEqual(["metrics 1\n# with lines\n"]);
  expect(await ask(server)).toEqual(["metrics 2\n# with lines\n"]);
});

test("without a worker there are none, at once", async () => {
  const { server } = await controlEnd();
  expect(await ask(server)).toEqual([]);
});

test("all workers are asked at once, and one that hangs delays no other answer", async () => {
  const { server, worker } = await controlEnd();
  await worker(async () => "metrics of one");
  await worker(() => new Promise(() => {}));
  await worker(async () => "metrics of the third");
  expect(await askInVain(server)).toEqual(["metrics of one", undefined, "metrics of the third"]);
});

test("a worker that hangs times out, is not asked again until it has answered, and then answers again", async () => {
  const { server, worker } = await controlEnd();
  let requestCount = 0;
  let answer = (): void => {};
  const hanging = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await worker(async () => {
    requestCount += 1;
    await hanging;
    return `metrics ${requestCount}`;
  });
  expect(await askInVain(server)).toEqual([undefined]);
  expect(await askInVain(server)).toEqual([undefined]);
  expect(requestCount).toBe(1);
  answer();
  // Its late answer is dropped; the next request is a new one.
  for (let turns = 0; turns < 50; turns += 1) await turn();
  expect(await ask(server)).toEqual(["metrics 2"]);
});

test("two concurrent requests get the same answer", async () => {
  const { server, worker } = await controlEnd();
  let requestCount = 0;
  await worker(async () => `metrics ${++requestCount}`);
  expect(await Promise.all([ask(server), ask(server)])).toEqual([["metrics 1"], ["metrics 1"]]);
});

test("a worker that cannot read its metrics answers so, and is asked again the next time", async () => {
  const { server, worker } = await controlEnd();
  const answers = [undefined, "metrics"];
  await worker(async () => answers.shift());
  expect(await ask(server)).toEqual([undefined]);
  expect(await ask(server)).toEqual(["metrics"]);
});

test("a worker that dies before it has answered is not waited for any longer, and leaves no state", async () => {
  const { server, worker } = await controlEnd();
  const dying = await worker(() => new Promise(() => {}));
  const answer = ask(server);
  await dying.close();
  expect(await answer).toEqual([]);
  await worker(async () => "metrics of another");
  expect(await ask(server)).toEqual(["metrics of another"]);
});

test("a worker that dies after it has answered, while others are waited for, is not in the result", async () => {
  const { server, worker } = await controlEnd();
  const dying = await worker(async () => "metrics of one that is gone");
  await worker(() => new Promise(() => {}));
  const patience = new AbortController();
  const answer = ask(server, patience.signal);
  for (let turns = 0; turns < 20; turns += 1) await turn();
  await dying.close();
  while (server.workerCount > 1) await turn();
  patience.abort();
  // The metrics may already count its last values as those of a dead worker; they must not count twice.
  expect(await answer).toEqual([undefined]);
});
