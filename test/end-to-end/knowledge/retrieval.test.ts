import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Service, until } from "../../support/services/service.ts";

// A corpus through the whole service: indexed, asked, its process killed, its files deleted by hand, and deleted.

const FOUND_MS_MAX = 60_000;

interface Answer {
  passages: { documentName: string; text: string }[];
}

const ask = async (service: Service, corpusId: string, text: string): Promise<string[] | undefined> => {
  const { status, body } = await service.api<Answer>("POST", `/corpora/${corpusId}/query`, { text });
  return status === 200 ? body.passages.map((passage) => passage.text) : undefined;
};

const found = (service: Service, corpusId: string, text: string): Promise<string[]> =>
  until(`${text} to be found`, FOUND_MS_MAX, async () => {
    const texts = await ask(service, corpusId, text);
    return texts !== undefined && texts.length > 0 && texts;
  });

const started = (service: Service) => service.logged("process started").filter(({ kind }) => kind === "retrieval");

test("passages are found while the control process or the retrieval process dies, files vanish, and documents go", async () => {
  const service = await Service.start();
  expect(started(service)).toEqual([]);
  const { id: corpusId } = (await service.api<{ id: string }>("POST", "/corpora", { name: "Pumps" })).body;
  const document = { name: "Guarantee", text: "# Guarantee\n\nPumps are guaranteed for five years." };
  const { id } = (await service.api<{ id: string }>("POST", `/corpora/${corpusId}/documents`, document)).body;
  expect(await found(service, corpusId, "how long is the guarantee")).toEqual([expect.stringContaining("five years")]);
  const [first] = started(service);

  await service.killChild("control");
  await until("the API to answer again", FOUND_MS_MAX, async () => {
    try {
      return (await ask(service, corpusId, "guarantee"))?.length === 1;
    } catch {
      return false;
    }
  });
  expect(started(service)).toHaveLength(1);

  process.kill(Number(first?.pid), "SIGKILL");
  expect(await found(service, corpusId, "guarantee")).toHaveLength(1);
  await until("a retrieval process to be started", FOUND_MS_MAX, () => started(service).length === 2);

  const folder = join(service.dataDir, "corpora");
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  expect(await found(service, corpusId, "guarantee")).toHaveLength(1);

  await service.api("DELETE", `/corpora/${corpusId}/documents/${id}`);
  await until(
    "the document to be gone",
    FOUND_MS_MAX,
    async () => (await ask(service, corpusId, "guarantee"))?.length === 0,
  );
  await service.api("DELETE", `/corpora/${corpusId}`);
  await until("the index to be gone", FOUND_MS_MAX, () => !existsSync(folder) || readdirSync(folder).length === 0);
  expect(await service.stop()).toBe(0);
}, 300_000);
