import OpenAI, { APIError } from 'openai';
import { citySchema, type Door, numbersSchema, type OpenAiClient, question } from './client.ts';

const open = (door: Door) => new OpenAI({ ...door, maxRetries: 0 });
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: question }];
const functionOf = (name: string) => ({ name, description: 'Computes', parameters: { ...numbersSchema } });

/** The official package of OpenAI. */
export const openaiPackage: OpenAiClient = {
  name: 'openai',
  async chat(door, model) {
    const { choices, usage } = await open(door).chat.completions.create({ model, messages });
    return {
      text: choices[0]?.message.content ?? '',
      usage: { input: usage?.prompt_tokens, output: usage?.completion_tokens },
    };
  },
  async stream(door, model) {
    const stream = open(door).chat.completions.stream({
      model,
      messages,
      stream_options: { include_usage: true },
    });
    const { choices, usage } = await stream.finalChatCompletion();
    return {
      text: choices[0]?.message.content ?? '',
      usage: { input: usage?.prompt_tokens, output: usage?.completion_tokens },
    };
  },
  async tools(door, model, name, isStream) {
    const calls: unknown[] = [];
    const client = open(door).chat.completions;
    const compute = {
      type: 'function' as const,
      function: {
        ...functionOf(name),
        parse: (json: string): unknown => JSON.parse(json),
        function: (args: unknown) => {
          calls.push(args);
          return '42';
        },
      },
    };
    const body = { model, messages, tools: [compute] as const };
    const runner = isStream ? client.runTools({ ...body, stream: true as const }) : client.runTools(body);
    return { text: (await runner.finalContent()) ?? '', calls };
  },
  async structured(door, model) {
    const { choices } = await open(door).chat.completions.parse({
      model,
      messages,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'city', strict: true, schema: { ...citySchema } },
      },
    });
    return JSON.parse(choices[0]?.message.content ?? '');
  },
  async vision(door, model, url) {
    const content = [
      { type: 'text' as const, text: 'What is it?' },
      { type: 'image_url' as const, image_url: { url, detail: 'low' as const } },
    ];
    const { choices } = await open(door).chat.completions.create({
      model,
      messages: [{ role: 'user', content }],
    });
    return choices[0]?.message.content ?? '';
  },
  async embed(door, model, input) {
    // The package asks for base64 and decodes it.
    const { data } = await open(door).embeddings.create({ model, input });
    return [...(data[0]?.embedding ?? [])];
  },
  async respond(door, model) {
    const { output_text: text, usage } = await open(door).responses.create({ model, input: question });
    return { text, usage: { input: usage?.input_tokens, output: usage?.output_tokens } };
  },
  async respondStream(door, model) {
    const stream = open(door).responses.stream({ model, input: question, instructions: 'Be brief.' });
    const { output_text: text, usage } = await stream.finalResponse();
    return { text, usage: { input: usage?.input_tokens, output: usage?.output_tokens } };
  },
  async respondTools(door, model, name, isStream) {
    const client = open(door).responses;
    const tools = [{ type: 'function' as const, ...functionOf(name), strict: true }];
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: question }];
    const ask = () =>
      isStream
        ? client.stream({ model, input, tools }).finalResponse()
        : client.create({ model, input, tools });
    const { output } = await ask();
    const calls: unknown[] = [];
    for (const item of output) {
      if (item.type !== 'function_call') continue;
      calls.push(JSON.parse(item.arguments));
      input.push(item, { type: 'function_call_output', call_id: item.call_id, output: '42' });
    }
    return { calls, text: (await ask()).output_text };
  },
  async error(door, model) {
    const failed = await open(door)
      .chat.completions.create({ model, messages })
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    if (!(failed instanceof APIError))
      throw new Error('The package made no APIError of it', { cause: failed });
    return { status: failed.status as number | undefined, code: failed.code ?? undefined };
  },
  async abort(door, model) {
    const stream = await open(door).chat.completions.create({ model, messages, stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) return stream.controller.abort();
  },
};
