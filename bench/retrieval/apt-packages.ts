import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

/** A package of the archive in one language. */
export interface PackageText {
  readonly name: string;
  /** What a person would ask: one line. */
  readonly synopsis: string;
  /** The long description without the synopsis. */
  readonly description: string;
}

/** Index files of the archive as apt has them: compressed as apt was asked to. */
const DECOMPRESS: Readonly<Record<string, string>> = {
  lz4: "lz4cat",
  xz: "xzcat",
  gz: "zcat",
  bz2: "bzcat",
  zst: "zstdcat",
};
const OUTPUT_BYTES_MAX = 512 * 1024 * 1024;

/**
 * The packages of the descriptions that apt has in a language, one a description; undefined where apt has none. `lists` is apt's folder of
 * lists, its default where undefined.
 */
export function readPackages(language: string, lists: string | undefined): readonly PackageText[] | undefined {
  const files = indexFiles(language, lists);
  if (files.length === 0) return undefined;
  const field = new RegExp(`^Description-${language}: (.*)\\n((?: .*(?:\\n|$))+)`, "m");
  const seen = new Set<string>();
  const packages: PackageText[] = [];
  for (const file of files) {
    for (const stanza of decompressed(file).split("\n\n")) {
      const found = packageOf(stanza, field);
      // Several packages of one source often have one text: it could not be said which of them is right.
      if (found === undefined || seen.has(found.description)) continue;
      seen.add(found.description);
      packages.push(found);
    }
  }
  return packages;
}

/** The folder and the languages as apt is asked for them: `apt-get update` with both fetches what the bench reads. */
function indexFiles(language: string, lists: string | undefined): readonly string[] {
  const options = [
    ...(lists === undefined ? [] : ["-o", `Dir::State::lists=${lists}`]),
    ...["-o", "Acquire::Languages=en,de,it,ru,ja"],
  ];
  const format = ["--format", "$(FILENAME)", "Created-By: Translations", `Language: ${language}`];
  try {
    const output = execFileSync("apt-get", [...options, "indextargets", ...format], { encoding: "utf8" });
    return output.split("\n").filter((file) => file !== "" && existsSync(file));
  } catch {
    return [];
  }
}

function decompressed(file: string): string {
  const command = DECOMPRESS[file.split(".").at(-1) ?? ""] ?? "cat";
  return execFileSync(command, [file], { encoding: "utf8", maxBuffer: OUTPUT_BYTES_MAX });
}

function packageOf(stanza: string, description: RegExp): PackageText | undefined {
  const name = /^Package: (.+)$/m.exec(stanza)?.[1];
  const field = description.exec(stanza);
  if (name === undefined || field === null) return undefined;
  const [, synopsis = "", body = ""] = field;
  const text = body
    .split("\n")
    .map((line) => (line.trim() === "." ? "" : line.replace(/^ /, "")))
    .join("\n")
    .trim();
  return synopsis.trim() === "" || text === "" ? undefined : { name, synopsis: synopsis.trim(), description: text };
}
