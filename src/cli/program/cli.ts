import type { Locations, Platform } from '../../contract/locations.ts';
import type { Connection } from '../connection/connection.ts';
import type { Output } from '../output/output.ts';
import type { GlobalOptions } from './global-options.ts';

/** What a command works with. */
export interface Cli {
  readonly platform: Platform;
  readonly locations: Locations;
  readonly output: Output;
  readonly options: GlobalOptions;
  /** True where the command line asks for JSON; errors are JSON then, too. */
  readonly isJson: boolean;
  /** What the process exits with when nothing throws. */
  exitCode: number;
  /** The connection to the daemon that the options, the environment or the context in use name. */
  connect(options?: { mayStart?: boolean }): Connection;
}
