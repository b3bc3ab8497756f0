import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { citySchema, type Door, numbersSchema, type OpenAiClient, question } from './client.ts';

type Json = Record<string, unknown>;
type Message = { content: string | null; tool_calls?: { id: string; function: { arguments: string } }[] };
type Usage = { prompt_tokens: number; completion_tokens: number };
type Chat = { choices: { message: Message }[]; usage: Usage };
interface Chunk {
  choices: { delta: { content?: string; tool_calls?: { id?: string; function: { arguments: string } }[] } }[];
  usage?: Usage;
}

const run = promisify(execFile);
const flags = ({ apiKey }: Door, body: Json) => [
  '-sSN',
  '-H',
  `Authorization: Bearer ${apiKey}`,
  '-H',
  'Content-Type: application/json',
  '-d',
  JSON.stringify(body),
];

async function post<T>(door: Door, path: string, body: Json): Promise<T> {
  const { stdout } = await run('curl', [...flags(door, body), '--fail-with-body', `${door.baseURL}${path}`]);
  return JSON.parse(stdout) as T;
}

/** The data of each event of a stream. */
async function events<T>(door: Door, path: string, body: Json): Promise<T[]> {
  const { stdout } = await run('curl', [...flags(door, { ...body, stream: true }), `${door.baseURL}${path}`]);
  const data = [...stdout.matchAll(/^data: (.*)$/gm)].map(([, text = '']) => text);
  return data.filter((text) => text !== '[DONE]').map((text) => JSON.parse(text) as T);
}

const messages: Json[] = [{ role: 'user', content: question }];
const usageOf = (usage: Usage | undefined) => ({
  input: usage?.prompt_tokens,
  output: usage?.completion_tokens,
});

type Response = { output: Json[]; usage: { input_tokens: number; output_tokens: number } };
const textOf = ({ output }: Response) =>
  output
    .flatMap((item) => (item['content'] as { text: string }[] | undefined) ?? [])
    .map(({ text }) => text)
    .join('');
const responded = (response: Response) => ({
  text: textOf(response),
  usage: { input: response.usage.input_tokens, output: response.usage.output_tokens },
});
async function streamed(door: Door, body: Json): Promise<Response> {
  const sent = await events<{ type: string; response: Response }>(door, '/responses', body);
  const last = sent.at(-1);
  if (last?.type !== 'response.completed') throw new Error(`The stream ended with ${last?.type}`);
  return last.response;
}

/** What anybody has. */
export const curl: OpenAiClient = {
  name: 'curl',
  async chat(door, model) {
    const { choices, usage } = await post<Chat>(door, '/chat/completions', { model, messages });
    return { text: choices[0]?.message.content ?? '', usage: usageOf(usage) };
  },
  async stream(door, model) {
    const body = { model, messages, stream_options: { include_usage: true } };
    const chunks = await events<Chunk>(door, '/chat/completions', body);
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    return { text, usage: usageOf(chunks.at(-1)?.usage) };
  },
  async tools(door, model, name, isStream) {
    const tools = [{ type: 'function', function: { name, parameters: numbersSchema } }];
    const ask = async (all: Json[]): Promise<Message> => {
      const body = { model, messages: all, tools };
      if (!isStream)
        return (await post<Chat>(door, '/chat/completions', body)).choices[0]?.message ?? { content: null };
      const deltas = (await events<Chunk>(door, '/chat/completions', body)).flatMap(({ choices }) => choices);
      const calls = deltas.flatMap(({ delta }) => delta.tool_calls ?? []);
      const id = calls.find((call) => call.id !== undefined)?.id;
      const json = calls.map((call) => call.function.arguments).join('');
      return {
        content: deltas.map(({ delta }) => delta.content ?? '').join(''),
        ...(id !== undefined && { tool_calls: [{ id, function: { arguments: json } }] }),
      };
    };
    const { content, tool_calls: calls = [] } = await ask(messages);
    const made = calls.map((call) => ({ ...call, type: 'function', function: { name, ...call.function } }));
    const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: '42' }));
    const answer = await ask([...messages, { role: 'assistant', content, tool_calls: made }, ...results]);
    return {
      calls: calls.map((call) => JSON.parse(call.function.arguments) as unknown),
      text: answer.content ?? '',
    };
  },
  async structured(door, model) {
    const response_format = { type: 'json_schema', json_schema: { name: 'city', schema: citySchema } };
    const { choices } = await post<Chat>(door, '/chat/completions', { model, messages, response_format });
    return JSON.parse(choices[0]?.message.content ?? '');
  },
  async vision(door, model, url) {
    const content = [{ type: 'image_url', image_url: { url } }];
    const body = { model, messages: [{ role: 'user', content }] };
    return (await post<Chat>(door, '/chat/completions', body)).choices[0]?.message.content ?? '';
  },
  async embed(door, model, input) {
    const { data } = await post<{ data: { embedding: number[] }[] }>(door, '/embeddings', { model, input });
    return data[0]?.embedding ?? [];
  },
  respond: async (door, model) =>
    responded(await post<Response>(door, '/responses', { model, input: question })),
  respondStream: async (door, model) => responded(await streamed(door, { model, input: question })),
  async respondTools(door, model, name, isStream) {
    const tools = [{ type: 'function', name, parameters: numbersSchema }];
    const ask = (input: Json[]) =>
      isStream
        ? streamed(door, { model, input, tools })
        : post<Response>(door, '/responses', { model, input, tools });
    const { output } = await ask(messages);
    const calls = output.filter((item) => item['type'] === 'function_call');
    const results = calls.map((call) => ({
      type: 'function_call_output',
      call_id: call['call_id'],
      output: '42',
    }));
    const text = textOf(await ask([...messages, ...output, ...results]));
    return { calls: calls.map((call) => JSON.parse(String(call['arguments'])) as unknown), text };
  },
  async error(door, model) {
    const url = `${door.baseURL}/chat/completions`;
    const { stdout } = await run('curl', [...flags(door, { model, messages }), '-w', '\n%{http_code}', url]);
    const [body = '', status] = stdout.split('\n');
    return { status: Number(status), code: (JSON.parse(body) as { error: { code: string } }).error.code };
  },
  async abort(door, model) {
    const body = flags(door, { model, messages, stream: true });
    const child = spawn('curl', [...body, `${door.baseURL}/chat/completions`]);
    for await (const bytes of child.stdout) if (String(bytes).includes('"content":"')) break;
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  },
};
