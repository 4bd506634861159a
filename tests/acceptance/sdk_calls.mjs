// Makes the calls that stdin names with the official SDK; what came of each goes to stdout.
import { readFileSync } from "node:fs";
import OpenAI from "openai";

const { baseURL, headers, calls } = JSON.parse(readFileSync(0, "utf8"));
const client = new OpenAI({ baseURL, apiKey: "x", maxRetries: 0, defaultHeaders: headers });

async function made(body, options) {
  const values = [];
  try {
    const answer = await client.chat.completions.create(body, options);
    if (body.stream) for await (const chunk of answer) values.push(chunk);
    else values.push(answer);
    return { values, error: null };
  } catch (error) {
    const { status, message, code, param, type } = error;
    const retryAfter = error.headers?.get?.("retry-after") ?? null;
    return { values, error: { is: error.constructor.name, status, message, code, param, type, retryAfter } };
  }
}

const outcomes = [];
for (const { body, options } of calls) outcomes.push(await made(body, options));
process.stdout.write(JSON.stringify(outcomes));
