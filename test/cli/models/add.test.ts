import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { addModel, isComplete } from "../../../src/cli/models/add.ts";
import type { CatalogueModel } from "../../../src/cli/models/catalogue.ts";
import { locateModel } from "../../../src/speech/local/model-manifest.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const sha = (algorithm: string, bytes: Uint8Array, form: "hex" | "base64"): string =>
  createHash(algorithm).update(bytes).digest(form);

const CONTENTS = { "weights/encoder.onnx": Buffer.alloc(1_500, "weights"), "config.json": Buffer.from("{}") };

/** A package that npm makes of a folder, which needs no network, and its entry in a catalogue. */
function packagedModel(changes: Partial<CatalogueModel> = {}): CatalogueModel {
  const source = temporaryDirectory();
  mkdirSync(join(source, "weights"));
  for (const [path, bytes] of Object.entries(CONTENTS)) writeFileSync(join(source, path), bytes);
  writeFileSync(join(source, "package.json"), JSON.stringify({ name: "some-model", version: "1.2.3" }));
  const into = temporaryDirectory();
  execFileSync("npm", ["pack", source, "--pack-destination", into, "--loglevel", "silent"], { cwd: into });
  const archive = readFileSync(join(into, readdirSync(into)[0] ?? ""));
  return {
    name: "some-model",
    kind: "whisper",
    languages: ["it", "ru"],
    licence: { name: "MIT" },
    package: source,
    integrity: `sha512-${sha("sha512", archive, "base64")}`,
    archiveBytes: archive.length,
    files: Object.entries(CONTENTS).map(([from, bytes]) => ({
      ...{ from, path: from.replace("weights/", ""), bytes: bytes.length },
      sha256: sha("sha256", bytes, "hex"),
    })),
    ...changes,
  };
}

async function add(
  model: CatalogueModel,
  {
    folder = join(temporaryDirectory(), "models", "some-model"),
    acceptsLicence = false,
    signal = new AbortController().signal,
  } = {},
): Promise<{ folder: string; lines: string[]; problem: string | undefined }> {
  const lines: string[] = [];
  try {
    await addModel(model, { folder, acceptsLicence, write: (line) => lines.push(line), signal });
    return { folder, lines, problem: undefined };
  } catch (error) {
    return { folder, lines, problem: (error as Error).message };
  }
}

describe("npm run models -- add", () => {
  test("writes the model's files and its manifest, shows its progress, and says which variable to set", async () => {
    const model = packagedModel();
    const { folder, lines, problem } = await add(model);
    expect(problem).toBeUndefined();
    expect(readdirSync(folder).sort()).toEqual(["config.json", "encoder.onnx", "model.json"]);
    expect(readFileSync(join(folder, "encoder.onnx"))).toEqual(CONTENTS["weights/encoder.onnx"]);
    expect(locateModel(folder).manifest).toMatchObject({ name: "some-model", languages: ["it", "ru"], licence: "MIT" });
    expect(readdirSync(join(folder, ".."))).toEqual(["some-model"]);
    expect(lines[0]).toMatch(/^downloading .*, 1 MB$/);
    expect(lines.at(-1)).toBe(`set LOCAL_STT_MODEL=${folder} and start the service again; STT=local uses it`);
  });

  test("downloads nothing where the model is there, and replaces a damaged one", async () => {
    const model = packagedModel();
    const { folder } = await add(model);
    expect((await add({ ...model, package: "/no/such/folder" }, { folder })).lines[0]).toContain("already");
    writeFileSync(join(folder, "encoder.onnx"), "other");
    expect(isComplete(model, folder)).toBe(false);
    expect((await add(model, { folder })).problem).toBeUndefined();
    expect(isComplete(model, folder)).toBe(true);
  });

  test("refuses a licence that does not allow every use, until it is accepted", async () => {
    const licence = { name: "Some Community License", restriction: "free below a revenue of 1,000,000 dollars a year" };
    const model = packagedModel({ licence });
    const refused = await add(model);
    expect(refused.problem).toMatch(/Some Community License: free below a revenue.*--accept-licence accepts it/);
    expect(refused.lines).toEqual([]);
    expect((await add(model, { acceptsLicence: true })).problem).toBeUndefined();
  });

  test.each([
    {
      what: "another archive",
      changes: { integrity: "sha512-other" },
      problem: /archive has the hash sha512-.*, not sha512-other/,
    },
    {
      what: "another file",
      changes: { files: [{ from: "config.json", path: "config.json", bytes: 2, sha256: "0".repeat(64) }] },
      problem: /config\.json has the SHA-256 [0-9a-f]{64}, not 0000/,
    },
    {
      what: "a missing file",
      changes: { files: [{ from: "none.onnx", path: "none.onnx", bytes: 2, sha256: "0".repeat(64) }] },
      problem: /it has no file none\.onnx\. Nothing was written/,
    },
    {
      what: "more than fits on the disk",
      changes: { archiveBytes: 1e18 },
      problem: /needs \d+ MB and the disk of .* has \d+ MB left/,
    },
    {
      what: "a package that is not there",
      changes: { package: "/no/such/folder" },
      problem: /npm could not download .* is this machine online/,
    },
  ])("writes nothing for $what, and says why in one line", async ({ changes, problem }) => {
    const parent = temporaryDirectory();
    const result = await add(packagedModel(changes), { folder: join(parent, "some-model") });
    expect(result.problem).toMatch(problem);
    expect(result.problem).not.toContain("\n");
    expect(readdirSync(parent)).toEqual([]);
  });

  test("leaves a folder alone that holds something else", async () => {
    const folder = temporaryDirectory();
    writeFileSync(join(folder, "photo.jpg"), "photo");
    expect((await add(packagedModel(), { folder })).problem).toMatch(/something else than a speech model.*--folder/);
    expect(readdirSync(folder)).toEqual(["photo.jpg"]);
  });

  test("leaves a folder alone that holds another speech model, which may be the user's own", async () => {
    const model = packagedModel();
    const { folder } = await add({ ...model, name: "own-model" });
    expect((await add(model, { folder })).problem).toMatch(/holds the speech model own-model.*another --folder/);
    expect(locateModel(folder).manifest.name).toBe("own-model");
    writeFileSync(join(folder, "model.json"), "{");
    expect((await add(model, { folder })).problem).toMatch(/something else than a speech model/);
    expect(readdirSync(folder)).toContain("encoder.onnx");
  });

  test("says in one line what is wrong with a folder that is a file, or is below one", async () => {
    const [model, file] = [packagedModel(), join(temporaryDirectory(), "file")];
    writeFileSync(file, "");
    expect((await add(model, { folder: file })).problem).toBe(`${file} is no folder: choose another --folder`);
    expect((await add(model, { folder: join(file, "models", "x") })).problem).toMatch(
      /^some-model was not added: ENOTDIR[^\n]*$/,
    );
  });

  test("that is stopped says so, and leaves nothing of the download", async () => {
    const parent = temporaryDirectory();
    const stop = new AbortController();
    const adding = add(packagedModel(), { folder: join(parent, "models", "some-model"), signal: stop.signal });
    stop.abort(new Error("stopped by SIGINT"));
    expect((await adding).problem).toBe("stopped by SIGINT");
    expect(readdirSync(join(parent, "models"))).toEqual([]);
  });
});
