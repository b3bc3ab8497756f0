import { chmodSync, mkdirSync } from 'node:fs';
import Conf from 'conf';
import type { Locations } from '../../contract/locations.ts';
import { CliError } from '../errors/cli-error.ts';
import {
  type Context,
  type Contexts,
  contextsFileName,
  localContext,
  readContexts,
} from './contexts-file.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import { originOf, type Target } from './target.ts';

/** Changes the contexts; the file holds tokens, so only its owner may read it. */
export function changeContexts(locations: Locations, change: (contexts: Contexts) => Contexts): void {
  mkdirSync(locations.config, { recursive: true, mode: 0o700 });
  const next = change(readContexts(locations));
  const store = new Conf<Contexts>({
    cwd: locations.config,
    configName: contextsFileName,
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
  });
  store.store = next;
  chmodSync(store.path, 0o600);
}

/** Throws unless this is a valid name for a context. */
export function checkContextName(name: string): void {
  if (name === localContext)
    throw new CliError(exitCodes.invalid, `"${name}" is reserved for the daemon of this machine.`, {
      next: 'Choose another name.',
    });
  if (!/^[\w.-]{1,100}$/.test(name) || name === '__proto__')
    throw new CliError(exitCodes.invalid, `"${name}" is not a valid context name.`, {
      next: 'Use letters, digits, dot, dash and _.',
    });
}

/** Creates or replaces a context. */
export function saveContext(locations: Locations, name: string, context: Context): void {
  changeContexts(locations, ({ contexts = {}, ...others }) => ({
    ...others,
    contexts: { ...contexts, [name]: context },
  }));
}

/** Stores the session with this daemon, in its context or else by origin; undefined removes it. */
export function keepSession(
  locations: Locations,
  { url, context }: Pick<Target, 'url' | 'context'>,
  token: string | undefined,
): void {
  if (context !== undefined)
    return saveContext(locations, context, { url, ...(token !== undefined && { token }) });
  changeContexts(locations, ({ logins = {}, ...others }) => {
    const { [originOf(url)]: _earlier, ...left } = logins;
    return { ...others, logins: token === undefined ? left : { ...left, [originOf(url)]: token } };
  });
}
