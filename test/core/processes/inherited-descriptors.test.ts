import { execFile, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hasSandbox, makeDirectory } from '../tools/commands/command-setup.ts';

const child = fileURLToPath(new URL('descriptors-child.ts', import.meta.url));
const LEAKED = [17, 64, 200];

/** The descriptors of a program that a daemon starts which was itself started with open ones. */
async function descriptorsOf(kind: string, cwd: string): Promise<number[]> {
  const secret = openSync('/etc/hostname', 'r');
  const stdio = Array.from({ length: Math.max(...LEAKED) + 1 }, (_, at) =>
    LEAKED.includes(at)
      ? secret
      : at === 1
        ? ('pipe' as const)
        : at === 2
          ? ('inherit' as const)
          : ('ignore' as const),
  );
  const daemon = spawn(process.execPath, [child, kind, cwd], { stdio });
  closeSync(secret);
  if (!daemon.stdout) throw new Error('The daemon has no output');
  const [output] = await Promise.all([text(daemon.stdout), once(daemon, 'exit')]);
  return output.trim().split('\n').map(Number);
}

describe.runIf(process.platform === 'linux')('descriptors that the daemon inherited', () => {
  it('descriptors reach programs unless they are closed', async () => {
    const script =
      'console.log(require("node:child_process").execFileSync("ls", ["/proc/self/fd"]).toString())';
    const { stdout } = await promisify(execFile)('bash', [
      '-c',
      `exec 200</etc/hostname; exec "$0" -e '${script}'`,
      process.execPath,
    ]);
    expect(stdout.split('\n')).toContain('200');
  });

  it.each(['plain', 'mcp', ...(hasSandbox.isWorking ? ['sandboxed'] : [])])(
    'do not reach a program: %s',
    async (kind) => {
      await using directory = await makeDirectory('/var/tmp');
      const found = await descriptorsOf(kind, directory.path);
      // The listing program itself opens the directory, as 3.
      expect(found.filter((descriptor) => descriptor > 3)).toEqual([]);
      expect(found.slice(0, 3)).toEqual([0, 1, 2]);
    },
  );
});
