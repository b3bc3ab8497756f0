import { describe, expect, it } from 'vitest';
import { locate } from '../../src/contract/locations.ts';

const home = '/home/ann';
const linux = (env: Record<string, string | undefined> = {}) => locate({ env, platform: 'linux', home });

describe('locate', () => {
  it('file locations follow the XDG defaults', () => {
    expect(linux()).toEqual({
      config: '/home/ann/.config/svc',
      data: '/home/ann/.local/share/svc',
      state: '/home/ann/.local/state/svc',
      runtime: '/home/ann/.local/share/svc',
      settingsFile: '/home/ann/.config/svc/settings.json',
      ownerSessionFile: '/home/ann/.local/share/svc/owner-session',
      databaseFile: '/home/ann/.local/share/svc/svc.db',
      identityFile: '/home/ann/.local/share/svc/identity',
      setupCodeFile: '/home/ann/.local/share/svc/setup-code',
      logFile: '/home/ann/.local/state/svc/daemon.log',
      daemonFile: '/home/ann/.local/share/svc/daemon.json',
    });
  });

  it('file locations follow the XDG variables', () => {
    const env = { XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d', XDG_STATE_HOME: '/s', XDG_RUNTIME_DIR: '/r' };
    expect(linux(env)).toMatchObject({
      config: '/c/svc',
      data: '/d/svc',
      state: '/s/svc',
      runtime: '/r/svc',
      daemonFile: '/r/svc/daemon.json',
    });
  });

  it.each(['relative', './x', '~/x', ''])(
    'ignores an XDG variable that is not an absolute path: %j',
    (path) => {
      const env = { XDG_CONFIG_HOME: path, XDG_DATA_HOME: path, XDG_STATE_HOME: path, XDG_RUNTIME_DIR: path };
      expect(linux(env)).toEqual(linux());
    },
  );

  it('file locations follow the conventions of macOS', () => {
    expect(locate({ env: { XDG_CONFIG_HOME: '/c' }, platform: 'darwin', home })).toMatchObject({
      settingsFile: '/home/ann/Library/Application Support/svc/settings.json',
      databaseFile: '/home/ann/Library/Application Support/svc/svc.db',
      logFile: '/home/ann/Library/Logs/svc/daemon.log',
      daemonFile: '/home/ann/Library/Application Support/svc/daemon.json',
    });
  });

  it.each(['linux', 'darwin'])('puts every file under SVC_HOME on %s', (platform) => {
    for (const path of ['/srv/svc', '/srv/svc/', '/srv/svc//']) {
      const { config, data, state, runtime, ...files } = locate({
        env: { SVC_HOME: path, XDG_CONFIG_HOME: '/c', XDG_RUNTIME_DIR: '/r' },
        platform,
        home,
      });
      expect([config, data, state, runtime]).toEqual(['/srv/svc', '/srv/svc', '/srv/svc', '/srv/svc']);
      expect(Object.values(files).every((file) => /^\/srv\/svc\/[\w.-]+$/.test(file))).toBe(true);
      expect(new Set(Object.values(files)).size).toBe(7);
    }
  });

  it('treats an empty SVC_HOME as unset', () => {
    expect(linux({ SVC_HOME: '' })).toEqual(linux());
  });
});
