import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt, hasTerminals, outcomeOf, said, SvcHome } from '../svc-binary.ts';

beforeAll(ensureBuilt, 120_000);

/** A home in use, in a directory of its own, with what svc and others have put around it. */
async function usedHome(home: SvcHome) {
  const data = join(home.folder, 'data');
  const env = { SVC_HOME: data };
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(home.folder, path)), { recursive: true });
    writeFileSync(join(home.folder, path), text);
  };
  await home.svc(['daemon', 'start'], { env });
  await home.svc(['daemon', 'install'], { env });
  put('.config/fish/completions/svc.fish', (await home.svc(['completion', 'fish'])).stdout);
  put('.zfunc/_svc', 'written by hand\n');
  put('.bashrc', 'eval "$(svc completion bash)"\n');
  put('data/backups/svc-backup.tar.gz', 'a backup');
  return { data, env, has: (path: string) => existsSync(join(home.folder, path)) };
}

describe('svc uninstall', () => {
  it('stops the daemon and removes what svc installed; says what is left', async () => {
    await using home = await SvcHome.create();
    const { data, env, has } = await usedHome(home);
    const { code, stdout, stderr } = await home.svc(['uninstall'], { env });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('Daemon stopped.\nRemoved: ');
    expect(has('.config/systemd/user/svc.service')).toBe(false);
    expect(has('.config/fish/completions/svc.fish')).toBe(false);
    expect(has('.zfunc/_svc')).toBe(true);
    expect(has('data/svc.db')).toBe(true);
    expect(stderr).toContain(`Left: your data in ${data}\n  Delete it, too: svc uninstall --purge\n`);
    expect(stderr).toContain(`Left: the line with svc completion in ${home.folder}/.bashrc\n`);
    expect(stderr).toContain('Left: the program in ');

    // There is no terminal to prompt on, so nothing is deleted without --yes.
    expect(await home.svc(['uninstall', '--purge'], { env })).toMatchObject({ code: 9 });
    expect(has('data/svc.db')).toBe(true);
    writeFileSync(join(data, 'thesis.txt'), 'not of svc');
    const purged = await home.svc(['uninstall', '--purge', '--yes'], { env });
    expect(purged.code).toBe(0);
    expect(readdirSync(data).sort()).toEqual(['backups', 'thesis.txt']);
    expect(purged.stderr).toContain(`Left: the backups in ${data}/backups\n`);
    expect(purged.stderr).toContain(`Left: what svc did not make: ${data}/thesis.txt\n`);
    expect(await home.svc(['uninstall', '--purge', '--yes'], { env })).toMatchObject({ code: 0 });
    expect(await home.svc(['uninstall', '--url', 'http://127.0.0.1:1'], { env })).toMatchObject({ code: 2 });
  });

  it.skipIf(!hasTerminals)(
    'deletes data only after a yes on a terminal (needs script of util-linux)',
    async () => {
      await using home = await SvcHome.create();
      const { env, has } = await usedHome(home);
      const purge = async (answer: string) => {
        const running = home.startOnTerminal(['uninstall', '--purge'], { env });
        await said(running, 'stdout', /Delete it\?.*\[y\/N\]/);
        running.stdin?.write(`${answer}\r`);
        return outcomeOf(await running).code;
      };
      expect(await purge('')).toBe(0);
      expect(has('data/identity')).toBe(true);
      expect(await purge('y')).toBe(0);
      expect(has('data/identity')).toBe(false);
    },
  );
});
