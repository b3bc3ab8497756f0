import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../helpers/tasks.ts';
import { ensureBuilt, SvcHome } from '../svc-binary.ts';

let home: SvcHome;
beforeAll(async () => {
  ensureBuilt();
  home = await SvcHome.create();
});
afterAll(() => home[Symbol.asyncDispose]());

it('prints a one-time link to a page where there is no browser', async () => {
  const { code, stdout, stderr } = await home.svc(['ui', 'tasks'], {
    env: { DISPLAY: '', WAYLAND_DISPLAY: '', BROWSER: '' },
  });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in#\S+\n$/);
  expect(stderr).toContain('It works once');
  const [base = '', token] = stdout.trim().split('/sign-in#');
  const answer = await fetch(`${base}/api/auth/sign-in-links/redeem`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  expect(await answer.json()).toMatchObject({ returnTo: '/tasks' });
});

it('opens a file that only the user can read, so that the link is in no argument', async () => {
  const browser = join(home.folder, 'browser');
  const seen = join(home.folder, 'seen');
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$*" > ${seen}.part; mv ${seen}.part ${seen}\n`, {
    mode: 0o755,
  });
  const { code, stdout } = await home.svc(['ui'], { env: { BROWSER: browser } });
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^Opened http:\S+\/ in the browser\.\n$/),
  });
  const file = await until(() => readFileSync(seen, 'utf8'));
  expect(file).not.toContain('#');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toMatch(/url=http:\S+\/sign-in#/);
});
