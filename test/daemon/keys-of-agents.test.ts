import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { hasSandbox } from '../core/tools/commands/command-setup.ts';
import { startDaemon } from '../helpers/daemon.ts';
import { GitRepository } from '../helpers/git-repository.ts';
import { follow } from '../helpers/tasks.ts';

const script = new URL('../helpers/agents/scripted-acp-agent.ts', import.meta.url).pathname;

/** The arguments of every process on this machine. */
const allArguments = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        // It has exited.
        return '';
      }
    });

it.skipIf(!hasSandbox.isWorking)(
  'a key that an agent is given is in no argument, event, log, answer or patch (needs bubblewrap)',
  async () => {
    // Nothing about it looks like a key, so that only svc can know that it is one.
    const planted = `planted ${crypto.randomUUID().replaceAll('-', ' ')}`;
    const lines: string[] = [];
    const note = (...words: unknown[]) => void lines.push(JSON.stringify(words));
    await using daemon = await startDaemon({
      log: { debug: note, info: note, warn: note, error: note },
      flags: {
        'agents.added': {
          scripted: { program: process.execPath, args: [script], env: { AGENT_KEY: planted } },
        },
      },
    });
    const repository = new GitRepository({ 'door.txt': 'red\n' });
    const { task: created } = await daemon.client.tasks.create({
      body: {
        title: 'Leak',
        prompt: '! echo blue > door.txt\n! echo "$AGENT_KEY" | tee leak.txt\n$ echo "$AGENT_KEY" >> door.log',
        assignedAgent: 'scripted',
        securityMode: 'full',
        cwd: repository.root,
        worktree: true,
        maxAttempts: 1,
      },
    });
    const seen: string[] = [];
    const watch = setInterval(() => seen.push(...allArguments()), 50);
    const { task, events } = await follow(daemon.client, created.id);
    clearInterval(watch);
    expect(task.status, JSON.stringify(task.error)).toBe('completed');
    expect(seen.join('\n')).toContain(script);
    expect(seen.join('\n')).not.toContain(planted);
    expect(JSON.stringify([task, events])).not.toContain(planted);
    expect(lines.join('\n')).not.toContain(planted);
    const changes = await daemon.client.tasks.getChanges({ params: { id: task.id } });
    expect(JSON.stringify(changes)).not.toContain(planted);
    let patch = '';
    for await (const piece of daemon.client.tasks.getPatch({ params: { id: task.id } }))
      patch += Buffer.from(piece).toString();
    expect(patch).toContain('+blue');
    expect(patch).not.toContain(planted);
    expect(patch).not.toContain('leak.txt');
  },
);
