import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { anonymous, promisedRoutes } from './helpers/promised-routes.ts';
import { allRoutes } from './helpers/routes.ts';

const root = new URL('..', import.meta.url).pathname;
const served = new Set(allRoutes.map(({ route: { method, path } }) => anonymous(`${method} ${path}`)));
const missing = (markdown: string) =>
  promisedRoutes(markdown).filter((route) => !served.has(anonymous(route)));

/** The interface lies beside the repository, in continuous integration always. */
function readInterface(): string | undefined {
  try {
    return readFileSync(`${root}../shared/spec/interface.md`, 'utf8');
  } catch {
    process.stderr.write('SKIPPED: there is no ../shared/spec/interface.md to hold the routes against\n');
    return undefined;
  }
}

describe('the contract', () => {
  const spec = readInterface();

  it.skipIf(spec === undefined && process.env['CI'] !== 'true')('has every route of the interface', () => {
    expect(spec, 'continuous integration needs ../shared').toBeDefined();
    expect(promisedRoutes(spec ?? '').length).toBeGreaterThan(105);
    expect(missing(spec ?? '')).toEqual([]);
  });

  it('has every route of the published reference', () => {
    const reference = readFileSync(`${root}docs/reference/api.md`, 'utf8');
    const headings = reference.match(/^### [A-Z]+ \/api\/.*$/gm) ?? [];
    expect(headings.length).toBeGreaterThanOrEqual(158);
    expect(missing(headings.join('\n'))).toEqual([]);
  });
});

describe('promisedRoutes', () => {
  it('reads tables, siblings in one cell, and sentences', () => {
    const markdown = `
| Method | Path | Request |
|---|---|---|
| DELETE | /api/integrations/codehost, /tracker_a | |
| GET | /api/auth/tracker_a, /api/auth/tracker_b | |
Setting it (PUT /api/auth/access-key) is for admins; see POST /api/dlq/:id/retry.`;
    expect(promisedRoutes(markdown)).toEqual([
      'DELETE /api/integrations/codehost',
      'DELETE /api/integrations/tracker_a',
      'GET /api/auth/tracker_a',
      'GET /api/auth/tracker_b',
      'PUT /api/auth/access-key',
      'POST /api/dlq/:id/retry',
    ]);
  });
});
