import { escapeLine } from '../../../../contract/escape-text.ts';
import type { Policy } from '../../../../contract/policy.ts';
import type { Danger, ToolInfo, ToolServer } from '../../../../contract/tools.ts';
import { Item, Items } from '../../../components/items.tsx';
import { StateBadge } from '../../../components/state-badge.tsx';
import { counted } from '../../../components/counted.ts';
import { rulesOf } from './rule-notes.ts';

const dangers: Record<Danger, string> = {
  low: 'reads',
  medium: 'changes files or uses the network',
  high: 'runs programs',
};

/** The tools with what the policy says of them, and the servers that bring some. */
export function ToolList({
  tools,
  servers,
  policy,
}: {
  tools: readonly ToolInfo[];
  servers: readonly ToolServer[];
  policy: Policy;
}) {
  return (
    <>
      {servers.length > 0 && (
        <Items label="MCP servers">
          {servers.map((server) => (
            <Item
              key={server.name}
              title={escapeLine(server.name)}
              badge={
                <StateBadge tone={server.connected ? 'good' : 'bad'}>
                  {server.connected ? 'connected' : 'not connected'}
                </StateBadge>
              }
              note={escapeLine(
                [`MCP server over ${server.transport}`, counted(server.tools, 'tool'), server.message]
                  .filter(Boolean)
                  .join(' · '),
              )}
            />
          ))}
        </Items>
      )}
      <Items label="Tools">
        {tools.map((tool) => (
          <Item
            key={tool.name}
            title={<code>{escapeLine(tool.name)}</code>}
            badge={<span className="muted">{rulesOf(tool.name, policy).map(escapeLine).join(', ')}</span>}
            note={
              <>
                {escapeLine(`${tool.description} · ${dangers[tool.danger]}`)}
                {!tool.available && <p>Not available: {escapeLine(tool.reason ?? 'unknown')}</p>}
              </>
            }
          />
        ))}
      </Items>
    </>
  );
}
