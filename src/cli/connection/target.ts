import { defaultHost, defaultPort, type Locations, type Platform } from '../../contract/locations.ts';
import { trimSlashes } from '../../contract/trim-slashes.ts';
import { CliError } from '../errors/cli-error.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import { localContext, readContexts } from './contexts-file.ts';
import { readDaemonFile, reachable } from './daemon-file.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import { readJsonFile } from '../input/json-file.ts';

/** The daemon that a command connects to. */
export interface Target {
  url: string;
  /** True for the daemon of this home on this machine, whose owner session may be used. */
  isLocal: boolean;
  /** True if the user named a URL or a context, so no daemon is started instead. */
  isNamed: boolean;
  /** The name of the context, if one is used. */
  context?: string;
  /** What the context keeps: a session or an API token. */
  token?: string;
}

interface Sources {
  options: GlobalOptions;
  platform: Platform;
  locations: Locations;
}

/** Flag, then environment, then the context in use, then the daemon of this home. */
export function findTarget({ options, platform: { env }, locations }: Sources): Target {
  const named = options.url ?? (options.context === undefined ? env['SVC_URL'] || undefined : undefined);
  if (named !== undefined) {
    const url = checkUrl(named);
    const local = localUrl(env, locations);
    // A name may lead to another address than the one that was looked at, so the daemon of this home has its own.
    return originOf(url) === originOf(local)
      ? { url: originOf(url), isLocal: true, isNamed: true }
      : { url, isLocal: false, isNamed: true };
  }
  const { current, contexts = {} } = readContexts(locations);
  const name = options.context ?? (env['SVC_CONTEXT'] || undefined) ?? current ?? localContext;
  if (name === localContext) return { url: localUrl(env, locations), isLocal: true, isNamed: false };
  const context = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (!context)
    throw new CliError(exitCodes.configuration, `There is no context "${name}".`, {
      next: 'See them: svc context ls',
    });
  return {
    url: checkUrl(context.url),
    isLocal: false,
    isNamed: true,
    context: name,
    ...(context.token !== undefined && { token: context.token }),
  };
}

function localUrl(env: Platform['env'], locations: Locations): string {
  const host = env['SVC_HOST'] || undefined;
  const port = env['SVC_PORT'] || undefined;
  const isExplicit = (host !== undefined || port !== undefined) && port !== '0';
  const running = isExplicit ? undefined : readDaemonFile(locations);
  if (running) return running.url;
  const settings = host !== undefined && port !== undefined ? {} : readServerSettings(locations);
  const shownHost = host ?? settings.host ?? defaultHost;
  return checkUrl(
    reachable(
      checkUrl(
        `http://${shownHost.includes(':') ? `[${shownHost}]` : shownHost}:${port ?? settings.port ?? defaultPort}`,
      ),
    ),
  );
}

function readServerSettings({ settingsFile }: Locations): { host?: string; port?: number } {
  const { server } = (readJsonFile(settingsFile) ?? {}) as { server?: { host?: string; port?: number } };
  return server ?? {};
}

function checkUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return trimSlashes(text);
  throw new CliError(exitCodes.configuration, `"${text}" is not an http or https URL.`, {
    next: 'Example: --url http://127.0.0.1:4310',
  });
}

/** What two URLs of one server have in common. */
export const originOf = (url: string): string => new URL(url.replace('//localhost', '//127.0.0.1')).origin;
