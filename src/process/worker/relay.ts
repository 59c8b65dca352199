import { chmodSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { RelayServer, type RelayServerOptions } from "../../gateway/resumption/relay-server.ts";
import { makePrivateFolder } from "../../store/data-dir/data-dir.ts";
import { withShortPath } from "../../store/handoff/socket-path.ts";

/** Lets other workers hand the resumptions of this worker's calls to it, at this path, until the process ends. */
export async function openRelay(path: string, options: RelayServerOptions): Promise<void> {
  // The control process, which creates the folder as well, may not have started yet.
  makePrivateFolder(resolve(dirname(path)));
  await new RelayServer(options).listen((server) => withShortPath(path, (shortPath) => void server.listen(shortPath)));
  chmodSync(path, 0o600);
  process.once("exit", () => rmSync(path, { force: true }));
}
