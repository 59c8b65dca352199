import type { components, paths } from "./generated.ts";

/** A named schema of the OpenAPI document: `Schema<"NewCallInput">` is the body of `POST /calls`. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

export type Method = "get" | "post" | "patch" | "delete";

/** The paths that have a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, object> ? P : never;
}[keyof paths];

/** The description of an operation by openapi-typescript. */
type OperationOf<M extends Method, P> = P extends keyof paths
  ? paths[P] extends Record<M, infer Operation>
    ? Operation
    : never
  : never;

type Empty = Record<never, never>;

/** A field of the options: none where the operation takes nothing there, optional where it needs nothing there. */
type Field<Name extends string, Value> = [Value] extends [never]
  ? unknown
  : Empty extends Value
    ? { [Key in Name]?: Value | undefined }
    : { [Key in Name]: Value };

type ParametersIn<Part extends "path" | "query" | "header", Operation> = Operation extends {
  parameters: { [Key in Part]?: infer Value };
}
  ? Exclude<Value, undefined>
  : never;

type JsonIn<Content> = Content extends { content: { "application/json": infer Json } } ? Json : undefined;

type Body<Operation> = Operation extends { requestBody: infer Given }
  ? { body: JsonIn<Given> }
  : Operation extends { requestBody?: infer Given }
    ? [Exclude<Given, undefined>] extends [never]
      ? unknown
      : { body?: JsonIn<Exclude<Given, undefined>> | undefined }
    : unknown;

/** What a request is given: the values of its path, its query and its headers by their names, and its body. */
export type RequestOptions<M extends Method, P extends PathOf<M>> = Field<
  "path",
  ParametersIn<"path", OperationOf<M, P>>
> &
  Field<"query", ParametersIn<"query", OperationOf<M, P>>> &
  Field<"headers", ParametersIn<"header", OperationOf<M, P>>> &
  Body<OperationOf<M, P>> & {
    /** Aborts the request, also while it waits for a retry or its answer is read. In place of the client's. */
    signal?: AbortSignal | undefined;
  };

/** The argument of a request's options, which may be left out where the operation needs nothing. */
export type OptionsArgument<M extends Method, P extends PathOf<M>> =
  Empty extends RequestOptions<M, P> ? [options?: RequestOptions<M, P>] : [options: RequestOptions<M, P>];

type ResponsesOf<Operation> = Operation extends { responses: infer Responses } ? Responses : never;

type SuccessOf<Responses> = Extract<keyof Responses, 200 | 201 | 202 | 204>;

/** The JSON of a successful answer; undefined where it has none. */
export type BodyOf<M extends Method, P extends PathOf<M>> =
  ResponsesOf<OperationOf<M, P>> extends infer Responses ? JsonIn<Responses[SuccessOf<Responses>]> : never;

/** A successful answer. */
export interface Answer<M extends Method, P extends PathOf<M>> {
  status: SuccessOf<ResponsesOf<OperationOf<M, P>>>;
  headers: Headers;
  body: BodyOf<M, P>;
}

/** The paths of `GET` whose answer is a file. */
export type DownloadPath = {
  [P in PathOf<"get">]: BodyOf<"get", P> extends undefined ? P : never;
}[PathOf<"get">];

/** The paths of `GET` whose answer is JSON. */
export type JsonPath = Exclude<PathOf<"get">, DownloadPath>;

/** The paths of lists, which come page by page. */
export type ListPath = {
  [P in JsonPath]: BodyOf<"get", P> extends { data: readonly unknown[]; nextCursor: string | null } ? P : never;
}[JsonPath];

/** An item of a list. */
export type ItemOf<P extends ListPath> = BodyOf<"get", P> extends { data: readonly (infer Item)[] } ? Item : never;
