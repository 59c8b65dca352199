import { expect, test } from "vitest";
import { runChaos } from "../../chaos/chaos.ts";
import { faketimeLibrary, runClockStep } from "../../chaos/clock-step.ts";
import { RECOVERED_MS_MAX } from "../../chaos/oracle.ts";
import { builtProgram } from "../../support/services/build.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

test("K1, K5: workers killed during live calls lose only their own calls (the small form of `npm run chaos`)", {
  retry: ifMachineStalled,
  timeout: 90_000,
}, async () => {
  const { problems, lost, hungUp, recoveriesMs } = await runChaos({
    program: { path: builtProgram("main"), execArgv: [] },
    dataDir: temporaryDirectory(),
    calls: 10,
    workers: 2,
    kills: 2,
    controlKills: 0,
    rendererKills: 0,
    rolls: 0,
    everyMs: 500,
    callMsMax: 10_000,
    sampled: 1,
    say: () => {},
  });
  // How long a record takes hangs on the machine, which runs other tests beside this one.
  expect(problems.filter((problem) => !problem.includes("its record took"))).toEqual([]);
  expect([lost > 0, hungUp > 0]).toEqual([true, true]);
  expect(recoveriesMs).toHaveLength(lost);
  expect(recoveriesMs[0]).toBeLessThan(4 * RECOVERED_MS_MAX);
});

test("ADV-M9: a renderer that is killed repeatedly loses no record and no recording (`npm run chaos -- --renderer-kills`)", {
  retry: ifMachineStalled,
  timeout: 90_000,
}, async () => {
  const { problems, hungUp, lost } = await runChaos({
    program: { path: builtProgram("main"), execArgv: [] },
    dataDir: temporaryDirectory(),
    calls: 10,
    workers: 1,
    kills: 0,
    controlKills: 0,
    rendererKills: 4,
    rolls: 0,
    everyMs: 1_000,
    callMsMax: 2_000,
    sampled: 1,
    say: () => {},
  });
  expect(problems.filter((problem) => !problem.includes("its record took"))).toEqual([]);
  expect([hungUp > 10, lost]).toEqual([true, 0]);
});

const library = faketimeLibrary();

test.skipIf(library === undefined)(
  "ADV-M2: the wall clock steps back by an hour, and after kills no call stays active and no token stays valid for longer (only where faketime is installed)",
  { retry: ifMachineStalled, timeout: 180_000 },
  async () => {
    const options = {
      program: { path: builtProgram("main"), execArgv: [] },
      dataDir: temporaryDirectory(),
      say: () => {},
    };
    expect(await runClockStep(options, library ?? "")).toEqual([]);
  },
);
