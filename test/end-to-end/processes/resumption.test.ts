import { execFile } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { WebrtcSocket } from "../../callers/webrtc-socket.ts";
import { builtProgram } from "../../support/services/build.ts";
import { workerPids } from "../../support/services/live-workers.ts";
import { MEDIA_SERVERS_HERE } from "../../support/services/media-servers.ts";
import { Service, until } from "../../support/services/service.ts";

const WORKERS = 3;
const AUDIO = { codec: "pcm_s16le", inputSampleRate: 16_000, outputSampleRate: 16_000 };
const FRAME = new Uint8Array(640);
/** The kernel gives a connection to each of three workers alike: by chance alone so many in a row would not reach the right one. */
const RESUMPTIONS = 10;

interface ClientCall {
  id: string;
  socket: WebrtcSocket;
  resumeUrl: string;
}

describe.each(MEDIA_SERVERS_HERE)("a call that is resumed in a service of three workers, with %s", (mediaServer) => {
  let service: Service | undefined;
  afterEach(async () => {
    await service?.stop();
    service = undefined;
  });

  async function started(env: Record<string, string> = {}): Promise<Service> {
    service = await Service.start({ env: { MEDIA_SERVER: mediaServer, WORKERS: `${WORKERS}`, ...env } });
    return service;
  }

  async function begin(at: Service): Promise<ClientCall> {
    const body = { connectionType: "websocket", websocket: AUDIO, firstSpeaker: "user" };
    const { id, websocketUrl } = await at.createCall(body);
    return await readyAt(id, `${websocketUrl}?resume=true`);
  }

  async function readyAt(id: string, url: string): Promise<ClientCall> {
    const socket = await WebrtcSocket.open(url);
    const { callId, resumeUrl } = await socket.text("ready");
    expect(callId).toBe(id);
    return { id, socket, resumeUrl: String(resumeUrl) };
  }

  /** The connection breaks, and the first attempt to come back succeeds. */
  async function resumed({ id, socket, resumeUrl }: ClientCall): Promise<ClientCall> {
    socket.cut();
    return await readyAt(id, resumeUrl);
  }

  async function hangUp(at: Service, { id, socket }: ClientCall, frames: number): Promise<void> {
    socket.send({ type: "end" });
    const { endReason, counters } = await at.ended(id, 15_000);
    expect({ endReason, frames: counters?.framesIn }).toEqual({ endReason: "caller_hangup", frames });
    await expect.poll(() => socket.closeCode).toBe(1_000);
    expect(socket.texts.at(-1)).toEqual({ type: "ended", reason: "caller_hangup" });
  }

  test("is reached at the first attempt, whichever worker gets the connection, and audio and texts pass", async () => {
    const at = await started();
    let call = await begin(at);
    for (let time = 0; time < RESUMPTIONS; time += 1) {
      call = await resumed(call);
      call.socket.sendAudio(FRAME);
      const { socket } = call;
      socket.send({ type: "text", text: `Are you there, number ${time}?` });
      // A client that is back is also sent the transcripts of before.
      const isAnswered = (): boolean => socket.texts.some(({ text }) => String(text).includes(`number ${time}?`));
      await expect.poll(isAnswered, { timeout: 10_000 }).toBe(true);
    }
    await expect.poll(() => call.socket.audio.length, { timeout: 15_000 }).toBeGreaterThan(5);
    await hangUp(at, call, RESUMPTIONS);
  }, 60_000);

  test("is reached where all workers are full", async () => {
    const at = await started({ CALLS_PER_WORKER: "1" });
    const calls = await Promise.all(Array.from({ length: WORKERS }, () => begin(at)));
    await delay(200);
    for (const { id, socket, resumeUrl } of calls) {
      socket.cut();
      // No worker listens until the loss is noticed.
      const back = await until("a worker to listen", 10_000, () => readyAt(id, resumeUrl).catch(() => undefined));
      await hangUp(at, back, 0);
    }
  }, 60_000);

  test("is reached where its worker is being replaced", async () => {
    const at = await started();
    const before = workerPids(at);
    const calls = await Promise.all(Array.from({ length: 2 * WORKERS }, () => begin(at)));
    await promisify(execFile)(process.execPath, [builtProgram("cli/admin"), "roll", "--data-dir", at.dataDir]);
    expect(workerPids(at).filter((pid) => before.includes(pid))).toEqual([]);
    for (const call of calls) await hangUp(at, await resumed(call), 0);
  }, 120_000);
});
