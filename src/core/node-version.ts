/**
 * The first import of every program: Node evaluates it before all other modules, so an unsupported Node gets one line and not the
 * error of whatever does not work there. Node parses and links all modules before it evaluates any: one whose syntax it does not
 * know, or that imports by name what it lacks, fails first. `npm run proof -- node` starts the build under Node 18 to see that none
 * does. Imports nothing, and uses nothing that Node 14 does not know.
 */

/** The oldest Node that the service runs on, and the newest major version that it is tested on: `engines` in package.json. */
export const NODE_MIN = [20, 19] as const;
export const NODE_MAJOR_TESTED_MAX = 26;

/** What is wrong with this version of Node (`20.19.0`); undefined when the service runs on it. */
export function nodeVersionProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [minMajor, minMinor] = NODE_MIN;
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return undefined;
  return `Trunkline needs Node ${minMajor}.${minMinor} or newer, up to Node ${NODE_MAJOR_TESTED_MAX}; this is Node ${version}`;
}

/** Whether this version of Node is newer than all that the service is tested on. */
export const isNodeUntested = (version: string): boolean => Number.parseInt(version, 10) > NODE_MAJOR_TESTED_MAX;

const problem = nodeVersionProblem(process.versions.node);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
