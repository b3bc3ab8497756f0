import type { Locations } from '../../contract/locations.ts';
import { readJsonFile } from '../input/json-file.ts';

/** A daemon with a name; the token is the text of a session, or an API token. */
export interface Context {
  url: string;
  token?: string;
}
export interface Contexts {
  current?: string;
  contexts?: Record<string, Context>;
  /** Sessions with daemons that have no name, by the origin of their URL. */
  logins?: Record<string, string>;
  /** When a difference of versions was last noted, by the origin of the daemon. */
  skewNotices?: Record<string, number>;
}

/** The name that stands for the daemon of this machine. */
export const localContext = 'local';

export const contextsFileName = 'contexts';

/** Reads the contexts; `context-store.ts` writes them, and takes much longer to load. */
export const readContexts = ({ config }: Locations): Contexts =>
  (readJsonFile(`${config}/${contextsFileName}.json`) as Contexts | undefined) ?? {};
