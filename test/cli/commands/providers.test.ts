import { expect, it } from 'vitest';
import { SvcHome } from '../svc-binary.ts';

it('configures a model provider without showing the key, and selects it', async () => {
  await using home = await SvcHome.create();
  expect(await home.svc(['providers', 'ls'])).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('svc providers configure openai') as string,
  });
  const key = 'sk-0123456789abcdef';
  const base = ['--base-url', 'http://127.0.0.1:9/v1', '--default-model', 'small'];
  const made = await home.svc(['providers', 'configure', 'openai', ...base], { stdin: `${key}\n` });
  expect(made).toMatchObject({ code: 0, stdout: '' });
  expect((await home.svc(['providers', 'default', 'openai'])).code).toBe(0);
  const list = await home.svc(['providers', 'ls']);
  expect(list.stdout).toMatch(/\* {2}openai {2}not tested {2}small {2}…cdef/);
  expect(made.stderr + list.stdout).not.toContain(key);
  expect(await home.svc(['providers', 'test', 'openai'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Configure it: svc providers configure openai') as string,
  });
  expect((await home.svc(['providers', 'ls'])).stdout).toContain('unhealthy');
  expect((await home.svc(['providers', 'configure', 'openai', '--forget-key'])).code).toBe(0);
  expect((await home.svc(['providers', 'ls'])).stdout).toBe('');
  expect(await home.svc(['providers', 'test', 'opnai'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('Did you mean openai?') as string,
  });
});
