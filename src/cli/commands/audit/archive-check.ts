// Archives are verified where no daemon runs, so the code of the daemon is loaded here.
export { verifyFiles } from '../../../core/audit/verify-files.ts';
