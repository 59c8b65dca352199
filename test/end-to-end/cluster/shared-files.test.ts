import { rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { monoWav } from "../../../src/media/wav.ts";
import { type S3Server, startS3Server } from "../../support/bucket/s3-server.ts";
import { hasPostgres, PostgresServer } from "../../support/postgres/server.ts";
import { bucketEnvironment, type SharedPlace, sharedPlace, startNode } from "../../support/services/nodes.ts";
import { type Service, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { RATE_HZ, spoken } from "../../support/transcriptions/spoken.ts";

const DONE_MS_MAX = 60_000;

const speechFile = async (): Promise<Buffer> => monoWav(await spoken(["The bakery is open."]), RATE_HZ);

interface Item {
  id: string;
  status: string;
  error?: { code: string };
}

describe.skipIf(!hasPostgres)("files of nodes that share a bucket (only where postgresql is installed)", () => {
  let server: PostgresServer;
  let place: SharedPlace;
  let s3: S3Server;
  const nodes: Service[] = [];

  beforeEach(async () => {
    server = await PostgresServer.start();
    place = await sharedPlace(server);
    s3 = await startS3Server();
  });
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.process.kill();
    await s3.close();
    await server.remove();
  });

  async function start(name: string): Promise<Service> {
    const node = await startNode(place, name, { env: bucketEnvironment(s3) });
    nodes.push(node);
    return node;
  }

  async function upload(node: Service, path: string, name: string, bytes: Uint8Array): Promise<Response> {
    const form = new FormData();
    if (path === "/transcriptions") form.append("language", "en");
    form.append("file", new Blob([Uint8Array.from(bytes)]), name);
    return await fetch(`${node.apiUrl}/api/v1${path}`, {
      method: "POST",
      headers: { "x-api-key": place.apiKey },
      body: form,
    });
  }

  const over = (node: Service, path: string) =>
    until(`${path} to be over`, DONE_MS_MAX, async () => {
      const { body } = await node.api<Item>("GET", path);
      return !["queued", "processing"].includes(body.status) && body;
    });

  async function keys(): Promise<string[]> {
    const found: string[] = [];
    for (const prefix of ["transcriptions/", "documents/"])
      for await (const { key } of s3.bucket().list(prefix)) found.push(key);
    return found;
  }

  test("are processed, served and deleted by any node, also where the one that took them is gone with its disk", {
    retry: ifMachineStalled,
    timeout: 240_000,
  }, async () => {
    const [one, two] = [await start("one"), await start("two")];
    const { body: corpus } = await one.api<Item>("POST", "/corpora", { name: "Hours" });
    const documents = `/corpora/${corpus.id}/documents`;
    const text = Buffer.from("# Hours\n\nThe bakery opens at seven in the morning.\n");
    const document = (await (await upload(one, documents, "hours.md", text)).json()) as Item;
    const wav = await speechFile();
    const transcription = (await (await upload(one, "/transcriptions", "hello.wav", wav)).json()) as Item;
    expect((await keys()).toSorted()).toEqual([`documents/${document.id}.1`, `transcriptions/${transcription.id}`]);
    expect((await over(two, `${documents}/${document.id}`)).status).toBe("ready");
    expect((await over(two, `/transcriptions/${transcription.id}`)).status).toBe("completed");

    await one.process.kill();
    rmSync(one.dataDir, { recursive: true, force: true });
    const audio = await two.api("GET", `/transcriptions/${transcription.id}/audio`);
    expect([audio.status, audio.bytes.equals(Buffer.from(wav))]).toEqual([200, true]);
    expect((await two.api("POST", `${documents}/${document.id}/reprocess`)).status).toBe(202);
    expect((await over(two, `${documents}/${document.id}`)).status).toBe("ready");

    expect((await two.api("DELETE", `/transcriptions/${transcription.id}`)).status).toBe(204);
    expect((await two.api("DELETE", `${documents}/${document.id}`)).status).toBe(204);
    expect(await keys()).toEqual([]);
  });

  test("are refused while the bucket is away, and nothing of them is left", {
    retry: ifMachineStalled,
    timeout: 240_000,
  }, async () => {
    const one = await start("one");
    s3.fault.answer = { status: 503, code: "SlowDown" };
    const refused = await upload(one, "/transcriptions", "hello.wav", await speechFile());
    expect([refused.status, ((await refused.json()) as Item).error?.code]).toEqual([503, "unavailable"]);
    s3.fault.answer = undefined;
    expect(await keys()).toEqual([]);
    expect((await upload(one, "/transcriptions", "hello.wav", await speechFile())).status).toBe(202);
  });
});
