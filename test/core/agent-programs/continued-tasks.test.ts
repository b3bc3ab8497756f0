import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { playedAgent, runRecorded } from '../../helpers/agents/recorded-runs.ts';
import { startDaemon, temporaryFolder } from '../../helpers/daemon.ts';
import { hasSharedFixtures } from '../../helpers/shared-fixture.ts';

/** A repository with one commit. */
function repository(): string {
  const cwd = realpathSync(temporaryFolder());
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...args], { cwd });
  git('init', '-q', '-b', 'main');
  writeFileSync(join(cwd, 'a.txt'), 'alpha\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'First');
  return cwd;
}

describe.runIf(hasSharedFixtures)('a task that continues another one', () => {
  it('gets the same session and the same worktree', async () => {
    await using daemon = await startDaemon({ flags: playedAgent('claude') });
    const cwd = repository();
    const first = await runRecorded(daemon, 'claude', ['claude-stdio', 'write-file'], { cwd });
    const second = await runRecorded(daemon, 'claude', ['claude-stdio', 'shell-allowed'], {
      cwd,
      continues: first.task.id,
    });
    expect(second.task).toMatchObject({ status: 'completed', continues: first.task.id });
    const [startedFirst, startedSecond] = [first, second].map(
      ({ events }) => events.find(({ data }) => data['type'] === 'agent:start')?.data,
    );
    expect(startedSecond?.['cwd']).toBe(startedFirst?.['cwd']);
    expect(startedFirst).not.toHaveProperty('sessionId');
    expect(startedSecond).toHaveProperty('sessionId', first.transcript.expect.sessionId);
    const changes = await daemon.client.tasks.getChanges({ params: { id: second.task.id } });
    expect(changes.files.map(({ path }) => path)).toEqual(['made.txt', 'notes.md']);
    expect(existsSync(join(cwd, 'notes.md'))).toBe(false);
  });

  it('is refused while the other one works, and for an agent that keeps no session', async () => {
    await using daemon = await startDaemon();
    const { task } = await daemon.client.tasks.create({
      body: { title: 'Wait', prompt: 'sleep 60', assignedAgent: 'command' },
    });
    const again = { title: 'More', continues: task.id };
    await expect(daemon.client.tasks.create({ body: again })).rejects.toThrow('A task that is');
    await daemon.client.tasks.cancel({ params: { id: task.id } });
    await expect(daemon.client.tasks.create({ body: again })).rejects.toThrow('keeps no session');
  });
});
