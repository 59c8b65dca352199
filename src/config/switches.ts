/** Reads PREEMPTIVE_REPLIES. Problems are added to `problems`. */
export function readPreemptiveReplies(given: string, problems: string[]): boolean {
  if (given !== "on" && given !== "off") {
    problems.push(`PREEMPTIVE_REPLIES must be on or off, not ${JSON.stringify(given)}`);
  }
  return given === "on";
}

/** Reads TOOLS_ALLOW_LOOPBACK, which is refused in production. Problems are added to `problems`. */
export function readToolsAllowLoopback(given: string, isProduction: boolean, problems: string[]): boolean {
  if (given !== "true" && given !== "false") {
    problems.push(`TOOLS_ALLOW_LOOPBACK must be true or false, not ${JSON.stringify(given)}`);
  }
  if (given === "true" && isProduction) {
    problems.push(
      "TOOLS_ALLOW_LOOPBACK must not be true together with NODE_ENV=production: it is for tests and trials",
    );
  }
  return given === "true";
}
