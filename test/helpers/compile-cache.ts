import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Environment of test workers and of the programs of rigs: they share what Node.js compiled, most of the time of a start. */
export const compileCache = { NODE_COMPILE_CACHE: join(tmpdir(), 'svc-test-compiled') };
