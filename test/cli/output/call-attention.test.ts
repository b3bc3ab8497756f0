import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { callAttention } from '../../../src/cli/output/call-attention.ts';
import { Output } from '../../../src/cli/output/output.ts';

function written(
  env: Record<string, string>,
  { isTerminal = true, text = 'edit_file needs approval' } = {},
): string {
  const stderr = Object.assign(new PassThrough(), { isTTY: isTerminal }) as unknown as NodeJS.WriteStream;
  const stdout = new PassThrough() as unknown as NodeJS.WriteStream;
  callAttention(new Output({ stdout, stderr }, env), env, text);
  return String(stderr.read() ?? '');
}

it.each([
  ['rings the bell of any terminal', { TERM: 'xterm' }, '\u0007'],
  [
    'shows a notification where OSC 9 does',
    { TERM: 'xterm', TERM_PROGRAM: 'iTerm.app' },
    '\u001b]9;svc: edit_file needs approval\u001b\\\u0007',
  ],
  [
    'shows a notification where OSC 777 does',
    { TERM: 'foot' },
    '\u001b]777;notify;svc;edit_file needs approval\u001b\\\u0007',
  ],
  ['rings only the bell where SVC_NOTIFY says so', { TERM: 'foot', SVC_NOTIFY: 'bell' }, '\u0007'],
  ['is silent where SVC_NOTIFY says so', { TERM: 'foot', SVC_NOTIFY: 'off' }, ''],
  ['is silent in CI', { TERM: 'xterm', CI: 'true' }, ''],
])('%s', (_, env, bytes) => {
  expect(written(env)).toBe(bytes);
});

it('is silent where stderr is no terminal, and passes on no control characters', () => {
  expect(written({ TERM: 'foot' }, { isTerminal: false })).toBe('');
  const hostile = written({ TERM: 'foot' }, { text: 'a;b\u001b]0;title\u0007' });
  expect(hostile.split('\u001b')).toHaveLength(3);
  expect(hostile.split('\u0007')).toHaveLength(2);
});
