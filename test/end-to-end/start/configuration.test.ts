import { createServer } from "node:net";
import { expect, test } from "vitest";
import { VALID_MODELS, VALID_STT, VALID_TTS } from "../../support/providers/valid-names.ts";
import { ServiceProcess, until } from "../../support/services/service.ts";

test("a bad configuration is refused with all of its problems, and no process is started", async () => {
  const service = new ServiceProcess({
    env: { API_PORT: "x", DRAIN_MS: "-1", LOG_LEVEL: "loud", STT: "nonsense", TTS: "nonsense", MODEL_B: "nonsense" },
  });
  expect(await service.exited).toBe(1);
  expect(service.stdout).toBe("");
  const [heading, ...problems] = service.stderr.trimEnd().split("\n");
  expect(heading).toBe("bad configuration:");
  expect(problems.sort()).toEqual([
    '  API_PORT must be a whole number from 0 to 65535, not "x"',
    '  DRAIN_MS must be a whole number from 0 to 7200000, not "-1"',
    '  LOG_LEVEL must be one of debug, info, warn, error, not "loud"',
    `  MODEL_B must be ${VALID_MODELS}; not "nonsense"`,
    `  STT must be one of ${VALID_STT}, not "nonsense"`,
    `  TTS must be one of ${VALID_TTS}, not "nonsense"`,
  ]);
  expect(service.living()).toEqual([]);
});

test("the error names the variable of a port that is in use", async () => {
  const taken = createServer();
  const port = await new Promise<number>((resolve) => {
    taken.listen(0, "127.0.0.1", () => resolve((taken.address() as { port: number }).port));
  });
  for (const variable of ["API_PORT", "MEDIA_PORT"]) {
    const service = new ServiceProcess({ env: { [variable]: String(port) } });
    expect(await service.exited).toBe(1);
    const reasons = service.log.filter(({ level }) => level === "fatal").map(({ err }) => (err as Error).message);
    expect(reasons).toContainEqual(expect.stringContaining(`${variable} ${port} on 127.0.0.1 cannot be used: `));
    await until("nothing of it to live", 5_000, () => service.living().length === 0);
  }
  taken.close();
}, 60_000);
