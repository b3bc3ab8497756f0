import type { FastifyInstance } from 'fastify';
import { backupRoutes } from '../../contract/backups.ts';
import type { App } from '../../core/app.ts';
import { backupName } from '../../core/backup/backup-name.ts';
import { implement } from '../implement.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerBackups(
  server: FastifyInstance,
  { backups }: Pick<App, 'backups'>,
  check?: ResponseCheck,
): void {
  implement(
    server,
    backupRoutes,
    {
      create: async (_, { reply }) => {
        const { stream, createdAt } = await backups.open();
        // A client that has left reads nothing, and what is not read to its end would never be removed.
        if (reply.raw.destroyed) stream.destroy();
        else reply.raw.once('close', () => stream.destroy());
        reply.header('content-disposition', `attachment; filename="${backupName(createdAt)}"`);
        return stream;
      },
    },
    check,
  );
}
