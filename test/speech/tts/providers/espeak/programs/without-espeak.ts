/** Imported before the real program, this makes eSpeak a package that is not installed. */
import { register } from "node:module";

const hooks = `export async function resolve(specifier, context, next) {
  if (specifier !== "@echogarden/espeak-ng-emscripten") return next(specifier, context);
  throw Object.assign(new Error("not installed"), { code: "ERR_MODULE_NOT_FOUND" });
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
