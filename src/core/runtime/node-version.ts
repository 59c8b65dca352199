/**
 * The first import of every program. Node evaluates it before all other modules, so that an unsupported Node prints one line instead
 * of the error of a missing feature. Node parses and links all modules before it evaluates any, so unknown syntax or a missing named
 * export would still fail first; `npm run proof -- node` starts the build under Node 18 to check that none does. This module imports
 * nothing and uses only features of Node 14.
 */

/** The oldest Node that the service runs on, and the newest major version that it is tested on: `engines` in package.json. */
export const NODE_MIN = [20, 19] as const;
export const NODE_MAJOR_TESTED_MAX = 26;

/** Why the service does not run on this version of Node (such as `20.19.0`); undefined when it does. */
export function nodeVersionProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [minMajor, minMinor] = NODE_MIN;
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return undefined;
  return `Trunkline needs Node ${minMajor}.${minMinor} or newer, up to Node ${NODE_MAJOR_TESTED_MAX}; this is Node ${version}`;
}

/** Whether this version of Node is newer than all tested versions. */
export const isNodeUntested = (version: string): boolean => Number.parseInt(version, 10) > NODE_MAJOR_TESTED_MAX;

const problem = nodeVersionProblem(process.versions.node);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
