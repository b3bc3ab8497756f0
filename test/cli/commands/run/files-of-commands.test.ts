import { statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { ensureBuilt, SvcHome } from '../../svc-binary.ts';

beforeAll(ensureBuilt);

it.each([
  ['022', '644 755'],
  ['002', '664 775'],
])(
  'files of a command follow the umask %s of the user, and those of svc are private',
  async (umask, modes) => {
    await using home = await SvcHome.create();
    const said = await home.bash(
      `umask ${umask}; svc run --agent command -- 'touch f; mkdir d; stat -c %a f d'`,
      { cwd: home.folder },
    );
    expect(said).toMatchObject({ code: 0, stdout: `${modes.replace(' ', '\n')}\n` });
    for (const name of ['svc.db', 'owner-session', 'daemon.json'])
      expect(statSync(join(home.folder, name)).mode & 0o777, name).toBe(0o600);
  },
);
