import { mkdtempSync } from "node:fs";
import { draw } from "./plan.ts";
import { failureText } from "./report.ts";
import { loadShared } from "./service.ts";
import { simulate } from "./simulation.ts";

const shared = await loadShared(mkdtempSync("/tmp/zz-"));
const [manner, max] = process.argv.slice(2);
let n = 0;
for (let seed = 1; n < Number(max); seed += 1) {
  if (draw(seed).manner !== manner) continue;
  n += 1;
  const f = failureText(await simulate(seed, shared));
  if (f) console.log(f);
}
console.log("done", n);
