import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/core/errors.ts';
import { sourceReaders } from '../../../../src/core/integrations/inbound/source-readers.ts';
import type { SourceEvent } from '../../../../src/core/integrations/inbound/source-work.ts';
import { recordedDeliveries, rulesWith } from '../../../helpers/deliveries.ts';
import { hasSharedFixtures } from '../../../helpers/shared-fixture.ts';
import { sized } from '../../../helpers/long.ts';

const vendors = [
  ['github', 'bug', /^(issue|pull|check_run|workflow_run|derived)/],
  ['jira', 'ai', /./],
  ['linear', 'ai', /./],
] as const;
const readers = {
  github: await sourceReaders.github(),
  jira: await sourceReaders.jira(),
  linear: await sourceReaders.linear(),
};
const rulesFor = (aiTaskLabel: string) =>
  rulesWith({ aiTaskLabel, botAccount: 'agent', checks: 'all', commenters: 'members' });

const oddValues = fc.oneof(
  fc.constantFrom(
    null,
    undefined,
    '',
    '\0',
    '\ud800',
    'bug',
    'ai',
    'agent',
    '/ai x',
    '@agent x',
    -1,
    1e308,
    true,
  ),
  fc.constantFrom({}, [], [null], { toString: 5 }, { type: 'doc', content: [{ type: 'text', text: 'x' }] }),
  fc.anything({ maxDepth: 2, maxKeys: 3 }),
);

/** The places in a document where something can be put instead, or taken out. */
function placesOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    [...path, key],
    ...(path.length < 4 ? placesOf(inner, [...path, key]) : []),
  ]);
}

function change(document: unknown, path: readonly string[], value: unknown): void {
  let at = document;
  for (const key of path.slice(0, -1)) {
    if (typeof at !== 'object' || at === null) return;
    at = (at as Record<string, unknown>)[key];
  }
  const last = path.at(-1);
  if (typeof at !== 'object' || at === null || last === undefined) return;
  if (value === undefined) delete (at as Record<string, unknown>)[last];
  else (at as Record<string, unknown>)[last] = value;
}

function expectSound({ event, verdict }: SourceEvent): void {
  expect(typeof event).toBe('string');
  if ('ignored' in verdict) {
    expect(verdict.ignored.length).toBeGreaterThan(5);
    return;
  }
  const { work } = verdict;
  expect(work.title.trim()).not.toBe('');
  expect(work.sourceId).not.toBe('');
  expect(work.contentKey.startsWith(work.sourceId)).toBe(true);
  expect([1, 2, 3, 4]).toContain(work.priority);
  for (const text of [work.title, work.description, work.prompt ?? '', ...work.labels])
    expect(text.isWellFormed() && !text.includes('\0') && !text.includes('\r\n')).toBe(true);
}

describe.skipIf(!hasSharedFixtures).each(vendors)(
  'recorded deliveries of %s',
  (vendor, label, isOfInterest) => {
    const deliveries = recordedDeliveries(vendor).filter(({ id }) =>
      isOfInterest.test(id.split('/')[1] ?? ''),
    );

    it('reads recorded deliveries with random values in any field', () => {
      let works = 0;
      const changed = fc.constantFrom(...deliveries).chain(({ headers, payload }) =>
        fc
          .array(fc.tuple(fc.constantFrom(...placesOf(payload)), oddValues), { minLength: 1, maxLength: 4 })
          .map((changes) => {
            const document = structuredClone(payload);
            for (const [path, value] of changes) change(document, path, value);
            return { headers, payload: document };
          }),
      );
      fc.assert(
        fc.property(changed, (delivery) => {
          let read: SourceEvent;
          try {
            read = readers[vendor](delivery, () => rulesFor(label));
          } catch (error) {
            expect(error).toBeInstanceOf(AppError);
            expect(error).toMatchObject({ code: 'validation' });
            return;
          }
          expectSound(read);
          if ('work' in read.verdict) works++;
        }),
        { numRuns: sized(200, 1500) },
      );
      expect(works).toBeGreaterThan(0);
    });
  },
);

describe.each(vendors)('random deliveries of %s', (vendor, label) => {
  it('reads random input or rejects it as no delivery', () => {
    fc.assert(
      fc.property(fc.anything(), fc.string(), (payload, event) => {
        try {
          expectSound(
            readers[vendor]({ headers: { 'x-github-event': event }, payload }, () => rulesFor(label)),
          );
        } catch (error) {
          expect(error).toMatchObject({ name: 'AppError', code: 'validation' });
        }
      }),
    );
  });
});
