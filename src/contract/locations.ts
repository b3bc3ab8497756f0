import { trimSlashes } from './trim-slashes.ts';
/**
 * Where the daemon and its clients meet on one machine. `SVC_HOME` puts everything into one directory; otherwise the XDG base
 * directories, or ~/Library on a Mac. Pure: the caller passes environment, platform and home directory.
 */
export interface Locations {
  /** settings.json */
  config: string;
  /** The database, the owner session, the workspaces. */
  data: string;
  /** Logs. */
  state: string;
  /** The lock and the description of the running daemon. */
  runtime: string;
  settingsFile: string;
  ownerSessionFile: string;
  databaseFile: string;
  /** The master seed of every key of the daemon; `SVC_MASTER_SEED_FILE` names another file for it. */
  identityFile: string;
  /** Lets the first account be made; there only until it is. */
  setupCodeFile: string;
  logFile: string;
  /** JSON {pid, url, version, startedAt} of the daemon that runs; while it upgrades its database, `starting` for `url`. */
  daemonFile: string;
}

export interface Platform {
  env: Record<string, string | undefined>;
  platform: string;
  home: string;
}

export function locate({ env, platform, home }: Platform): Locations {
  const folders = env['SVC_HOME'] ? inOneDirectory(env['SVC_HOME']) : bySystem(env, platform, home);
  return {
    ...folders,
    settingsFile: `${folders.config}/settings.json`,
    ownerSessionFile: `${folders.data}/owner-session`,
    databaseFile: `${folders.data}/svc.db`,
    identityFile: env['SVC_MASTER_SEED_FILE'] || `${folders.data}/identity`,
    setupCodeFile: `${folders.data}/setup-code`,
    logFile: `${folders.state}/daemon.log`,
    daemonFile: `${folders.runtime}/daemon.json`,
  };
}

type Directories = Pick<Locations, 'config' | 'data' | 'state' | 'runtime'>;

const inOneDirectory = (path: string): Directories => {
  const folder = path.length > 1 ? trimSlashes(path) : path;
  return { config: folder, data: folder, state: folder, runtime: folder };
};

function bySystem(env: Platform['env'], platform: string, home: string): Directories {
  if (platform === 'darwin') {
    const support = `${home}/Library/Application Support/svc`;
    return { config: support, data: support, state: `${home}/Library/Logs/svc`, runtime: support };
  }
  const absolute = (name: string, fallback: string) =>
    env[name]?.startsWith('/') ? env[name] : `${home}/${fallback}`;
  const data = `${absolute('XDG_DATA_HOME', '.local/share')}/svc`;
  return {
    config: `${absolute('XDG_CONFIG_HOME', '.config')}/svc`,
    data,
    state: `${absolute('XDG_STATE_HOME', '.local/state')}/svc`,
    runtime: env['XDG_RUNTIME_DIR']?.startsWith('/') ? `${env['XDG_RUNTIME_DIR']}/svc` : data,
  };
}

export const defaultPort = 4310;
export const defaultHost = '127.0.0.1';
/** The header that tells signed-in clients the version of the daemon. */
export const versionHeader = 'svc-version';
/** The cookie that carries a session. */
export const sessionCookie = 'service_session';
/** Why a sign-in elsewhere was refused, for the page that the browser is sent back to. */
export const problemCookie = 'service_problem';
