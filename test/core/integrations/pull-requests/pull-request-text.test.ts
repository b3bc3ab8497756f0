import { expect, it } from 'vitest';
import {
  publicTitle,
  pullRequestBody,
} from '../../../../src/core/integrations/pull-requests/pull-request-text.ts';

it('a title is one line of at most 256 characters, without secrets', () => {
  expect(publicTitle('Use  the\nkey sk-abcdefgh12345678')).not.toContain('abcdefgh');
  expect(publicTitle('Use  the\nother')).toBe('Use the other');
  expect(publicTitle('x'.repeat(500))).toHaveLength(256);
});

it('says what the task was, which agent, and what verified it', async () => {
  const body = await pullRequestBody(
    {
      id: 'task_1',
      title: 'Fix #7 for @ann',
      agentType: 'claude',
      sourceUrl: 'https://github.com/octo/app/issues/7',
      result: {
        success: true,
        output: 'the answer',
        artifacts: [],
        duration: 1,
        verification: {
          status: 'failed',
          rounds: 1,
          environment: 'sandbox',
          commands: [
            { command: 'npm `test`', exitCode: 1, durationMs: 1, outputTail: 'the tail', outputHash: '' },
            {
              command: 'sleep',
              exitCode: null,
              problem: 'too slow',
              durationMs: 1,
              outputTail: '',
              outputHash: '',
            },
          ],
        },
      },
    },
    'My text',
  );
  const lines = body.split('\n');
  expect(lines[0]).toBe('My text');
  expect(body).toContain('**Agent:** claude');
  expect(body).toContain('**Source:** <https://github.com/octo/app/issues/7>');
  expect(body).toContain('**Verification:** failed');
  expect(lines).toContain("- `npm 'test'`: exit code 1");
  expect(lines).toContain('- `sleep`: no exit code (too slow)');
  expect(body).toContain('task_1');
  for (const text of ['#7 ', '@ann', 'the answer', 'the tail']) expect(body).not.toContain(text);
});
