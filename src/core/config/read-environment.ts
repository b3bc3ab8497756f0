import { homedir } from 'node:os';
import type { Platform } from '../../contract/locations.ts';

/** The environment of this process: the only code of the daemon that reads it. */
export const readEnvironment = (): Platform => ({
  env: process.env,
  platform: process.platform,
  home: homedir(),
});
