import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { IpcHandOff } from "../../src/store/ipc-hand-off.ts";
import { IpcServer } from "../../src/store/ipc-server.ts";
import { memoryLog } from "../support/memory-log.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** The control process's end of a hand-off socket, and workers on demand. */
async function controlEnd() {
  const path = join(temporaryDirectory(), "control.sock");
  const server = new IpcServer({
    path,
    log: memoryLog().log,
    redeem: async () => undefined,
    onWorker: () => {},
    onWorkerGone: () => {},
    onEnded: () => {},
  });
  await server.listen();
  closers.push(() => server.close());
  /** A worker with these metrics, once it is known. */
  const worker = async (metrics: () => Promise<string | undefined>): Promise<IpcHandOff> => {
    const before = server.workerCount;
    const handOff = new IpcHandOff({
      path,
      workerId: `worker-${before}`,
      callIds: () => [],
      metrics,
      onEnd: () => {},
      clock: systemClock,
    });
    closers.push(() => void handOff.close());
    while (server.workerCount === before) await turn();
    return handOff;
  };
  return { server, worker };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const never = new AbortController().signal;

/** Asks and gives up once the question has had time to arrive. */
async function askInVain(server: IpcServer): Promise<string | undefined> {
  const patience = new AbortController();
  const answer = server.metrics(patience.signal);
  for (let turns = 0; turns < 20; turns += 1) await turn();
  patience.abort();
  return await answer;
}

test("the worker is asked for its metrics, and asked anew each time", async () => {
  const { server, worker } = await controlEnd();
  let asked = 0;
  await worker(async () => `metrics ${++asked}\n# with lines\n`);
  expect(await server.metrics(never)).toBe("metrics 1\n# with lines\n");
  expect(await server.metrics(never)).toBe("metrics 2\n# with lines\n");
});

test("without a worker there are none, at once", async () => {
  const { server } = await controlEnd();
  expect(await server.metrics(never)).toBeUndefined();
});

test("a worker that hangs is given up on, is not asked again until it has answered, and is then heard again", async () => {
  const { server, worker } = await controlEnd();
  let asked = 0;
  let answer = (): void => {};
  const hanging = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await worker(async () => {
    asked += 1;
    await hanging;
    return `metrics ${asked}`;
  });
  expect(await askInVain(server)).toBeUndefined();
  expect(await askInVain(server)).toBeUndefined();
  expect(asked).toBe(1);
  answer();
  // Its late answer is nobody's; the question after it is a new one.
  for (let turns = 0; turns < 50; turns += 1) await turn();
  expect(await server.metrics(never)).toBe("metrics 2");
});

test("two that ask at the same time get the same answer", async () => {
  const { server, worker } = await controlEnd();
  let asked = 0;
  await worker(async () => `metrics ${++asked}`);
  expect(await Promise.all([server.metrics(never), server.metrics(never)])).toEqual(["metrics 1", "metrics 1"]);
});

test("a worker that cannot tell its metrics says so, and is asked again the next time", async () => {
  const { server, worker } = await controlEnd();
  const answers = [undefined, "metrics"];
  await worker(async () => answers.shift());
  expect(await server.metrics(never)).toBeUndefined();
  expect(await server.metrics(never)).toBe("metrics");
});

test("a worker that dies before it has answered leaves who asks to the deadline, and no trace", async () => {
  const { server, worker } = await controlEnd();
  const dying = await worker(() => new Promise(() => {}));
  const answer = askInVain(server);
  await dying.close();
  expect(await answer).toBeUndefined();
  await worker(async () => "metrics of another");
  expect(await server.metrics(never)).toBe("metrics of another");
});
