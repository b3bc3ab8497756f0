import type { SecurityMode } from '../../../contract/security-mode.ts';
import type { PolicyService } from '../../policy/policy-service.ts';
import { matchesTool } from '../../tools/mode-decision.ts';
import { inputSchemaOf, type ToolRegistry } from '../../tools/tool-registry.ts';
import type { OfferedTool } from '../../providers/model-steps.ts';

/** The tools that may run in the mode; the gate still decides on each call. */
export async function offeredTools(
  registry: ToolRegistry,
  { policy }: PolicyService,
  mode: SecurityMode,
): Promise<OfferedTool[]> {
  if (mode === 'deny') return [];
  const tools = await registry.all();
  return tools
    .filter((tool) => {
      if (matchesTool(policy.blockedTools, tool.name) || tool.unavailable?.() !== undefined) return false;
      return mode !== 'sandbox' || tool.isReadOnly;
    })
    .map((tool) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: inputSchemaOf(tool),
    }));
}
