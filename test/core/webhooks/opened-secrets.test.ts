import { expect, it } from 'vitest';
import { SecretBox } from '../../../src/core/secrets/secret-box.ts';
import { OpenedSecrets } from '../../../src/core/webhooks/opened-secrets.ts';

it('opens a secret once, another one after a change, and none in the place of another webhook', () => {
  const box = new SecretBox(Buffer.alloc(32, 1));
  let count = 0;
  const secrets = new OpenedSecrets({
    open: (sealed, context) => {
      count++;
      return box.open(sealed, context);
    },
  });
  const sealed = box.seal('first', 'webhooks:1');
  expect([secrets.open(sealed, 'webhooks:1'), secrets.open(sealed, 'webhooks:1')]).toEqual([
    'first',
    'first',
  ]);
  expect(count).toBe(1);
  expect(secrets.open(box.seal('second', 'webhooks:1'), 'webhooks:1')).toBe('second');
  expect(() => secrets.open(sealed, 'webhooks:2')).toThrow('cannot be read');
});
