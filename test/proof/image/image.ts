import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { checkOut } from "../checkout.ts";
import { installNode, NODE_LINES } from "../node/toolchain.ts";
import { enterRoot, megabytes, npmEnvironment } from "../place.ts";
import { finished, PROJECT } from "../processes.ts";
import type { Proof } from "../proof.ts";
import { writeSection } from "../results.ts";
import { debianRoot, whyNoRoot } from "./debian-root.ts";
import { readDockerfile, type Stage, type Step } from "./dockerfile.ts";
import { proveService } from "./service.ts";

/** What the production dependencies may weigh. */
const RELEASE_MB_MAX = 350;
/** The steps, the weight, and what `proveService` checks. */
const CHECKS = 7;

/** A stage after its steps: a root folder, and what holds for the next step or for the program in it. */
export interface BuiltStage {
  root: string;
  nodeMajor: number;
  directory: string;
  environment: Readonly<Record<string, string>>;
  user: string | undefined;
}

/**
 * The area `image`: follows the Dockerfile of the last commit step by step in Debian 13 roots, with the Node that its base names,
 * then starts the service as the image's user and runs the health check against it. Writes the section "Image" of bench/RESULTS.md, unless
 * a step fails.
 */
export async function proveImage(proof: Proof): Promise<void> {
  const { cache, checks } = proof;
  const why = whyNoRoot();
  if (why !== "") {
    checks.skipped("the Dockerfile's steps", why, CHECKS);
    return;
  }
  const work = join(cache, "image");
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  try {
    await checkOut(join(work, "context"), cache);
    const stages = readDockerfile(readFileSync(join(work, "context/Dockerfile"), "utf8"));
    const image = await new ImageBuild(proof, work).build(stages);
    const last = stages.at(-1);
    if (image === undefined || last === undefined) return;
    checks.passed("every step of the Dockerfile runs");
    const weight = megabytes(join(image.root, image.directory, "node_modules"));
    checks.check(
      `the image's node_modules weigh ${weight} MB, at most ${RELEASE_MB_MAX}`,
      weight > RELEASE_MB_MAX ? "they weigh more" : "",
    );
    await proveService(proof, image, last);
    await writeSection(proof, "Image", "image", `The image's node_modules weigh ${weight} MB.`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Builds the stages of a Dockerfile, each in a root folder of its own. */
class ImageBuild {
  readonly #proof: Proof;
  readonly #work: string;
  readonly #built = new Map<string, BuiltStage>();

  constructor(proof: Proof, work: string) {
    this.#proof = proof;
    this.#work = work;
  }

  /** The last stage; undefined, and counted as failed, when a step fails. */
  async build(stages: readonly Stage[]): Promise<BuiltStage | undefined> {
    let last: BuiltStage | undefined;
    for (const [index, stage] of stages.entries()) {
      const name = stage.name ?? String(index);
      this.#proof.checks.print(`\nstage ${name}, from ${stage.from}`);
      last = await this.#start(stage.from, join(this.#work, `stage-${name}`));
      for (const step of stage.steps) {
        const changed = await this.#follow(step, last);
        if (changed === undefined) return undefined;
        last = changed;
      }
      this.#built.set(name, last);
    }
    return last;
  }

  async #start(from: string, root: string): Promise<BuiltStage> {
    const before = this.#built.get(from);
    if (before !== undefined) {
      copyTree(before.root, root);
      return { ...before, root };
    }
    copyTree(await debianRoot(this.#proof.cache), root);
    return await this.#becomeNodeImage(from, root);
  }

  /** What Node's own image has over Debian's: Node and npm in /usr/local, and the user `node`. */
  async #becomeNodeImage(image: string, root: string): Promise<BuiltStage> {
    const major = /^node:(\d+)-trixie-slim$/.exec(image)?.[1];
    const line = NODE_LINES.find(({ node }) => String(node) === major);
    if (line === undefined) throw new Error(`the base ${image} cannot be made here: only node:<major>-trixie-slim can`);
    const stage: BuiltStage = { root, nodeMajor: line.node, directory: "/", environment: {}, user: undefined };
    const toolchain = await installNode(line, this.#proof.cache);
    copyTree(toolchain, join(root, "usr/local/lib/node"));
    const { code, output } = await this.#run(
      "ln -s ../lib/node/node_modules/.bin/node ../lib/node/node_modules/.bin/npm /usr/local/bin/ && useradd --uid 1000 --create-home --shell /bin/bash node",
      stage,
    );
    if (code !== 0) throw new Error(`the base cannot be made: ${output}`);
    return stage;
  }

  /** The stage as the step leaves it; undefined, and counted, when the step fails. */
  async #follow(step: Step, stage: BuiltStage): Promise<BuiltStage | undefined> {
    switch (step.do) {
      case "directory": {
        const directory = resolve(stage.directory, step.path);
        mkdirSync(join(stage.root, directory), { recursive: true });
        return { ...stage, directory };
      }
      case "environment":
        return { ...stage, environment: { ...stage.environment, ...step.variables } };
      case "user":
        return { ...stage, user: step.name };
      case "copy":
        this.#copy(step, stage);
        return stage;
      case "run": {
        const { code, output, tookMs } = await this.#run(step.script, stage);
        this.#proof.checks.print(`  RUN ${step.script}: ${Math.round(tookMs / 1_000)} s`);
        if (code === 0) return stage;
        this.#proof.checks.failed(`RUN ${step.script}`, output.slice(-3_000));
        return undefined;
      }
    }
  }

  #copy({ from, sources, destination }: Extract<Step, { do: "copy" }>, stage: BuiltStage): void {
    const source = from === undefined ? join(this.#work, "context") : this.#built.get(from)?.root;
    if (source === undefined) throw new Error(`COPY --from=${from}: there is no such stage before it`);
    const target = join(stage.root, resolve(stage.directory, destination));
    for (const path of sources) {
      const whole = join(source, path);
      if (!existsSync(whole)) throw new Error(`COPY ${path}: it is not in ${from ?? "the build's context"}`);
      // As in Docker: a file goes into a destination that ends with a slash, a folder gives its content.
      copyTree(whole, destination.endsWith("/") ? join(target, basename(path)) : target);
    }
  }

  #run(script: string, { root, directory, environment, user }: BuiltStage) {
    const variables = { ...npmEnvironment(root), ...environment };
    const argv = enterRoot(root, { script, directory, environment: variables, ...(user !== undefined && { user }) });
    return finished(argv, { directory: PROJECT, logFile: join(this.#work, "step.log"), timeoutMs: 1_200_000 });
  }
}

/** With owners, times and links as they are; a folder gives its content to a folder that is there already. */
function copyTree(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  const { status, stderr } = spawnSync("cp", ["--archive", "--no-target-directory", from, to], { encoding: "utf8" });
  if (status !== 0) throw new Error(`cp ${from} ${to}: ${stderr}`);
}
