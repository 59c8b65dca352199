import { readConfig } from "../../../src/config/config.ts";
import { readMediaKey, readServiceAccess } from "../../../src/config/environment.ts";

/** Every environment variable that the service or a command reads by its name. */
export function variablesRead(): Set<string> {
  const read = new Set<string>();
  const env = new Proxy<Record<string, string>>(
    {},
    {
      get(target, name) {
        if (typeof name === "string") read.add(name);
        return Reflect.get(target, name);
      },
    },
  );
  readConfig(env);
  readServiceAccess(env);
  readMediaKey(env);
  return read;
}
