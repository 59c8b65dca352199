import { InferenceSession, Tensor } from "onnxruntime-web/wasm";
import { expect, test } from "vitest";
import { openSessions } from "../../../../src/speech/local/engine/onnx.ts";
import { tableAsInput } from "../../../../src/speech/local/engine/onnx-file.ts";
import { floatTable, floatValue, node, onnxFile } from "../../../support/onnx-file.ts";

/** x + positions, as a Whisper encoder begins, and an output that is not needed. */
const FILE = onnxFile({
  inputs: [floatValue("x", ["rows", 2])],
  tables: [floatTable("positions", [3, 2], [1, 2, 3, 4, 5, 6])],
  nodes: [node("Add", ["x", "positions"], ["sum"]), node("Neg", ["x"], ["unused"])],
  outputs: [floatValue("sum", ["rows", 2]), floatValue("unused", ["rows", 2])],
});

test("a table that becomes an input can be given in part, so that a shorter input fits", async () => {
  const { model, table } = tableAsInput(FILE, "positions", ["sum"]);
  expect(table).toEqual({ rows: 3, columns: 2, values: Float32Array.of(1, 2, 3, 4, 5, 6) });
  const { before, after } = await openSessions({ before: () => FILE, after: () => model });
  expect([before.outputNames, after.outputNames]).toEqual([["sum", "unused"], ["sum"]]);
  expect([before.inputNames, after.inputNames]).toEqual([["x"], ["x", "positions"]]);
  const x = new Tensor("float32", Float32Array.of(10, 20, 30, 40), [2, 2]);
  // Three rows of positions do not fit two rows of x.
  await expect(before.run({ x })).rejects.toThrow();
  const { sum } = await after.run({ x, positions: new Tensor("float32", table.values.subarray(0, 4), [2, 2]) });
  expect(sum).toMatchObject({ dims: [2, 2], data: Float32Array.of(11, 22, 33, 44) });
  expect(after).toBeInstanceOf(InferenceSession);
});

test.each([
  { what: "no such table", file: FILE, name: "other", problem: 'no table "other" in the ONNX file' },
  { what: "a truncated file", file: FILE.subarray(0, 60), name: "positions", problem: "the ONNX file is truncated" },
  { what: "another file", file: Buffer.from("package"), name: "positions", problem: /ONNX file/ },
  { what: "an empty file", file: new Uint8Array(0), name: "positions", problem: "no ONNX file: it has no graph" },
])("$what is an error that says so", ({ file, name, problem }) => {
  expect(() => tableAsInput(file, name, ["sum"])).toThrow(problem);
});
