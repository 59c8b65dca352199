/** What a provider would refuse in the messages of a request, by its documented rules; empty if it accepts them. */
export type Problems = readonly string[];

type Body = Readonly<Record<string, unknown>>;

/**
 * OpenAI: an assistant's `tool_calls` are followed by the `tool` messages with their results, one for each call, and
 * there are no others. The templates of many models require the sides to alternate.
 */
export function openAiProblems({ messages }: Body): Problems {
  const problems: string[] = [];
  const list = messages as { role: string; tool_calls?: { id: string }[]; tool_call_id?: string }[];
  if (list[0]?.role !== "system") problems.push("the first message is not the system prompt");
  let open: string[] = [];
  let side = "";
  for (const { role, tool_calls, tool_call_id } of list.slice(1)) {
    if (role === "tool") {
      if (!open.includes(tool_call_id ?? "")) problems.push(`the result ${tool_call_id} answers no call`);
      open = open.filter((id) => id !== tool_call_id);
      side = "tool";
      continue;
    }
    if (open.length > 0) problems.push(`no results for ${open.join()}`);
    if (role === side) problems.push(`two messages of the ${role} in a row`);
    open = (tool_calls ?? []).map(({ id }) => id);
    side = role;
  }
  if (open.length > 0) problems.push(`no results for ${open.join()}`);
  return problems;
}

/** Anthropic: the user begins, both sides alternate, and results of `tool_use` blocks are in the next message. */
export function anthropicProblems({ messages }: Body): Problems {
  const list = messages as { role: string; content: { type: string; id?: string; tool_use_id?: string }[] }[];
  return alternating(
    list.map(({ role, content }) => ({
      side: role,
      calls: content.flatMap(({ type, id = "" }) => (type === "tool_use" ? [id] : [])),
      results: content.flatMap(({ type, tool_use_id = "" }) => (type === "tool_result" ? [tool_use_id] : [])),
    })),
  );
}

/** Gemini: the same with `functionCall` and `functionResponse` parts. */
export function geminiProblems({ contents }: Body): Problems {
  type Part = { functionCall?: { id: string }; functionResponse?: { id: string } };
  const list = contents as { role: string; parts: Part[] }[];
  return alternating(
    list.map(({ role, parts }) => ({
      side: role,
      calls: parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall.id])),
      results: parts.flatMap(({ functionResponse }) => (functionResponse === undefined ? [] : [functionResponse.id])),
    })),
  );
}

function alternating(turns: readonly { side: string; calls: string[]; results: string[] }[]): Problems {
  const problems: string[] = [];
  if (turns[0]?.side !== "user") problems.push("the user does not begin");
  let open: string[] = [];
  for (const [index, { side, calls, results }] of turns.entries()) {
    if (turns[index - 1]?.side === side) problems.push(`two messages of the ${side} in a row`);
    if (results.join() !== open.join()) problems.push(`calls ${open.join()}, results ${results.join()}`);
    open = calls;
  }
  if (open.length > 0) problems.push(`no results for ${open.join()}`);
  return problems;
}
