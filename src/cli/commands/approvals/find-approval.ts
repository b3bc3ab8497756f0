import type { Approval } from '../../../contract/approvals.ts';
import { ApiError, type Client } from '../../../contract/client.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { resolveId } from '../../ids/resolve-id.ts';

/** Resolves an ID or its prefix; pending approvals take precedence over decided ones. */
export async function findApproval(client: Client, text: string): Promise<string> {
  try {
    return await resolveId(text, idsOf(client, 'approval', { isOpenOnly: true }));
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== exitCodes.notFound) throw error;
    return resolveId(text, idsOf(client, 'approval'));
  }
}

/** The approval with this ID. */
export async function loadApproval(client: Client, id: string): Promise<Approval> {
  try {
    return (await client.approvals.get({ params: { id } })).approval;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    throw new CliError(exitCodes.notFound, `There is no approval "${id}".`, {
      next: 'See them: svc approvals ls --all',
    });
  }
}
