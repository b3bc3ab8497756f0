import type { RigDaemon } from './daemon-process.ts';
import type { Ledger } from './ledger.ts';
import type { Random } from './random.ts';

export interface OutsideDeps {
  daemon: RigDaemon;
  ledger: Ledger;
  random: Random;
}
