import { readArguments, runCommand, wholeNumber } from "../../src/cli/command.ts";
import { LocalCluster } from "./local-cluster.ts";

const HELP = `A cluster on this machine, to try: a Postgres of its own (Debian's programs), an S3 server from a package, and built nodes
that share them, all on free ports. Ctrl-C stops and deletes all of it.

npm run cluster -- --nodes 3   so many nodes, at most 9

The nodes understand and speak with the reference pair, so no provider's key is needed.
`;

const NODES_MAX = 9;

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Resolves at Ctrl-C or SIGTERM; a second one is not waited for. */
function stopped(abort: AbortController): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      abort.abort(new Error("stopped"));
      resolve();
    };
    process.once("SIGINT", stop);
    process.once("SIGTERM", stop);
  });
}

async function run(args: readonly string[]): Promise<number> {
  const { values } = readArguments(args, { nodes: { type: "string", default: "3" } });
  const nodes = wholeNumber("nodes", values.nodes, 1, NODES_MAX);
  const abort = new AbortController();
  const end = stopped(abort);
  let cluster: LocalCluster;
  try {
    cluster = await LocalCluster.start({ nodes, say: print, signal: abort.signal });
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    print("stopped before it was ready");
    return 0;
  }
  const [first] = cluster.nodes;
  print(`
${nodes} nodes are ready. Every node takes every request:
  curl -H 'X-API-Key: ${cluster.apiKey}' ${first?.apiUrl}/api/v1/status
  TRUNKLINE_API_KEY=${cluster.apiKey} npm run call -- --api ${cluster.nodes.at(-1)?.apiUrl} --say "Hello?"
Ctrl-C stops all of it.`);
  await end;
  print("stopping");
  await cluster.stop();
  print("stopped; nothing is left");
  return 0;
}

await runCommand({ help: HELP, example: "npm run cluster -- --nodes 3", run });
