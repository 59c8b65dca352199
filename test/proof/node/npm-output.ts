/**
 * npm speaking about the settings of the machine rather than about this project: a setting in a user's or the system's own
 * configuration that a newer npm does not know.
 */
const ABOUT_THE_MACHINE = /^npm warn Unknown (?:user|env|global|builtin) config /i;

/** The lines of `npm ci` at which a newcomer would stop: every warning and every error about this project. */
export const npmWarnings = (output: string): readonly string[] =>
  output.split(/\r?\n/).filter((line) => /^npm (?:warn|error|err!)/i.test(line) && !ABOUT_THE_MACHINE.test(line));
