import { expect, it } from 'vitest';
import { forProvider, toCallSettings } from '../../../src/core/openai-api/call-settings.ts';

it('leaves to the provider what is null or absent', () => {
  expect(toCallSettings({})).toEqual({});
  expect(toCallSettings({ temperature: null, topP: null, tools: null, toolChoice: null, stop: [] })).toEqual(
    {},
  );
});

it('keeps what is 0', () => {
  expect(toCallSettings({ temperature: 0, seed: 0, topP: 0 })).toEqual({ temperature: 0, seed: 0, topP: 0 });
});

it('names the tool that must be called', () => {
  expect(toCallSettings({ tools: [{ name: 'f' }], toolChoice: { name: 'f' } })).toEqual({
    tools: [{ type: 'function', name: 'f', inputSchema: { type: 'object', properties: {} } }],
    toolChoice: { type: 'tool', toolName: 'f' },
  });
});

it('asks for a JSON schema as strictly as the request does', () => {
  const schema = { type: 'object' };
  const { responseFormat, providerOptions } = toCallSettings({ format: { name: 'x', schema, strict: true } });
  expect(responseFormat).toEqual({ type: 'json', schema, name: 'x' });
  expect(providerOptions).toMatchObject({
    openai: { strictJsonSchema: true },
    openaiCompatible: { strictJsonSchema: true },
  });
  expect(toCallSettings({ format: 'json' })).toEqual({ responseFormat: { type: 'json' } });
});

it('forbids parallel calls under the name of each package, and of a server', () => {
  const request = { prompt: [], ...toCallSettings({ parallelCalls: false }) };
  expect(request.providerOptions).toMatchObject({
    openai: { parallelToolCalls: false },
    anthropic: { disableParallelToolUse: true },
  });
  expect(forProvider(request, 'my-llm').providerOptions).toMatchObject({
    'my-llm': { parallel_tool_calls: false },
  });
  expect(forProvider(request, 'openai')).toBe(request);
  const plain = { prompt: [] };
  expect(forProvider(plain, 'my-llm')).toBe(plain);
});
