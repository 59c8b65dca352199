import { mkdtempSync } from "node:fs";
import { failureText } from "./report.ts";
import { loadShared } from "./service.ts";
import { simulate } from "./simulation.ts";
const shared = await loadShared(mkdtempSync("/tmp/zz-"));
for (const seed of process.argv.slice(2)) console.log(seed, failureText(await simulate(Number(seed), shared))?.slice(0, 400) ?? "clean");
