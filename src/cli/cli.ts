import type { Locations, Surroundings } from '../contract/locations.ts';
import type { Connection } from './connection.ts';
import type { Output } from './output.ts';

/** The options that every command takes. */
export interface GlobalOptions {
  url?: string;
  context?: string;
  /** False after --no-autostart, true after --autostart, undefined when neither was given. */
  autostart?: boolean;
  debug?: boolean;
}

/** What a command works with. */
export interface Cli {
  readonly surroundings: Surroundings;
  readonly locations: Locations;
  readonly output: Output;
  readonly options: GlobalOptions;
  /** What the process exits with when nothing throws. */
  exitCode: number;
  /** The connection to the daemon that the options, the environment or the context in use name. */
  connect(options?: { mayStart?: boolean }): Connection;
}
