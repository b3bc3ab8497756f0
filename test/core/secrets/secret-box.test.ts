import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isSealed, SecretBox } from '../../../src/core/secrets/secret-box.ts';

const box = new SecretBox(randomBytes(32));

describe('a sealed secret', () => {
  it.each(['', 'x', 'héllo 世界', 'a'.repeat(10_000)])('opens a sealed secret: %#', (secret) => {
    const sealed = box.seal(secret, 'here');
    expect(isSealed(sealed)).toBe(true);
    expect(box.open(sealed, 'here')).toBe(secret);
  });

  it('sealing hides the secret and is never the same twice', () => {
    const sealed = Array.from({ length: 100 }, () => box.seal('the same secret', 'here'));
    expect(new Set(sealed).size).toBe(100);
    for (const text of sealed) expect(text).not.toContain('the same');
  });

  it('refuses a sealed text that was moved, changed or sealed with another key', () => {
    const sealed = box.seal('secret', 'here');
    const refused = { code: 'unavailable' };
    expect(() => box.open(sealed, 'there')).toThrow(expect.objectContaining(refused));
    expect(() => new SecretBox(randomBytes(32)).open(sealed, 'here')).toThrow(
      expect.objectContaining(refused),
    );
    const [, , text = ''] = sealed.split(':');
    const bytes = Buffer.from(text, 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => box.open(`sealed:v1:${changed.toString('base64url')}`, 'here')).toThrow();
    }
    for (const broken of ['', 'secret', 'sealed:v1:', 'sealed:v1:AAAA', sealed.slice(0, -8)])
      expect(() => box.open(broken, 'here')).toThrow(expect.objectContaining(refused));
  });
});
