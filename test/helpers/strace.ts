import { spawnSync } from 'node:child_process';

/** Whether processes can be traced here; in CI a missing strace is a failure. */
export const canTrace: boolean = spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']).status === 0;
if (!canTrace && process.env['CI']) throw new Error('These tests need strace, and CI skips nothing');
