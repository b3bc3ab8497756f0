import type { Approval } from '../../contract/approvals.ts';
import { visibleLine, visibleText } from '../../contract/visible-text.ts';

/** All that a person has to see before they allow the call. */
export const questionOf = ({ toolName, params, cwd, securityLevel, reason, diff }: Approval): string =>
  [
    `Allow this call of an agent once? Danger: ${securityLevel}. ${reason}`,
    `${visibleLine(toolName)} in ${visibleLine(cwd)}`,
    visibleText(diff && diff.text !== '' ? diff.text : JSON.stringify(params, null, 2)),
  ].join('\n\n');
