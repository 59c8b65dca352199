import { z } from "zod";
import { firstProblems, type Problem } from "./errors.ts";
import { wholeNumber } from "./fields.ts";
import { problemsOf } from "./validation.ts";

/** Of routes that take no query: a parameter that is not known is refused like a field that is not. */
export const NoQuery = z.strictObject({});

/** What is wrong with the query of such a route: Fastify looks no further than the first part that is wrong, mostly the body. */
export function noQueryProblems(query: unknown): readonly Problem[] {
  const result = NoQuery.safeParse(query, { reportInput: true });
  return result.success ? [] : firstProblems(problemsOf(result.error, [], "the query"));
}

/** A parameter that is taken as it stands; one that is repeated is refused. */
export const parameter = z.string({ error: "must be given once" });

/** In a query every value is text. */
const integerOf = (value: unknown): unknown =>
  typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;

/** The parameters of a list that comes in pages. */
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
