import type { AuditVerification } from '../../../contract/audit.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { whileWaiting } from '../../output/while-waiting.ts';
import type { Cli } from '../../program/cli.ts';
import { longCall } from '../../connection/long-call.ts';

/** `svc audit verify [FILE…]`: the log of the daemon, or archives of it without a daemon. */
export async function verifyAudit(cli: Cli, files: string[], { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const answer = await whileWaiting(output, { isShown: !json, text: 'verifying the audit log' }, () =>
    files.length > 0 ? verifyHere(files) : cli.connect().client.audit.verify({}, longCall),
  );
  if (json) output.json(answer);
  const { valid, entries, decisions, signedDecisions, reason, lastHash, missingArchives = [] } = answer;
  if (!valid)
    throw new CliError(exitCodes.unverified, `The audit log failed verification: ${reason ?? 'unknown'}.`, {
      next: 'Compare it with a backup.',
    });
  if (json) return;
  for (const file of missingArchives)
    output.note(
      `${output.paintError('yellow', '!')} Not found, so its entries were not verified: ${escapeLine(file)}`,
    );
  output.write(`${lastHash}\n`);
  output.note(`${entries} entries verified. Store the hash elsewhere to detect a truncated log.`);
  if (decisions > 0)
    output.note(
      `${signedDecisions} of ${decisions} decisions on tool calls were signed, and verified again.`,
    );
}

async function verifyHere(files: string[]): Promise<AuditVerification> {
  const { verifyFiles } = await import('./archive-check.ts');
  try {
    return await verifyFiles(files);
  } catch (error) {
    throw new CliError(exitCodes.invalid, `${escapeLine((error as Error).message)}.`, {
      next: 'Pass archives that svc data archive wrote.',
      cause: error,
    });
  }
}
