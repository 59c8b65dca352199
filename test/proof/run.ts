import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { proveImage } from "./image.ts";
import { proveNodeLines } from "./node-lines.ts";
import { killAllGroups } from "./processes.ts";
import { type Proof, Tally } from "./proof.ts";

/** Every area that `npm run proof -- <area>` knows. A new area is a line here and a module beside this one. */
const AREAS: Readonly<Record<string, { summary: string; run(proof: Proof): Promise<void> }>> = {
  node: {
    summary: "install, tests and demo on Node 20, 22, 24 and 26, on this machine and on Debian 13",
    run: proveNodeLines,
  },
  image: {
    summary: "the Dockerfile's steps in a Debian 13 root, the service as its user, its health check",
    run: proveImage,
  },
};

const names = Object.keys(AREAS);
const USAGE = `usage: npm run proof -- <area> [--reduced] [--results DIR]

Proves what the test suite cannot: other Node versions, another Debian, the image. Tests the last commit, not the working tree.

areas:
${names.map((name) => `  ${name.padEnd(8)} ${AREAS[name]?.summary}`).join("\n")}

options:
  --reduced      fewer tests on each Node version, and bench/RESULTS.md is left as it is: what .ci/run does
  --results DIR  writes the counts to DIR/proof-<area>.json, in the shape of Vitest's JSON report

environment:
  PROOF_CACHE    where the Debian root and the Node binaries are kept between runs; default ${join(tmpdir(), "trunkline-proof")}
`;

const OPTIONS = {
  reduced: { type: "boolean", default: false },
  results: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** The command line, or the sentence that says what is wrong with it. */
function readCommandLine(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
    return { ...values, positionals };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns the exit code: 0 when every check held or was skipped, 1 when one failed, 2 for a command line that makes no sense. */
async function main(args: readonly string[]): Promise<number> {
  const given = readCommandLine(args);
  if (typeof given === "string") return refuse(given);
  if (given.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const [name = "", ...more] = given.positionals;
  const area = Object.hasOwn(AREAS, name) ? AREAS[name] : undefined;
  if (name === "") return refuse(`no area is given; known are: ${names.join(", ")}`);
  if (area === undefined) return refuse(`there is no area "${name}"; known are: ${names.join(", ")}`);
  if (more.length > 0) return refuse(`one area at a time, not also "${more.join('", "')}"`);

  const cache = resolve(process.env.PROOF_CACHE ?? join(tmpdir(), "trunkline-proof"));
  mkdirSync(cache, { recursive: true });
  const tally = new Tally((line) => console.log(line));
  await area.run({ reduced: given.reduced, cache, tally }).catch((error: unknown) => {
    tally.failed("the proof runs to its end", error instanceof Error ? (error.stack ?? error.message) : String(error));
  });
  if (given.results !== undefined) {
    mkdirSync(given.results, { recursive: true });
    writeFileSync(join(given.results, `proof-${name}.json`), `${JSON.stringify(tally.report())}\n`);
  }
  console.log(`\n${tally.summary()}`);
  return tally.counts.failed > 0 ? 1 : 0;
}

function refuse(reason: string): 2 {
  process.stderr.write(`${reason}\n\n${USAGE}`);
  return 2;
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    killAllGroups();
    process.exit(1);
  });
}
process.exitCode = await main(process.argv.slice(2));
