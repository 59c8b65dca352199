import { describe, expect, test } from "vitest";
import { describeTools } from "../../../../src/call/tools/plan.ts";
import type { BuiltInTool } from "../../../../src/core/calls/spec.ts";
import { asToolCallId } from "../../../../src/core/ids.ts";
import type { LlmRequest, Message, ToolDescription } from "../../../../src/speech/contracts.ts";
import { createReferenceLlm } from "../../../../src/speech/reference/llm.ts";
import { INLINE_TOOL_CHOICE } from "../../../support/stubs/inline-schemas.ts";

const llm = createReferenceLlm(INLINE_TOOL_CHOICE);

const PROMPT = `You answer the telephone of a bakery.
The bakery is open from eight to six.
Birthday cakes must be ordered two days ahead.`;

const object = (properties: object, required: readonly string[] = []) => ({ type: "object", properties, required });
const tool = (name: string, description: string, parameters: object = object({})): ToolDescription => ({
  name,
  description,
  parameters,
});
const text = (more: object = {}) => ({ type: "string", ...more });

const ORDER_STATUS = tool("order_status", "Tells where an order is.", object({ order: text() }, ["order"]));
const WEATHER = tool(
  "getWeather",
  "Current weather and forecast of a city.",
  object({ city: text(), unit: text({ enum: ["celsius", "fahrenheit"], default: "celsius" }) }, ["city"]),
);
const BOOK_TABLE = tool(
  "book_table",
  "Books a table in the restaurant.",
  object(
    {
      date: text({ format: "date" }),
      people: { type: "integer", minimum: 1, maximum: 12, description: "How many people come" },
      name: text({ title: "Name of the guest" }),
      terrace: { type: "boolean" },
    },
    ["people", "name"],
  ),
);
const CHECK_STOCK = tool(
  "check_stock",
  "Checks whether a product is in stock.",
  object({ product: text() }, ["product"]),
);
const LIGHT = tool(
  "set_light",
  "Turns a light on or off.",
  object({ room: text({ enum: ["kitchen", "living_room"] }), state: text({ enum: ["on", "off"] }) }, ["room", "state"]),
);
const ORDER_CAKE = tool(
  "order_cake",
  "Orders a birthday cake.",
  object({ size: text({ enum: ["small", "large", "extra large"] }) }, ["size"]),
);
const ALL = [ORDER_STATUS, WEATHER, BOOK_TABLE, CHECK_STOCK, LIGHT, ORDER_CAKE];

const builtIn = (name: BuiltInTool, fixedArguments = {}): ToolDescription => {
  const [described] = describeTools([{ kind: "built_in", name, fixedArguments }]);
  if (described === undefined) throw new Error(`${name} is described`);
  return described;
};

interface Answer {
  text: string;
  calls: { name: string; arguments: unknown }[];
}

async function ask(request: Partial<LlmRequest> & Pick<LlmRequest, "messages">): Promise<Answer> {
  const answer: Answer = { text: "", calls: [] };
  const asked = { tools: ALL, temperature: 0, language: "en-US", ...request };
  for await (const event of llm.reply(asked, new AbortController().signal)) {
    if (event.kind === "text") answer.text += event.text;
    if (event.kind === "tool-call") answer.calls.push({ name: event.name, arguments: JSON.parse(event.argumentsJson) });
  }
  return answer;
}

/** A conversation of alternating turns; the caller's come first. */
const conversation = (...turns: string[]): Message[] => [
  { role: "system", text: PROMPT },
  ...turns.map((said, at): Message => ({ role: at % 2 === 0 ? "user" : "assistant", text: said })),
];

const said = (words: string, tools: readonly ToolDescription[] = ALL, language = "en-US") =>
  ask({ messages: conversation(words), tools, language });

describe("the reference LLM calls a tool", () => {
  test.each<[said: string, name: string, given: object]>([
    ["Where is my order A-17?", "order_status", { order: "A-17" }],
    ["What is the status of order number four seven one one?", "order_status", { order: "4711" }],
    ["What is the status of B-2?", "order_status", { order: "B-2" }],
    ["What's the weather like in Berlin?", "getWeather", { city: "Berlin", unit: "celsius" }],
    ["The forecast for New York in fahrenheit, please.", "getWeather", { city: "New York", unit: "fahrenheit" }],
    ["Please book a table for four people. My name is Ann.", "book_table", { people: 4, name: "Ann" }],
    [
      "I'd like to book a table for Mary Smith on 21 November 2026 for twelve, on the terrace.",
      "book_table",
      { people: 12, name: "Mary Smith", date: "2026-11-21", terrace: true },
    ],
    [
      "Can you reserve a table for two on December 1st, 2026, not on the terrace, for Bob?",
      "book_table",
      { people: 2, name: "Bob", date: "2026-12-01", terrace: false },
    ],
    ["Do you have rye bread in stock?", "check_stock", { product: "rye bread" }],
    ['Check the stock of "Sunday rolls".', "check_stock", { product: "Sunday rolls" }],
    ["Turn on the light in the living room.", "set_light", { room: "living_room", state: "on" }],
    ["I would like to order an extra large cake.", "order_cake", { size: "extra large" }],
  ])("%s", async (words, name, given) => {
    expect(await said(words)).toEqual({ text: "", calls: [{ name, arguments: given }] });
  });

  test("by its description if that is most of what was said", async () => {
    const tools = [tool("tool_7", "Tells the opening hours and the address of the shop.")];
    expect((await said("What are your opening hours?", tools)).calls).toEqual([{ name: "tool_7", arguments: {} }]);
  });

  test("and another when the words match both, each with its own arguments", async () => {
    const { calls } = await said("What is the weather in Rome? And where is my order B-2?");
    expect(calls).toEqual([
      { name: "getWeather", arguments: { city: "Rome", unit: "celsius" } },
      { name: "order_status", arguments: { order: "B-2" } },
    ]);
  });

  test("and asks for the missing argument of another one after the result of the first", async () => {
    const tools = [tool("open_door", "Opens the front door."), WEATHER];
    const words = "Please open the door. And what is the weather?";
    expect(await said(words, tools)).toEqual({ text: "", calls: [{ name: "open_door", arguments: {} }] });
    const after: Message[] = [...conversation(words), ...round("open_door", "{}")];
    const { text: question } = await ask({ messages: after, tools });
    expect(question).toBe("That is done. Please tell me the city.");
    const answered: Message[] = [...after, { role: "assistant", text: question }, { role: "user", text: "Rome." }];
    expect((await ask({ messages: answered, tools })).calls.map(({ name }) => name)).toEqual(["getWeather"]);
  });

  test("by a part of its name if nothing else was said, without arguments that were not named", async () => {
    const balance = tool("account_balance", "How much is there.", object({ account: text() }));
    expect((await said("What is my balance?", [balance])).calls).toEqual([{ name: "account_balance", arguments: {} }]);
    expect((await said("Can you balance a tray?", [balance])).calls).toEqual([]);
  });

  test("the same way for the same request", async () => {
    const words = "Book a table for four people, my name is Ann.";
    expect(await said(words)).toEqual(await said(words));
  });

  test("again only if the caller requests it again", async () => {
    const [call, result] = round("getWeather", '{"sky":"clear"}');
    const messages: Message[] = [...conversation("The weather in Berlin, please."), call, result];
    expect((await ask({ messages })).calls).toEqual([]);
    const later: Message[] = [...messages, { role: "assistant", text: "Sky: clear." }];
    expect((await ask({ messages: [...later, { role: "user", text: "Thank you." }] })).calls).toEqual([]);
    expect((await ask({ messages: [...later, { role: "user", text: "The weather in Rome?" }] })).calls).toEqual([
      { name: "getWeather", arguments: { city: "Rome", unit: "celsius" } },
    ]);
  });
});

describe("the reference LLM calls no tool", () => {
  test.each([
    "When are you open?",
    "Do you have birthday cakes?",
    "Hello, good morning!",
    "What can you do?",
    "I have a question about a table that I saw.",
    "Don't book a table for two, please.",
    "Is the light bread good?",
    "The state of the art is on the house.",
    "",
    "…",
  ])("for: %s", async (words) => {
    expect((await said(words)).calls).toEqual([]);
  });

  const CANCEL_ORDER = tool("cancel_order", "Cancels an order.");
  test.each([
    "I will not cancel the order.",
    "Please … I won't cancel my order",
    "I would not cancel my order",
    "I’d really rather not cancel my order, please.",
    "I will not, please, cancel my order.",
    "Please, I am not cancelling my order.",
    "You cancelled my order!",
    "Did you cancel my order?",
    "Can you tell me why you cancelled my order?",
    "I already cancelled my order yesterday.",
  ])("that changes something without a request: %s", async (words) => {
    expect((await said(words, [CANCEL_ORDER, ORDER_CAKE])).calls).toEqual([]);
  });

  test.each([
    "Cancel my order.",
    "I can't come, please cancel my order.",
    "Why don't you cancel my order",
    "Can't you cancel my order?",
    "Couldn't you cancel my order?",
    "I would like my order cancelled.",
    "You did not listen, so cancel my order!",
  ])("but does on request: %s", async (words) => {
    expect((await said(words, [CANCEL_ORDER])).calls).toEqual([{ name: "cancel_order", arguments: {} }]);
  });

  test("but one that only reads is called without a form of request", async () => {
    expect((await said("Why hasn't my order A-17 arrived?")).calls).toEqual([
      { name: "order_status", arguments: { order: "A-17" } },
    ]);
  });

  test("and still answers ordinary questions from the prompt", async () => {
    expect((await said("When is the bakery open?")).text).toBe("The bakery is open from eight to six.");
    expect((await said("Do you have birthday cakes?")).text).toContain("two days ahead");
  });
});

describe("arguments by the schema", () => {
  const calls = async (words: string, name: string, parameters: object, description = "Does it.") =>
    (await said(words, [tool(name, description, parameters)])).calls.map((call) => call.arguments);

  test("numbers are within their bounds, and integers where required", async () => {
    const percent = object({ percent: { type: "number", minimum: 0, maximum: 100 } }, ["percent"]);
    expect(await calls("Set the volume to minus five or to twenty-two point five.", "set_volume", percent)).toEqual([
      { percent: 22.5 },
    ]);
    const count = object({ count: { type: "integer", minimum: 1 } }, ["count"]);
    expect(await calls("Buy 1.5 or two hundred and fifty tickets.", "buy_tickets", count)).toEqual([{ count: 250 }]);
    expect(await calls("Buy 1,000 tickets.", "buy_tickets", count)).toEqual([{ count: 1_000 }]);
    expect(await calls("I'd like to buy that one ticket.", "buy_tickets", count)).toEqual([]);
  });

  test("two numbers go where their words say", async () => {
    const stay = object({ nights: { type: "integer" }, guests: { type: "integer" } }, ["nights", "guests"]);
    expect(await calls("Book a room for three guests and two nights.", "book_room", stay)).toEqual([
      { nights: 2, guests: 3 },
    ]);
  });

  test("places have their own prepositions", async () => {
    const flight = object({ from: text(), to: text() }, ["from", "to"]);
    expect(await calls("Search flights from New York to Berlin.", "search_flights", flight)).toEqual([
      { from: "New York", to: "Berlin" },
    ]);
  });

  test("a value follows its own preposition, whatever the order", async () => {
    const currency = text({ enum: ["USD", "EUR"] });
    const exchange = object({ amount: { type: "number" }, from: currency, to: currency }, ["amount", "from", "to"]);
    for (const words of ["Convert 100 USD to EUR.", "Convert to EUR from USD, 100 of them."]) {
      expect(await calls(words, "convert", exchange)).toEqual([{ amount: 100, from: "USD", to: "EUR" }]);
    }
    const home = object({ address: object({ street: text(), city: text() }, ["street"]) }, ["address"]);
    const crates = { ...home, properties: { ...home.properties, crates: { type: "integer" } } };
    expect(await calls("Please deliver to 5 Main Street.", "deliver", crates)).toEqual([
      { address: { street: "5 Main Street" } },
    ]);
    expect(await calls("Deliver it to 5 Main Street in London, please.", "deliver", home)).toEqual([
      { address: { street: "5 Main Street", city: "London" } },
    ]);
  });

  test("may be in another sentence of the turn, but the remaining words of that sentence are not a value", async () => {
    const visit = object({ name: text() }, ["name"]);
    expect(await calls("My name is Ann Smith. Book a visit, please.", "book_visit", visit)).toEqual([
      { name: "Ann Smith" },
    ]);
    const city = object({ city: text() }, ["city"]);
    expect(await calls("I am hungry. The weather, please. And be quick.", "weather", city)).toEqual([]);
  });

  test("objects, lists, references, alternatives and constants", async () => {
    const parameters = {
      ...object(
        {
          guest: { $ref: "#/$defs/guest" },
          extras: { type: "array", items: { enum: ["breakfast", "parking", "sauna"] } },
          notes: { anyOf: [{ type: "null" }, { type: "string" }] },
          source: { const: "telephone" },
        },
        ["guest", "source"],
      ),
      $defs: { guest: object({ name: text(), email: text({ format: "email" }) }, ["name"]) },
    };
    expect(
      await calls("Book a room for Ann with parking and breakfast, ann@example.com", "book_room", parameters),
    ).toEqual([
      { guest: { name: "Ann", email: "ann@example.com" }, extras: ["parking", "breakfast"], source: "telephone" },
    ]);
    const invite = object({ guests: { type: "array", items: text() } }, ["guests"]);
    expect(await calls("Invite guests called Ann, Bob and Eve.", "invite_guests", invite)).toEqual([
      { guests: ["Ann", "Bob", "Eve"] },
    ]);
  });

  test("the caller is asked for days that need a clock or do not exist", async () => {
    const date = object({ date: text({ format: "date" }) }, ["date"]);
    expect(await calls("Book a visit for tomorrow.", "book_visit", date)).toEqual([]);
    expect(await calls("Book a visit on 31 November 2026.", "book_visit", date)).toEqual([]);
    expect(await calls("Book a visit on the 30th of November 2026.", "book_visit", date)).toEqual([
      { date: "2026-11-30" },
    ]);
  });

  test("times of day", async () => {
    const time = object({ time: text({ format: "time" }) }, ["time"]);
    expect(await calls("Book a visit at 6:30 pm.", "book_visit", time)).toEqual([{ time: "18:30" }]);
    expect(await calls("Book a visit at 9 am.", "book_visit", time)).toEqual([{ time: "09:00" }]);
  });
});

describe("a missing required argument", () => {
  test("is asked for, and the answer is its value", async () => {
    const first = await said("What is the weather like?");
    expect(first).toEqual({ text: "Please tell me the city.", calls: [] });
    const messages = conversation("What is the weather like?", first.text, "It's Berlin, please.");
    expect((await ask({ messages })).calls).toEqual([
      { name: "getWeather", arguments: { city: "Berlin", unit: "celsius" } },
    ]);
  });

  test("is asked for one by one, by title, description and choices", async () => {
    const turns = ["I want to book a table."];
    turns.push((await ask({ messages: conversation(...turns) })).text);
    expect(turns.at(-1)).toBe("Please tell me how many people come.");
    turns.push("Four.");
    turns.push((await ask({ messages: conversation(...turns) })).text);
    expect(turns.at(-1)).toBe("Please tell me the name of the guest.");
    turns.push("My name is Ann.");
    expect((await ask({ messages: conversation(...turns) })).calls).toEqual([
      { name: "book_table", arguments: { people: 4, name: "Ann" } },
    ]);
    expect((await said("I'd like to order a cake.")).text).toBe(
      "Please tell me the size: small, large or extra large.",
    );
  });

  test("is taken from DTMF digits", async () => {
    const messages = conversation("What is the status of my order?", "Please tell me the order.", "DTMF: 4711");
    expect((await ask({ messages })).calls).toEqual([{ name: "order_status", arguments: { order: "4711" } }]);
  });

  test("is recognised if the caller answers before the question has ended", async () => {
    const messages = conversation("What is the weather like?", "Please tell", "Berlin");
    expect((await ask({ messages })).calls).toHaveLength(1);
  });

  test("is asked for twice at most", async () => {
    const turns = [
      "I'd like to order a cake.",
      "Please tell me the size: small, large or extra large.",
      "Well, a blue one.",
    ];
    turns.push((await ask({ messages: conversation(...turns) })).text);
    expect(turns.at(-1)).toBe("Please tell me the size: small, large or extra large.");
    const answer = await ask({ messages: conversation(...turns, "Blue!") });
    expect(answer.text).toContain("I do not know");
  });

  test("is dropped if the caller no longer wants the tool, asks something else, or says goodbye", async () => {
    const turns = ["What is the weather like?", "Please tell me the city."];
    const answer = (words: string) => ask({ messages: conversation(...turns, words) });
    expect(await answer("Never mind.")).toEqual({ text: expect.stringMatching(/^All right/), calls: [] });
    expect(await answer("When is the bakery open?")).toEqual({
      text: "The bakery is open from eight to six.",
      calls: [],
    });
    expect((await answer("Goodbye.")).text).toContain("Goodbye");
    expect((await answer("Berlin")).calls).toHaveLength(1);
  });
});

/** The messages of a tool call and its result, as the LLM gets them. */
const round = (name: string, result: string): [Message, Message] => [
  { role: "assistant", text: "", toolCalls: [{ id: "2.1", name, argumentsJson: "{}" }] },
  { role: "tool", toolCallId: asToolCallId("2.1"), name, text: result },
];

describe("the result of a tool", () => {
  const spoken = async (name: string, result: string, language = "en") =>
    (await ask({ messages: [...conversation("Please."), ...round(name, result)], language })).text;

  test.each<[result: string, spoken: string]>([
    ['{"orderState":"on its way","daysLeft":2,"paid":true}', "Order state: on its way, days left: 2, paid: yes."],
    ['{"message":"Your cake is ready.","id":"c7"}', "Your cake is ready."],
    ['["bread","rolls","cake"]', "Bread, rolls and cake."],
    ['[{"day":"Monday","high":12},{"day":"Tuesday","high":14}]', "Day: Monday, high: 12 and day: Tuesday, high: 14."],
    ['"ready on Friday"', "Ready on Friday."],
    ["It rains.", "It rains."],
    ["{}", "That is done."],
    ["null", "That is done."],
    ["Done, with status 204.", "That is done."],
  ])("%s is spoken", async (result, words) => {
    expect(await spoken("getWeather", result)).toBe(words);
  });

  test("is shortened to what a caller listens to", async () => {
    const long = "It is a long story. ".repeat(1_000);
    expect((await spoken("getWeather", long)).length).toBeLessThan(350);
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`field${at}`, at])));
    expect((await spoken("getWeather", wide)).length).toBeLessThan(350);
  });

  test("that is an error becomes an apology, and the error is not read out", async () => {
    for (const result of ["Error: its server answered with status 500.", '{"error":"out of order"}', '{"ok":false}']) {
      expect(await spoken("getWeather", result)).toMatch(/^I am sorry, that did not work/);
    }
    expect(await spoken("transfer", "Error: target must be a telephone number.")).toMatch(/^I am sorry/);
    expect(await spoken("getWeather", "Error: x", "de")).toMatch(/^Das hat leider nicht geklappt/);
  });
});

describe("the service's own tools", () => {
  const TOOLS = (["hang_up", "transfer", "send_dtmf", "switch_language"] as const).map((name) => builtIn(name));
  const called = async (words: string, language = "en-US") => (await said(words, TOOLS, language)).calls;

  test("transfer takes a number or a SIP address, and says what happens", async () => {
    expect(await said("Please transfer me to +44 20 7946 0000.", TOOLS)).toEqual({
      text: "One moment, I am transferring you.",
      calls: [{ name: "transfer", arguments: { target: "+442079460000" } }],
    });
    expect(await called("Connect me to sip:front@example.com please")).toEqual([
      { name: "transfer", arguments: { target: "sip:front@example.com" } },
    ]);
    expect((await said("Can I speak to a human?", TOOLS)).text).toMatch(/^Please tell me the telephone number/);
    const fixed = [builtIn("transfer", { target: "+15550100" })];
    expect((await said("Can I speak to a manager?", fixed)).calls).toEqual([{ name: "transfer", arguments: {} }]);
  });

  test("send_dtmf takes the digits that are named", async () => {
    expect(await called("Press one two 3, then star and pound.")).toEqual([
      { name: "send_dtmf", arguments: { digits: "123*#" } },
    ]);
    expect((await said("Press a key.", TOOLS)).text).toMatch(/^Please tell me the keys/);
  });

  test("switch_language takes a language by its English or its own name, and continues in it", async () => {
    expect(await called("Can we speak German, please?")).toEqual([
      { name: "switch_language", arguments: { language: "de" } },
    ]);
    expect(await called("En français, s'il vous plaît.")).toEqual([
      { name: "switch_language", arguments: { language: "fr" } },
    ]);
    expect(await called("Do you sell French bread?")).toEqual([]);
    expect(await called("Do you speak English?")).toEqual([]);
    const messages: Message[] = [...conversation("Deutsch, bitte."), ...round("switch_language", "Go on in de.")];
    expect((await ask({ messages, tools: TOOLS, language: "de" })).text).toBe("Guten Tag, wie kann ich Ihnen helfen?");
  });

  test("hang_up is called for a goodbye and on request", async () => {
    expect(await called("You can hang up now.")).toEqual([{ name: "hang_up", arguments: {} }]);
    expect(await called("Please don't hang up.")).toEqual([]);
    expect(await called("I won't hang up.")).toEqual([]);
    expect(await called("You will not transfer me to 5550100.")).toEqual([]);
  });
});

describe("other languages", () => {
  test("call tools by names and values", async () => {
    const tools = [
      tool("bestellung", "Sagt, wo eine Bestellung ist.", object({ nummer: text() }, ["nummer"])),
      tool("licht", "Schaltet das Licht.", object({ zimmer: text({ enum: ["küche", "bad"] }) }, ["zimmer"])),
    ];
    expect((await said("Wo ist meine Bestellung, Nummer 4711?", tools, "de")).calls).toEqual([
      { name: "bestellung", arguments: { nummer: "4711" } },
    ]);
    expect((await said("Licht im Bad, bitte.", tools, "de")).calls).toEqual([
      { name: "licht", arguments: { zimmer: "bad" } },
    ]);
    expect((await said("Wo ist das Bad?", tools, "de")).calls).toEqual([]);
    expect((await said("Licht!", tools, "de")).text).toBe("Bitte nennen Sie mir: zimmer: küche oder bad.");
  });

  test("name values in scripts without spaces", async () => {
    const weather = tool("天气", "查询天气", object({ city: text({ enum: ["北京", "上海"] }) }, ["city"]));
    const messages = conversation("天气", "Please tell me the city: 北京 or 上海.", "我在上海。");
    expect((await ask({ messages, tools: [weather], language: "zh" })).calls).toEqual([
      { name: "天气", arguments: { city: "上海" } },
    ]);
  });
});
