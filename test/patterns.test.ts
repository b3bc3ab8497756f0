import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { jiraMentionOf, mentionOf } from '../src/core/integrations/inbound/mentions.ts';
import { everyNth } from './helpers/long.ts';
import { canRead, pump, pumpsOf } from './helpers/feed-pattern.ts';
import { allRoutes } from './helpers/routes.ts';
import { schemasOf } from './helpers/schema-fields.ts';
import {
  builtPatterns,
  filesThatBuildPatterns,
  literalPatterns,
  type SourcePattern,
} from './helpers/source-patterns.ts';

const literals = literalPatterns();
/** Those of a model run in a thread of their own, which is ended; those of the command line meet its own text. */
const elsewhere = [
  'src/core/tools/files/grep.ts',
  'src/core/integrations/inbound/mentions.ts',
  'src/cli/ids/resolve-id.ts',
  'src/cli/commands/devices/format-fingerprint.ts',
  'src/cli/commands/auth/sign-in.ts',
  // Of classes alone, one for each byte of a text.
  'src/core/text/bytes-finder.ts',
];

function expectLinear({ source, flags, files }: SourcePattern): void {
  const pattern = new RegExp(source, flags);
  for (const unit of pumpsOf(source))
    expect(canRead(pattern, pump(unit)), `/${source}/${flags} of ${files.join(', ')}: ${unit}`).toBe(true);
}

describe('the regular expressions', () => {
  it('are found', () => {
    expect(literals.length).toBeGreaterThan(400);
    expect(literals.flatMap(({ files }) => files)).toContain('src/daemon/access.ts');
  });

  it.each([
    ['a quadratic one', /[?&][^=&]*=x/, '?'],
    ['an exponential one', /^(?:a|a)*$/, 'a'],
    ['one that looks for its end', /\s+$/, '\t'],
  ])(
    'would be stopped: %s',
    (_, pattern, unit) => {
      expect(canRead(pattern, pump(unit), 200)).toBe(false);
    },
    60_000,
  );

  it('of the sources read a megabyte of their worst text', () => {
    for (const literal of everyNth(10, literals)) expectLinear(literal);
  }, 600_000);

  it('that are built when a module is loaded do, too', async () => {
    const files = filesThatBuildPatterns().filter((file) => !elsewhere.includes(file));
    expect(files).not.toEqual([]);
    for (const file of files) {
      const patterns = await builtPatterns(file);
      expect(patterns, file).not.toEqual([]);
      everyNth(4, patterns).forEach(expectLinear);
    }
  }, 600_000);

  it('of names that people give do, too', () => {
    for (const pattern of [mentionOf('some-bot[bot]'), jiraMentionOf('712020:some-bot')])
      expectLinear({ source: pattern.source, flags: pattern.flags, files: ['mentions.ts'] });
  }, 600_000);

  it('of the contract do, too', () => {
    const schemas = allRoutes.flatMap(({ route }) =>
      [route.params, route.query, route.headers, route.body].flatMap((schema) =>
        schema ? schemasOf(schema) : [],
      ),
    );
    const patterns = new Map(
      schemas.flatMap(patternsOf).map((pattern) => [String(pattern), pattern] as const),
    );
    expect(patterns.size).toBeGreaterThan(5);
    for (const { source, flags } of patterns.values())
      expectLinear({ source, flags, files: ['the contract'] });
  }, 600_000);
});

/** What zod tests a text with, such as an e-mail address. */
const patternsOf = (schema: z.ZodType): RegExp[] => {
  const { pattern, checks = [] } = schema._zod.def as { pattern?: RegExp; checks?: z.core.$ZodCheck[] };
  const ofChecks = checks.map((check) => (check._zod.def as { pattern?: RegExp }).pattern);
  return [pattern, ...ofChecks].filter((each) => each instanceof RegExp);
};
