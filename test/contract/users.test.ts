import { describe, expect, it } from 'vitest';
import { emailSchema } from '../../src/contract/users.ts';

describe('an e-mail address', () => {
  it.each([
    'ann@example.org',
    'Ann+tag@mail.example.co.uk',
    "o'neil@a-b.io",
    'x@xn--bcher-kva.de',
    `${'a'.repeat(64)}@b.cc`,
    'ann@host.EXAMPLE',
    'ann@host.test',
  ])('that mail can reach is accepted: %s', (email) =>
    expect(emailSchema.parse(email)).toBe(email.toLowerCase()),
  );
  it.each([
    'ann',
    'ann@localhost',
    'ann@127.0.0.1',
    'ann@[127.0.0.1]',
    'ann@host.localhost',
    'ann@host.invalid',
    'ann@host.onion',
    'ann@-a.org',
    'ann@a-.org',
    'ann@a..org',
    'ann@a.org.',
    'ann@a.1',
    'ann.@a.org',
    '.ann@a.org',
    'a..b@a.org',
    'a b@a.org',
    'a@b@c.org',
    `${'a'.repeat(65)}@b.cc`,
    `a@${'b'.repeat(64)}.cc`,
    `a@${`${'b'.repeat(60)}.`.repeat(5)}cc`,
    'ann@a.org\n',
    'ann@a.org\r\nBcc: eve@a.org',
  ])('that no mail can reach is refused: %s', (email) =>
    expect(emailSchema.safeParse(email).success).toBe(false),
  );
});
