import { z } from "zod";
import { isObject } from "../../../core/json.ts";
import { documentedAs } from "../documented-as.ts";
import { isBlank } from "./validation.ts";

// Field kinds of request bodies. Each `error` continues the field's name: validation.ts makes "maxDuration must be ..., not 7201"
// of it.

/** One of these texts. */
export const oneOf = <const Values extends readonly string[]>(values: Values) =>
  z.enum(values, { error: `must be one of ${values.join(", ")}` });

/** An integer within these bounds, both included. */
export const wholeNumber = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};

/** A number within these bounds, both included. */
export const numberBetween = (min: number, max: number) => {
  const error = `must be a number from ${min} to ${max}`;
  return z.number({ error }).min(min, { error }).max(max, { error });
};

export const text = z.string({ error: "must be a string" });
export const flag = z.boolean({ error: "must be true or false" });
export const anyObject = z.record(z.string(), z.unknown(), { error: "must be an object" });

const notBlank = { error: "must be a string that is not blank" };
export const textNotBlank = z
  .string(notBlank)
  .min(1, notBlank)
  .refine((value) => !isBlank(value), notBlank);

/** A list that is too long is refused before its items are checked. */
export const listOf = <Item extends z.ZodType>(item: Item, itemsMax: number, error: string) => {
  const items = z.array(item);
  const notTooLong = z.array(z.unknown(), { error }).superRefine(({ length }, context) => {
    if (length <= itemsMax) return;
    context.addIssue({ code: "custom", message: `must have at most ${itemsMax} items, not ${length}` });
  });
  return documentedAs(notTooLong, items.max(itemsMax)).pipe(items);
};

/** Reports rules between fields together with the rules of each field; zod would otherwise check them only after those. */
export const ALONGSIDE_FIELD_ERRORS = { when: (payload: { value: unknown }) => isObject(payload.value) };
