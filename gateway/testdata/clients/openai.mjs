// Drives the official OpenAI client against the address in the first argument
// and prints what it saw as one JSON object.
import OpenAI from "openai";

const client = new OpenAI({ baseURL: process.argv[2], apiKey: "sk-test", maxRetries: 0, timeout: 20_000 });
const messages = [
  { role: "system", content: "You are Tovi." },
  { role: "user", content: "Was that a bell?" },
];
const seen = {};

const whole = await client.chat.completions.create({ model: "plain", messages, min_p: 0.05 });
seen.plain = { content: whole.choices[0].message.content, reasoning: whole.choices[0].message.reasoning_content, usage: whole.usage };

seen.stream = { parts: [], finish: null, usage: null };
const stream = await client.chat.completions.create({ model: "plain", messages, stream: true, stream_options: { include_usage: true } });
for await (const chunk of stream) {
  const choice = chunk.choices[0];
  if (choice?.delta?.content) seen.stream.parts.push(choice.delta.content);
  if (choice?.finish_reason) seen.stream.finish = choice.finish_reason;
  if (chunk.usage) seen.stream.usage = chunk.usage.total_tokens;
}

const tools = [{ type: "function", function: { name: "ring", parameters: { type: "object", properties: { times: { type: "integer" } } } } }];
let call = "";
for await (const chunk of await client.chat.completions.create({ model: "tools", messages, tools, stream: true })) {
  call += chunk.choices[0]?.delta?.tool_calls?.[0]?.function?.arguments ?? "";
}
seen.tools = JSON.parse(call);

const endless = await client.chat.completions.create({ model: "endless", messages, stream: true });
seen.abort = 0;
for await (const _ of endless) {
  seen.abort += 1;
  endless.controller.abort();
}

seen.models = [];
for await (const model of client.models.list()) seen.models.push(model.id);

seen.errors = {};
for (const model of ["busy", "broken", "forbidden"]) {
  try {
    await client.chat.completions.create({ model, messages });
    seen.errors[model] = "none";
  } catch (error) {
    seen.errors[model] = { name: error.constructor.name, status: error.status, type: error.type, after: error.headers?.get("retry-after") ?? null };
  }
}
console.log(JSON.stringify(seen));
