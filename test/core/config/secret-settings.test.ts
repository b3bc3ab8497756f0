import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startDaemon } from '../../helpers/daemon.ts';
import { storedTexts } from '../../helpers/daemon-rows.ts';
import { isPro } from '../../helpers/pro.ts';

const key = 'integrations.github.clientSecret';
const secret = 'gh-client-secret-1234567890';

describe('a secret setting', () => {
  it('a secret setting is stored sealed, masked in every answer, and survives a restart', async () => {
    await using daemon = await startDaemon();
    const answer = await daemon.client.config.update({ params: { key }, body: { value: secret } });
    expect(answer.setting).toMatchObject({ value: '••••••••', origin: 'settings' });
    const list = await daemon.client.config.list();
    expect(JSON.stringify([answer, list])).not.toContain(secret);
    if (!isPro) expect(statSync(`${daemon.home}/settings.json`).mode & 0o777).toBe(0o600);
    expect(daemon.app.config.secret(key)).toBe(secret);
    await daemon.stop();
    const stored = (await storedTexts(daemon)).join('');
    expect(stored).not.toContain(secret);
    expect(stored).toContain('sealed:v1:');
    await using again = await startDaemon({ home: daemon.home });
    expect(again.app.config.secret(key)).toBe(secret);
    await again.client.config.update({ params: { key }, body: { value: null } });
    expect(again.app.config.secret(key)).toBeUndefined();
    await again.stop();
  });

  it('a secret setting in plain text from the environment or the file is masked too', async () => {
    await using daemon = await startDaemon({ env: { SVC_INTEGRATIONS_CODEHOST_CLIENT_SECRET: secret } });
    expect(daemon.app.config.secret(key)).toBe(secret);
    expect(JSON.stringify(await daemon.client.config.list())).not.toContain(secret);
  });

  it('an invalid secret setting is not repeated in the error', async () => {
    await using daemon = await startDaemon();
    const value = `${secret}${'x'.repeat(500)}`;
    const refused = await daemon.client.config
      .update({ params: { key }, body: { value } })
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 400 });
    expect(JSON.stringify(refused)).not.toContain(secret);
  });
});
