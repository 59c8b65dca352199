import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TrunklineError } from "../../../src/core/errors.ts";
import { loadSpeechModel } from "../../../src/speech/local/engine/load.ts";
import { readModelFile } from "../../../src/speech/local/engine/model-files.ts";
import { INSTALLED_MODEL, locateModel, MANIFEST_FILE } from "../../../src/speech/local/model-manifest.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trunkline-model-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const WEIGHTS = Buffer.from("weights of a model");
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** A folder with a manifest that names `encoder_model.onnx` and `decoder_model_merged.onnx` with the hash of WEIGHTS. */
function writeManifest(change: object = {}): void {
  const files = ["encoder_model.onnx", "decoder_model_merged.onnx"].map((path) => ({ path, sha256: sha256(WEIGHTS) }));
  const manifest = { name: "model_b", kind: "moonshine", languages: ["en"], licence: "MIT", origin: "a test", files };
  writeFileSync(join(folder, MANIFEST_FILE), JSON.stringify({ ...manifest, ...change }));
}

describe("a model folder", () => {
  test("without one the installed model is used, and its files are those that the code knows", () => {
    const model = locateModel(undefined);
    expect(model.manifest).toBe(INSTALLED_MODEL);
    for (const { path } of model.manifest.files) expect(readModelFile(model, path).length).toBeGreaterThan(7_000_000);
  });

  test("says what it holds in its manifest", () => {
    writeManifest();
    writeFileSync(join(folder, "encoder_model.onnx"), WEIGHTS);
    const model = locateModel(folder);
    expect(model.manifest.name).toBe("model_b");
    expect(readModelFile(model, "encoder_model.onnx")).toEqual(WEIGHTS);
  });

  test.each([
    ["no manifest", undefined, /model\.json .*ENOENT/],
    ["a manifest that is no JSON", "{", /model\.json .*JSON/],
    ["a manifest without languages", JSON.stringify({ name: "a", kind: "moonshine" }), /languages/],
    ["a kind that the engine does not run", JSON.stringify({ kind: "parrot" }), /kind/],
  ])("with %s is refused with a line that names the file and the command for one", (_name, text, reason) => {
    if (text !== undefined) writeFileSync(join(folder, MANIFEST_FILE), text);
    expect(() => locateModel(folder)).toThrow(reason);
    expect(() => locateModel(folder)).toThrow(/npm run models -- add NAME/);
    expect(() => locateModel(folder)).not.toThrow(/\n/);
  });
});

describe("a file that is not the one that the manifest means", () => {
  const refusedWith = async (): Promise<TrunklineError> => {
    const error: unknown = await loadSpeechModel(folder).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TrunklineError);
    return error as TrunklineError;
  };

  test.each([
    ["truncated", WEIGHTS.subarray(0, 5), "(5 bytes) is not the file of the model model_b, or not all of it"],
    ["exchanged for one of the same length", Buffer.from("WEIGHTS OF A MODEL"), "its SHA-256 is"],
    ["missing", undefined, "ENOENT"],
  ])("%s is refused before anything is loaded, in one line with its path", async (_name, bytes, reason) => {
    writeManifest();
    if (bytes !== undefined) writeFileSync(join(folder, "decoder_model_merged.onnx"), bytes);
    const error = await refusedWith();
    expect(error.code).toBe("bad_configuration");
    expect(error.message).toContain(join(folder, "decoder_model_merged.onnx"));
    expect(error.message).toContain(reason);
    expect(error.message).toContain("install the model again");
    expect(error.message).not.toContain("\n");
  });

  test("a file that the manifest does not list is not read", () => {
    writeManifest();
    expect(() => readModelFile(locateModel(folder), "../secret")).toThrow(
      "is not among the files of the model model_b",
    );
  });
});
