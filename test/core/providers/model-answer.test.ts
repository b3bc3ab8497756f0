import { describe, expect, it } from 'vitest';
import type { ModelProviderType } from '../../../src/contract/providers.ts';
import { readModels } from '../../../src/core/providers/model-answer.ts';
import { hasSharedFixtures, sharedFixture } from '../../helpers/shared-fixture.ts';

describe('the list of a vendor', () => {
  it.skipIf(!hasSharedFixtures).each<[ModelProviderType, string, object[]]>([
    ['openai', 'openai/models-json.doc', [{ id: 'gpt-4o', contextWindow: 128_000 }]],
    [
      'openrouter',
      'openrouter/models-json.doc',
      [{ id: 'openai/gpt-4', name: 'GPT-4', contextWindow: 8192 }],
    ],
    ['ollama', 'ollama/models-json.doc-tags', [{ id: 'deepseek-r1:latest' }, { id: 'llama3.2:latest' }]],
  ])('reads the documented model list of %s', (provider, file, expected) => {
    const answer = readModels(provider, sharedFixture(`providers/${file}.json`));
    expect(answer?.models).toHaveLength(expected.length);
    expect(answer?.models).toMatchObject(expected);
  });

  it.each<[ModelProviderType, unknown, object]>([
    [
      'google',
      {
        models: [
          {
            name: 'models/gemini-x',
            displayName: 'Gemini X',
            inputTokenLimit: 1000,
            thinking: true,
            supportedGenerationMethods: ['generateContent'],
          },
          { name: 'models/other', supportedGenerationMethods: ['predict'] },
        ],
        nextPageToken: 'next',
      },
      {
        models: [
          {
            id: 'gemini-x',
            provider: 'google',
            name: 'Gemini X',
            contextWindow: 1000,
            supportsReasoning: true,
          },
        ],
        next: 'next',
      },
    ],
    [
      'mistral',
      {
        data: [
          {
            id: 'm',
            max_context_length: 10,
            capabilities: { completion_chat: true, function_calling: false },
          },
          { id: 'n', capabilities: { completion_chat: false } },
        ],
      },
      {
        models: [{ id: 'm', provider: 'mistral', name: 'm', contextWindow: 10, supportsTools: false }],
        next: undefined,
      },
    ],
    [
      'together',
      [
        { id: 'a/b', type: 'chat', display_name: 'B', context_length: 5 },
        { id: 'a/c', type: 'embedding' },
      ],
      { models: [{ id: 'a/b', provider: 'together', name: 'B', contextWindow: 5 }], next: undefined },
    ],
    [
      'cohere',
      { models: [{ name: 'command', context_length: 7, features: ['tools'] }], next_page_token: 'p2' },
      {
        models: [
          {
            id: 'command',
            provider: 'cohere',
            name: 'command',
            contextWindow: 7,
            supportsTools: true,
            supportsReasoning: false,
          },
        ],
        next: 'p2',
      },
    ],
    ['openai', { data: [null, 5, {}, { id: 7 }, { id: 'x'.repeat(500) }] }, { models: [], next: undefined }],
  ])('reads the model list with the field names of %s', (provider, body, expected) => {
    const { models, next } = readModels(provider, body) ?? {};
    expect({ models, next }).toEqual(expected);
  });

  it.each([null, 'text', 5, {}, { data: 'none' }, { error: 'no' }])(
    'rejects an invalid model list: %o',
    (body) => {
      expect(readModels('openai', body)).toBeUndefined();
    },
  );
});
