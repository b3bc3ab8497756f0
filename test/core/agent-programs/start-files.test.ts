import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeStartFiles } from '../../../src/core/agent-programs/start-files.ts';
import { presets } from '../../../src/core/agents/presets.ts';

it('writes the files that the arguments of Gemini CLI name, and removes them', async () => {
  const { gemini } = presets;
  const files = await writeStartFiles(gemini.files ?? {});
  expect(statSync(files.folder).mode & 0o077).toBe(0);
  const order = { cwd: '/w', mcpServers: [], isSandboxed: false, files: files.folder };
  const { argv, env } = gemini.start(order);
  const policy = argv[argv.indexOf('--admin-policy') + 1] ?? '';
  expect(readFileSync(policy, 'utf8')).toContain('decision = "ask_user"');
  const defaults: unknown = JSON.parse(readFileSync(env['GEMINI_CLI_SYSTEM_DEFAULTS_PATH'] ?? '', 'utf8'));
  expect(defaults).toEqual({ general: { maxAttempts: 2 } });
  expect(files.paths).toEqual(expect.arrayContaining([policy, join(files.folder, 'defaults.json')]));
  await files[Symbol.asyncDispose]();
  expect(existsSync(files.folder)).toBe(false);
});
