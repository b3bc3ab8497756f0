import { describe, expect, it } from 'vitest';
import { programOf } from '../../../../../src/web/pages/settings/sessions/program-of.ts';

describe('the program of a session', () => {
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
    ],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/140.0 Safari/537.36', 'Chrome on macOS'],
    ['Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0', 'Edge on Windows'],
    ['svc/0.1.0', 'svc/0.1.0'],
  ])('is known by its user agent %s', (userAgent, name) => {
    expect(programOf(userAgent)).toBe(name);
  });

  it('is never a whole long header', () => {
    expect(programOf('x'.repeat(1000))).toHaveLength(80);
  });
});
