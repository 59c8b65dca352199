// biome-ignore-all lint/performance/noBarrelFile: the one entry of the package.
export { type ClientOptions, TrunklineClient } from "./client.ts";
export { type Problem, TrunklineApiError, type TrunklineErrorCode } from "./error.ts";
export type { components, operations, paths } from "./generated.ts";
export type { Answer, BodyOf, ItemOf, Method, PathOf, RequestOptions, Schema } from "./types.ts";
