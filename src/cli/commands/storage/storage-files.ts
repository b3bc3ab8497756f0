// Databases are copied where no daemon runs, so the code of the daemon is loaded here.
export { Config } from '../../../core/config/config.ts';
export { copyToPostgres } from '../../../core/moving/copy-to-postgres.ts';
export { copyToSqlite } from '../../../core/moving/copy-to-sqlite.ts';
export type { CopyReport, MoveOptions } from '../../../core/moving/copy-report.ts';
export { reopenPostgres, reopenSqlite } from '../../../core/moving/reopen.ts';
export { finishRestore } from '../../../core/backup/restore-journal.ts';
export { keepOwnFilesPrivate } from '../../../core/processes/work-umask.ts';
