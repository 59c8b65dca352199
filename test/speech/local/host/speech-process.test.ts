import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../../src/core/clock.ts";
import {
  LOCAL_STT_FINAL_MS_MAX,
  SPEECH_PROCESS_GONE_MS_MAX,
  SPEECH_PROCESS_RECONNECT_MS,
} from "../../../../src/core/limits/speech-providers/local-speech.ts";
import { SpeechClient } from "../../../../src/speech/local/host/client.ts";
import { speechMetrics } from "../../../../src/speech/local/host/metrics.ts";
import { SpeechServer } from "../../../../src/speech/local/host/server.ts";
import type { Deadline, SpeechTask } from "../../../../src/speech/local/jobs.ts";
import { SpeechPool } from "../../../../src/speech/local/pool/pool.ts";
import { connectorTo } from "../../../../src/store/handoff/socket-path.ts";
import {
  type ChildScript,
  scriptedChildren,
  spoken,
  spokenText,
} from "../../../support/local-speech/scripted-child.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { eventually } from "../../../support/providers/stt/stt-kit.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";

const WAIT: Deadline = { delayMs: LOCAL_STT_FINAL_MS_MAX, pastDeadline: "wait" };
const FAIL: Deadline = { delayMs: LOCAL_STT_FINAL_MS_MAX, pastDeadline: "fail" };
const task: SpeechTask = { kind: "transcribe", samples: spoken(2, 8_000), rateHz: 8_000, language: "en" };

/** A speech process whose children take no time of their own clock until `clock` moves. */
async function speechProcess(path: string, script: ChildScript = {}) {
  const clock = new ManualClock();
  const { start, started } = scriptedChildren(clock, script);
  const pool = new SpeechPool({ processes: 1, start, clock });
  await clock.play(0);
  const abandoned = { times: 0 };
  const server = new SpeechServer({
    speech: pool,
    metrics: async () => "trunkline_metric 1\n",
    onAbandoned: () => {
      abandoned.times += 1;
    },
  });
  rmSync(path, { force: true });
  await server.listen((listener) => void listener.listen(path));
  const kill = (): void => {
    server.close();
    pool.close();
  };
  onTestFinished(kill);
  return { clock, pool, started, abandoned, kill };
}

function clientOf(path: string, clock = new ManualClock()) {
  const client = new SpeechClient({ connect: connectorTo(path), clock });
  onTestFinished(() => client.close());
  return { client, clock };
}

const socketPath = () => join(temporaryDirectory(), "speech.sock");

describe("the speech process and its clients", () => {
  test("several workers share its children", async () => {
    const path = socketPath();
    const { clock, started } = await speechProcess(path);
    const jobs = [clientOf(path), clientOf(path)].map(({ client }) => client.submit(task, "final", WAIT));
    await eventually(() => started[0]?.tasks.length).toBe(1);
    expect(started[0]?.tasks[0]?.samples).toEqual(task.samples);
    await clock.play(200);
    for (const { outcome } of jobs)
      expect(await outcome).toMatchObject({ outcome: "done", hypothesis: { text: spokenText(2) } });
    expect(started).toHaveLength(1);
  });

  test("a job is raised and cancelled over the connection", async () => {
    const path = socketPath();
    const { pool, clock } = await speechProcess(path, { passMs: () => 1_000 });
    const { client } = clientOf(path);
    client.submit(task, "final", WAIT);
    const [raised, cancelled] = [client.submit(task, "pause"), client.submit(task, "pause")];
    await eventually(() => pool.readings.waiting.pause).toBe(2);
    raised.raise(WAIT);
    cancelled.cancel();
    await eventually(() => pool.readings.waiting).toEqual({ final: 1, turn: 0, pause: 0, interim: 0, batch: 0 });
    expect(await cancelled.outcome).toEqual({ outcome: "dropped" });
    await clock.play(2_000);
    expect(await raised.outcome).toMatchObject({ outcome: "done" });
  });

  test("bytes that are no message end their connection and nothing else", async () => {
    const path = socketPath();
    const { clock, started } = await speechProcess(path);
    const { client } = clientOf(path);
    const job = client.submit(task, "final", WAIT);
    await eventually(() => started[0]?.tasks.length).toBe(1);
    const peer = createConnection(path);
    peer.on("error", () => {});
    const closed = once(peer, "close");
    peer.write("GET / HTTP/1.1\r\n\r\n");
    await closed;
    await clock.play(200);
    expect(await job.outcome).toMatchObject({ outcome: "done" });
  });

  test("the jobs of a worker that died leave the queue", async () => {
    const path = socketPath();
    const { pool, started, abandoned } = await speechProcess(path, { passMs: () => 1_000 });
    const { client } = clientOf(path);
    client.submit(task, "final", WAIT);
    client.submit(task, "final", WAIT);
    await eventually(() => started[0]?.tasks.length).toBe(1);
    client.close();
    await eventually(() => abandoned.times).toBe(1);
    expect(pool.readings.waiting.final).toBe(0);
  });

  test("finals of a speech process that died are sent to the next one, interims are dropped", async () => {
    const path = socketPath();
    const first = await speechProcess(path);
    const { client, clock } = clientOf(path);
    const [final, interim] = [client.submit(task, "final", WAIT), client.submit(task, "interim")];
    await eventually(() => first.started[0]?.tasks.length).toBe(1);
    first.kill();
    expect(await interim.outcome).toEqual({ outcome: "dropped" });
    const second = await speechProcess(path);
    await eventually(() => {
      clock.advance(SPEECH_PROCESS_RECONNECT_MS);
      return second.started[0]?.tasks.length;
    }).toBe(1);
    await second.clock.play(100);
    expect(await final.outcome).toMatchObject({ outcome: "done", hypothesis: { text: spokenText(2) } });
  });

  test("a final of which two speech processes died fails", async () => {
    const path = socketPath();
    const { client, clock } = clientOf(path);
    const final = client.submit(task, "final", WAIT);
    for (let death = 0; death < 2; death += 1) {
      const { started, kill } = await speechProcess(path);
      await eventually(() => {
        clock.advance(SPEECH_PROCESS_RECONNECT_MS);
        return started[0]?.tasks.length;
      }).toBe(1);
      kill();
    }
    expect(await final.outcome).toEqual({ outcome: "failed", reason: "the speech process ended twice" });
  });

  test("without a speech process a final times out where another provider follows", async () => {
    const { client, clock } = clientOf(socketPath());
    const final = client.submit(task, "final", FAIL);
    expect(await client.submit(task, "interim").outcome).toEqual({ outcome: "dropped" });
    clock.advance(LOCAL_STT_FINAL_MS_MAX);
    expect(await final.outcome).toEqual({ outcome: "timed_out" });
  });

  test("without a speech process for long, jobs fail, and they work again when there is one", async () => {
    const path = socketPath();
    const { client, clock } = clientOf(path);
    const final = client.submit(task, "final", WAIT);
    clock.advance(SPEECH_PROCESS_GONE_MS_MAX);
    const failed = { outcome: "failed", reason: "the speech process does not run" };
    expect(await final.outcome).toEqual(failed);
    expect(await client.submit(task, "final", WAIT).outcome).toEqual(failed);
    const { started } = await speechProcess(path);
    await eventually(() => {
      clock.advance(SPEECH_PROCESS_RECONNECT_MS);
      client.submit(task, "final", WAIT);
      return started[0]?.tasks.length;
    }).toBe(1);
  });

  test("gives its metrics to the control process, which does not wait for one that is gone", async () => {
    const path = socketPath();
    await speechProcess(path);
    expect(await speechMetrics(connectorTo(path), 10_000, systemClock)).toBe("trunkline_metric 1\n");
    expect(await speechMetrics(connectorTo(`${path}x`), 10_000, systemClock)).toBeUndefined();
    expect(existsSync(path)).toBe(true);
  });
});
