import { realpathSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LineProgram } from '../../../src/core/processes/line-program.ts';
import { temporaryFolder } from '../../helpers/daemon.ts';
import { until } from '../../helpers/tasks.ts';

let count = 0;
function start(script: string) {
  const lines: string[] = [];
  const program = new LineProgram({
    argv: ['/bin/sh', '-c', script],
    cwd: realpathSync(temporaryFolder()),
    env: { PATH: process.env['PATH'] },
    mark: `test/line-program/${process.pid}/${count++}`,
    onLine: (line) => lines.push(line),
  });
  return { program, lines };
}

it('reads lines as the program writes them, and a last one without a line break', async () => {
  const { program, lines } = start(`printf 'one\\n\\ntwö'; printf '\\303' ; printf '\\244\\nlast'`);
  expect(await program.exited).toEqual({ code: 0, signal: null });
  expect(lines).toEqual(['one', 'twöä', 'last']);
});

it('sends lines, and ends with its input', async () => {
  const { program, lines } = start('while read -r line; do echo "got $line"; done; echo end');
  expect(program.send('a b')).toBe(true);
  await until(() => expect(lines).toEqual(['got a b']));
  await program.finish(10_000);
  expect(lines).toEqual(['got a b', 'end']);
  expect(program.send('too late')).toBe(false);
});

it('keeps the end of what the program complains about', async () => {
  const { program } = start('i=0; while [ $i -lt 3000 ]; do echo "problem $i" >&2; i=$((i+1)); done');
  await program.exited;
  expect(program.errors).toMatch(/problem 2999\n$/);
  expect(program.errors.length).toBeLessThanOrEqual(8192);
});

it('ends a program that does not react, with everything that it started', async () => {
  const { program, lines } = start(
    `trap '' TERM; (sleep 600 & echo "child $!"); echo ready; sleep 600; sleep 600`,
  );
  await until(() => expect(lines).toContain('ready'));
  await program.stop();
  expect(await program.exited).toMatchObject({ signal: 'SIGKILL' });
  const child = Number(/\d+/.exec(lines.find((line) => line.startsWith('child')) ?? '')?.[0]);
  // The system takes a moment to forget a process that is gone.
  await until(() => expect(() => process.kill(child, 0)).toThrow('ESRCH'));
});

it('says why a program could not start', async () => {
  const { program } = start('exec /nonexistent/program');
  expect(await program.exited).toEqual({ code: 127, signal: null });
  expect(program.errors).toContain('not found');
});
