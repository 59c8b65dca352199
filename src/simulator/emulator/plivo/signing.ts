import { createHmac } from "node:crypto";
import { parse } from "node:querystring";

/**
 * The headers of `X-Plivo-Signature-V3`: base64 of HMAC-SHA256 over the address with its query sorted, the fields of a form sorted,
 * and a nonce. https://www.plivo.com/docs/voice/concepts/signature-validation
 */
export function plivoHeaders(
  authToken: string,
  nonce: string,
  url: string,
  form?: Readonly<Record<string, string>>,
): Record<string, string> {
  const [address = "", query = ""] = url.split("?", 2);
  const sortedQuery = Object.entries(parse(query))
    .flatMap(([name, values]) => [values ?? ""].flat().map((value) => [name, value] as const))
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join("&");
  const hasForm = form !== undefined && Object.keys(form).length > 0;
  const mark = sortedQuery !== "" || hasForm ? "?" : "";
  const dot = sortedQuery !== "" && hasForm ? "." : "";
  const fields = Object.entries(form ?? {})
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}${value}`)
    .join("");
  const signed = `${address}${mark}${sortedQuery}${dot}${fields}.${nonce}`;
  const signature = createHmac("sha256", authToken).update(signed).digest("base64");
  return {
    "x-plivo-signature-v3": signature,
    "x-plivo-signature-ma-v3": signature,
    "x-plivo-signature-v3-nonce": nonce,
  };
}
