import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const biome = createRequire(import.meta.url).resolve("@biomejs/biome/bin/biome");

/** The linter's result for these files in a temporary tree with the project's configuration. */
function lint(files: Readonly<Record<string, string>>): { ok: boolean; output: string } {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-layers-"));
  folders.push(folder);
  // The temporary tree is not a Git repository.
  const config = { ...JSON.parse(readFileSync(join(root, "biome.json"), "utf8")), vcs: { enabled: false } };
  writeFileSync(join(folder, "biome.json"), JSON.stringify(config));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [biome, "lint", "."], {
    cwd: folder,
    encoding: "utf8",
  });
  return { ok: status === 0, output: stdout + stderr };
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const importing = (specifier: string): string =>
  `import { thing } from "${specifier}";\n\nexport const used = thing;\n`;
const EXPORT = "export const thing = 1;\n";

describe("the linter enforces the layers", () => {
  test("imports of lower layers pass", () => {
    const { ok, output } = lint({
      "src/core/limits/streams/media.ts": EXPORT,
      "src/media/framer.ts": importing("../core/limits/streams/media.ts"),
      "src/call/call.ts": importing("../media/framer.ts"),
      "src/gateway/leg/attachment.ts": importing("../../call/call.ts"),
      "src/carriers/twilio/wire.ts": importing("../../wire/wire.ts"),
      "src/carriers/twilio/signature.ts": importing("node:crypto"),
      "src/carriers/twilio/simulated.ts": importing("../../simulator/peers/carrier.ts"),
      "src/api/calls/spec.ts": importing("../../carriers/list.ts"),
      "src/config/carriers.ts": importing("../carriers/list.ts"),
      "src/telephony/phone-calls.ts": importing("../jobs/handler.ts"),
      "src/cluster/stored-node-messages.ts": importing("../store/cluster/node-message-store.ts"),
      "src/cluster/node-lease.ts": importing("../store/cluster/node-store.ts"),
      "src/cluster/placement.ts": importing("../core/limits/cluster/nodes.ts"),
      "src/telephony/machine/step.ts": importing("../../core/clocks.ts"),
      "src/transcription/job.ts": importing("../speech/stt/batch/contract.ts"),
      "src/transcription/join/overlap.ts": importing("../../core/text/words.ts"),
      "src/knowledge/documents/job.ts": importing("../../store/corpora/document-store.ts"),
      "src/knowledge/chunking/chunker.ts": importing("../../core/limits/knowledge/corpora.ts"),
      "src/core/metrics/control-metrics.ts": importing("../knowledge/documents.ts"),
      "src/simulator/lines.ts": importing("../carriers/list.ts"),
      "src/process/worker.ts": importing("../carriers/wire-factory.ts"),
      "src/simulator/service/api-calls.ts": importing("#client"),
      "src/cli/call/run.ts": importing("#client"),
      "web/client/src/client.ts": importing("./error.ts"),
      "web/sdk/src/audio-engine.ts": importing("./worklet/messages.ts"),
      "web/ui/conversation.ts": importing("../../src/call/reply/segmentation.ts"),
      "web/talk/end-texts.ts": importing("../../src/core/calls/reasons.ts"),
      "web/widget/view.ts": importing("../sdk/src/index.ts"),
      "web/dashboard/app/api.ts": importing("../../client/src/index.ts"),
    });
    expect(output).not.toContain("noRestrictedImports");
    expect(ok).toBe(true);
  });

  test.each([
    ["src/jobs/runner.ts", "../store/sql/job-queue/jobs.ts"],
    ["src/cluster/node-lease.ts", "../store/sql/cluster/nodes.ts"],
    ["src/cluster/node-lease.ts", "../api/app.ts"],
    ["src/cluster/placement.ts", "../store/cluster/node-store.ts"],
    ["src/jobs/runner.ts", "../cluster/placement.ts"],
    ["src/transcription/job.ts", "../api/app.ts"],
    ["src/knowledge/documents/job.ts", "../../store/sql/corpora/documents.ts"],
    ["src/knowledge/documents/job.ts", "../../transcription/job.ts"],
    ["src/knowledge/chunking/chunker.ts", "../../store/corpora/corpus-store.ts"],
    ["src/knowledge/chunking/chunker.ts", "../documents/errors.ts"],
    ["src/knowledge/chunking/text.ts", "node:fs"],
    ["src/knowledge/ranking/fusion.ts", "../index/words.ts"],
    ["src/knowledge/index/schema.ts", "../../store/sqlite/open-stores.ts"],
    ["src/store/sql/corpora/rows.ts", "../../../knowledge/chunking/blocks.ts"],
    ["src/transcription/job.ts", "../store/sql/transcriptions.ts"],
    ["src/transcription/join/overlap.ts", "../../speech/languages.ts"],
    ["src/transcription/formats/srt.ts", "node:fs"],
    ["src/speech/languages.ts", "../transcription/join/overlap.ts"],
    ["src/delivery/sender.ts", "../api/app.ts"],
    ["src/cluster/stored-node-messages.ts", "../api/app.ts"],
    ["src/cluster/stored-node-messages.ts", "../store/sql/cluster/node-messages.ts"],
    ["src/cluster/stored-node-messages.ts", "../gateway/gateway.ts"],
    ["src/store/sql/job-queue/jobs.ts", "../../../jobs/runner.ts"],
    ["src/record/recording/render-job.ts", "../../delivery/sender.ts"],
    ["src/core/ids.ts", "../media/g711.ts"],
    ["src/core/log/logger.ts", "../../store/agent-store.ts"],
    ["src/media/framer.ts", "../wire/wire.ts"],
    ["src/media/framer.ts", "node:fs"],
    ["src/media/framer.ts", "@discordjs/opus"],
    ["src/media/opus/native.ts", "../../wire/wire.ts"],
    ["src/media/rtp/order.ts", "node-datachannel"],
    ["src/gateway/webrtc/offer.ts", "node-datachannel"],
    ["src/gateway/webrtc/peer.ts", "../../carriers/list.ts"],
    ["src/wire/websocket/wire.ts", "../../carriers/stream.ts"],
    ["src/wire/websocket/wire.ts", "node:net"],
    ["src/wire/websocket/wire.ts", "@discordjs/opus"],
    ["src/carriers/twilio/wire.ts", "../../call/call.ts"],
    ["src/carriers/twilio/wire.ts", "node:net"],
    ["src/carriers/twilio/wire.ts", "node:crypto"],
    ["src/carriers/twilio/wire.ts", "../../simulator/peers/carrier.ts"],
    ["src/carriers/twilio/signature.ts", "node:net"],
    ["src/carriers/twilio/signature.ts", "../../gateway/gateway.ts"],
    ["src/carriers/twilio/simulated.ts", "./wire.ts"],
    ["src/carriers/twilio/simulated.ts", "../../simulator/lines.ts"],
    ["src/carriers/twilio/simulated.ts", "node:net"],
    ["src/carriers/stream.ts", "../gateway/gateway.ts"],
    ["src/speech/registry.ts", "../call/call.ts"],
    ["src/speech/stt/registry.ts", "../../config/config.ts"],
    ["src/call/call.ts", "../gateway/leg/attachment.ts"],
    ["src/call/call.ts", "../speech/tts/providers/openai/adapter.ts"],
    ["src/call/call.ts", "node:timers"],
    ["src/record/finalization/projection.ts", "../../store/sqlite/open-stores.ts"],
    ["src/record/finalization/projection.ts", "../../gateway/gateway.ts"],
    ["src/gateway/leg/attachment.ts", "../../api/app.ts"],
    ["src/gateway/leg/attachment.ts", "../../store/sqlite/open-stores.ts"],
    ["src/gateway/leg/attachment.ts", "../../store/sql/stores.ts"],
    ["src/gateway/leg/attachment.ts", "../../carriers/twilio/wire.ts"],
    ["src/gateway/leg/attachment.ts", "@uwsjs/linux-x64-20"],
    ["src/gateway/transport/transport.ts", "../../call/call.ts"],
    ["src/gateway/transport/transport.ts", "../../wire/wire.ts"],
    ["src/gateway/transport/transport.ts", "../leg/attachment.ts"],
    ["src/gateway/transport/transport.ts", "@uwsjs/linux-x64-20"],
    ["src/gateway/server/uws/server.ts", "@uwsjs/linux-x64-20"],
    ["src/gateway/server/uws/module.ts", "../../../carriers/wire-factory.ts"],
    ["src/gateway/server/uws/module.ts", "../../../store/sqlite/open-stores.ts"],
    ["src/gateway/server/uws/module.ts", "@discordjs/opus"],
    ["src/telephony/phone-calls.ts", "../store/sql/stores.ts"],
    ["src/telephony/phone-calls.ts", "../gateway/gateway.ts"],
    ["src/telephony/machine/step.ts", "../../store/telephony/phone-call-store.ts"],
    ["src/telephony/machine/step.ts", "../../jobs/handler.ts"],
    ["src/telephony/machine/step.ts", "node:crypto"],
    ["src/jobs/runner.ts", "../telephony/phone-calls.ts"],
    ["src/gateway/leg/attachment.ts", "../../telephony/phone-calls.ts"],
    ["src/store/calls/call-store.ts", "../api/app.ts"],
    ["src/store/sqlite/open-stores.ts", "../../record/journal/reader.ts"],
    ["src/store/sql/calls/calls.ts", "../../sqlite/open-stores.ts"],
    ["src/store/sql/calls/calls.ts", "../../../record/journal/reader.ts"],
    ["src/store/sql/redemptions/redemptions.ts", "libsql"],
    ["src/api/calls/routes.ts", "../../gateway/gateway.ts"],
    ["src/api/calls/routes.ts", "@uwsjs/linux-x64-22"],
    ["src/api/calls/spec.ts", "../../carriers/twilio/descriptor.ts"],
    ["src/config/carriers.ts", "../carriers/wire-factory.ts"],
    ["src/config/config.ts", "../process/control.ts"],
    ["src/simulator/peers/peer-socket.ts", "../../gateway/gateway.ts"],
    ["src/simulator/lines.ts", "../carriers/twilio/wire.ts"],
    ["src/simulator/lines.ts", "../carriers/wire-factory.ts"],
    ["src/process/worker.ts", "../simulator/place-call.ts"],
    ["src/process/control/admission.ts", "../../cli/command.ts"],
    ["src/core/ids.ts", "#client"],
    ["src/media/opus/native.ts", "#client"],
    ["src/call/call.ts", "#client"],
    ["src/store/sql/calls/calls.ts", "#client"],
    ["src/gateway/transport/transport.ts", "#client"],
    ["src/api/calls/routes.ts", "#client"],
    ["src/process/worker.ts", "#client"],
    ["web/client/src/client.ts", "../../../src/core/errors.ts"],
    ["web/client/src/client.ts", "node:fs"],
    ["web/client/src/client.ts", "undici"],
    ["web/sdk/src/call.ts", "../../client/src/client.ts"],
    ["web/sdk/src/call.ts", "ws"],
    ["web/ui/conversation.ts", "../../src/call/reply/reply.ts"],
    ["web/widget/texts/languages.ts", "../../../src/core/errors.ts"],
    ["web/dashboard/app/api.ts", "../../../src/core/errors.ts"],
    ["web/dashboard/pages/live/load.ts", "../../../../src/core/errors.ts"],
  ])("%s may not import %s", (path, specifier) => {
    const { ok, output } = lint({ [path]: importing(specifier) });
    expect(output).toContain("noRestrictedImports");
    expect(ok).toBe(false);
  });

  test("only the file of the native Opus library may load it", () => {
    const loading = 'export const load = () => import("@discordjs/opus");\n';
    expect(lint({ "src/gateway/gateway.ts": loading }).output).toContain("noRestrictedImports");
    expect(lint({ "src/media/opus/native.ts": loading }).ok).toBe(true);
  });

  test("only the module that guards uWebSockets.js may import it", () => {
    expect(lint({ "src/gateway/server/uws/module.ts": importing("@uwsjs/linux-x64-20") }).output).not.toContain(
      "noRestrictedImports",
    );
  });

  test.each([
    "setTimeout(() => {}, 1)",
    "setInterval(() => {}, 1)",
    "setImmediate(() => {})",
    "queueMicrotask(() => {})",
    "Date.now()",
    "performance.now()",
    'fetch("http://127.0.0.1")',
    "process.pid",
  ])("media, wire, carriers, call and the machine of telephone calls may not use %s", (expression) => {
    for (const folder of ["media", "wire", "carriers/twilio", "call", "telephony/machine"]) {
      const { ok, output } = lint({ [`src/${folder}/planted.ts`]: `export const planted = ${expression};\n` });
      expect(output).toContain("noRestrictedGlobals");
      expect(ok).toBe(false);
    }
  });

  test.each([
    "process.version",
    "Buffer.alloc(1)",
  ])("the client and the SDK, which run in browsers, may not use %s", (expression) => {
    for (const folder of ["client", "sdk"]) {
      const { ok, output } = lint({ [`web/${folder}/src/planted.ts`]: `export const planted = ${expression};\n` });
      expect(output).toContain("noRestrictedGlobals");
      expect(ok).toBe(false);
    }
  });

  test("modules may not import each other in a cycle", () => {
    const { ok, output } = lint({
      "src/core/a.ts": `import { b } from "./b.ts";\n\nexport const a = () => b;\n`,
      "src/core/b.ts": `import { a } from "./a.ts";\n\nexport const b = () => a;\n`,
    });
    expect(output).toContain("noImportCycles");
    expect(ok).toBe(false);
  });

  test("only the configuration reads the environment", () => {
    expect(lint({ "src/api/calls/routes.ts": "export const key = process.env.KEY;\n" }).output).toContain(
      "noProcessEnv",
    );
    for (const file of ["src/config/config.ts", "src/config/environment.ts"]) {
      expect(lint({ [file]: "export const key = process.env.KEY;\n" }).ok).toBe(true);
    }
  });
});
