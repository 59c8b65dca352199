import type { ApiError } from "../http/errors.ts";

/** The body of an error in OpenAI's shape: https://platform.openai.com/docs/guides/error-codes. */
export interface OpenAiErrorBody {
  error: { message: string; type: string; param: string | null; code: string };
}

export function openAiErrorOf({ status, code, message, details }: ApiError): OpenAiErrorBody {
  const [first] = details;
  // Its error has one parameter; the message names all problems.
  const all = details.length > 1 ? details.map((detail) => detail.message).join("; ") : message;
  const param = first === undefined || first.path === "" ? null : first.path.slice(1);
  return { error: { message: all, type: typeOf(status), param, code } };
}

function typeOf(status: number): string {
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}
