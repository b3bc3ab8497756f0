import { describe, expect, it } from 'vitest';
import { isAiSelfReference } from '../../../../src/core/memory/learned/ai-self-reference.ts';

const ofAModel = [
  'As an AI language model, I cannot do that.',
  'As an AI, I have no opinion',
  'as a large language model I do not know',
  'As a language model, it is not appropriate',
  'As an AI language model…',
  'Sorry, but as an AI assistant, I am not able to see this',
  'I am an AI',
  "I'm just an AI assistant, so I can't see your screen",
  'I’m an AI',
  'I am an A.I. and know nothing',
  'I am a large language model trained by OpenAI',
  'I AM AN ARTIFICIAL INTELLIGENCE',
  'I was trained by Anthropic',
  'My training data only goes up to 2023',
  'My knowledge cutoff is April 2024',
  'my knowledge cut-off is April',
  'As of my last knowledge update, this was right',
  'I cannot browse the internet',
  "I can't browse the web or open links",
  'I cannot browse.',
  'I am unable to browse the internet, so here is a guess',
  "I'm sorry, but I can't assist with that request.",
  'I cannot help with that request',
  "I don't have access to real-time information",
  'I do not have personal opinions',
  'First step done.\nAs an AI language model, I cannot go on.',
  'Ich bin eine KI',
  'Als KI-Sprachmodell kann ich das nicht',
  "En tant qu'IA, je ne peux pas",
  'Como modelo de lenguaje, no puedo',
  'I\u200b am an AI',
  'Ｉ am an AI',
];
const honest = [
  'Rotate the API key in settings',
  "The model's token limit is 8192; split the prompt",
  'I am an AI engineer and work on gateways',
  "I'm building an AI gateway",
  'Use the endpoint as an AI model gateway',
  'Configure svc as an AI assistant for the team',
  'Remove the sentence "As an AI language model, I cannot" from answers',
  "Filter out 'I am an AI' before the text is stored",
  'My training data is in S3; load it with the loader',
  'I cannot browse the internal wiki without VPN',
  'I cannot access the internet from the container: the proxy is missing',
  'Train the language model on our data',
  'The knowledge cutoff of a model is in its card',
  'The agent cannot browse the internet in sandbox mode',
  'My name is Claude',
  'Tell the model that it is an AI reviewer',
  'Als Tabelle ausgeben',
];

it.each(ofAModel)('detects a model talking about itself: %s', (text) => {
  expect(isAiSelfReference(text, false)).toBe(true);
  expect(isAiSelfReference(text, true)).toBe(true);
});

it.each(honest)('accepts what a person says: %s', (text) => {
  expect(isAiSelfReference(text, false)).toBe(false);
});

describe('text from a run', () => {
  it.each([
    'My training data holds nothing on this',
    'I cannot browse internal pages',
    'My name is Claude',
    'I was instructed to use tabs',
  ])('rejects from a run: %s', (text) => {
    expect(isAiSelfReference(text, false)).toBe(false);
    expect(isAiSelfReference(text, true)).toBe(true);
  });

  it.each([
    'Rotate the API key in settings',
    "The model's token limit is 8192; split the prompt",
    'Use the endpoint as an AI model gateway',
    'Remove the sentence "As an AI language model, I cannot" from answers',
    'The agent cannot browse the internet in sandbox mode',
    'I fixed the flaky test by waiting for the event',
  ])('accepts technical text from a run: %s', (text) => {
    expect(isAiSelfReference(text, true)).toBe(false);
  });
});

it('checks hostile texts quickly', () => {
  for (const piece of [
    '“',
    '«',
    '„',
    '"',
    "'",
    'as an ai ',
    'i am a ',
    'just ',
    'sorry, ',
    'my training was ',
  ]) {
    const text = piece.repeat(200_000 / piece.length);
    const start = performance.now();
    isAiSelfReference(text, true);
    // Quadratic work over this length takes far longer.
    expect(performance.now() - start, piece).toBeLessThan(5000);
  }
});
