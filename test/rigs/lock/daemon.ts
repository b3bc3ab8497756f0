/** A whole daemon, as the command line starts it; what stops the start goes to stderr. */
import { messageOf } from '../../../src/core/errors.ts';
import { runDaemon } from '../../../src/daemon/start.ts';

try {
  process.exitCode = await runDaemon({});
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
