import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

// Human speech and music that Debian packages. They are downloaded and unpacked into a folder; nothing is installed or committed.

/** Prompts of Asterisk, by language: the audio, and the package whose documentation holds the texts. */
export const PROMPT_LANGUAGES = ["it", "ru", "en", "es", "fr"] as const;
export const READING_PACKAGE = "pocketsphinx-testdata";
export const MUSIC_PACKAGE = "asterisk-moh-opsound-wav";

export const audioPackageOf = (language: string): string => `asterisk-core-sounds-${language}-wav`;
export const textPackageOf = (language: string): string => `asterisk-core-sounds-${language}`;

const PACKAGES: readonly string[] = [
  ...PROMPT_LANGUAGES.flatMap((language) => [audioPackageOf(language), textPackageOf(language)]),
  READING_PACKAGE,
  MUSIC_PACKAGE,
];

/** The packages that are not in `cacheDir`. */
const missingPackages = (cacheDir: string): string[] =>
  PACKAGES.filter((name) => !existsSync(join(cacheDir, name, "usr")));

/** Throws where packages are missing in `cacheDir`; the bench `name` can download them. */
export function requirePackages(cacheDir: string, name: string): void {
  const missing = missingPackages(cacheDir);
  if (missing.length === 0) return;
  throw new Error(`${missing.join(", ")} must be in ${cacheDir}: \`npm run bench:${name} -- --fetch\` downloads them`);
}

/** Downloads what is missing in `cacheDir`, with apt-get and dpkg-deb. Throws where one of them fails or is not there. */
export function fetchPackages(cacheDir: string, write: (line: string) => void): void {
  for (const name of missingPackages(cacheDir)) {
    write(`downloading ${name}`);
    const download = join(cacheDir, "download");
    mkdirSync(download, { recursive: true });
    run("apt-get", ["download", name], download);
    const file = readdirSync(download).find((each) => each.startsWith(`${name}_`));
    if (file === undefined) throw new Error(`apt-get downloaded no file for the package ${name}`);
    run("dpkg-deb", ["-x", file, join(cacheDir, name)], download);
    rmSync(download, { recursive: true });
  }
}

function run(program: string, args: readonly string[], cwd: string): void {
  const { status, error, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (status === 0) return;
  const reason = error?.message ?? stderr.trim();
  throw new Error(`${program} ${args.join(" ")} failed; a Debian or Ubuntu with package lists is needed: ${reason}`);
}
