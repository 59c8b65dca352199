import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { ServiceProcess } from "../../support/services/service.ts";

const hasPrlimit = spawnSync("prlimit", ["--version"]).status === 0;

test.skipIf(!hasPrlimit)(
  "ADV-L6: with 256 descriptors the service names in one line the missing descriptors and the remedy, and exits with 1 (only where prlimit is installed)",
  async () => {
    const service = new ServiceProcess({ descriptors: 256 });
    expect(await service.exited).toBe(1);
    expect(service.stdout).toBe("");
    expect(service.stderr.trimEnd().split("\n")).toEqual([
      expect.stringMatching(
        /^the limit of open files \(ulimit -n\) is 256, and the service needs at least 1024: raise it/,
      ),
    ]);
  },
);
