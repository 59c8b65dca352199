import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";

export const KUBERNETES = fileURLToPath(new URL("../../deploy/kubernetes", import.meta.url));

/** An object of Kubernetes, as a manifest has it. */
// biome-ignore lint/suspicious/noExplicitAny: the schemas of Kubernetes say what is in it
export type Manifest = { apiVersion: string; kind: string; metadata: { name: string } } & Record<string, any>;

interface Patch {
  target: { kind: string; name: string };
  patch: string;
}

interface Kustomization {
  resources: readonly string[];
  patches?: readonly Patch[];
}

const SCHEMA_FOLDERS: Readonly<Record<string, string>> = {
  v1: "IoK8sApiCoreV1",
  "apps/v1": "IoK8sApiAppsV1",
  "policy/v1": "IoK8sApiPolicyV1",
  "autoscaling/v2": "IoK8sApiAutoscalingV2",
  "networking.k8s.io/v1": "IoK8sApiNetworkingV1",
};

const require = createRequire(import.meta.url);
/** The schemas are no export of their package. */
const SCHEMAS = join(dirname(require.resolve("kubernetes-models/package.json")), "_schemas");

interface Validator {
  (manifest: unknown): boolean;
  errors: readonly { instancePath: string; message?: string; params: unknown }[] | null;
}

/** What the schema of Kubernetes finds wrong, one line each. It does not know which fields there are not. */
export function schemaProblems(manifest: Manifest): string[] {
  const prefix = SCHEMA_FOLDERS[manifest.apiVersion];
  if (prefix === undefined) return [`there is no schema for ${manifest.apiVersion}`];
  const { validate } = require(join(SCHEMAS, `${prefix}${manifest.kind}.js`)) as { validate: Validator };
  if (validate(manifest)) return [];
  return (validate.errors ?? []).map(({ instancePath, params }) => `${instancePath}: ${JSON.stringify(params)}`);
}

const read = (...path: string[]): string => readFileSync(join(KUBERNETES, ...path), "utf8");

/** The manifests of a folder, as Kustomize puts them together: its resources, then its patches, which add and replace values. */
export function kustomized(folder: string): Manifest[] {
  const { resources, patches = [] } = parse(read(folder, "kustomization.yaml")) as Kustomization;
  const manifests = resources.flatMap((name) =>
    name.endsWith(".yaml")
      ? parseAllDocuments(read(folder, name)).map((document) => document.toJS() as Manifest)
      : kustomized(join(folder, name)),
  );
  for (const { target, patch } of patches) {
    const found = manifests.filter(({ kind, metadata }) => kind === target.kind && metadata.name === target.name);
    if (found.length !== 1) throw new Error(`${folder} patches ${found.length} of ${target.kind} ${target.name}`);
    for (const { op, path, value } of parse(patch) as { op: string; path: string; value: unknown }[]) {
      if (op !== "add" && op !== "replace") throw new Error(`${folder} has a patch ${op}, which this does not know`);
      setAt(found[0] as Manifest, path.split("/").slice(1), value, op === "replace");
    }
  }
  return manifests;
}

function setAt(manifest: Manifest, path: readonly string[], value: unknown, mustExist: boolean): void {
  let place = manifest;
  for (const name of path.slice(0, -1)) place = place[name];
  const last = path.at(-1) ?? "";
  if (mustExist && place[last] === undefined) throw new Error(`there is no ${path.join("/")} to replace`);
  if (last === "-") place.push(value);
  else place[last] = value;
}

/** All files of a folder that are not listed in its kustomization. */
export function unlisted(folder: string): string[] {
  const { resources } = parse(read(folder, "kustomization.yaml")) as Kustomization;
  return readdirSync(join(KUBERNETES, folder)).filter(
    (name) => name !== "kustomization.yaml" && !resources.includes(name),
  );
}
