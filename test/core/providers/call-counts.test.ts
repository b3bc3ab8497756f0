import { expect, it } from 'vitest';
import { CallCounts } from '../../../src/core/providers/call-counts.ts';
import type { AnswerPart, ResolvedModel } from '../../../src/core/providers/resolved-model.ts';
import type { UsageRecord } from '../../../src/core/usage/usage-record.ts';

const said: AnswerPart = { type: 'text-delta', id: '0', delta: 'x'.repeat(50) };
const finish = (input: number | undefined, output: number | undefined): AnswerPart => ({
  type: 'finish',
  finishReason: { unified: 'other', raw: undefined },
  usage: {
    inputTokens: { total: input, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: undefined, reasoning: undefined },
  },
});
const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'y'.repeat(100) }] }];

/** What the ledger gets of a call that takes the parts and then fails. */
function recordedOf(parts: readonly AnswerPart[], model: Partial<ResolvedModel> = {}): UsageRecord[] {
  const records: UsageRecord[] = [];
  const counts = new CallCounts({
    metrics: { begin: () => () => undefined, showsContent: false },
    usage: { record: (record) => void records.push(record) },
  });
  const call = counts.begin({
    provider: 'openai',
    modelId: 'm',
    price: { input: 1, output: 2 },
    usedBy: { userId: 'ann' },
    ...model,
  } as ResolvedModel);
  call.sent({ prompt });
  call.take(parts);
  call.end({ failure: 'broken_off' });
  call.end({ failure: 'cancelled' });
  return records;
}

it('counts an answer that broke off once: as reported, and estimated where it was not', () => {
  const use = (inputTokens: number, outputTokens: number) => [
    { inputTokens, outputTokens, costUsd: (inputTokens + 2 * outputTokens) / 1e6 },
  ];
  expect(recordedOf([said, finish(31, 17)])).toMatchObject(use(31, 17));
  expect(recordedOf([said, finish(31, undefined)])).toMatchObject(use(31, 10));
  expect(recordedOf([said, said])).toMatchObject(use(20, 20));
  // Reported, but not said: the reasoning of some models.
  expect(recordedOf([finish(31, 17)])).toMatchObject(use(31, 17));
});

it('has no cost without a price, and counts nothing that nobody used', () => {
  expect(recordedOf([said], { price: undefined })).toMatchObject([
    { inputTokens: 20, outputTokens: 10, costUsd: undefined },
  ]);
  expect(recordedOf([])).toEqual([]);
  expect(recordedOf([finish(undefined, undefined)])).toEqual([]);
  expect(recordedOf([said], { usedBy: undefined })).toEqual([]);
});
