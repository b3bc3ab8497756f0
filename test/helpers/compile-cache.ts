import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Environment of the programs of rigs: all share what Node.js compiled, which is most of the time that a start takes. */
export const compileCache = { NODE_COMPILE_CACHE: join(tmpdir(), 'svc-test-compiled') };
