import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Config } from '../../../src/core/config/config.ts';
import { requireProSettings } from '../../../src/core/config/require-pro-settings.ts';
import { startDaemon, temporaryFolder } from '../../helpers/daemon.ts';

const urls = { DATABASE_URL: 'postgres://svc@localhost/svc', QUEUE_STORE_URL: 'redis://localhost' };
const configOf = (env: Record<string, string>) =>
  new Config({ env, settingsFile: '/nonexistent/settings.json' });

it('a daemon in mode pro names all that it needs and the next command', async () => {
  await expect(startDaemon({ env: { SVC_MODE: 'pro' } })).rejects.toMatchObject({
    code: 'configuration',
    message: expect.stringMatching(
      /^Mode pro needs .*DATABASE_URL.*, .*QUEUE_STORE_URL.* and .*SVC_MASTER_SEED_FILE.*: svc cluster init$/,
    ),
  });
});

it('names only what is missing', () => {
  const seedFile = join(temporaryFolder(), 'seed');
  writeFileSync(seedFile, `${'1'.repeat(64)}\n`);
  const env = { SVC_MODE: 'pro', DATABASE_URL: urls.DATABASE_URL };
  expect(() => requireProSettings(configOf(env), seedFile)).toThrow(
    'Mode pro needs the URL of Redis in QUEUE_STORE_URL (queue.redis.url)',
  );
  expect(() => requireProSettings(configOf({ SVC_MODE: 'pro', ...urls }), seedFile)).not.toThrow();
});

it('other modes need nothing', () => {
  expect(() => requireProSettings(configOf({ SVC_MODE: 'pico' }), '/nonexistent/seed')).not.toThrow();
});
