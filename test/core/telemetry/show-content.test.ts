import { expect, it } from 'vitest';
import { showContent } from '../../../src/core/telemetry/show-content.ts';
import { MAX_TEXT } from '../../../src/core/telemetry/telemetry.ts';
import { maskValue } from '../../../src/core/tools/mask-secrets.ts';

const show = showContent(maskValue);

it('shows texts and JSON without secrets and bytes', () => {
  const image = { type: 'file', data: new Uint8Array(10_000), url: new URL('data:image/png;base64,AAAA') };
  const shown = show([{ role: 'user', content: ['Hello', image] }, { password: 'planted-secret' }]);
  expect(shown).toContain('Hello');
  expect(shown).toContain('[10000 bytes]');
  expect(shown).not.toMatch(/planted|AAAA/);
  expect(show('plain text')).toBe('plain text');
});

it('cuts texts once they are masked, so that no half of a secret remains', () => {
  const secret = `sk-ant-api03-${'planted0'.repeat(11)}`;
  const shown = show([`${'x'.repeat(MAX_TEXT - 40)} ${secret} and more`]);
  expect(shown).not.toContain('planted');
  expect(show('y'.repeat(MAX_TEXT + 1))).toBe('y'.repeat(MAX_TEXT));
});
