import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { PROJECT } from "../processes.ts";
import { readDockerfile } from "./dockerfile.ts";

describe("a Dockerfile is read into stages and steps", () => {
  test("in the order of the file, with the image's configuration separately", () => {
    const text = [
      "# a comment",
      "ARG BASE_DIGEST",
      `FROM node:24-trixie-slim${"$"}{BASE_DIGEST:+@$BASE_DIGEST} AS build`,
      "WORKDIR /app",
      "COPY package.json .npmrc ./",
      "RUN npm ci && \\",
      "  npm run build",
      "FROM debian",
      "ENV A=1 B=/data",
      "COPY --from=build /app/dist dist",
      "USER node",
      "EXPOSE 8080",
      'HEALTHCHECK --interval=10s CMD ["node", "-e", "1"]',
      'ENTRYPOINT ["tini", "--"]',
      'CMD ["node", "main.js"]',
    ].join("\n");
    expect(readDockerfile(text)).toEqual([
      {
        ...{ name: "build", from: "node:24-trixie-slim" },
        ...{ healthCheck: undefined, entryPoint: undefined, command: undefined },
        steps: [
          { do: "directory", path: "/app" },
          { do: "copy", from: undefined, sources: ["package.json", ".npmrc"], destination: "./" },
          { do: "run", script: "npm ci &&    npm run build" },
        ],
      },
      {
        ...{ name: undefined, from: "debian" },
        ...{ healthCheck: ["node", "-e", "1"], entryPoint: ["tini", "--"], command: ["node", "main.js"] },
        steps: [
          { do: "environment", variables: { A: "1", B: "/data" } },
          { do: "copy", from: "build", sources: ["/app/dist"], destination: "dist" },
          { do: "user", name: "node" },
        ],
      },
    ]);
  });

  test.each([
    ["ADD https://example.com/x /x", "cannot be run here: ADD"],
    ["COPY --chown=node:node a b", "cannot be followed here: --chown=node:node"],
    ['ENV NAME="a b"', "ENV is understood as NAME=value without quotes"],
    ["CMD node dist/main.js", "CMD must have the JSON form"],
  ])("%s is refused, because a skipped step would prove nothing", (instruction, reason) => {
    expect(() => readDockerfile(`FROM debian\n${instruction}`)).toThrow(reason);
  });
});

describe("the project's own Dockerfile", () => {
  const stages = readDockerfile(readFileSync(join(PROJECT, "Dockerfile"), "utf8"));
  const image = stages.at(-1);

  test("ends in an image that runs as a user of its own, under an init, and has a health check", () => {
    expect(image?.steps).toContainEqual({ do: "user", name: "node" });
    expect(image?.entryPoint).toEqual(["tini", "--"]);
    expect(image?.healthCheck?.[0]).toBe("node");
  });

  test("is built on the reference Node and Debian, from nothing but stages of its own and that base", () => {
    const names = stages.map((stage) => stage.name);
    const bases = stages.map((stage) => stage.from).filter((from) => !names.includes(from));
    expect(bases).toEqual(["node:24-trixie-slim"]);
  });

  test("keeps the files of onnxruntime that the engine loads, and only those", () => {
    const scripts = stages.flatMap(({ steps }) => steps.flatMap((step) => (step.do === "run" ? step.script : [])));
    expect(scripts).toContain("node scripts/remove-unused.mjs");
    const source = readFileSync(join(PROJECT, "scripts/remove-unused.mjs"), "utf8");
    const [, list = "[]"] = /keepOnly\("onnxruntime-web\/dist", (\[.*\])\)/.exec(source) ?? [];
    const engine = join(PROJECT, "src/speech/local/engine/onnx.ts");
    const loaded = ["onnxruntime-web/wasm", "onnxruntime-web/ort-wasm-simd-threaded.wasm"];
    for (const name of loaded) expect(readFileSync(engine, "utf8")).toContain(`"${name}"`);
    expect(JSON.parse(list)).toEqual(loaded.map((name) => basename(fileURLToPath(import.meta.resolve(name)))));
  });

  test("copies nothing that .dockerignore excludes", () => {
    const ignored = readFileSync(join(PROJECT, ".dockerignore"), "utf8").split("\n");
    const copies = stages.flatMap(({ steps }) => steps.flatMap((step) => (step.do === "copy" ? step : [])));
    const sources = copies.filter(({ from }) => from === undefined).flatMap((copy) => copy.sources);
    expect(sources).toContain("src");
    expect(sources.filter((source) => !existsSync(join(PROJECT, source)) || ignored.includes(source))).toEqual([]);
  });
});
