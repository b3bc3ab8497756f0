import type { Cli } from '../../program/cli.ts';
import { formatFacts } from '../../output/facts.ts';
import { modeMeanings } from '../../../contract/mode-meanings.ts';

/** `svc policy show`. */
export async function showPolicy(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const policy = await cli.connect().client.policy.get();
  if (json) return output.json(policy);
  const { defaultMode, allowedTools, blockedTools, requireApprovalFor, auditAll } = policy;
  const names = (tools: string[]) => (tools.length === 0 ? 'none' : tools.toSorted());
  output.write(
    formatFacts(
      [
        ['Mode', `${defaultMode}: ${modeMeanings[defaultMode]}`],
        ['Allowed', names(allowedTools)],
        ['Blocked', names(blockedTools)],
        ['Approval required', names(requireApprovalFor)],
        ['Audit log', auditAll ? 'calls and their results' : 'calls, without their results'],
      ],
      output.paint,
    ),
  );
}
