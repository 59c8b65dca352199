import { z } from "zod";
import { firstProblems, type Problem } from "../errors.ts";
import { wholeNumber } from "./fields.ts";
import { problemsOf } from "./validation.ts";

/** For routes without query parameters: an unknown parameter is refused like an unknown field. */
export const NoQuery = z.strictObject({});

/** The problems of such a route's query: Fastify stops at the first part that is wrong, mostly the body. */
export function noQueryProblems(query: unknown): readonly Problem[] {
  const result = NoQuery.safeParse(query, { reportInput: true });
  return result.success ? [] : firstProblems(problemsOf(result.error, [], "the query"));
}

/** A parameter used as it is; a repeated one is refused. */
export const parameter = z.string({ error: "must be given once" });

/** A whole number in a query or a path, where every value is a string; other values stay as they are. */
export const integerOf = (value: unknown): unknown =>
  typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;

/** The parameters of a paged list. */
export const pageParameters = (limitDefault: number, limitMax: number) => ({
  limit: z.preprocess(
    integerOf,
    wholeNumber(1, limitMax)
      .default(limitDefault)
      .meta({ description: "Maximum number of items.", examples: [limitMax] }),
  ),
  cursor: parameter.optional().meta({
    description: "The `nextCursor` of the previous page, requested with the same filters.",
  }),
});
